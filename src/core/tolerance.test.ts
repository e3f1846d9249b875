import { describe, expect, test } from 'vitest'
import { compileTolerance, DEFAULT_HEADERS, type RuleSet, type ToleranceInput } from './tolerance.ts'

const FOREX = `exact:
  - $.error.code
  - $.error.message
structural:
  - $.requestId
numeric_tolerance:
  $.amount: 0
  $.rate: 0.000001
`
const DECISIONS = `- id: R-001
  rule: structural $.requestId
  reason: generated per request
  evidence: control
  author: ana
  approved_by: null
`

function compiled(text: string, more: Partial<ToleranceInput> = {}): RuleSet {
  const result = compileTolerance({ file: 't.yaml', text, ...more })
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result.rules
}

function errorsOf(text: string): string[] {
  const result = compileTolerance({ file: 't.yaml', text })
  if (result.ok) return []
  return result.errors.map(({ file, line, column, message, fix }) => `${file}:${line}:${column} ${message} | ${fix}`)
}

describe('a rule set', () => {
  test('holds the rules in file order, with their place, bound and decision', () => {
    const { rules } = compiled(FOREX, { rulesFile: 'r.yaml', rulesText: DECISIONS })
    expect(rules.map(({ text, eps, id, line, column }) => [text, eps, id, line, column])).toStrictEqual([
      ['exact $.error.code', null, null, 2, 5],
      ['exact $.error.message', null, null, 3, 5],
      ['structural $.requestId', null, 'R-001', 5, 5],
      ['numeric_tolerance $.amount', '0', null, 7, 3],
      ['numeric_tolerance $.rate', '0.000001', null, 8, 3],
    ])
  })

  test('governs by its matcher with the same rule objects', () => {
    const { rules, matcher } = compiled(FOREX, { rulesFile: 'r.yaml', rulesText: DECISIONS })
    expect(matcher.body(0).child('requestId').rule).toBe(rules[2])
  })

  test('keeps the bound as written, so that it is exact', () => {
    expect(compiled('numeric_tolerance: {$.a: 1e-7, $.b: 0.10}').rules.map(({ eps }) => eps)).toStrictEqual([
      '1e-7',
      '0.10',
    ])
  })

  test('is empty for an empty file', () => {
    expect(compiled('# nothing yet\n')).toMatchObject({ rules: [], decisions: [], headers: DEFAULT_HEADERS })
  })

  test('has an id of rules, bounds and headers, whatever their order, and not of authors', () => {
    const { id } = compiled(FOREX)
    const reordered =
      'numeric_tolerance: {$.rate: 0.000001, $.amount: 0}\nstructural: [$.requestId]\nexact: [$.error.message, $.error.code]'
    expect(compiled(reordered).id).toBe(id)
    expect(compiled(FOREX, { rulesFile: 'r.yaml', rulesText: DECISIONS }).id).toBe(id)
    expect(compiled(FOREX, { headers: [...DEFAULT_HEADERS].reverse() }).id).toBe(id)
    expect(compiled(FOREX, { headers: ['content-type'] }).id).not.toBe(id)
    expect(compiled(FOREX.replace('0.000001', '0.00001')).id).not.toBe(id)
    expect(compiled(FOREX.replace('structural', 'ignore')).id).not.toBe(id)
  })

  test('has compared headers in lower case, sorted, each once', () => {
    expect(compiled('', { headers: ['X-B', 'x-a', 'x-b'] }).headers).toStrictEqual(['x-a', 'x-b'])
  })
})

