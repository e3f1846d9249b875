import { describe, expect, test } from 'vitest'
import { jsonOf, jsonResponse, responseStep, rulesOf, told } from '../../test/observations.ts'
import type { Comparison } from '../model.ts'
import { compare } from './diff.ts'

function compareTexts(golden: string, actual: string, tolerance = '{}'): Comparison {
  return compare(jsonResponse(golden), jsonResponse(actual), rulesOf(tolerance))
}

interface Row {
  readonly why: string
  readonly golden: string
  readonly actual: string
  readonly rules?: string
  /** As `told` prints them. */
  readonly differences: readonly string[]
}

/** Each pair of rows: what passes, and beside it what the same rule must not let pass. */
function table(rows: readonly Row[]): void {
  test.each(rows)('$why', ({ golden, actual, rules, differences }) => {
    const comparison = compareTexts(golden, actual, rules)
    expect(told(comparison)).toEqual(differences)
    expect(comparison.faults).toEqual([])
  })
}

describe('without a rule', () => {
  table([
    {
      why: 'equal documents agree',
      golden: '{"a":[1,"x",null,true]}',
      actual: '{ "a": [1,"x",null,true] }',
      differences: [],
    },
    { why: 'key order does not count', golden: '{"a":1,"b":2}', actual: '{"b":2,"a":1}', differences: [] },
    {
      why: 'A1: long integers are compared as decimals',
      golden: '{"id":1236546565217899832645}',
      actual: '{"id":1236546565217899832640}',
      differences: ['value_changed $.id 1236546565217899832645 → 1236546565217899832640'],
    },
    { why: 'A4: 42.0 and 42 are one value', golden: '{"amount":42.0}', actual: '{"amount":42}', differences: [] },
    {
      why: 'A6: a number of any length agrees with itself',
      golden: '{"t":485690.3866338789319252000000135498000000}',
      actual: '{"t":485690.3866338789319252000000135498000000}',
      differences: [],
    },
    {
      why: 'overflowing numbers are told apart',
      golden: '[1e400]',
      actual: '[1e500]',
      differences: ['value_changed $[0] 1e400 → 1e500'],
    },
    {
      why: 'a string is not a number',
      golden: '{"a":5}',
      actual: '{"a":"5"}',
      differences: ['type_changed $.a 5 → "5"'],
    },
    {
      why: 'null is a type of its own',
      golden: '{"a":null}',
      actual: '{"a":""}',
      differences: ['type_changed $.a null → ""'],
    },
    {
      why: 'B1: null against absence has its own kind',
      golden: '{"a":1}',
      actual: '{"a":1,"b":null}',
      differences: ['null_vs_missing $.b null → null'],
    },
    {
      why: 'B1: absence against null too',
      golden: '{"a":1,"b":null}',
      actual: '{"a":1}',
      differences: ['null_vs_missing $.b null → null'],
    },
    {
      why: 'B5: an extra key is told',
      golden: '{"a":1}',
      actual: '{"a":1,"isAdmin":true}',
      differences: ['extra $.isAdmin null → true'],
    },
    {
      why: 'a missing key is told whole',
      golden: '{"a":{"b":[1]}}',
      actual: '{}',
      differences: ['missing $.a {"b":[1]} → null'],
    },
    {
      why: 'names of Object.prototype are names like any other',
      golden: '{"toString":1,"constructor":2,"__proto__":3}',
      actual: '{"toString":1}',
      differences: ['missing $.constructor 2 → null', 'missing $.__proto__ 3 → null'],
    },
    {
      why: 'an added __proto__ is told',
      golden: '{}',
      actual: '{"__proto__":{"x":1}}',
      differences: ['extra $.__proto__ null → {"x":1}'],
    },
    {
      why: 'empty list and empty object differ',
      golden: '{"a":[]}',
      actual: '{"a":{}}',
      differences: ['type_changed $.a [] → {}'],
    },
    {
      why: 'differences stand in the order of the golden, then of the actual',
      golden: '{"z":1,"a":{"q":1,"p":2}}',
      actual: '{"n":0,"a":{"p":3,"q":0,"m":1},"z":2}',
      differences: [
        'value_changed $.z 1 → 2',
        'value_changed $.a.q 1 → 0',
        'value_changed $.a.p 2 → 3',
        'extra $.a.m null → 1',
        'extra $.n null → 0',
      ],
    },
    {
      why: 'strings are compared by code point, unnormalised',
      golden: '["\\u00e9"]',
      actual: '["e\\u0301"]',
      differences: ['value_changed $[0] "\u00e9" → "e\u0301"'],
    },
    {
      why: 'a member with an empty name is compared',
      golden: '{"":1}',
      actual: '{"":2}',
      differences: ["value_changed $[''] 1 → 2"],
    },
  ])

  test('A4: a difference of number text alone is a note, and counted', () => {
    const { notes, ruleUses } = compareTexts('{"amount":42.0,"b":-0}', '{"amount":42,"b":0}')
    expect(notes).toEqual([
      { id: 'builtin:number-text', step: 0, path: '$.amount', detail: '42.0/42' },
      { id: 'builtin:number-text', step: 0, path: '$.b', detail: '-0/0' },
    ])
    expect(ruleUses).toEqual([{ rule: 'builtin:number-text', id: null, selected: 2, hid: 2 }])
  })

  test('E2: one instant in two formats differs, and the hint says so', () => {
    const { differences } = compareTexts('["2018-04-16T19:37:23.010+0000"]', '["2018-04-16T19:37:23.01Z"]')
    expect(differences).toMatchObject([{ kind: 'value_changed', hint: 'same instant, different format' }])
    const later = compareTexts('["2018-04-16T19:37:23.010+0000"]', '["2018-04-16T19:37:23.011Z"]')
    expect(later.differences[0]?.hint).toBeUndefined()
  })

  test('a pointer escapes what a path quotes', () => {
    const { differences } = compareTexts('{"a/b":{"~":[0]}}', '{"a/b":{"~":[1]}}')
    expect(differences).toMatchObject([{ path: "$['a/b']['~'][0]", pointer: '/a~1b/~0/0', rule: 'uncovered' }])
  })
})

