import { describe, expect, test } from 'vitest'
import { compileTolerance, type Rule } from '../core/tolerance.ts'
import { loosenedRules } from './looser.ts'

function rulesOf(text: string): readonly Rule[] {
  const compiled = compileTolerance({ file: 't.yaml', text })
  if (!compiled.ok) throw new Error(`${text}: ${JSON.stringify(compiled.errors)}`)
  return compiled.rules.rules
}

function loosened(before: string, after: string) {
  const { added, removed } = loosenedRules(rulesOf(before), rulesOf(after))
  return [...added.map(({ text }) => `+ ${text}`), ...removed.map(({ text }) => `- ${text}`)]
}

/** From, to, what the step from the first to the second loosens, what the step back loosens. */
const ROWS: readonly (readonly [
  name: string,
  from: string,
  to: string,
  there: readonly string[],
  back: readonly string[],
])[] = [
  ['nothing changed', 'ignore: [$.a]', 'ignore: [$.a]', [], []],
  ['exact in place of structural', 'structural: [$.a]', 'exact: [$.a]', [], ['+ structural $.a']],
  ['structural in place of ignore', 'ignore: [$.a]', 'structural: [$.a]', [], ['+ ignore $.a']],
  ['a rule where there was none', '{}', 'structural: [$.a]', ['+ structural $.a'], []],
  ['exact where there was none', '{}', 'exact: [$.a]', [], ['- exact $.a']],
  ['a bound of 0 where there was none', '{}', 'numeric_tolerance: { $.a: 0 }', [], []],
  [
    'a bound of 0 in place of exact',
    'exact: [$.a]',
    'numeric_tolerance: { $.a: 0.00 }',
    ['+ numeric_tolerance $.a'],
    [],
  ],
  [
    'a wider bound',
    'numeric_tolerance: { $.a: 0.1 }',
    'numeric_tolerance: { $.a: 0.11 }',
    ['+ numeric_tolerance $.a'],
    [],
  ],
  ['a bound written otherwise', 'numeric_tolerance: { $.a: 0.1 }', 'numeric_tolerance: { $.a: 1e-1 }', [], []],
  [
    'a bound below 1e-16',
    'numeric_tolerance: { $.a: 0.1 }',
    'numeric_tolerance: { $.a: 0.10000000000000000001 }',
    ['+ numeric_tolerance $.a'],
    [],
  ],
  [
    'any order in place of a bound',
    'numeric_tolerance: { $.a: 1 }',
    'order_insensitive: [$.a]',
    ['+ order_insensitive $.a'],
    ['+ numeric_tolerance $.a'],
  ],
  ['structural in place of a bound', 'numeric_tolerance: { $.a: 1 }', 'structural: [$.a]', ['+ structural $.a'], []],
  ['a wider path', 'structural: [$.a.id]', 'structural: [$..id]', ['+ structural $..id'], []],
  ['all elements in place of one', 'ignore: ["$.a[0].b"]', 'ignore: ["$.a[*].b"]', ['+ ignore $.a[*].b'], []],
  ['a parent in place of a child', 'ignore: [$.a.b]', 'ignore: [$.a]', ['+ ignore $.a'], []],
  ['an ignored part made structural', 'ignore: [$.a]', 'structural: [$.a.b]', [], ['+ ignore $.a']],
  ['another field', 'ignore: [$.a]', 'ignore: [$.b]', ['+ ignore $.b'], ['+ ignore $.a']],
  [
    'an exact field of a structural object',
    'structural: [$.a]',
    'structural: [$.a]\nexact: [$.a.id]',
    [],
    ['- exact $.a.id'],
  ],
  [
    'an exact field, wherever it is, of a structural object',
    'structural: [$.a]',
    'structural: [$.a]\nexact: [$..id]',
    [],
    ['- exact $..id'],
  ],
  [
    'a bound of 0 in a structural object',
    'structural: [$.a]',
    'structural: [$.a]\nnumeric_tolerance: { $.a.n: 0 }',
    [],
    ['- numeric_tolerance $.a.n'],
  ],
  [
    'a looser field under an exact parent',
    'exact: [$.a]',
    'exact: [$.a]\nstructural: [$.a.b]',
    ['+ structural $.a.b'],
    [],
  ],
  [
    'a bound in place of structural under an exact parent',
    'exact: [$.a]\nstructural: [$.a.b]',
    'exact: [$.a]\nnumeric_tolerance: { $.a.b: 1 }',
    [],
    ['+ structural $.a.b'],
  ],
  [
    'a field that an exact path meets only in part',
    'structural: ["$.a[*]"]\nexact: ["$.a[0].x"]',
    'structural: ["$.a[*]", "$.a[*].x"]\nexact: ["$.a[0].x"]',
    ['+ structural $.a[*].x'],
    [],
  ],
  ['a status', '{}', 'ignore: [status]', ['+ ignore status'], []],
  ['a header', 'exact: [header.etag]', 'structural: [header.etag]', ['+ structural header.etag'], []],
  ['every step in place of one', 'ignore: ["steps[1]:$.a"]', 'ignore: [$.a]', ['+ ignore $.a'], []],
]

describe('loosenedRules', () => {
  test.each(ROWS)('%s', (_name, from, to, there, back) => {
    expect(loosened(from, to)).toEqual(there)
    expect(loosened(to, from)).toEqual(back)
  })

  test('names a rule that is gone once, where an added one takes its place', () => {
    expect(loosened('exact: [$.a]', 'ignore: [$.a]')).toEqual(['+ ignore $.a'])
  })

  test('names a rule that is gone where one that stood before takes its place', () => {
    expect(loosened('exact: [$.a.b]\nstructural: [$.a]', 'structural: [$.a]')).toEqual(['- exact $.a.b'])
  })
})
