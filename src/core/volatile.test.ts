import { describe, expect, test } from 'vitest'
import { type VolatileKind, volatileKind } from './volatile.ts'

const kindOf = (path: string, first: unknown, second: unknown): VolatileKind =>
  volatileKind({ path, first: JSON.stringify(first), second: JSON.stringify(second) })

/** Each row: the place, what the first capture had, what the second had, and why it is of this kind. */
type Row = readonly [why: string, path: string, first: unknown, second: unknown]

const ROWS: Readonly<Record<VolatileKind, readonly Row[]>> = {
  id: [
    ['UUIDs', '$.ref', '5b2e7b0e-6c2f-4a42-9d55-0d4f1c9a7d11', 'b0c0a7de-1e54-4f0f-8a57-3c4f0f9f2f2a'],
    ['ULIDs', '$.ref', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ'],
    ['ObjectIds', '$.ref', '507f1f77bcf86cd799439011', '507f191e810c19729de860ea'],
    ['nanoids', '$.ref', 'V1StGXR8_Z5jdHi6B-myT', 'f9pQ2kLw0aZx7BvR3sTnY'],
    ['cuids', '$.ref', 'cjld2cjxh0000qzrmn831i7rn', 'cjld2cyuq0000t3rmniod1foy'],
    ['ids with their type before them', '$.ref', 'cus_9s6XKzkNRiz8', 'cus_4fdAW5ftNQow'],
    ['a number in a member named id', '$.id', 7, 12],
    ['a number that grew by one, in a member named like an id', 'steps[1]:$.items[0].orderId', 7, 8],
    ['a word in a member named like an id', '$.requestId', 'r-0b7c4924', 'r-1a5e638a'],
    ['a header named like an id', 'header.x-request-id', 'a1', 'b2'],
    ['a quoted name', "$['post_id']", '1', '2'],
    ['the number of seconds since 1970 in a member named id', '$.id', 1_767_322_000, 1_767_322_001],
    ['the number in a path', 'header.location', '{self}/posts/7', '{self}/posts/12'],
    ['the number in a query', '$.next', '/posts?after=7&limit=2', '/posts?after=12&limit=2'],
    [
      'a UUID within a longer text',
      '$.message',
      'no order 5b2e7b0e-6c2f-4a42-9d55-0d4f1c9a7d11 here',
      'no order b0c0a7de-1e54-4f0f-8a57-3c4f0f9f2f2a here',
    ],
  ],
  timestamp: [
    ['date-times', '$.at', '2026-01-02T03:04:05Z', '2026-01-02T03:04:06.120+01:00'],
    ['a day', '$.day', '2026-01-02', '2026-01-03'],
    ['RFC 1123', 'header.last-modified', 'Fri, 02 Jan 2026 03:04:05 GMT', 'Fri, 02 Jan 2026 03:04:06 GMT'],
    ['asctime', '$.at', 'Fri Jan  2 03:04:05 2026', 'Fri Jan  2 03:04:06 2026'],
    [
      'what a Date prints',
      '$.at',
      'Fri Jan 02 2026 03:04:05 GMT+0000 (Coordinated Universal Time)',
      'Fri Jan 02 2026 03:04:06 GMT+0000 (Coordinated Universal Time)',
    ],
    ['seconds since 1970', '$.at', 1_767_322_000, 1_767_322_001],
    ['milliseconds since 1970, as text', '$.at', '1767322000123', '1767322001456'],
    ['an American day', '$.at', 'Sep 1, 2016', 'Aug 31, 2016'],
    ['an American date and time', '$.at', '9/1/2016, 5:45:34 PM', '9/1/2016, 5:45:41 PM'],
    ['a German date and time', '$.at', '01.09.2016, 17:45:34', '01.09.2016, 17:45:41'],
    ['E1: a time of day', '$.time', '05:45:34 PM', '05:45:41 PM'],
    [
      'an instant within a longer text',
      '$.lines[0]',
      'built at 2026-01-02T03:04:05Z by ci',
      'built at 2026-01-02T03:04:06Z by ci',
    ],
  ],
  token: [
    [
      'JWTs',
      '$.accessToken',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.xyz-_2',
    ],
    ['hex of 128 bits', '$.mark', '9f86d081884c7d659a2feaa0c55ad015', 'a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['base64', '$.mark', 'q83vEjRWeJCrze8SNFZ4kKvN7xI=', 'Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5='],
    ['an ETag', 'header.etag', 'W/"9d-Lgi4bnssKJtjzk16uHOqxg"', 'W/"9d-lvQwl2UGW1FhxI90mHNcyw"'],
    ['a short word in a member named like a token', '$.csrfToken', 'a1b2', 'c3d4'],
  ],
  counter: [
    ['a number that grew by one', '$.count', 41, 42],
    ['the text of a number that grew', '$.visits', '99', '113'],
    ['a number within a text', '$.lines[0]', 'visitor 41 today', 'visitor 42 today'],
  ],
  order: [
    ['two elements that changed places', '$.list', [1, 2], [2, 1]],
    ['objects with their members in another order', '$.list', [{ a: 1, b: 2 }, { c: 3 }], [{ c: 3 }, { b: 2, a: 1 }]],
    ['objects', '$.list', [{ a: 1 }, { b: 2 }, { a: 1 }], [{ a: 1 }, { a: 1 }, { b: 2 }]],
  ],
  value: [
    ['a number that shrank', '$.count', 42, 41],
    ['a number that leapt', '$.count', 1, 5_000],
    ['numbers with a fraction', '$.rate', 1.5, 1.6],
    ['a number and its text', '$.count', 1, '2'],
    ['true and false', '$.id', true, false],
    ['null', '$.at', null, '2026-01-02T03:04:05Z'],
    ['an instant and a word', '$.at', '2026-01-02T03:04:05Z', 'never'],
    ['a UUID and a word', '$.ref', '5b2e7b0e-6c2f-4a42-9d55-0d4f1c9a7d11', 'none'],
    ['a word and a UUID', '$.ref', 'none', '5b2e7b0e-6c2f-4a42-9d55-0d4f1c9a7d11'],
    ['a version', '$.version', '1.2.3', '1.2.4'],
    ['ten digits that are far apart', '$.phone', 1_300_000_000, 2_900_000_000],
    ['words', '$.colour', 'red', 'blue'],
    ['sentences', '$.message', 'the red one', 'the blue one'],
    ['a member whose name only ends in the letters', '$.paid', 'a', 'b'],
    ['long hex without spread', '$.mark', '0'.repeat(40), `${'0'.repeat(39)}1`],
    ['a long word of one case', '$.mark', 'donaudampfschifffahrtsgesellschaft', 'donaudampfschifffahrtskapitaenin'],
    ['a list that lost an element', '$.list', [1, 2], [1]],
    ['other elements', '$.list', [1, 2], [1, 3]],
    ['as often, but other ones', '$.list', [1, 1, 2], [1, 2, 2]],
    ['objects that differ', '$.meta', { a: 1 }, { a: 2 }],
  ],
}

describe.each(Object.entries(ROWS))('%s', (kind, rows) => {
  test.each(rows)('%s', (_, path, first, second) => {
    expect(kindOf(path, first, second)).toBe(kind)
  })
})

test('what only one capture has is a value, whatever it looks like', () => {
  expect(volatileKind({ path: '$.id', first: null, second: '"a1"' })).toBe('value')
  expect(volatileKind({ path: '$.id', first: '"a1"', second: null })).toBe('value')
})

test('a text without end is not looked at', () => {
  expect(kindOf('$.id', `${'a'.repeat(9_000)}1`, `${'a'.repeat(9_000)}2`)).toBe('value')
})

test('texts made to be slow are read at once', () => {
  const slow = `${'Mon, '.repeat(10)}${'1'.repeat(8_000)}`
  expect(kindOf('$.a', slow, `${slow}x`)).toBe('value')
})
