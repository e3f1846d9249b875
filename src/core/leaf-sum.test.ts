import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchElements } from './diff-matching.ts'
import { type Json, parseJson } from './json.ts'
import { mayBePermuted } from './leaf-sum.ts'
import { compileTolerance } from './tolerance.ts'

function elementsOf(text: string): readonly Json[] {
  const parsed = parseJson(text)
  if (!parsed.ok || !Array.isArray(parsed.value)) throw new Error(text)
  return parsed.value
}

function stateOf(tolerance: string) {
  const compiled = compileTolerance({ file: 't.yaml', text: tolerance })
  if (!compiled.ok) throw new Error(compiled.errors.map(({ message }) => message).join('\n'))
  return compiled.rules.matcher.body(0).item(0)
}

const paired = (x: string, y: string, tolerance = '{}') => {
  const [left, right] = [elementsOf(x), elementsOf(y)]
  return mayBePermuted(
    left.map((one, at) => [one, right[at] ?? null] as const),
    stateOf(tolerance),
  )
}

test.each([
  ['the same elements in another order', '[{"a":1},{"a":2}]', '[{"a":2},{"a":1}]', '{}', true],
  ['numbers by value', '[1.0,2]', '[2,1]', '{}', true],
  ['one leaf changed', '[{"a":1,"b":[1]},{"a":2,"b":[2]}]', '[{"a":2,"b":[2]},{"a":1,"b":[3]}]', '{}', false],
  ['a leaf that moved to another name', '[{"a":1},{"b":1}]', '[{"a":1},{"c":1}]', '{}', false],
  ['what is ignored may be anything', '[{"a":1,"b":1},2]', '[2,{"a":1}]', 'ignore: ["$[*].b"]', true],
  ['numbers within a bound', '[1,5]', '[5.1,1.1]', 'numeric_tolerance: {"$[*]": 0.2}', true],
  [
    'texts of one format',
    '[{"a":"2026-01-02"},{"a":"x"}]',
    '[{"a":"y"},{"a":"2026-01-03"}]',
    'structural: ["$[*].a"]',
    true,
  ],
  ['a multiset within', '[[1,2],0]', '[0,[2,1]]', 'order_insensitive: ["$[*]"]', true],
])('%s', (_what, x, y, tolerance, may) => {
  expect(paired(x, y, tolerance)).toBe(may)
})

const leaf = fc.constantFrom(
  '0',
  '1',
  '1.0',
  '1.04',
  '-0',
  'null',
  'true',
  'false',
  '"x"',
  '"2026-01-02"',
  '"2026-01-03"',
  '""',
  '[]',
  '{}',
)
const element = fc.letrec<{ one: string }>(tie => ({
  one: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('one'), { maxLength: 3 }).map(items => `[${items}]`),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', '0'), tie('one')), { maxLength: 3 }).map(members => {
      return `{${members.map(([name, one]) => `"${name}":${one}`)}}`
    }),
  ),
})).one
const tolerances = [
  '{}',
  'exact: ["$[*].a"]',
  'structural: ["$[*].a"]',
  'ignore: ["$[*].a"]',
  'ignore: ["$[*]..b"]',
  'order_insensitive: ["$[*]", "$[*].a"]',
  'numeric_tolerance: {"$..*": 0.05}',
  'structural: ["$[*].b"]\nnumeric_tolerance: {"$[*]..a": 0.05}\nignore: ["$[*].b.a"]',
].map(stateOf)

test('elements that match one by one in some order are never said not to', () => {
  let perfect = 0
  fc.assert(
    fc.property(
      fc.array(element, { minLength: 1, maxLength: 4 }),
      fc.array(element, { maxLength: 4 }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(...tolerances),
      (golden, others, turn, state) => {
        const moved = golden.map((_, at) => golden[(at + turn) % golden.length] ?? '0')
        const actual = moved.map((one, at) => (at < others.length - 3 ? (others[at] ?? one) : respelled(one)))
        const [x, y] = [elementsOf(`[${golden}]`), elementsOf(`[${actual}]`)]
        const budget = { visitsMax: 1_000_000, visits: 0, depth: 0 }
        if (!matchElements(x, y, state, budget).perfect) return
        perfect += 1
        const pairs = x.map((one, at) => [one, y[at] ?? null] as const)
        expect(mayBePermuted(pairs, state)).toBe(true)
      },
    ),
    { numRuns: 20_000 },
  )
  expect(perfect).toBeGreaterThan(2_000)
})

/** The same under some of the rules. */
function respelled(text: string): string {
  return text
    .replaceAll('1.04', '1.01')
    .replaceAll('2026-01-02', '2026-01-05')
    .replaceAll(/\b1\b(?!\.)/g, '1.0')
}
