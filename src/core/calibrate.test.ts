import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { misjudged } from '../../test/misjudged.ts'
import { jsonOf, jsonResponse, response, responseStep, rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { type Mutant, seededMutants } from './calibrate.ts'

function listed(mutants: readonly Mutant[], root = '$'): string[] {
  return mutants
    .filter(({ path }) => path.startsWith(root))
    .map(({ rule, mutation, path, within, expect: expected }) => {
      return `${expected} ${mutation} at ${path}${within === path ? '' : ` within ${within}`} (${rule})`
    })
}

function ofOutput(text: string, tolerance: string): string[] {
  const golden: Observation = [{ kind: 'output', output: jsonOf(text) }]
  return listed(seededMutants(golden, rulesOf(tolerance)).mutants).filter(line => !line.includes(' threw at '))
}

describe('the mutants of a document', () => {
  test('uncovered: another value, absence, null, a member more, a member twice', () => {
    expect(ofOutput('{"a":"x"}', '{}')).toEqual([
      'DIVERGED nulled at $ (uncovered)',
      "DIVERGED extra member at $['parity-mutant'] (uncovered)",
      'DIVERGED member twice at $.a (uncovered)',
      'DIVERGED changed at $.a (uncovered)',
      'DIVERGED dropped at $.a (uncovered)',
      'DIVERGED nulled at $.a (uncovered)',
    ])
  })

  test('a null is not nulled', () => {
    expect(ofOutput('null', '{}')).toEqual(['DIVERGED changed at $ (uncovered)'])
  })

  test('exact: number text must be caught, uncovered it must pass', () => {
    const numberText = (tolerance: string) =>
      ofOutput('{"n":10.00}', tolerance).filter(line => line.includes('number text'))
    expect(numberText('exact: [$.n]')).toEqual(['DIVERGED number text at $.n (exact $.n)'])
    expect(numberText('{}')).toEqual(['PARITY number text at $.n (uncovered)'])
  })

  test('structural: type, null, absence, emptiness, format; and the same form must pass', () => {
    expect(ofOutput('{"s":"r-1"}', 'structural: [$.s]').filter(line => line.endsWith('(structural $.s)'))).toEqual([
      'DIVERGED member twice at $.s (structural $.s)',
      'DIVERGED another type at $.s (structural $.s)',
      'DIVERGED emptied at $.s (structural $.s)',
      'DIVERGED another format at $.s (structural $.s)',
      'PARITY same form at $.s (structural $.s)',
      'DIVERGED dropped at $.s (structural $.s)',
      'DIVERGED nulled at $.s (structural $.s)',
    ])
  })

  test('structural array: emptied, another shape, and one element more of its shape must pass', () => {
    expect(ofOutput('{"s":[{"k":1}]}', 'structural: [$.s]').filter(line => / at \$\.s[ [.]/.test(line))).toEqual([
      'DIVERGED member twice at $.s (structural $.s)',
      'DIVERGED dropped at $.s (structural $.s)',
      'DIVERGED nulled at $.s (structural $.s)',
      'DIVERGED emptied at $.s (structural $.s)',
      'DIVERGED element of another shape at $.s (structural $.s)',
      'PARITY element repeated at $.s (structural $.s)',
      'DIVERGED nulled at $.s[0] within $.s (structural $.s)',
      "DIVERGED extra member at $.s[0]['parity-mutant'] within $.s (structural $.s)",
      'DIVERGED another type at $.s[0].k within $.s (structural $.s)',
      'PARITY same form at $.s[0].k within $.s (structural $.s)',
      'DIVERGED dropped at $.s[0].k within $.s (structural $.s)',
      'DIVERGED nulled at $.s[0].k within $.s (structural $.s)',
    ])
  })

  test('below a shape what some element already is, is not made', () => {
    const lines = ofOutput('{"s":[{"k":1},{"k":null},{}]}', 'structural: [$.s]').filter(line =>
      line.includes('$.s[0].k'),
    )
    expect(lines).toEqual([
      'DIVERGED another type at $.s[0].k within $.s (structural $.s)',
      'PARITY same form at $.s[0].k within $.s (structural $.s)',
    ])
  })

  test('numeric_tolerance: just past the bound, at the bound, and as a string', () => {
    const golden: Observation = [{ kind: 'output', output: jsonOf('{"n":0.30}') }]
    const { mutants } = seededMutants(golden, rulesOf('numeric_tolerance: {$.n: 0.01}'))
    const values = mutants
      .filter(({ path, mutation }) => path === '$.n' && /bound|string/.test(mutation))
      .map(({ mutation, expect: expected, observation: [step] }) => {
        return [mutation, expected, step?.kind === 'output' ? JSON.stringify(step.output) : '']
      })
    expect(values).toEqual([
      ['past the bound', 'DIVERGED', '{"n":0.3101}'],
      ['as a string', 'DIVERGED', '{"n":"0.30"}'],
      ['inside the bound', 'PARITY', '{"n":0.31}'],
    ])
  })

  test('order_insensitive: another order must pass, another multiplicity not', () => {
    expect(
      ofOutput('{"a":[1,2]}', 'order_insensitive: [$.a]').filter(line => / at \$\.a(?:\[0\])? /.test(line)),
    ).toEqual([
      'DIVERGED member twice at $.a (order_insensitive $.a)',
      'DIVERGED dropped at $.a (order_insensitive $.a)',
      'DIVERGED nulled at $.a (order_insensitive $.a)',
      'PARITY reordered at $.a (order_insensitive $.a)',
      'DIVERGED element extra at $.a (order_insensitive $.a)',
      'DIVERGED element repeated at $.a (order_insensitive $.a)',
      'DIVERGED element dropped at $.a (order_insensitive $.a)',
      'DIVERGED changed at $.a[0] within $.a (uncovered)',
      'DIVERGED as a string at $.a[0] within $.a (uncovered)',
      'PARITY number text at $.a[0] within $.a (uncovered)',
      'DIVERGED nulled at $.a[0] within $.a (uncovered)',
    ])
  })

  test('a list of equals is not reordered', () => {
    const reordered = (text: string, tolerance: string) =>
      ofOutput(text, tolerance).filter(line => line.includes('reordered'))
    expect(reordered('[1,1]', '{}')).toEqual([])
    expect(reordered('[{"id":1},{"id":2}]', "ignore: ['$[*].id']")).toEqual([])
    expect(reordered('[{"id":1},{"id":2}]', '{}')).toEqual(['DIVERGED reordered at $ (uncovered)'])
  })

  test('ignore: another value and absence must pass', () => {
    expect(ofOutput('{"t":1}', 'ignore: [$.t]').filter(line => line.includes('$.t'))).toEqual([
      'PARITY ignored value at $.t (ignore $.t)',
      'PARITY ignored absence at $.t (ignore $.t)',
    ])
  })
})

describe('the mutants of a response', () => {
  const golden = response({
    status: 422,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Other', 'a'],
    ],
    body: { bytes: Buffer.from('{"a":1}') },
  })

  test('status, headers, kind and coding', () => {
    const rules = rulesOf('{}', ['allow', 'content-type'])
    expect(
      listed(seededMutants(golden, rules).mutants, '').filter(line => !line.includes('$.') && !line.includes("$['")),
    ).toEqual([
      'DIVERGED changed at status (status)',
      'DIVERGED changed at header.content-type (header.content-type)',
      'DIVERGED dropped at header.content-type (header.content-type)',
      'DIVERGED added at header.allow (header.allow)',
      'DIVERGED nulled at $ (uncovered)',
      'DIVERGED another kind at $ (uncovered)',
      'DIVERGED body emptied at $ (uncovered)',
      'DIVERGED undecodable body at $ (uncovered)',
    ])
  })

  test('what a rule ignores must pass', () => {
    const rules = rulesOf('ignore: [status, header.content-type]', ['content-type'])
    expect(listed(seededMutants(golden, rules).mutants, '').slice(0, 3)).toEqual([
      'PARITY changed at status (ignore status)',
      'PARITY changed at header.content-type (ignore header.content-type)',
      'PARITY dropped at header.content-type (ignore header.content-type)',
    ])
  })

  test('a step of several is named, and the others stay as they are', () => {
    const several = [responseStep({}), responseStep({ status: 404 })]
    const { mutants } = seededMutants(several, rulesOf('{}', []))
    const [first] = mutants.filter(({ step }) => step === 1)
    expect(first?.path).toBe('steps[1]:status')
    expect(first?.observation[0]).toBe(several[0])
  })
})

describe('every mutant is judged as it must be', () => {
  const document =
    '{"id":"r-1","at":"2026-01-02T03:04:05Z","n":10.00,"rate":0.1234567,"ok":true,"none":null,"deep":{"list":[[1,2],[3]],"e":[],"o":{}},' +
    '"items":[{"id":1,"tags":["a","b"],"q":1.5},{"id":2,"tags":["b"],"q":1.0},{"id":2,"tags":["b"],"q":1.0}],"big":12345678901234567890,"s":""}'
  test.each([
    ['no rule', '{}'],
    ['exact', 'exact: [$.n, $.items, $.big]'],
    ['structural', 'structural: [$.id, $.at, $.n, $.ok, $.none, $.deep, $.items, $.s]'],
    ['bounds', "numeric_tolerance: {$.n: 0, $.rate: 0.000001, '$.items[*].q': 0.5, $.id: 1, $.big: 1}"],
    [
      'multisets',
      "{order_insensitive: [$.items, '$.items[*].tags', $.deep.list], numeric_tolerance: {'$.items[*].q': 0.5}}",
    ],
    ['multisets of shapes', "{order_insensitive: [$.items], structural: ['$.items[*].tags', '$.items[*].id']}"],
    [
      'shapes with multisets',
      "{structural: [$.items], order_insensitive: ['$.items[*].tags'], exact: ['$.items[*].id']}",
    ],
    ['ignore', "ignore: [$.id, '$.items[*].id', $.deep, $.none, '$.items[*].tags[0]']"],
    ['one index', "exact: ['$.items[0].q']"],
    ['descendants', '{ignore: [$..id], structural: [$..tags]}'],
  ])('under %s', (_, tolerance) => {
    const golden = jsonResponse(document)
    const rules = rulesOf(tolerance)
    expect(misjudged(golden, rules)).toEqual([])
    expect(seededMutants(golden, rules).unprovable).toEqual([])
    expect(seededMutants(golden, rules).mutants.length).toBeGreaterThan(50)
  })

  const fields: [string, string][] = [
    ['Set-Cookie', 'sid=1; Path=/'],
    ['Cache-Control', 'no-store'],
    ['Location', '/a'],
  ]
  const text = Buffer.from('a\r\nb\r\n')
  test.each<[string, Observation]>([
    ['text', response({ headers: [['Content-Type', 'text/plain'], ...fields], body: { bytes: text } })],
    [
      'a form',
      response({
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: { bytes: Buffer.from('a=1&b=2&a=3') },
      }),
    ],
    ['binary', response({ headers: [['Content-Type', 'image/png']], body: { bytes: Uint8Array.of(1, 2, 3) } })],
    ['an empty body', response({ status: 200 })],
    ['HEAD', response({ method: 'HEAD', headers: fields })],
    ['no content', response({ status: 204 })],
    ['JSON that is none', response({ headers: [['Content-Type', 'application/json']], body: { text: '<html>' } })],
    ['JSON under another type', response({ headers: [['Content-Type', 'text/plain']], body: { json: [1] } })],
    ['an error', [{ kind: 'threw', threw: { name: 'RangeError', code: 'E', message: 'm' } }]],
    ['a program', [{ kind: 'command', exit: 0, stdout: Buffer.from('{"a":1}'), stderr: 'w' }]],
    ['a failed program', [{ kind: 'command', exit: 1, stdout: Buffer.from('lines\nof text'), stderr: '' }]],
  ])('of %s', (_, golden) => {
    const rules = rulesOf('{}')
    expect(misjudged(golden, rules)).toEqual([])
    expect(seededMutants(golden, rules).mutants.length).toBeGreaterThan(0)
  })

  test('of every root that a rule ignores or takes by its structure', () => {
    const golden: Observation = [{ kind: 'command', exit: 0, stdout: Buffer.from('1'), stderr: 'w' }]
    expect(misjudged(golden, rulesOf('{ignore: [exit], structural: [stderr]}'))).toEqual([])
    const answered = response({ status: 302, headers: fields })
    expect(
      misjudged(
        answered,
        rulesOf('{structural: [header.location], exact: [header.set-cookie], ignore: [header.cache-control]}'),
      ),
    ).toEqual([])
  })

  test('a comparator that sees nothing is found out', () => {
    const golden = jsonResponse('{"a":1}')
    const blind = seededMutants(golden, rulesOf('{}')).mutants.filter(({ expect: expected }) => expected === 'DIVERGED')
    expect(blind.length).toBeGreaterThan(5)
    for (const { observation } of blind) expect(observation).not.toEqual(golden)
  })
})
