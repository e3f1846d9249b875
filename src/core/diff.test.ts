import { describe, expect, test } from 'vitest'
import { compareTexts, comparisonTable } from '../../test/comparison-table.ts'

describe('without a rule', () => {
  comparisonTable([
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
  comparisonTable([
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
  comparisonTable([
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
