import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { kindsOfGoldens, multipartOf } from '../../test/kinds.ts'
import { misjudged } from '../../test/misjudged.ts'
import { response, rulesOf } from '../../test/observations.ts'
import { boundSequence } from '../../test/sequences.ts'
import { decodeBody } from './bodies.ts'
import { seededMutants } from './calibrate.ts'
import { COMPARATORS, type ComparatorName, type Comparators } from './comparators.ts'
import { SEEDED_SHOWN_MAX } from './mutants-body.ts'

describe('registering', () => {
  test('a comparator without mutants does not type-check', () => {
    const { xml: _, ...others } = COMPARATORS
    // @ts-expect-error: xml brings no mutants
    const without: Comparators = others
    // @ts-expect-error: an entry is its mutants
    const empty: Comparators = { ...COMPARATORS, xml: {} }
    expect(Object.keys(without)).not.toContain('xml')
    expect(Object.keys(empty)).toContain('xml')
  })

  test('each comparator brings mutants that must be caught, of an observation that it compares', () => {
    const caught = new Set<ComparatorName>()
    for (const golden of Object.values(kindsOfGoldens())) {
      for (const mutant of seededMutants(golden, rulesOf('{}')).mutants) {
        if (mutant.expect === 'DIVERGED') caught.add(mutant.comparator)
      }
    }
    const { golden, steps } = boundSequence()
    for (const mutant of seededMutants(golden, rulesOf('{}'), steps).mutants) {
      if (mutant.expect === 'DIVERGED') caught.add(mutant.comparator)
    }
    expect([...caught].sort()).toEqual(Object.keys(COMPARATORS).sort())
  })
})

describe('every mutant is judged as it must be', () => {
  test.each(Object.entries(kindsOfGoldens()))('of %s', (_, golden) => {
    expect(misjudged(golden, rulesOf('{}'))).toEqual([])
    expect(misjudged(golden, rulesOf('ignore: [header.content-type, status]'))).toEqual([])
  })

  test.each(['{}', 'exact: [$.id]', 'structural: [$.id]', 'ignore: [$.id]'])(
    'of a sequence that binds, under %s',
    tolerance => {
      const { golden, steps } = boundSequence()
      expect(misjudged(golden, rulesOf(tolerance), steps)).toEqual([])
    },
  )

  test.each([
    ['ndjson', "{structural: ['$[*].id'], numeric_tolerance: {'$[*].n': 0.1}}"],
    ['ndjson', 'order_insensitive: [$]'],
    ['sse', "{structural: ['$[*].id'], ignore: ['$[*].data']}"],
    ['sse', 'order_insensitive: [$]'],
    ['xml', '{exact: [$.attributes], ignore: [$.attributes.stamp]}'],
    ['xml', "{order_insensitive: [$.children], structural: ['$.children[*].children']}"],
    ['xml', 'order_insensitive: [$..children]'],
    ['multipart', "{structural: ['$[*].filename'], ignore: ['$[1].body']}"],
    ['multipart', "{order_insensitive: [$], structural: ['$[*].body.sha256']}"],
    ['form', '{order_insensitive: [$.a], ignore: [$.b]}'],
  ])('of %s under %s', (kind, tolerance) => {
    const golden = kindsOfGoldens()[kind] ?? []
    expect(misjudged(golden, rulesOf(tolerance))).toEqual([])
  })
})

test('a sequence gives another bound value, which must pass, and a value that is bound twice', () => {
  const { golden, steps } = boundSequence()
  const { mutants } = seededMutants(golden, rulesOf('{}'), steps)
  const own = mutants.filter(({ comparator }) => comparator === 'bindings')
  expect(own.map(({ mutation, path, expect }) => `${mutation} ${path} ${expect}`)).toEqual([
    'another bound value steps[0]:$.id PARITY',
    'another bound value steps[1]:$.id PARITY',
    'bound twice steps[1]:$.id DIVERGED',
  ])
})