describe('names that occur twice', () => {
  table([
    {
      why: 'B4: a duplicate on one side only is told with both values',
      golden: '{"a":1,"a":2}',
      actual: '{"a":2}',
      differences: ['duplicate_key $.a {"a":1,"a":2} → {"a":2}'],
    },
    { why: 'the same duplicates agree', golden: '{"a":1,"a":2}', actual: '{"a":1,"a":2}', differences: [] },
    {
      why: 'duplicates with other values differ',
      golden: '{"a":1,"a":2}',
      actual: '{"a":2,"a":1}',
      differences: ['duplicate_key $.a {"a":1,"a":2} → {"a":2,"a":1}'],
    },
    {
      why: 'a duplicate that is absent on the other side is missing',
      golden: '{"a":1,"a":2}',
      actual: '{}',
      differences: ['missing $.a {"a":1,"a":2} → null'],
    },
    {
      why: 'an ignored name may occur twice',
      golden: '{"a":1,"a":2,"b":1}',
      actual: '{"b":1}',
      rules: 'ignore: [$.a]',
      differences: [],
    },
    {
      why: 'integer-like names out of order are no duplicates',
      golden: '{"b":1,"2":2,"1":3}',
      actual: '{"1":3,"2":2,"b":1}',
      differences: [],
    },
  ])
})

describe('arrays by position', () => {
  table([
    {
      why: 'C1: the same elements in another order are one difference',
      golden: '[{"id":1},{"id":2}]',
      actual: '[{"id":2},{"id":1}]',
      differences: ['order $ [{"id":1},{"id":2}] → [{"id":2},{"id":1}]'],
    },
    {
      why: 'C1: a list of equal length with other elements is not an order',
      golden: '[{"id":1},{"id":2}]',
      actual: '[{"id":2},{"id":3}]',
      differences: ['value_changed $[0].id 1 → 2', 'value_changed $[1].id 2 → 3'],
    },
    {
      why: 'an insertion at the head is one difference',
      golden: '[1,2,3,4]',
      actual: '[0,1,2,3,4]',
      differences: ['extra $[0] null → 0'],
    },
    {
      why: 'a removal in the middle is one difference',
      golden: '[1,2,3,4]',
      actual: '[1,2,4]',
      differences: ['missing $[2] 3 → null'],
    },
    {
      why: 'the middle is told by position, then what is left',
      golden: '[1,2,3,9]',
      actual: '[1,7,9]',
      differences: ['value_changed $[1] 2 → 7', 'missing $[2] 3 → null'],
    },
    {
      why: 'the leaf is told, not the array',
      golden: '{"a":[[1,2],[3,{"b":4}]]}',
      actual: '{"a":[[1,2],[3,{"b":5}]]}',
      differences: ['value_changed $.a[1][1].b 4 → 5'],
    },
    {
      why: 'an emptied list tells its elements',
      golden: '{"a":[1]}',
      actual: '{"a":[]}',
      differences: ['missing $.a[0] 1 → null'],
    },
    {
      why: 'a null element that is gone is null against absence',
      golden: '[null]',
      actual: '[]',
      differences: ['null_vs_missing $[0] null → null'],
    },
    {
      why: 'C12: ignore on an array covers its length',
      golden: '{"items":[1]}',
      actual: '{"items":[1,2]}',
      rules: 'ignore: [$.items]',
      differences: [],
    },
    {
      why: 'C12: ignore below an array does not cover its length',
      golden: '{"items":[{"ts":1}]}',
      actual: '{"items":[{"ts":2},{"ts":3}]}',
      rules: "ignore: ['$.items[*].ts']",
      differences: ['extra $.items[1] null → {"ts":3}'],
    },
    {
      why: 'a rule for one index stays with that index',
      golden: '{"a":[1,2]}',
      actual: '{"a":[9,9]}',
      rules: "ignore: ['$.a[0]']",
      differences: ['value_changed $.a[1] 2 → 9'],
    },
  ])
})

