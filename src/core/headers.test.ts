import { describe, expect, test } from 'vitest'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { Comparison, FieldList } from '../model.ts'
import { compare } from './diff.ts'

function compareFields(
  golden: FieldList,
  actual: FieldList,
  tolerance = '{}',
  headers?: readonly string[],
): Comparison {
  return compare(response({ headers: golden }), response({ headers: actual }), rulesOf(tolerance, headers))
}

interface Row {
  readonly why: string
  readonly golden: FieldList
  readonly actual: FieldList
  readonly rules?: string
  readonly differences: readonly string[]
  readonly notes?: readonly string[]
}

function table(rows: readonly Row[]): void {
  test.each(rows)('$why', ({ golden, actual, rules, differences, notes = [] }) => {
    const comparison = compareFields(golden, actual, rules)
    expect(told(comparison)).toEqual(differences)
    expect(comparison.notes.map(({ id, path, detail }) => `${id} ${path} ${detail}`)).toEqual(notes)
  })
}

describe('any compared header', () => {
  table([
    {
      why: 'D3: names are case-insensitive',
      golden: [['Cache-Control', 'no-store']],
      actual: [['cache-control', 'no-store']],
      differences: [],
    },
    {
      why: 'a missing one is told',
      golden: [['Location', '/b']],
      actual: [],
      differences: ['header_missing header.location "/b" → null'],
    },
    {
      why: 'B5: an added one is told',
      golden: [],
      actual: [['Location', '/b']],
      differences: ['header_extra header.location null → "/b"'],
    },
    {
      why: 'D16: values are case-sensitive',
      golden: [['Location', '/b']],
      actual: [['Location', '/B']],
      differences: ['header_changed header.location "/b" → "/B"'],
    },
    {
      why: 'a repeated one is a list',
      golden: [
        ['Location', '/a'],
        ['location', '/b'],
      ],
      actual: [['Location', '/b']],
      differences: ['header_changed header.location ["/a","/b"] → "/b"'],
    },
    {
      why: 'one that is not compared may change',
      golden: [['X-Powered-By', 'Express']],
      actual: [['X-Powered-By', 'Hono']],
      differences: [],
    },
    {
      why: 'one that is not compared is a note on one side only',
      golden: [
        ['X-Powered-By', 'Express'],
        ['Date', 'x'],
      ],
      actual: [['ETag', '"1"']],
      differences: [],
      notes: [
        'builtin:uncompared-header header.x-powered-by only on the legacy',
        'builtin:uncompared-header header.etag only on the candidate',
      ],
    },
    {
      why: 'a rule makes one compared',
      golden: [['X-Version', '1']],
      actual: [['X-Version', '2']],
      rules: 'exact: [header.x-version]',
      differences: ['header_changed header.x-version "1" → "2"'],
    },
    {
      why: 'exact compares the text',
      golden: [['Content-Type', 'text/html;charset=utf-8']],
      actual: [['Content-Type', 'text/html; charset=utf-8']],
      rules: 'exact: [header.content-type]',
      differences: ['header_changed header.content-type "text/html;charset=utf-8" → "text/html; charset=utf-8"'],
    },
    {
      why: 'structural passes another value of one format',
      golden: [['Location', '/orders/1']],
      actual: [['Location', '/orders/2']],
      rules: 'structural: [header.location]',
      differences: [],
    },
    {
      why: 'structural tells another format',
      golden: [['Location', 'https://a/b']],
      actual: [['Location', '/b']],
      rules: 'structural: [header.location]',
      differences: ['header_changed header.location "https://a/b" → "/b"'],
    },
    {
      why: 'structural tells absence',
      golden: [['Location', '/b']],
      actual: [],
      rules: 'structural: [header.location]',
      differences: ['header_missing header.location "/b" → null'],
    },
    {
      why: 'ignore passes absence',
      golden: [['Location', '/b']],
      actual: [],
      rules: 'ignore: [header.location]',
      differences: [],
    },
  ])

  test('the contract may list other headers', () => {
    const fields: [FieldList, FieldList] = [
      [
        ['Location', '/a'],
        ['ETag', '1'],
      ],
      [
        ['Location', '/b'],
        ['ETag', '2'],
      ],
    ]
    expect(told(compareFields(...fields, '{}', ['etag']))).toEqual(['header_changed header.etag "1" → "2"'])
  })

  test('a rule that hides a header is counted', () => {
    const { ruleUses } = compareFields([['Location', '/a']], [['Location', '/b']], 'ignore: [header.location]')
    expect(ruleUses).toEqual([{ rule: 'ignore header.location', id: null, selected: 1, hid: 1 }])
  })
})

