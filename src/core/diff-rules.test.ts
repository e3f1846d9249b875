import { describe, expect, test } from 'vitest'
import { compareTexts, comparisonTable } from '../../test/comparison-table.ts'

describe('exact', () => {
  comparisonTable([
    {
      why: 'passes the same number text',
      golden: '{"a":10.00}',
      actual: '{"a":10.00}',
      rules: 'exact: [$.a]',
      differences: [],
    },
    {
      why: 'A4: tells another number text',
      golden: '{"a":10.00}',
      actual: '{"a":10}',
      rules: 'exact: [$.a]',
      differences: ['format_changed $.a 10.00 → 10'],
    },
    {
      why: 'governs the subtree',
      golden: '{"a":{"b":[1.0]}}',
      actual: '{"a":{"b":[1]}}',
      rules: 'exact: [$.a]',
      differences: ['format_changed $.a.b[0] 1.0 → 1'],
    },
    {
      why: 'tells another value as a value',
      golden: '{"a":10.00}',
      actual: '{"a":10.01}',
      rules: 'exact: [$.a]',
      differences: ['value_changed $.a 10.00 → 10.01'],
    },
  ])
})

describe('structural', () => {
  const rules = 'structural: [$.s]'
  comparisonTable([
    {
      why: 'passes another string of no format',
      golden: '{"s":"r-7f3a"}',
      actual: '{"s":"r-0001"}',
      rules,
      differences: [],
    },
    {
      why: 'tells an emptied string',
      golden: '{"s":"r-7f3a"}',
      actual: '{"s":""}',
      rules,
      differences: ['value_changed $.s "r-7f3a" → ""'],
    },
    {
      why: 'tells another format class',
      golden: '{"s":"2026-01-02T03:04:05Z"}',
      actual: '{"s":"soon"}',
      rules,
      differences: ['type_changed $.s "2026-01-02T03:04:05Z" → "soon"'],
    },
    {
      why: 'passes another UUID',
      golden: '{"s":"3fa85f64-5717-4562-b3fc-2c963f66afa6"}',
      actual: '{"s":"00000000-0000-4000-8000-000000000000"}',
      rules,
      differences: [],
    },
    { why: 'passes another number', golden: '{"s":1}', actual: '{"s":2.5}', rules, differences: [] },
    {
      why: 'tells a number that became a string',
      golden: '{"s":1}',
      actual: '{"s":"1"}',
      rules,
      differences: ['type_changed $.s 1 → "1"'],
    },
    { why: 'tells a null', golden: '{"s":1}', actual: '{"s":null}', rules, differences: ['type_changed $.s 1 → null'] },
    {
      why: 'tells a missing key',
      golden: '{"s":{"a":1,"b":2}}',
      actual: '{"s":{"a":5}}',
      rules,
      differences: ['missing $.s.b 2 → null'],
    },
    {
      why: 'tells an added key',
      golden: '{"s":{"a":1}}',
      actual: '{"s":{"a":5,"b":2}}',
      rules,
      differences: ['extra $.s.b null → 2'],
    },
    {
      why: 'tells that the node itself is gone',
      golden: '{"s":1}',
      actual: '{}',
      rules,
      differences: ['missing $.s 1 → null'],
    },
    {
      why: 'C11: tells an emptied list',
      golden: '{"s":[{"id":"e911"}]}',
      actual: '{"s":[]}',
      rules,
      differences: ['array_length $.s [{"id":"e911"}] → []'],
    },
    {
      why: 'passes another length of one shape',
      golden: '{"s":[{"id":"a"}]}',
      actual: '{"s":[{"id":"b"},{"id":"c"}]}',
      rules,
      differences: [],
    },
    {
      why: 'tells an element of a shape that the golden has not',
      golden: '{"s":[{"id":"a"}]}',
      actual: '{"s":[{"id":"b"},{"id":"c","x":1}]}',
      rules,
      differences: ['extra $.s[1] null → {"id":"c","x":1}'],
    },
    {
      why: 'tells a shape that the candidate lost',
      golden: '{"s":["a",1]}',
      actual: '{"s":["b","c"]}',
      rules,
      differences: ['missing $.s[1] 1 → null'],
    },
    {
      why: 'tells the changed leaf of the closest element',
      golden: '{"s":[{"id":"a","n":1,"m":{"k":1}}]}',
      actual: '{"s":[{"id":"b","n":"1","m":{"k":2}}]}',
      rules,
      differences: ['type_changed $.s[0].n 1 → "1"'],
    },
    {
      why: 'a deeper exact rule holds inside',
      golden: '{"s":{"kind":"x","id":"a"}}',
      actual: '{"s":{"kind":"y","id":"b"}}',
      rules: '{structural: [$.s], exact: [$.s.kind]}',
      differences: ['value_changed $.s.kind "x" → "y"'],
    },
    {
      why: 'elements are matched under a deeper exact rule',
      golden: '{"s":[{"kind":"x","n":1},{"kind":"y","n":2}]}',
      actual: '{"s":[{"kind":"y","n":7},{"kind":"x","n":8}]}',
      rules: "{structural: [$.s], exact: ['$.s[*].kind']}",
      differences: [],
    },
    {
      why: 'an element with another exact value has no counterpart',
      golden: '{"s":[{"kind":"x","n":1},{"kind":"y","n":2}]}',
      actual: '{"s":[{"kind":"x","n":7},{"kind":"z","n":8}]}',
      rules: "{structural: [$.s], exact: ['$.s[*].kind']}",
      differences: ['value_changed $.s[1].kind "y" → "z"'],
    },
  ])
})

