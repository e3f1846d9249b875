import { Buffer } from 'node:buffer'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { FieldList, StepObservation } from '../model.ts'
import { type Credential, conceal, concealText, secretParts } from './credentials.ts'

const SECRET = 'ab/cd+ef"gh\\ij=='
const alice: Credential = { principal: 'alice', text: SECRET }
const HIDDEN = '{credential:alice}'

const seen = (body: Uint8Array, headers: FieldList = []): StepObservation => ({
  kind: 'response',
  method: 'GET',
  response: { status: 200, headers, body: { bytes: body } },
})
function bytesOf(shown: StepObservation): Buffer {
  const body = shown.kind === 'response' ? shown.response.body : undefined
  if (body === undefined || !('bytes' in body)) throw new Error('no body')
  return Buffer.from(body.bytes)
}
const concealed = (text: string, credentials = [alice]) =>
  bytesOf(conceal(seen(Buffer.from(text)), credentials)).toString()

describe('a credential is replaced where it is written', () => {
  test.each([
    ['as it is', `token ${SECRET}.`, `token ${HIDDEN}.`],
    ['in JSON', JSON.stringify({ token: SECRET }), `{"token":"${HIDDEN}"}`],
    ['in JSON that escapes slashes', JSON.stringify({ token: SECRET }).replace('/', '\\/'), `{"token":"${HIDDEN}"}`],
    [
      'in JSON that escapes what HTML reads',
      '{"token":"ab/cd\\u002Bef\\"gh\\\\ij\\u003d\\u003D"}',
      `{"token":"${HIDDEN}"}`,
    ],
    ['in a member name', `{"ab/cd+ef\\"gh\\\\ij==":1}`, `{"${HIDDEN}":1}`],
    ['in a query', `/t?x=${encodeURIComponent(SECRET)}&y=1`, `/t?x=${HIDDEN}&y=1`],
    ['in a query with small digits', '/t?x=ab%2fcd%2bef%22gh%5cij%3d%3d', `/t?x=${HIDDEN}`],
    ['in HTML', '<b>ab&#x2F;cd&#43;ef&quot;gh&#92;ij==</b>', `<b>${HIDDEN}</b>`],
    ['twice', `${SECRET} ${SECRET}`, `${HIDDEN} ${HIDDEN}`],
  ])('%s', (_name, text, expected) => {
    expect(concealed(text)).toBe(expected)
  })

  test.each([0, 1, 2, 3, 4])('in base64 behind %i other octets, of which nothing decodes any more', before => {
    const coded = Buffer.from(`${'x'.repeat(before)}${SECRET}:tail`).toString('base64')
    expect(concealed(`{"a":"${coded}"}`)).toContain(HIDDEN)
    const left = concealed(coded).replace(HIDDEN, '')
    expect(Buffer.from(left, 'base64').toString('latin1')).not.toContain('cd+ef')
    expect(concealed(coded.replaceAll('+', '-').replaceAll('/', '_'))).toContain(HIDDEN)
  })

  test('under a content coding, which is applied again', () => {
    const shown = conceal(seen(gzipSync(`{"t":"tok-12345678"}`), [['Content-Encoding', 'gzip']]), [
      { principal: 'bob', text: 'tok-12345678' },
    ])
    expect(gunzipSync(bytesOf(shown)).toString()).toBe('{"t":"{credential:bob}"}')
  })

  test('in UTF-16, either way round', () => {
    const little = Buffer.from(`a ${SECRET} b`, 'utf16le')
    const expected = Buffer.from(`a ${HIDDEN} b`, 'utf16le')
    expect(bytesOf(conceal(seen(little), [alice]))).toEqual(expected)
    expect(bytesOf(conceal(seen(Buffer.from(little).swap16()), [alice]))).toEqual(Buffer.from(expected).swap16())
  })

  test('with letters outside ASCII, in UTF-8, in Latin-1 and escaped', () => {
    const one = [{ principal: 'eve', text: 'geheim-ß-1234' }]
    expect(concealed('x geheim-ß-1234', one)).toBe('x {credential:eve}')
    expect(concealed('x geheim-%C3%9F-1234', one)).toBe('x {credential:eve}')
    expect(concealed('{"a":"geheim-\\u00df-1234"}', one)).toBe('{"a":"{credential:eve}"}')
    const latin = conceal(seen(Buffer.from('x geheim-ß-1234', 'latin1')), one)
    expect(bytesOf(latin).toString('latin1')).toBe('x {credential:eve}')
  })

  test('as a number of JSON, which stays JSON', () => {
    const digits = [{ principal: 'pin', text: '1234567890' }]
    expect(concealed('{"a": 1234567890, "b": [12, "x 1234567890"]}', digits)).toBe(
      '{"a": "{credential:pin}", "b": [12, "x {credential:pin}"]}',
    )
  })

  test('in every header, and in the lines of a log', () => {
    const shown = conceal(
      seen(Buffer.alloc(0), [
        ['X-Echo', `Bearer ${SECRET}`],
        ['X', 'plain'],
      ]),
      [alice],
    )
    expect(shown.kind === 'response' && shown.response.headers).toEqual([
      ['X-Echo', `Bearer ${HIDDEN}`],
      ['X', 'plain'],
    ])
    expect(concealText(`sent ${SECRET}`, [alice])).toBe(`sent ${HIDDEN}`)
  })

  test('as a whole where another one is part of it', () => {
    const both = [
      { principal: 'a', text: 'secret-1' },
      { principal: 'b', text: 'secret-1-longer' },
    ]
    expect(concealed('secret-1-longer secret-1', both)).toBe('{credential:b} {credential:a}')
  })
})

test('what holds no credential stays as it is, octet for octet', () => {
  const octets = Buffer.from([0, 255, 128, 34, 92])
  expect(bytesOf(conceal(seen(octets), [alice]))).toEqual(octets)
  const broken = seen(Buffer.from('no gzip'), [['Content-Encoding', 'gzip']])
  expect(bytesOf(conceal(broken, [alice])).toString()).toBe('no gzip')
  expect(concealed(SECRET.slice(1))).toBe(SECRET.slice(1))
})

describe('the secret of a header', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['is what follows the scheme', 'Authorization', 'Bearer abc.def', ['abc.def']],
    ['is all of a bare key', 'X-Api-Key', 'k-123', ['k-123']],
    [
      'is the password of Basic as well',
      'Authorization',
      'Basic YWxpY2U6b3BlbiBzZXNhbWU=',
      ['YWxpY2U6b3BlbiBzZXNhbWU=', 'alice:open sesame', 'open sesame'],
    ],
    ['is each value of a cookie', 'cookie', 'sid=s-1; t="x=y"', ['s-1', '"x=y"']],
    ['is all of a text with spaces', 'X-Key', 'two words here', ['two words here']],
  ])('%s', (_name, header, value, parts) => {
    expect(secretParts(header, value)).toEqual(parts)
  })
})
