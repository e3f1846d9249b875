import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { Body, FieldList } from '../model.ts'
import { type Decoded, decodeBody } from './bodies.ts'
import { DECODED_MAX_BYTES } from './codings.ts'
import { compare } from './diff.ts'
import { textOf } from './json.ts'

function decode(type: string | null, body: Body | undefined, coding?: string): Decoded {
  const headers: FieldList = [
    ...(type === null ? [] : [['content-type', type] as const]),
    ...(coding === undefined ? [] : [['Content-Encoding', coding] as const]),
  ]
  return decodeBody({ headers, body, method: 'GET', status: 200 })
}

function bytes(text: string, encoding: 'utf8' | 'latin1' | 'utf16le' = 'utf8'): Body {
  return { bytes: Buffer.from(text, encoding) }
}

const shown = ({ kind, value }: Decoded) => `${kind} ${textOf(value)}`

describe('what $ is', () => {
  test.each<[why: string, type: string | null, body: Body | undefined, expected: string]>([
    ['JSON by its type', 'application/json; charset=utf-8', bytes('{"a": 10.00}'), 'json {"a":10.00}'],
    ['JSON by a +json type', 'application/problem+json', bytes('[1]'), 'json [1]'],
    ['JSON in UTF-16', 'application/json; charset=utf-16', bytes('["é"]', 'utf16le'), 'json ["é"]'],
    ['a stored JSON document', 'application/json', { json: { a: 1 } }, 'json {"a":1}'],
    ['a stored text under a JSON type', 'application/json', { text: '{"a":1}' }, 'json {"a":1}'],
    ['JSON without a type', null, bytes('{"a":1}'), 'json {"a":1}'],
    ['text without a type', null, bytes('1'), 'text {"lines":["1"]}'],
    ['text by its type, whatever it looks like', 'text/plain', bytes('{"a":1}'), 'text {"lines":["{\\"a\\":1}"]}'],
    [
      'text lines, the end of the last one kept',
      'text/csv',
      bytes('a,b\r\n1,2\r\n'),
      'text {"lines":["a,b","1,2",""]}',
    ],
    ['text in latin1', 'text/plain; charset=ISO-8859-1', bytes('é', 'latin1'), 'text {"lines":["é"]}'],
    [
      'a form',
      'application/x-www-form-urlencoded',
      bytes('a=1&b=x+y%21&a=2&c'),
      'form {"a":["1","2"],"b":["x y!"],"c":[""]}',
    ],
    [
      'a form with a number for a name keeps its order',
      'application/x-www-form-urlencoded',
      bytes('b=1&2=3'),
      'form {"b":["1"],"2":["3"]}',
    ],
    ['a form with __proto__', 'application/x-www-form-urlencoded', bytes('__proto__=1'), 'form {"__proto__":["1"]}'],
    ['zero octets', 'application/json', bytes(''), 'empty null'],
    ['no body', 'application/json', undefined, 'empty null'],
  ])('%s', (_, type, body, expected) => {
    expect(shown(decode(type, body))).toBe(expected)
  })

  test('binary is its size and hash', () => {
    const octets = Buffer.from([0, 255, 1])
    const sha = createHash('sha256').update(octets).digest('hex')
    expect(shown(decode('image/png', { bytes: octets }))).toBe(`binary {"sizeBytes":3,"sha256":"${sha}"}`)
  })

  test('a text stored under a binary type is the same binary as its octets', () => {
    const type = 'application/octet-stream'
    expect(shown(decode(type, { text: 'abc' }))).toBe(shown(decode(type, bytes('abc'))))
  })

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
    ['GET', 103],
  ])('%s %d has no body', (method, status) => {
    expect(decodeBody({ headers: [], body: bytes('x'), method, status }).kind).toBe('empty')
  })
})

describe('a body that is not what its type says', () => {
  test.each<[string, string, Body, string, string]>([
    ['JSON', 'application/json', bytes('<html>'), 'text', 'application/json that is not JSON'],
    [
      'JSON, in octets that are no UTF-8',
      'application/json',
      { bytes: Buffer.from([0x22, 0xff, 0x22]) },
      'binary',
      'application/json that is not text in utf-8',
    ],
    [
      'text',
      'text/plain',
      { bytes: Buffer.from([0xff, 0xfe, 0x00]) },
      'binary',
      'text/plain that is not text in utf-8',
    ],
    [
      'text in an unknown charset',
      'text/plain; charset=klingon',
      bytes('x'),
      'binary',
      'text/plain that is not text in klingon',
    ],
    [
      'a form',
      'application/x-www-form-urlencoded',
      bytes('a=%FF'),
      'text',
      'application/x-www-form-urlencoded that is no form',
    ],
  ])('%s is compared as what it is, with a note', (_, type, body, kind, detail) => {
    const decoded = decode(type, body)
    expect(decoded.kind).toBe(kind)
    expect(decoded.notes).toContainEqual({ id: 'builtin:content-type', detail })
  })

  test('a byte order mark before JSON is a property of the representation', () => {
    const decoded = decode('application/json', bytes('\ufeff{"a":1}'))
    expect(shown(decoded)).toBe('json {"a":1}')
    expect(decoded.notes).toEqual([{ id: 'builtin:byte-order-mark', detail: 'begins with a byte order mark' }])
  })
})

