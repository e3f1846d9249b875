import { describe, expect, test } from 'vitest'
import { type Json, NumberToken, parseJson, textOf } from './json.ts'
import { queryJson } from './query.ts'
import { normalisedPath } from './selector.ts'

function json(text: string): Json {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.value
}

function select(text: string, selector: string): string[] {
  const queried = queryJson(json(text), selector)
  if (!queried.ok) throw new Error(queried.message)
  return queried.nodes.map(({ value, segments }) => `${normalisedPath(segments)} ${textOf(value)}`)
}

describe('a query', () => {
  test.each([
    ['{"id":10.00}', '$.id', ['$.id 10.00'], 'keeps the text of a number'],
    ['{"b":1,"2":2,"a":3}', '$.*', ['$.b 1', "$['2'] 2", '$.a 3'], 'keeps document order'],
    ['{"a":1,"b":2,"a":3}', '$.a', ['$.a 3'], 'selects the last of a name that occurs twice'],
    ['{"a":1,"a":3}', '$[*]', ['$.a 1', '$.a 3'], 'selects each member under a wildcard'],
    ['{"__proto__":1,"constructor":2}', '$.__proto__', ['$.__proto__ 1'], 'knows no inherited names'],
    ['{}', '$.constructor', [], 'finds no inherited member'],
    ['[0,1,2,3]', '$[-1]', ['$[3] 3'], 'counts from the end'],
    ['[0,1,2,3]', '$[::-2]', ['$[3] 3', '$[1] 1'], 'steps backwards'],
    ['[0,1]', '$[0,0]', ['$[0] 0', '$[0] 0'], 'selects twice what a union names twice'],
    ['{"a":{"a":1}}', '$..a', ['$.a {"a":1}', '$.a.a 1'], 'descends from the top'],
    [
      '[{"n":12345678901234567891},{"n":12345678901234567892}]',
      '$[?@.n == 12345678901234567892]',
      ['$[1] {"n":12345678901234567892}'],
      'compares numbers that no double holds',
    ],
    ['[1e400,5]', '$[?@ > 1e399]', ['$[0] 1e400'], 'orders numbers beyond the doubles'],
    ['[10.00,"10"]', '$[?@ == 10]', ['$[0] 10.00'], 'takes no string for a number'],
    ['[{"a":[1.0,{}]}]', '$[?@.a == $[0].a]', ['$[0] {"a":[1.0,{}]}'], 'compares whole values'],
    ['["ab","b"]', "$[?search(@, 'a')]", ['$[0] "ab"'], 'searches'],
    ['["ab","b"]', "$[?match(@, '[ab]')]", ['$[1] "b"'], 'matches whole strings'],
    ['["\\ud83d\\ude00","ab"]', '$[?length(@) == 1]', ['$[0] "😀"'], 'counts characters, not units'],
    ['[{"a":1},{}]', '$[?!@.a]', ['$[1] {}'], 'negates a test of existence'],
  ] as const)('%s %s', (document, selector, nodes, _fact) => {
    expect(select(document, selector)).toEqual(nodes)
  })

  test('of a document nested a hundred thousand levels deep ends', () => {
    const deep = json(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`)
    expect(queryJson(deep, '$..[?@ == 1]')).toMatchObject({ ok: true, nodes: [{ value: 1 }] })
  })

  test('that would hold too many nodes is refused', () => {
    const wide: Json = Array.from({ length: 1200 }, () => new NumberToken('1.0'))
    const pairs = `$[${Array.from({ length: 900 }, () => '*').join()}]`
    expect(queryJson(wide, pairs)).toMatchObject({ ok: false, message: expect.stringContaining('1000000 nodes') })
  })
})

test.each([
  ['$.', 3, 'not a JSONPath query'],
  ['$[?(', 5, 'unclosed bracketed selection'],
  ['a', 1, "expected '$', found 'a'"],
  ['', 1, 'not a JSONPath query'],
  ['$[?count(@.a)]', 4, 'result of count()  must be compared'],
])('the query %j is refused at column %i', (selector, column, message) => {
  expect(queryJson(null, selector)).toMatchObject({ ok: false, column, message: expect.stringContaining(message) })
})

test('a query of endless brackets is refused, never thrown', () => {
  expect(queryJson(null, `$[?${'!('.repeat(50_000)}`).ok).toBe(false)
})
