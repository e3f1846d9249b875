import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FieldList, Observation } from '../model.ts'
import { compareUnder, compareWhole } from './diff.ts'
import { documentsInStep } from './documents-in-step.ts'
import { LIMITS } from './findings.ts'
import { parseKeeping } from './json-kept.ts'
import { inStep } from './lockstep.ts'
import { UNCOVERED } from './scalars.ts'
import { STRICT, type Terms } from './terms.ts'
import { compileTolerance } from './tolerance.ts'

const JSON_TYPE: FieldList = [['Content-Type', 'application/json']]

function termsOf(tolerance: string): Terms {
  const compiled = compileTolerance({ file: 't.yaml', text: tolerance })
  if (!compiled.ok) throw new Error(compiled.errors.map(({ message }) => message).join('\n'))
  const { matcher, rules, headers } = compiled.rules
  return { matcher, rules, headers, limits: LIMITS }
}

function octets(body: string | Uint8Array, headers = JSON_TYPE): Observation {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers, body: { bytes } } }]
}

/** A golden that keeps its text, as one that was read from its file; null where the text is not JSON. */
function golden(text: string): Observation | null {
  const parsed = parseKeeping(Buffer.from(text, 'utf8'))
  if (!parsed.ok) return null
  return [
    { kind: 'response', method: 'GET', response: { status: 200, headers: JSON_TYPE, body: { json: parsed.value } } },
  ]
}

const walked = (x: string, y: string) => inStep(Buffer.from(x, 'utf8'), Buffer.from(y, 'utf8'), UNCOVERED)
const NO_RULES = termsOf('{}')

