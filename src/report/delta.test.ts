import { expect, test } from 'vitest'
import type { Difference } from '../model.ts'
import { deltaText } from './delta.ts'

function difference(path: string, pointer: string, legacy: string | null, candidate: string | null): Difference {
  return { kind: 'value_changed', step: 0, path, pointer, legacy, candidate, rule: 'uncovered' }
}

test('draws the places nested as in the document, tokens as received', () => {
  const text = deltaText([
    difference('status', '', '200', '201'),
    difference('header.allow', '', '"GET"', null),
    difference('$.items[3].amount', '/items/3/amount', '10.00', '10'),
    difference("$.items[3]['a b']", '/items/3/a b', null, '{"x":1.0}'),
    difference("$['0']", '/0', '1', '2'),
  ])
  expect(text).toBe(`{
   status: 200 => 201
-  header.allow: "GET"
   $: {
     items: {
       [3]: {
         amount: 10.00 => 10
+        a b: {
+          "x": 1.0
+        }
       }
     },
     '0': 1 => 2
   }
 }`)
})

test('tells the steps of a sequence apart', () => {
  const at = (step: number) => ({ ...difference(`steps[${step}]:$.id`, '/id', '1', '2'), step })
  expect(deltaText([at(0), at(2)]).match(/step \d/g)).toEqual(['step 0', 'step 2'])
})

test('lets nothing of a body act in a terminal', () => {
  const text = deltaText([difference('$.a\u202e', '/a\u202e', '"\\u001b[31mred\\u202e"', '"\u001b[31m\u202e"')])
  expect([...text].filter(one => one !== '\n' && /[\p{Cc}\p{Cf}]/u.test(one))).toEqual([])
})

test('draws a token that was cut as text', () => {
  expect(deltaText([difference('$', '', '"abc… (cut, 900 characters)', null)])).toContain('(cut, 900 characters)')
})
