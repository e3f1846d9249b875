import { expect, test } from 'vitest'
import { allowedToSend } from './sends.ts'

const rows: readonly [string, string, readonly string[], boolean, string][] = [
  ['GET', '/rates', [], true, 'a safe method needs no entry'],
  ['HEAD', '/rates', [], true, 'a safe method needs no entry'],
  ['POST', '/convert', [], false, 'a request that changes state is refused unless listed'],
  ['POST', '/convert', ['POST /convert'], true, 'listed'],
  ['POST', '/convert?x=/y', ['POST /convert'], true, 'the query takes no part'],
  ['PUT', '/convert', ['POST /convert'], false, 'another method'],
  ['post', '/convert', ['POST /convert'], false, 'methods are case-sensitive, and an unknown one may change state'],
  ['POST', '/convert/', ['POST /convert'], false, 'another path'],
  ['POST', '/convertx', ['POST /convert'], false, 'no prefix counts'],
  ['DELETE', '/orders/17', ['DELETE /orders/{id}'], true, 'a segment in braces stands for any one'],
  ['DELETE', '/orders/', ['DELETE /orders/{id}'], false, 'but not for none'],
  ['DELETE', '/orders/17/lines', ['DELETE /orders/*'], false, 'nor for two'],
  ['DELETE', '/orders/{{id}}', ['DELETE /orders/{id}'], true, 'a reference stands in one segment'],
  ['DELETE', '/orders/o-{{id}}', ['DELETE /orders/o-17'], true, 'what it comes to is asked again'],
  ['DELETE', '/orders/{{id}}/lines', ['DELETE /orders/{id}'], false, 'and never for two'],
  ['DELETE', '/users/{{id}}', ['DELETE /orders/{id}'], false, 'the rest of the path has to be listed'],
  ['DELETE', '{{self}}', ['DELETE /orders/{id}'], true, 'a link is known once it is filled'],
  ['DELETE', '{{self}}', ['POST /orders'], false, 'its method is known before'],
]

test.each(rows)('%s %s with sends %j: %s, %s', (method, path, sends, allowed) => {
  expect(allowedToSend({ sends }, { method, path, headers: [] })).toBe(allowed)
})