describe('content codings', () => {
  const text = Buffer.from('{"a":1}')
  test.each<[string, Uint8Array]>([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['deflate, gzip', gzipSync(deflateSync(text))],
    ['identity', text],
    ['GZIP', gzipSync(text)],
    ['gzip', Buffer.concat([gzipSync(text.subarray(0, 3)), gzipSync(text.subarray(3))])],
    ['gzip', Buffer.concat([gzipSync(text), Buffer.alloc(5)])],
    ['zstd', Buffer.concat([zstdCompressSync(text.subarray(0, 3)), zstdCompressSync(text.subarray(3))])],
  ])('D6: %s is undone', (coding, octets) => {
    expect(shown(decode('application/json', { bytes: octets }, coding))).toBe('json {"a":1}')
  })

  test.each<[string, string, Uint8Array, string]>([
    ['D6: an unknown coding', 'sdch', text, 'undecodable'],
    ['a coding named like a method of Object', 'constructor', text, 'undecodable'],
    ['D7: what is not gzip', 'gzip', text, 'corrupt-recording'],
    ['D7: gzip that is cut short', 'gzip', gzipSync(text).subarray(0, 20), 'corrupt-recording'],
    ['octets after deflate', 'deflate', Buffer.concat([deflateSync(text), text]), 'corrupt-recording'],
    ['octets after bare deflate', 'deflate', Buffer.concat([deflateRawSync(text), text]), 'corrupt-recording'],
    ['octets after brotli', 'br', Buffer.concat([brotliCompressSync(text), text]), 'corrupt-recording'],
    ['octets after zstd', 'zstd', Buffer.concat([zstdCompressSync(text), text]), 'corrupt-recording'],
    ['octets after gzip', 'gzip', Buffer.concat([gzipSync(text), text]), 'corrupt-recording'],
    ['gzip after a gap', 'gzip', Buffer.concat([gzipSync(text), Buffer.alloc(1), gzipSync(text)]), 'corrupt-recording'],
    [
      'more frames than are read',
      'zstd',
      Buffer.concat(Array.from({ length: 1001 }, () => zstdCompressSync(text))),
      'over-limit',
    ],
    ['brotli that is none', 'br', text, 'corrupt-recording'],
    ['zstd that is none', 'zstd', text, 'corrupt-recording'],
    ['five codings', 'gzip, gzip, gzip, gzip, gzip', text, 'over-limit'],
  ])('%s is a fault', (_, coding, octets, reason) => {
    expect(decode('application/json', { bytes: octets }, coding).fault?.reason).toBe(reason)
  })

  test('a body that grows beyond the bound is over-limit, with the bound in the message', () => {
    const bomb = gzipSync(Buffer.alloc(DECODED_MAX_BYTES + 1))
    expect(decode('text/plain', { bytes: bomb }, 'gzip').fault).toEqual({
      reason: 'over-limit',
      message: 'the body decodes to more than 67108864 bytes',
    })
  })
})