describe('the mutants of a kind', () => {
  const mutationsOf = (kind: string, tolerance = '{}') =>
    seededMutants(kindsOfGoldens()[kind] ?? [], rulesOf(tolerance, []))
      .mutants.filter(({ comparator }) => comparator === kind)
      .map(({ mutation, path, expect: expected }) => `${expected} ${mutation} at ${path}`)

  test('NDJSON: a line more, a line less, another order, another value', () => {
    expect(mutationsOf('ndjson')).toEqual(
      expect.arrayContaining([
        'DIVERGED element extra at $[2]',
        'DIVERGED element dropped at $[1]',
        'DIVERGED reordered at $',
        'DIVERGED changed at $[0].n',
        'DIVERGED another kind at $',
        'DIVERGED body emptied at $',
      ]),
    )
  })

  test('SSE: each field of an event, an event more, a stream cut short; a comment must pass', () => {
    expect(mutationsOf('sse')).toEqual(
      expect.arrayContaining([
        'DIVERGED element extra at $[2]',
        'DIVERGED changed at $[0].event',
        'DIVERGED changed at $[0].id',
        'DIVERGED changed at $[0].data',
        'DIVERGED changed at $[0].retry',
        'DIVERGED cut short at $[1].unfinished',
        'PARITY comment at $',
      ]),
    )
  })

  test('XML: names, attributes, texts, children; a comment must pass', () => {
    expect(mutationsOf('xml')).toEqual(
      expect.arrayContaining([
        'DIVERGED changed at $.name',
        'DIVERGED changed at $.attributes.version',
        'DIVERGED dropped at $.attributes.version',
        "DIVERGED extra member at $.attributes['parity-mutant']",
        'DIVERGED changed at $.children[0].children[0]',
        'DIVERGED element dropped at $.children[2]',
        'DIVERGED reordered at $.children',
        'PARITY comment at $',
      ]),
    )
  })

  test('multipart: names, types, documents, octets, a part more; another boundary must pass', () => {
    expect(mutationsOf('multipart')).toEqual(
      expect.arrayContaining([
        'DIVERGED changed at $[0].name',
        'DIVERGED changed at $[2].filename',
        'DIVERGED changed at $[0].type',
        'DIVERGED changed at $[1].body.a',
        'DIVERGED element extra at $[3]',
        'DIVERGED octet flipped at $[2].body',
        'PARITY another boundary at $',
      ]),
    )
  })

  test('Set-Cookie: each cookie lost, emptied, expired, without an attribute; what is noise must pass', () => {
    const golden = response({
      headers: [
        ['Set-Cookie', 'sid=s-1; Path=/; Expires=Fri, 02 Jan 2026 00:00:00 GMT'],
        ['Set-Cookie', 'old=; Max-Age=0'],
      ],
    })
    const rules = rulesOf('{}', ['set-cookie'])
    const mutants = seededMutants(golden, rules).mutants.filter(({ path }) => path === 'header.set-cookie')
    expect(mutants.map(({ mutation, expect: expected }) => `${expected} ${mutation}`)).toEqual([
      'DIVERGED changed',
      'DIVERGED dropped',
      'DIVERGED cookie lost',
      'DIVERGED cookie emptied',
      'PARITY cookie value',
      'DIVERGED cookie attribute dropped',
      'DIVERGED cookie attribute dropped',
      'DIVERGED cookie expired',
      'PARITY cookie kept longer',
      'PARITY cookie attributes reordered',
      'DIVERGED cookie lost',
      'DIVERGED cookie attribute dropped',
    ])
    expect(misjudged(golden, rules)).toEqual([])
  })

  test('what a rule lets pass everywhere is not asked to be caught', () => {
    expect(mutationsOf('sse', "ignore: ['$[*].unfinished']").filter(line => line.includes('cut short'))).toEqual([])
  })

  test('a multipart body under a content coding is written under it again', () => {
    const [golden] = multipartOf('b')
    if (golden?.kind !== 'response' || golden.response.body === undefined || !('bytes' in golden.response.body)) return
    const { headers, body } = golden.response
    const coded = response({
      headers: [...headers, ['Content-Encoding', 'gzip']],
      body: { bytes: gzipSync(body.bytes) },
    })
    expect(misjudged(coded, rulesOf('{}'))).toEqual([])
    const shown = seededMutants(coded, rulesOf('{}', [])).mutants.find(({ path }) => path === '$[0].name')
      ?.observation[0]
    const mutant =
      shown?.kind === 'response' ? decodeBody({ ...shown.response, body: shown.response.body, method: 'GET' }) : null
    expect(mutant?.kind).toBe('multipart')
  })

  test('a large document is seeded at one place of each path', () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => `<row id="${at}">${at}</row>`).join('')
    const golden = response({
      headers: [['Content-Type', 'application/xml']],
      body: { bytes: Buffer.from(`<rows>${rows}</rows>`) },
    })
    const { mutants } = seededMutants(golden, rulesOf('{}', []))
    expect(mutants.length).toBeLessThan(SEEDED_SHOWN_MAX)
    expect(misjudged(golden, rulesOf('{}', []))).toEqual([])
  })
})