describe('numeric_tolerance', () => {
  const rules = 'numeric_tolerance: {$.n: 0.01}'
  comparisonTable([
    {
      why: 'passes at the very bound, in exact decimals',
      golden: '{"n":0.3}',
      actual: '{"n":0.29}',
      rules,
      differences: [],
    },
    {
      why: 'tells just past the bound',
      golden: '{"n":0.3}',
      actual: '{"n":0.28999999999999999999}',
      rules,
      differences: ['value_changed $.n 0.3 → 0.28999999999999999999'],
    },
    {
      why: 'never takes a string for a number',
      golden: '{"n":0.3}',
      actual: '{"n":"0.3"}',
      rules,
      differences: ['type_changed $.n 0.3 → "0.3"'],
    },
    {
      why: '0 declares value equality',
      golden: '{"n":10.00}',
      actual: '{"n":10}',
      rules: 'numeric_tolerance: {$.n: 0}',
      differences: [],
    },
    {
      why: '0 lets no other value pass',
      golden: '{"n":10.00}',
      actual: '{"n":10.001}',
      rules: 'numeric_tolerance: {$.n: 0}',
      differences: ['value_changed $.n 10.00 → 10.001'],
    },
    {
      why: 'governs the node alone',
      golden: '{"n":{"a":1}}',
      actual: '{"n":{"a":1.001}}',
      rules,
      differences: ['value_changed $.n.a 1 → 1.001'],
    },
  ])
})

describe('ignore', () => {
  const rules = 'ignore: [$.t]'
  comparisonTable([
    {
      why: 'E1: passes another value',
      golden: '{"t":"05:45:34 PM","a":1}',
      actual: '{"t":"05:45:41 PM","a":1}',
      rules,
      differences: [],
    },
    { why: 'passes absence and another type', golden: '{"t":1,"a":1}', actual: '{"a":1}', rules, differences: [] },
    {
      why: 'E9: lets its neighbours alone',
      golden: '{"t":1,"t2":1}',
      actual: '{"t":2,"t2":2}',
      rules,
      differences: ['value_changed $.t2 1 → 2'],
    },
  ])
})

describe('rule uses', () => {
  test('E1: each rule says how many nodes it governs and how many differences it hid', () => {
    const rules = "{structural: [$.id], ignore: ['$.items[*].ts'], exact: [$.absent]}"
    const { ruleUses } = compareTexts(
      '{"id":"a","items":[{"ts":1},{"ts":2}]}',
      '{"id":"b","items":[{"ts":1},{"ts":3}]}',
      rules,
    )
    expect(ruleUses).toEqual([
      { rule: 'structural $.id', id: null, selected: 1, hid: 1 },
      { rule: 'ignore $.items[*].ts', id: null, selected: 2, hid: 1 },
      { rule: 'exact $.absent', id: null, selected: 0, hid: 0 },
    ])
  })

  test('a subtree under one rule is one node and hides one difference', () => {
    const { ruleUses } = compareTexts('{"s":{"a":1,"b":[1,2]}}', '{"s":{"a":2,"b":[3,4,5]}}', 'structural: [$.s]')
    expect(ruleUses).toEqual([{ rule: 'structural $.s', id: null, selected: 1, hid: 1 }])
  })

  test('a subtree with a deeper rule in it still counts once', () => {
    const rules = '{structural: [$.s], exact: [$.s.k]}'
    const { ruleUses } = compareTexts('{"s":{"a":1,"b":{"c":2},"k":1}}', '{"s":{"a":2,"b":{"c":3},"k":1}}', rules)
    expect(ruleUses).toEqual([
      { rule: 'structural $.s', id: null, selected: 1, hid: 1 },
      { rule: 'exact $.s.k', id: null, selected: 1, hid: 0 },
    ])
  })

  test.each([
    ['an array of shapes in another order', '{"a":[1,"x"]}', '{"a":["x",1]}', 'structural: [$.a]', 'structural $.a'],
    ['shapes of another number', '{"a":[1]}', '{"a":[1,1]}', 'structural: [$.a]', 'structural $.a'],
    [
      'ignored elements of a multiset',
      '{"a":[null]}',
      '{"a":[0]}',
      "{order_insensitive: [$.a], ignore: ['$.a[*]']}",
      'ignore $.a[*]',
    ],
    [
      'ignored elements of an array of shapes',
      '{"a":[null]}',
      '{"a":[0]}',
      "{structural: [$.a], ignore: ['$.a[*]']}",
      'ignore $.a[*]',
    ],
    [
      'the values of a repeated name',
      '{"a":null,"a":{"b":0}}',
      '{"a":null,"a":{"b":1}}',
      'numeric_tolerance: {$.a.b: 1}',
      'numeric_tolerance $.a.b',
    ],
  ])('what a rule hid is counted in %s', (_, golden, actual, rules, rule) => {
    const { differences, ruleUses } = compareTexts(golden, actual, rules)
    expect(differences).toEqual([])
    expect(ruleUses.filter(({ hid }) => hid > 0).map(use => use.rule)).toEqual([rule])
  })

  test('a multiset in place hides nothing, one in another order hides one difference', () => {
    const rules = 'order_insensitive: [$.a]'
    expect(compareTexts('{"a":[1,2]}', '{"a":[1,2]}', rules).ruleUses).toMatchObject([{ selected: 1, hid: 0 }])
    expect(compareTexts('{"a":[1,2]}', '{"a":[2,1]}', rules).ruleUses).toMatchObject([{ selected: 1, hid: 1 }])
  })
})
