import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { answered, capture, folder, JSON_TYPE, options } from '../../test/golden-folder.ts'
import { sha256 } from '../core/canonical.ts'
import { keptText } from '../core/json-kept.ts'
import type { FieldList } from '../model.ts'
import { freeze } from './freeze.ts'
import { payloadOf } from './payload.ts'
import { readFixtureSet } from './store.ts'

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

describe('the text of a JSON body', () => {
  const keptOf = async (body: string) => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', body)]))
    const read = readFixtureSet(dir).read('001-happy-a')
    const [step] = read.ok ? read.fixture.observation : []
    if (step?.kind !== 'response' || step.response.body === undefined || !('json' in step.response.body))
      return undefined
    const octets = keptText(step.response.body.json)
    return octets === null ? null : Buffer.from(octets).toString('utf8')
  }

  test('is kept of a large one, every token as received', async () => {
    const body = `{"price": 10.00, "é\\u0041": [${'"\u00e9", '.repeat(20_000)}1e2], "json": {"body": 1}}`
    expect(await keptOf(body)).toBe(body.replaceAll(/([:,]) /g, '$1'))
  })

  test('is not kept of a small one', async () => {
    expect(await keptOf('{"price":10.00}')).toBeNull()
  })
})
