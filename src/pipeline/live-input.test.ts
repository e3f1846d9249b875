import { describe, expect, test } from 'vitest'
import { readLiveInput } from './live-input.ts'

const read = (value: unknown) => readLiveInput(value, { name: 'by hand', of: 'request' })
const RATES = { method: 'GET', path: '/rates' }
const STEP = { request: { method: 'GET', path: '/rates', headers: [] } }

describe('an input that a test gives', () => {
  test.each<[string, unknown, unknown]>([
    ['one request', RATES, { name: 'by hand', covers: [], now: null, steps: [STEP] }],
    ['a list of steps', [{ request: RATES }, { request: RATES }], { steps: [STEP, STEP] }],
    [
      'what a file holds',
      { steps: [{ request: RATES }], covers: ['errors.down'], now: '2026-01-02T03:04:05Z' },
      { steps: [STEP], covers: ['errors.down'], now: '2026-01-02T03:04:05Z' },
    ],
    [
      'steps that bind',
      [{ request: RATES, bind: { id: '$.id' } }, { request: { ...RATES, path: '/rates/{{id}}' } }],
      { steps: [{ bind: { id: '$.id' } }, { request: { path: '/rates/{{id}}' } }] },
    ],
    [
      'a body and headers',
      { method: 'POST', path: '/a', headers: [['X-A', '1']], body: { json: { n: 1.5, big: 12345678901234567890n } } },
      { steps: [{ request: { headers: [['X-A', '1']], body: { json: { n: 1.5 } } } }] },
    ],
  ])('is %s', (_what, value, expected) => {
    expect(read(value)).toMatchObject(expected as object)
  })

  test('says nothing of how it is to end: it is of the bucket that covers what it names', () => {
    expect(read(RATES)).toMatchObject({ bucket: 'replay', covers: [] })
  })

  test('has the id of the file that holds the same', () => {
    expect(read(RATES).id).toBe(read({ steps: [{ request: RATES }] }).id)
    expect(read(RATES).id).not.toBe(read({ ...RATES, path: '/rate' }).id)
  })

  test.each<[string, unknown, RegExp]>([
    [
      'of another form',
      'GET /rates',
      /^toMatchLegacy: the input is neither a request nor steps\nFix: give one request, as/,
    ],
    ['nothing', null, /neither a request nor steps/],
    ['with a member that no request has', { ...RATES, heders: [] }, /request: .*heders.*Fix: .*headers/s],
    ['without a method', { path: '/rates' }, /\$\.steps\[0\]\.request\.method: expected a method, as GET/],
    ['with a path that is none', { ...RATES, path: 'rates' }, /\$\.steps\[0\]\.request\.path: expected a path/],
    ['without steps', { steps: [] }, /\$\.steps: expected an array of at least 1/],
    ['with a step that is empty', [{}], /\$\.steps\[0\]/],
    [
      'with a file beside it',
      { ...RATES, body: { file: 'a.bin' } },
      /no file a\.bin stands beside a test\nFix: give the body itself/,
    ],
    ['with a header of the connection', { ...RATES, headers: [['Content-Length', '1']] }, /Content-Length follows/],
    ['that JSON cannot hold', { ...RATES, body: { json: new Map() } }, /the input has no JSON form: .* at /],
  ])('%s is refused with the fix', (_what, value, message) => {
    expect(() => read(value)).toThrowError(
      expect.objectContaining({ code: 'PARITY_INPUT_INVALID', message: expect.stringMatching(message) }),
    )
  })

  test.each([0, null, '', [1, 2], { method: 'GET' }, { steps: [] }])('of a function is the value itself: %j', value => {
    expect(readLiveInput(value, { name: 'by hand', of: 'input' }).steps).toEqual([{ input: value }])
  })
})