describe('exact', () => {
  table([
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
  table([
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
  table([
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

describe('order_insensitive', () => {
  const rules = 'order_insensitive: [$.a]'
  table([
    { why: 'passes another order', golden: '{"a":[1,2,3]}', actual: '{"a":[3,1,2]}', rules, differences: [] },
    {
      why: 'C2: counts, because a multiset is no set',
      golden: '{"a":["b1","b2","b1"]}',
      actual: '{"a":["b1","b2"]}',
      rules,
      differences: ['count $.a[2] 2 → 1'],
    },
    {
      why: 'C2: counts the other way',
      golden: '{"a":["b1","b2"]}',
      actual: '{"a":["b1","b2","b1"]}',
      rules,
      differences: ['count $.a[2] 1 → 2'],
    },
    {
      why: 'covers the named array alone',
      golden: '{"a":[[1,2],[3]]}',
      actual: '{"a":[[3],[2,1]]}',
      rules,
      differences: ['order $.a[0] [1,2] → [2,1]'],
    },
    {
      why: 'C4: pairs by an optimal assignment',
      golden: '{"a":[[2],[1]]}',
      actual: '{"a":[[1,2],[2]]}',
      rules,
      differences: ['extra $.a[1][1] null → 2'],
    },
    {
      why: 'pairs optimally within a bound',
      golden: '{"a":[1.5,1.0]}',
      actual: '{"a":[1.0,2.0]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*]': 0.5}}",
      differences: [],
    },
    {
      why: 'does not cancel equal elements first',
      golden: '{"a":[1,2]}',
      actual: '{"a":[1,0]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*]': 1}}",
      differences: [],
    },
    {
      why: 'tells what no assignment within the bound can pair',
      golden: '{"a":[1,2]}',
      actual: '{"a":[1,4]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*]': 1}}",
      differences: ['value_changed $.a[1] 2 → 4'],
    },
    {
      why: 'pairs on two bounded fields, where sorting fails',
      golden: '{"a":[{"x":0,"y":5},{"x":1,"y":0}]}',
      actual: '{"a":[{"x":1,"y":5},{"x":0,"y":0}]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*].x': 1, '$.a[*].y': 1}}",
      differences: [],
    },
    {
      why: 'tells the leaf of the closest element',
      golden: '{"a":[{"id":1,"v":1,"w":1},{"id":2,"v":2,"w":2}]}',
      actual: '{"a":[{"id":2,"v":2,"w":9},{"id":1,"v":8,"w":1}]}',
      rules,
      differences: ['value_changed $.a[0].v 1 → 8', 'value_changed $.a[1].w 2 → 9'],
    },
    {
      why: 'tells what is over as missing',
      golden: '{"a":[1,{"k":1},2]}',
      actual: '{"a":[2,1]}',
      rules,
      differences: ['missing $.a[1] {"k":1} → null'],
    },
    {
      why: 'an ignored field of an element does not count',
      golden: '{"a":[{"id":1,"t":5},{"id":2,"t":6}]}',
      actual: '{"a":[{"id":2,"t":0},{"id":1}]}',
      rules: "{order_insensitive: [$.a], ignore: ['$.a[*].t']}",
      differences: [],
    },
    {
      why: 'multisets nest when both are named',
      golden: '{"a":[[1,2],[3]]}',
      actual: '{"a":[[3],[2,1]]}',
      rules: "order_insensitive: [$.a, '$.a[*]']",
      differences: [],
    },
  ])
})