describe('Content-Type', () => {
  const of = (value: string): FieldList => [['Content-Type', value]]
  table([
    {
      why: 'type and parameter names in any case agree',
      golden: of('Text/HTML; Level=1'),
      actual: of('text/html;level=1'),
      differences: [],
      notes: ['builtin:header-form header.content-type "Text/HTML; Level=1"/"text/html;level=1"'],
    },
    {
      why: 'another media type differs',
      golden: of('text/html'),
      actual: of('text/plain'),
      differences: ['header_changed header.content-type "text/html" → "text/plain"'],
    },
    {
      why: 'another parameter differs',
      golden: of('a/b; v=1'),
      actual: of('a/b; v=2'),
      differences: ['header_changed header.content-type "a/b; v=1" → "a/b; v=2"'],
    },
    {
      why: 'another charset is a note',
      golden: of('text/html; charset=utf-8'),
      actual: of('text/html'),
      differences: [],
      notes: ['builtin:charset header.content-type utf-8/no charset'],
    },
    {
      why: 'D11: another boundary does not count',
      golden: of('multipart/form-data; boundary=A'),
      actual: of('multipart/form-data; boundary=B'),
      differences: [],
      notes: [
        'builtin:header-form header.content-type "multipart/form-data; boundary=A"/"multipart/form-data; boundary=B"',
      ],
    },
  ])
})

describe('lists', () => {
  table([
    {
      why: 'Allow is a set',
      golden: [['Allow', 'GET, HEAD']],
      actual: [['Allow', 'HEAD,GET']],
      differences: [],
      notes: ['builtin:header-form header.allow "GET, HEAD"/"HEAD,GET"'],
    },
    {
      why: 'another method differs',
      golden: [['Allow', 'GET, HEAD']],
      actual: [['Allow', 'GET']],
      differences: ['header_changed header.allow "GET, HEAD" → "GET"'],
    },
    {
      why: 'Cache-Control directives stand in any order',
      golden: [['Cache-Control', 'no-cache, max-age=0']],
      actual: [['Cache-Control', 'Max-Age=0, no-cache']],
      differences: [],
      notes: ['builtin:header-form header.cache-control "no-cache, max-age=0"/"Max-Age=0, no-cache"'],
    },
    {
      why: 'another directive differs',
      golden: [['Cache-Control', 'max-age=0']],
      actual: [['Cache-Control', 'max-age=1']],
      differences: ['header_changed header.cache-control "max-age=0" → "max-age=1"'],
    },
    {
      why: 'a challenge is compared by value',
      golden: [['WWW-Authenticate', 'Basic realm="a"']],
      actual: [['WWW-Authenticate', 'Basic realm="b"']],
      differences: ['header_changed header.www-authenticate "Basic realm=\\"a\\"" → "Basic realm=\\"b\\""'],
    },
  ])
})

describe('Set-Cookie', () => {
  const of = (...values: string[]): FieldList => values.map(value => ['Set-Cookie', value])
  table([
    {
      why: 'D1: a lost cookie is told',
      golden: of('foo=bar; path=/', 'baz=qix; path=/'),
      actual: of('baz=qix; path=/'),
      differences: ['header_missing header.set-cookie "foo=bar; path=/" → null'],
    },
    { why: 'cookies are paired by name', golden: of('a=1', 'b=2'), actual: of('b=2', 'a=1'), differences: [] },
    {
      why: 'an added cookie is told',
      golden: of('a=1'),
      actual: of('a=1', 'b=2'),
      differences: ['header_extra header.set-cookie null → "b=2"'],
    },
    {
      why: 'another value of one format is a note',
      golden: of('sid=s-1; HttpOnly'),
      actual: of('sid=s-2; HttpOnly'),
      differences: [],
      notes: ['builtin:cookie-value header.set-cookie sid: value'],
    },
    {
      why: 'an emptied value is told',
      golden: of('sid=s-1'),
      actual: of('sid='),
      differences: ['header_changed header.set-cookie "s-1" → ""'],
    },
    {
      why: 'a lost attribute is told',
      golden: of('sid=1; HttpOnly; Secure'),
      actual: of('sid=1; secure'),
      differences: ['header_changed header.set-cookie "" → null'],
    },
    {
      why: 'another path is told',
      golden: of('sid=1; Path=/'),
      actual: of('sid=1; Path=/a'),
      differences: ['header_changed header.set-cookie "/" → "/a"'],
    },
    {
      why: 'attributes stand in any order and case',
      golden: of('sid=1; Path=/; SameSite=Lax'),
      actual: of('sid=1; samesite=lax; path=/'),
      differences: [],
      notes: ['builtin:cookie-value header.set-cookie sid: samesite'],
    },
    {
      why: 'a cookie that is deleted is not one that is kept',
      golden: of('sid=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'),
      actual: of('sid=1; Expires=Fri, 02 Jan 2026 00:00:00 GMT'),
      differences: [
        'header_changed header.set-cookie "Thu, 01 Jan 1970 00:00:00 GMT" → "Fri, 02 Jan 2026 00:00:00 GMT"',
      ],
    },
  ])

  test('the pointer names cookie and attribute', () => {
    const { differences } = compareFields(of('sid=1; Path=/'), of('sid=1; Path=/a'))
    expect(differences.map(({ pointer }) => pointer)).toEqual(['/sid/path'])
  })
})
