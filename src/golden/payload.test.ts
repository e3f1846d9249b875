import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { answered, JSON_TYPE } from '../../test/golden-folder.ts'
import { sha256 } from '../core/canonical.ts'
import type { FieldList } from '../model.ts'
import { payloadOf } from './payload.ts'

describe('what is stored of a body', () => {
  const store = (body: string | Uint8Array, headers?: FieldList, method?: string) =>
    payloadOf('001-happy-a', [answered(body, headers, method)])
  const bodyOf = (steps: string) => /,"body":(.*)\}\}\]$/.exec(steps)?.[1]
  const rows: readonly [string, string | Uint8Array, FieldList, string | undefined][] = [
    [
      'A5: JSON keeps its tokens and loses its white space',
      '{ "b": 10.00,\n "a": "\\u00e9", "b": 1e2 }',
      JSON_TYPE,
      '{"json":{"b":10.00,"a":"\\u00e9","b":1e2}}',
    ],
    [
      'JSON under gzip is stored decoded',
      gzipSync('{"a":1}'),
      [...JSON_TYPE, ['Content-Encoding', 'gzip']],
      '{"json":{"a":1}}',
    ],
    ['JSON under text/plain is text', '{ "a": 1 }', [['Content-Type', 'text/plain']], '{"text":"{ \\"a\\": 1 }"}'],
    ['JSON without a type is text', '{ "a": 1 }', [], '{"text":"{ \\"a\\": 1 }"}'],
    ['JSON that is broken is text', '{"a":', JSON_TYPE, '{"text":"{\\"a\\":"}'],
    [
      'text of another charset is decoded',
      Buffer.from('caf\xe9', 'latin1'),
      [['Content-Type', 'text/html; charset=iso-8859-1']],
      '{"text":"café"}',
    ],
    [
      'octets that are no text are base64',
      Buffer.from([0xff, 0xfe, 0xfd]),
      [['Content-Type', 'text/plain']],
      '{"base64":"//79"}',
    ],
    ['an image is base64', 'PNG', [['Content-Type', 'image/png']], '{"base64":"UE5H"}'],
    ['an unknown coding stays as received', 'abc', [['Content-Encoding', 'sdch']], '{"base64":"YWJj"}'],
  ]
  test.each(rows)('%s', (_name, body, headers, stored) => {
    expect(bodyOf(store(body, headers).steps)).toBe(stored)
  })

  test('large octets go to a file named by their hash', () => {
    const bytes = Buffer.alloc(9_000, 7)
    const { steps, files } = store(bytes, [['Content-Type', 'image/png']])
    const file = `001-happy-a.${sha256(bytes).slice(7, 23)}.bin`
    expect([bodyOf(steps), [...files.keys()]]).toEqual([`{"file":"${file}"}`, [file]])
  })

  test('no body is stored where there is none', () => {
    const response = { status: 204, headers: [] }
    expect(payloadOf('x', [{ kind: 'response', method: 'GET', response }]).steps).toBe(
      '[{"response":{"status":204,"headers":[]}}]',
    )
  })
})