describe('arrays matched within arrays', () => {
  const multisets = "order_insensitive: [$.a, '$.a[*]']"
  const shapes = "{order_insensitive: [$.a], structural: ['$.a[*].s']}"
  table([
    {
      why: 'an inner multiset with one element more is told',
      golden: '{"a":[[1]]}',
      actual: '{"a":[[1,1]]}',
      rules: multisets,
      differences: ['count $.a[0][1] 1 → 2'],
    },
    {
      why: 'an inner multiset with one element less is told',
      golden: '{"a":[[1,1]]}',
      actual: '{"a":[[1]]}',
      rules: multisets,
      differences: ['count $.a[0][1] 2 → 1'],
    },
    {
      why: 'an inner array of shapes may grow',
      golden: '{"a":[{"s":[1]}]}',
      actual: '{"a":[{"s":[2,3]}]}',
      rules: shapes,
      differences: [],
    },
    {
      why: 'an inner array with a shape more is told',
      golden: '{"a":[{"s":[1]}]}',
      actual: '{"a":[{"s":[1,"x"]}]}',
      rules: shapes,
      differences: ['extra $.a[0].s[1] null → "x"'],
    },
    {
      why: 'an inner array with a shape less is told',
      golden: '{"a":[{"s":[1,"x"]}]}',
      actual: '{"a":[{"s":[1]}]}',
      rules: shapes,
      differences: ['missing $.a[0].s[1] "x" → null'],
    },
  ])
})