describe('refusals, with place and repair', () => {
  const rows: [text: string, errors: string[]][] = [
    ['exact:\n\t- $.a', ['t.yaml:2:1 a tab | use spaces; inside double quotes write \\t']],
    ['exact: [$.a]\nexact: [$.b]', ['t.yaml:2:1 the key "exact" occurs twice | keep one of the two']],
    ['numeric_tolerance:\n  $.a: 1\n  $.a: 2', ['t.yaml:3:3 the key "$.a" occurs twice | keep one of the two']],
    ['strutural: [$.a]', ['t.yaml:1:1 unknown key "strutural"; did you mean "structural"? | write structural']],
    [
      'approximate: [$.a]',
      [
        't.yaml:1:1 unknown key "approximate" | remove it; the keys are exact, structural, numeric_tolerance, order_insensitive, ignore',
      ],
    ],
    ['exact: $.a', ['t.yaml:1:8 "exact": expected a list, received a string | write a list']],
    ['exact: [1]', ['t.yaml:1:9 expected a string, received a number | write a string']],
    ['exact:', ['t.yaml:1:7 "exact": expected a list, received null | write a list']],
    [
      'numeric_tolerance: [$.a]',
      ['t.yaml:1:20 "numeric_tolerance": expected a mapping, received a list | write a mapping'],
    ],
    [
      'exact: [$.a]\nignore: [$.a]',
      ['t.yaml:2:10 two rules for one node: "ignore $.a" and "exact $.a" (line 1) | remove one of the two'],
    ],
    [
      'exact: [$..a..c]\nstructural: [$..b..c]',
      [
        't.yaml:2:14 two rules of the same precedence can meet: "structural $..b..c" and "exact $..a..c" (line 1) both select $.a.b.c | narrow one of the two, so that no node is under both',
      ],
    ],
    [
      'ignore: [$.a]\nexact: [$.a.b]',
      [
        't.yaml:2:9 "exact $.a.b" can select only below "ignore $.a" (line 1), where nothing is compared | remove it, or narrow the ignore rule',
      ],
    ],
    [
      'structural: [$.a]\nexact: ["$.a[0]"]',
      [
        't.yaml:2:9 "exact $.a[0]" counts elements of an array under "structural $.a" (line 1), where elements have no position | use [*] in place of the index',
      ],
    ],
    [
      'order_insensitive: [$.a]\nexact: ["$.a[0]"]',
      [
        't.yaml:2:9 "exact $.a[0]" counts elements of an array under "order_insensitive $.a" (line 1), where elements have no position | use [*] in place of the index',
      ],
    ],
    [
      'exact:\n  - $.b[?@.c]\n  - "$.b[1:2]"\n  - $.b[-1]\n  - "$[\'b\',\'c\']"',
      [
        't.yaml:2:9 "$.b[?@.c]": a filter is refused: a rule must not depend on values | name the fields, or use [*] for every element',
        't.yaml:3:10 "$.b[1:2]": a slice is refused: a rule selects one element or all | use [*], or one rule for each index',
        't.yaml:4:9 "$.b[-1]": a negative index is refused: it depends on the length of the array | use [*], or count from the start',
        "t.yaml:5:11 \"$['b','c']\": a union is refused: a rule selects one child or all | write one rule for each",
      ],
    ],
    [
      'numeric_tolerance:\n  $.a[-1]: 1',
      [
        't.yaml:2:7 "$.a[-1]": a negative index is refused: it depends on the length of the array | use [*], or count from the start',
      ],
    ],
    [
      'numeric_tolerance: {$.a: -0.5}',
      ['t.yaml:1:26 the bound -0.5 is negative | write a plain number from 0, as 0.01'],
    ],
    [
      'numeric_tolerance: {$.a: 0x10}',
      ['t.yaml:1:26 the bound "0x10" is no plain decimal number | write a plain number from 0, as 0.01'],
    ],
    [
      'numeric_tolerance: {$.a: .5}',
      ['t.yaml:1:26 the bound ".5" is no plain decimal number | write a plain number from 0, as 0.01'],
    ],
    ['numeric_tolerance: {$.a: small}', ['t.yaml:1:26 "$.a": expected a number, received a string | write a number']],
    ['numeric_tolerance: {$.a: "0.5"}', ['t.yaml:1:26 "$.a": expected a number, received a string | write a number']],
    ['numeric_tolerance: {$.a: .inf}', ['t.yaml:1:26 "$.a": expected a number, received Infinity | write a number']],
    ['numeric_tolerance: {$.a: .nan}', ['t.yaml:1:26 "$.a": expected a number, received NaN | write a number']],
    [
      'numeric_tolerance: {status: 1}',
      ['t.yaml:1:21 numeric_tolerance means nothing for status | move it under exact or ignore'],
    ],
    ['structural: [exit]', ['t.yaml:1:14 structural means nothing for exit | move it under exact or ignore']],
    [
      'order_insensitive: [header.x]',
      ['t.yaml:1:21 order_insensitive means nothing for header.x | move it under exact, structural or ignore'],
    ],
  ]
  for (const [text, errors] of rows) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(errorsOf(text)).toStrictEqual(errors)
    })
  }

  for (const key of ['ignore', 'structural']) {
    for (const path of ['$', '$.*', '$..*', '$[*]', '$..[*]', '$.*.*', 'steps[0]:$']) {
      test(`refuses ${key} over a whole body, as ${path}`, () => {
        expect(errorsOf(`${key}:\n  - ${path}\nexact: [$.a.b]`)).toStrictEqual([
          `t.yaml:2:5 ${key} over a whole body: ${path} | name the fields that it is meant for`,
        ])
      })
    }
  }

  const standing: [text: string, why: string][] = [
    ['exact: [$]', 'exact hides nothing'],
    ['order_insensitive: [$]', 'a body may be a multiset'],
    ['ignore: [status, header.Date, exit, stderr]', 'these have decisions behind them'],
    ['structural: [header.x, stderr, $.a.*, $..id]', 'each names something'],
    ['exact: []', 'an empty list'],
    ['numeric_tolerance: {"$.a[*]": 0, "steps[1]:$.b": 1E-3}', 'a bound of 0, and one with an exponent'],
  ]
  for (const [text, why] of standing) {
    test(`accepts ${text}: ${why}`, () => {
      expect(errorsOf(text)).toStrictEqual([])
    })
  }

  test('reports the errors of both files', () => {
    const result = compileTolerance({ file: 't.yaml', text: 'foo: 1', rulesFile: 'r.yaml', rulesText: 'bar: 1' })
    expect(result.ok ? [] : result.errors.map(({ file }) => file)).toStrictEqual(['t.yaml', 'r.yaml'])
  })
})
