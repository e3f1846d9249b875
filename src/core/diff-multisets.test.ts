import { describe } from 'vitest'
import { comparisonTable } from '../../test/comparison-table.ts'

describe('order_insensitive', () => {
  const rules = 'order_insensitive: [$.a]'
  comparisonTable([
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
      why: 'does not cancel equal elements first when the bound lies inside an array of shapes',
      golden: '{"a":[[2],[1]]}',
      actual: '{"a":[[2],[3]]}',
      rules: "{order_insensitive: [$.a], structural: ['$.a[*]'], numeric_tolerance: {'$.a[*][*]': 1}}",
      differences: [],
    },
    {
      why: 'does not cancel equal elements first when the bound lies deep',
      golden: `{"a":[${'{"b":'.repeat(40)}2${'}'.repeat(40)},${'{"b":'.repeat(40)}1${'}'.repeat(40)}]}`,
      actual: `{"a":[${'{"b":'.repeat(40)}2${'}'.repeat(40)},${'{"b":'.repeat(40)}3${'}'.repeat(40)}]}`,
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$..b': 1}}",
      differences: [],
    },
    {
      why: 'tells the same of two swapped sides: here that x came',
      golden: '{"a":[{"y":3},{"y":0}]}',
      actual: '{"a":[{"y":1},{"x":1,"y":3}]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*].y': 2}}",
      differences: ['extra $.a[0].x null → 1'],
    },
    {
      why: 'tells the same of two swapped sides: here that x went',
      golden: '{"a":[{"y":1},{"x":1,"y":3}]}',
      actual: '{"a":[{"y":3},{"y":0}]}',
      rules: "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*].y': 2}}",
      differences: ['missing $.a[1].x 1 → null'],
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
  comparisonTable([
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