describe('ignore', () => {
  const rules = 'ignore: [$.t]'
  table([
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

  test('a multiset in place hides nothing, one in another order hides one difference', () => {
    const rules = 'order_insensitive: [$.a]'
    expect(compareTexts('{"a":[1,2]}', '{"a":[1,2]}', rules).ruleUses).toMatchObject([{ selected: 1, hid: 0 }])
    expect(compareTexts('{"a":[1,2]}', '{"a":[2,1]}', rules).ruleUses).toMatchObject([{ selected: 1, hid: 1 }])
  })
})

describe('bounds', () => {
  test('reports 100 differences and counts the rest', () => {
    const numbers = (from: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`k${at}`, at + from])))
    const { differences, moreDifferences } = compareTexts(numbers(0), numbers(1))
    expect([differences.length, moreDifferences]).toEqual([100, 150])
    expect(differences[0]).toMatchObject({ path: '$.k0', legacy: '0', candidate: '1' })
  })

  test('cuts a long token and says so', () => {
    const { differences } = compareTexts(JSON.stringify(['x'.repeat(1000)]), '[1]')
    expect(differences[0]?.legacy).toBe(`"${'x'.repeat(399)}… (cut, 1002 characters)`)
  })

  test('finds the difference below 1,000,000 levels', { timeout: 60_000 }, () => {
    const deep = (leaf: string) => jsonOf(`${'['.repeat(1_000_000)}${leaf}${']'.repeat(1_000_000)}`)
    const [golden, actual] = [deep('1'), deep('2')].map(output => [{ kind: 'output', output } as const])
    const { differences } = compare(golden ?? [], actual ?? [], rulesOf('{}'))
    expect(differences).toMatchObject([{ kind: 'value_changed', legacy: '1', candidate: '2' }])
  })

  test('compares deep objects with duplicates and deep unordered arrays without a throw', () => {
    const nested = (open: string, close: string, leaf: string, times: number) =>
      open.repeat(times) + leaf + close.repeat(times)
    const duplicates = (leaf: string) => nested('{"b":0,"b":0,"a":', '}', leaf, 100_000)
    expect(compareTexts(duplicates('1'), duplicates('2')).differences).toHaveLength(1)
    const lists = (leaf: string) => nested('[', ']', leaf, 100_000)
    const { differences, faults } = compareTexts(
      `{"a":${lists('1')}}`,
      `{"a":${lists('2')}}`,
      'order_insensitive: [$.a, $.a..*]',
    )
    expect(differences).toEqual([])
    expect(faults).toMatchObject([{ reason: 'budget', step: 0 }])
  })

  test('C7: matches 1,000 bounded elements in reverse order within a second', () => {
    const elements = Array.from({ length: 1000 }, (_, at) => ({ x: at, y: at * 2, name: 'same' }))
    const started = performance.now()
    const rules = "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*].x': 0.5, '$.a[*].y': 0.5}}"
    const { differences } = compareTexts(
      JSON.stringify({ a: elements }),
      JSON.stringify({ a: elements.toReversed() }),
      rules,
    )
    expect(differences).toEqual([])
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('steps and other observations', () => {
  const none = rulesOf('{}')
  const output = (text: string) => ({ kind: 'output', output: jsonOf(text) }) as const
  const threw = (name: string, code: string | null, message: string) =>
    ({ kind: 'threw', threw: { name, code, message } }) as const
  const command = (exit: number, stdout: string, stderr = '') =>
    ({ kind: 'command', exit, stdout: Buffer.from(stdout), stderr }) as const

  test('paths name the step when there are several', () => {
    const one = responseStep({ status: 200 })
    const comparison = compare([one, one], [one, responseStep({ status: 404 })], none)
    expect(told(comparison)).toEqual(['status steps[1]:status 200 → 404'])
  })

  test('a step on one side only is told', () => {
    const one = responseStep({})
    expect(told(compare([one, one], [one], none))).toEqual(['missing steps[1]:$ "response" → null'])
    expect(told(compare([one], [one, one], none))).toEqual(['extra steps[1]:$ null → "response"'])
  })

  test('a recording without steps is no evidence', () => {
    expect(compare([], [], none)).toMatchObject({ differences: [], faults: [{ reason: 'content-missing' }] })
  })

  test('outputs are compared by value', () => {
    expect(told(compare([output('{"a":1.0}')], [output('{"a":1}')], none))).toEqual([])
    expect(told(compare([output('{"a":1}')], [output('{"a":2}')], none))).toEqual(['value_changed $.a 1 → 2'])
  })

  test('an output without a JSON form is of another kind', () => {
    const actual = { kind: 'output', output: null, unserialisable: { path: '$.map', what: 'a Map' } } as const
    expect(told(compare([output('null')], [actual], none))).toEqual(['content_kind $.map "json" → "a Map"'])
  })

  test('errors agree by name, code and message', () => {
    const golden = [threw('RangeError', 'E_CCY', 'unknown XXX')]
    expect(told(compare(golden, golden, none))).toEqual([])
    expect(told(compare(golden, [threw('RangeError', null, 'unknown XXX')], none))).toEqual([
      'threw $.threw.code "E_CCY" → null',
    ])
    expect(told(compare(golden, [threw('RangeError', 'E_CCY', 'no')], rulesOf('ignore: [$.threw.message]')))).toEqual(
      [],
    )
  })

  test('an error against an output is told once', () => {
    expect(told(compare([output('1')], [threw('Error', null, 'm')], none))).toEqual([
      'threw $ 1 → {"threw":{"name":"Error","code":null,"message":"m"}}',
    ])
  })

  test('programs are compared by exit code, standard error and document', () => {
    expect(told(compare([command(0, '{"a":1}')], [command(0, ' {"a":1}\n')], none))).toEqual([])
    expect(told(compare([command(0, '{"a":1}')], [command(3, '{"a":2}', 'oops')], none))).toEqual([
      'exit exit 0 → 3',
      'value_changed stderr "" → "oops"',
      'value_changed $.a 1 → 2',
    ])
    expect(told(compare([command(0, '1')], [command(1, '1')], rulesOf('ignore: [exit]')))).toEqual([])
  })

  test('a program stands for an output by its document alone', () => {
    expect(told(compare([command(0, '{"a":1}', 'warning')], [output('{"a":1}')], none))).toEqual([])
    expect(told(compare([command(0, '{"a":1}')], [output('{"a":2}')], none))).toEqual(['value_changed $.a 1 → 2'])
  })

  test('a program that fails with {threw} threw that', () => {
    const golden = [command(1, '{"threw":{"name":"RangeError","message":"m"}}')]
    expect(told(compare(golden, [threw('RangeError', null, 'm')], none))).toEqual([])
    expect(told(compare(golden, [threw('TypeError', null, 'm')], none))).toEqual([
      'threw $.threw.name "RangeError" → "TypeError"',
    ])
    expect(told(compare(golden, [output('{"threw":{"name":"RangeError","message":"m"}}')], none))).toHaveLength(1)
  })

  test('a program that fails without a word equals no output', () => {
    expect(told(compare([command(2, '5')], [output('5')], none))).toEqual(['threw $ 5 → 5'])
  })

  test('a response against an output is of another kind', () => {
    expect(told(compare([responseStep({})], [output('1')], none))).toEqual(['content_kind $ "response" → "output"'])
  })
})