describe('equal text needs no trees', () => {
  test.each([
    ['scalars', 'null', ' null\n'],
    ['containers that are empty', '{"a":[],"b":{}}', '{ "a" : [ ] , "b" : { } }'],
    ['numbers', '[0,-1,1.50,1e400,-0.0E+7]', '[0, -1, 1.50, 1e400, -0.0E+7]'],
    ['strings', '["","\\u0041\\n\\"","é😀"]', '[ "", "\\u0041\\n\\"", "é😀" ]'],
    ['names that occur twice', '{"a":1,"a":2}', '{"a":1, "a":2}'],
    ['a scalar that is spelled otherwise', '["A"]', '["\\u0041"]'],
  ])('%s', (_what, x, y) => {
    expect(walked(x, y)).toEqual({ same: true })
    expect(compareUnder(octets(x), octets(y), NO_RULES)).toEqual(compareWhole(octets(x), octets(y), NO_RULES))
  })

  test('a hundred thousand levels of it', () => {
    const text = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`
    expect(walked(text, text)).toEqual({ same: true })
    expect(walked(text, text.replace('1', '2'))).toMatchObject({ same: false })
  })
})

describe('whole trees are asked for', () => {
  test.each([
    ['text that is no JSON, the same on both sides', '{"a":01}', '{"a":01}'],
    ['a comma before the end', '[1,]', '[1,]'],
    ['a control character in a string', '["\u0001"]', '["\u0001"]'],
    ['an escape that is none', '["\\x"]', '["\\x"]'],
    ['half an escape', '["\\u12"]', '["\\u12"]'],
    ['text behind the value', '1 2', '1 2'],
    ['a word that is none', '[nul]', '[nul]'],
    ['a number that goes on', '[1.]', '[1.]'],
    ['a string that does not end', '["a', '["a'],
    ['an object that does not end', '{"a":1', '{"a":1'],
    ['another bracket', '[1}', '[1}'],
    ['the empty text', '', ''],
    ['a byte order mark', '\ufeff1', '\ufeff1'],
    ['members of the document in another order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['another length of the document', '[1]', '[1,2]'],
    ['a no-break space', '[\u00a01]', '[\u00a01]'],
  ])('%s', (_what, x, y) => {
    expect(walked(x, y)).toBeNull()
    expect(compareUnder(octets(x), octets(y), NO_RULES)).toEqual(compareWhole(octets(x), octets(y), NO_RULES))
  })

  test('octets that are not UTF-8, though they are the same', () => {
    const broken = Buffer.from([0x22, 0xff, 0x22])
    expect(inStep(broken, broken, UNCOVERED)).toBeNull()
    expect(compareUnder(octets(broken), octets(broken), NO_RULES).notes).toHaveLength(1)
  })
})

test('trees hold what differs and no more', () => {
  const walk = walked('{"a":1,"b":{"c":[1,2,3],"d":4},"e":5}', '{"a":1,"b":{"c":[1,9,3],"d":4},"e":5}')
  expect(walk).toMatchObject({ x: { b: { c: [null, 2, null] } }, y: { b: { c: [null, 9, null] } } })
})

test('elements that changed places are whole, so that one order is told', () => {
  const x = octets('{"l":[{"a":1,"b":1},{"a":2,"b":1},7]}')
  const y = octets('{"l":[{"a":2,"b":1},{"a":1,"b":1},7]}')
  const { differences } = compareUnder(x, y, NO_RULES)
  expect(differences).toEqual([
    expect.objectContaining({ kind: 'order', path: '$.l', legacy: '[{"a":1,"b":1},{"a":2,"b":1},7]' }),
  ])
})

test('elements that changed places in a ring are whole, though no two of them differ in the same members', () => {
  const x = octets('{"l":[{"a":1,"c":0},{"a":2,"c":0},{"a":2,"c":7}]}')
  const y = octets('{"l":[{"a":2,"c":0},{"a":2,"c":7},{"a":1,"c":0}]}')
  expect(compareUnder(x, y, NO_RULES).differences).toEqual([expect.objectContaining({ kind: 'order', path: '$.l' })])
})

test('octets that equal the text of the golden are compared without being parsed', () => {
  const text = '{"id":1,"tags":["a"],"when":"2026-01-02"}'
  const terms = termsOf('structural: [$.when]\norder_insensitive: [$.tags]\n')
  const kept = golden(text) ?? []
  const found = compareUnder(kept, octets(text), terms)
  expect(found).toEqual(compareWhole(kept, octets(text), terms))
  expect(found.ruleUses).toEqual([
    { rule: 'structural $.when', id: null, selected: 1, hid: 0 },
    { rule: 'order_insensitive $.tags', id: null, selected: 1, hid: 0 },
  ])
})

const name = fc.constantFrom('a', 'b', 'c', '1', '0', '__proto__', 'é', '\\u0061', 'toString')
const scalar = fc.constantFrom(
  ...['0', '1', '1.0', '1.04', '10', '1e1', '-0', 'null', 'true', 'false', '"x"', '"\\u0078"', '""', '"2026-01-02"'],
  ...['"2026-01-03"', '9007199254740993', '9007199254740992', '"\ud83d\ude00"', '"\\ud83d\\ude00"', '[]', '{}'],
)
type Tree = string | { readonly list: readonly Tree[] } | { readonly object: readonly (readonly [string, Tree])[] }
const tree = fc.letrec<{ tree: Tree }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }).map(list => ({ list })),
    fc.array(fc.tuple(name, tie('tree')), { maxLength: 4 }).map(object => ({ object })),
  ),
})).tree

/** The text of a tree; `random` gives whitespace, and now and then another scalar, order, length or name. */
function textOf(value: Tree, random: () => number, change: number): string {
  const gap = () => ['', '', '', ' ', '\n', '\t '][Math.floor(random() * 6)] ?? ''
  if (typeof value === 'string')
    return random() < change ? (SCALARS[Math.floor(random() * SCALARS.length)] ?? '1') : value
  const parts =
    'list' in value
      ? value.list.map(one => textOf(one, random, change))
      : value.object.map(
          ([key, one]) => `"${random() < change / 3 ? 'b' : key}"${gap()}:${gap()}${textOf(one, random, change)}`,
        )
  const turned = random() < change && parts.length > 1 ? [...parts.slice(1), parts[0] ?? ''] : parts
  const cut = random() < change / 2 ? turned.slice(1) : turned
  const [open, close] = 'list' in value ? '[]' : '{}'
  return `${open}${gap()}${cut.join(`${gap()},${gap()}`)}${gap()}${close}`
}
const SCALARS = [
  '0',
  '1',
  '1.0',
  '1.05',
  '"x"',
  '"y"',
  'null',
  '[]',
  '{}',
  '[1]',
  '{"a":1}',
  '"2026-01-05"',
  '01',
  '-0',
]

function randomFrom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}

const TOLERANCES = [
  '{}',
  'exact: [$.a]\n',
  'exact: [$..b]\nstructural: [$.a]\n',
  'structural: [$..a]\n',
  'ignore: [$.a.b]\n',
  'ignore: ["$[*].a"]\nstructural: ["$[*].b"]\n',
  'order_insensitive: [$.a]\n',
  'order_insensitive: ["$..a"]\nnumeric_tolerance: {"$..a[*]": 0.05}\n',
  'numeric_tolerance: {"$..*": 0.05}\n',
  'order_insensitive: [$]\n',
  'exact: ["$[0]", "$.a[1]"]\nignore: ["$.b[0]"]\n',
].map(termsOf)

const pair = fc.tuple(tree, fc.integer(), fc.constantFrom(0, 0.05, 0.2, 0.5)).map(([one, seed, change]) => {
  const random = randomFrom(seed)
  return [textOf(one, random, 0), textOf(one, random, change)] as const
})

describe('both ways of reading give one comparison', () => {
  test('of octets, without rules and under the strictest terms', () => {
    let quick = 0
    fc.assert(
      fc.property(pair, fc.constantFrom(NO_RULES, STRICT), ([x, y], terms) => {
        const [left, right] = [octets(x), octets(y)]
        if (walked(x, y) !== null) quick += 1
        expect(compareUnder(left, right, terms)).toEqual(compareWhole(left, right, terms))
        expect(compareUnder(right, left, terms)).toEqual(compareWhole(right, left, terms))
      }),
      { numRuns: 20_000 },
    )
    expect(quick).toBeGreaterThan(2_000)
  })

  test('of a golden that keeps its text, under rules', () => {
    let quick = 0
    fc.assert(
      fc.property(pair, fc.constantFrom(...TOLERANCES), ([x, y], terms) => {
        const kept = golden(x)
        if (kept === null) return
        const [first] = kept
        const [second] = octets(y)
        if (first && second && documentsInStep(first, second, terms.matcher, 0) !== null) quick += 1
        expect(compareUnder(octets(x), octets(y), terms)).toEqual(compareWhole(octets(x), octets(y), terms))
        expect(compareUnder(kept, octets(y), terms)).toEqual(compareWhole(kept, octets(y), terms))
      }),
      { numRuns: 20_000 },
    )
    expect(quick).toBeGreaterThan(2_000)
  })

  test('of octets with one unit changed, dropped or doubled', () => {
    const units = fc.constantFrom('"', ':', ',', '0', '.', 'e', '-', '{', '}', '[', ']', '\\', ' ', 'a', '', '\u0001')
    fc.assert(
      fc.property(pair, fc.nat(), units, fc.boolean(), fc.boolean(), ([x, y], where, unit, keep, both) => {
        const edit = (text: string): string => {
          const at = where % (text.length + 1)
          return text.slice(0, at) + unit + text.slice(keep ? at : at + 1)
        }
        const [left, right] = [octets(both ? edit(x) : x), octets(edit(both ? x : y))]
        expect(compareUnder(left, right, NO_RULES)).toEqual(compareWhole(left, right, NO_RULES))
      }),
      { numRuns: 20_000 },
    )
  })

  test('of responses whatever their heads, and of programs', () => {
    const headers = fc.subarray(
      [
        ['Content-Type', 'application/json'],
        ['content-type', 'application/problem+json; charset=UTF-8'],
        ['Content-Type', 'application/json; charset=iso-8859-1'],
        ['Content-Type', 'text/plain'],
        ['Content-Encoding', 'gzip'],
        ['Content-Encoding', 'identity'],
        ['Transfer-Encoding', 'chunked'],
        ['Transfer-Encoding', 'gzip, chunked'],
      ] as [string, string][],
      { maxLength: 3 },
    )
    const head = fc.record({
      headers,
      method: fc.constantFrom('GET', 'HEAD', 'head', 'POST'),
      status: fc.constantFrom(200, 204, 304, 404, 100),
      broken: fc.constantFrom(undefined, undefined, undefined, 'it broke off'),
      program: fc.constantFrom(false, false, false, true),
    })
    const observed = (text: string, o: typeof head extends fc.Arbitrary<infer H> ? H : never): Observation => {
      const bytes = Buffer.from(text, 'utf8')
      if (o.program) return [{ kind: 'command', exit: 0, stdout: bytes, stderr: '' }]
      const broken = o.broken === undefined ? {} : { broken: o.broken }
      const response = { status: o.status, headers: o.headers, body: { bytes }, ...broken }
      return [{ kind: 'response', method: o.method, response }]
    }
    fc.assert(
      fc.property(pair, head, head, fc.boolean(), ([x, y], one, other, alike) => {
        const [left, right] = [observed(x, one), observed(y, alike ? one : other)]
        expect(compareUnder(left, right, NO_RULES)).toEqual(compareWhole(left, right, NO_RULES))
      }),
      { numRuns: 10_000 },
    )
  })
})