describe('compared', () => {
  const none = rulesOf('{}', [])
  const of = (type: string, body: Body, more: FieldList = []) =>
    response({ headers: [['Content-Type', type], ...more], body })
  const gzip: FieldList = [['Content-Encoding', 'gzip']]

  test('one document in two codings agrees, another one does not', () => {
    const golden = of('application/json', { json: { a: 1 } })
    expect(told(compare(golden, of('application/json', { bytes: gzipSync('{"a":1}') }, gzip), none))).toEqual([])
    expect(told(compare(golden, of('application/json', { bytes: gzipSync('{"a":2}') }, gzip), none))).toEqual([
      'value_changed $.a 1 → 2',
    ])
  })

  test('D7: a recording that does not decode is only a fault, never a difference', () => {
    const broken = of('application/json', { bytes: Buffer.from('no gzip') }, gzip)
    const { differences, faults } = compare(broken, response({ status: 500 }), none)
    expect(differences).toEqual([])
    expect(faults).toEqual([
      { reason: 'corrupt-recording', step: 0, message: 'the body is not gzip, or it is cut short' },
    ])
  })

  test('D7: a candidate that does not decode is DIVERGED', () => {
    const broken = of('application/json', { bytes: Buffer.from('no gzip') }, gzip)
    expect(told(compare(of('application/json', { json: {} }), broken, none))).toEqual([
      'undecodable_body $ null → "the body is not gzip, or it is cut short"',
    ])
  })

  test('a candidate over the bound is a fault beside the proven differences', () => {
    const bomb = of('text/plain', { bytes: gzipSync(Buffer.alloc(DECODED_MAX_BYTES + 1)) }, gzip)
    const { differences, faults } = compare(
      response({ status: 201, headers: [['Content-Type', 'text/plain']] }),
      bomb,
      none,
    )
    expect(differences.map(({ kind }) => kind)).toEqual(['status'])
    expect(faults.map(({ reason }) => reason)).toEqual(['over-limit'])
  })

  test('a response that broke off is a protocol error, and its body is not judged', () => {
    const golden = of('application/json', { json: { a: 1 } })
    const actual = response({
      headers: [['Content-Type', 'application/json']],
      broken: 'the body ended after 3 of 7 octets',
    })
    expect(told(compare(golden, actual, none))).toEqual([
      'protocol_error $ null → "the body ended after 3 of 7 octets"',
    ])
    expect(compare(actual, golden, none)).toMatchObject({ differences: [], faults: [{ reason: 'corrupt-recording' }] })
  })

  test('D12: an error page under the type of the golden is another kind of document', () => {
    const golden = of('application/json', { json: { ok: true } })
    expect(told(compare(golden, of('application/json', bytes('<html>')), none))).toEqual([
      'content_kind $ "json" → "text"',
    ])
  })

  test('two bodies that are not what they say are compared, with the note', () => {
    const [golden, actual] = [of('application/json', bytes('a\nb')), of('application/json', bytes('a\nc'))]
    const comparison = compare(golden, actual, none)
    expect(told(comparison)).toEqual(['value_changed $.lines[1] "b" → "c"'])
    expect(comparison.notes).toEqual([
      { id: 'builtin:content-type', step: 0, path: '$', detail: 'application/json that is not JSON' },
    ])
  })

  test('the style of line ends is a note, another line is a difference', () => {
    const golden = of('text/plain', bytes('a\nb'))
    const comparison = compare(golden, of('text/plain', bytes('a\r\nb')), none)
    expect(told(comparison)).toEqual([])
    expect(comparison.notes).toEqual([{ id: 'builtin:line-ends', step: 0, path: '$', detail: 'lf/crlf' }])
    expect(told(compare(golden, of('text/plain', bytes('a\nb\n')), none))).toEqual(['extra $.lines[2] null → ""'])
  })

  test('one noisy line of a text can be ignored by name', () => {
    const rules = rulesOf("ignore: ['$.lines[1]']", [])
    const golden = of('text/plain', bytes('a\nb\nc'))
    expect(told(compare(golden, of('text/plain', bytes('a\nX\nc')), rules))).toEqual([])
    expect(told(compare(golden, of('text/plain', bytes('a\nX\nd')), rules))).toEqual([
      'value_changed $.lines[2] "c" → "d"',
    ])
  })

  test('D13: one flipped octet in a megabyte differs', () => {
    const golden = Buffer.alloc(1_048_577, 7)
    const actual = Buffer.from(golden)
    actual[1_000_000] = 6
    const compared = compare(of('image/png', { bytes: golden }), of('image/png', { bytes: actual }), none)
    expect(compared.differences.map(({ path }) => path)).toEqual(['$.sha256'])
  })

  test('form fields are compared by name, repeated values in order', () => {
    const form = (text: string) => of('application/x-www-form-urlencoded', bytes(text))
    expect(told(compare(form('a=1&b=2&a=3'), form('b=2&a=1&a=3'), none))).toEqual([])
    expect(told(compare(form('a=1&a=3'), form('a=3&a=1'), none))).toEqual(['order $.a ["1","3"] → ["3","1"]'])
  })

  test('a stored JSON document settles how the candidate is read', () => {
    const golden = of('text/plain', { json: { a: 1 } })
    expect(told(compare(golden, of('text/plain', bytes('{"a":2}')), none))).toEqual(['value_changed $.a 1 → 2'])
    expect(told(compare(golden, of('text/plain', bytes('{"a":1')), none))).toEqual(['content_kind $ "json" → "text"'])
  })

  test('an absent body differs from one that is there', () => {
    expect(told(compare(of('text/plain', bytes('x')), of('text/plain', bytes('')), none))).toEqual([
      'content_kind $ "text" → "empty"',
    ])
  })
})
