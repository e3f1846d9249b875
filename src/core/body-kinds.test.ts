import { describe, expect, test } from 'vitest'
import { between, bodied, decode, notesOf, shown } from '../../test/bodies.ts'
import { rulesOf } from '../../test/observations.ts'

describe('lines of JSON', () => {
  const type = 'application/x-ndjson'
  test.each([
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines; charset=utf-8',
  ])('%s is the array of its values', media => {
    expect(shown(decode(media, '{"a":10.00}\n[1]\nnull\n'))).toBe('ndjson [{"a":10.00},[1],null]')
  })

  test.each(['application/json-seq', 'application/geo+json-seq'])('%s is the array of its records', media => {
    expect(shown(decode(media, '\u001e{"a":\n1}\n\u001e2\n'))).toBe('ndjson [{"a":1},2]')
  })

  test('empty lines and a last line without an end are notes', () => {
    expect(notesOf(decode(type, '1\n\n \r\n2'))).toEqual([
      'builtin:empty-lines 2 empty lines, no line end after the last line',
    ])
    expect(between(bodied(type, '1\n2\n'), bodied(type, '1\n\n2'))).toEqual([])
  })

  test.each([
    ['a line that is not JSON', type, '{"a":1}\n{"a":\n', 'has a line 2 that is not JSON'],
    ['a sequence without a separator', 'application/json-seq', '1\n', 'does not begin with a record separator'],
    ['a number that may be cut', 'application/json-seq', '\u001e1', 'has a record 1 that may be cut short'],
  ])('%s makes it text, with a note', (_, media, body, why) => {
    const decoded = decode(media, body)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain(`builtin:content-type ${media} that ${why}`)
  })

  test('a broken line on one side only is another kind of document', () => {
    expect(between(bodied(type, '1\n2\n'), bodied(type, '1\nx\n'))).toEqual(['content_kind $ "ndjson" → "text"'])
  })

  test('values are compared one by one, and a rule names a field of all lines', () => {
    const [golden, actual] = [
      bodied(type, '{"id":1,"v":1}\n{"id":2,"v":2}\n'),
      bodied(type, '{"id":8,"v":1}\n{"id":9,"v":3}\n'),
    ]
    expect(between(golden, actual, rulesOf("structural: ['$[*].id']", []))).toEqual(['value_changed $[1].v 2 → 3'])
  })

  test('text that is JSON lines under a text type stays text', () => {
    expect(decode('text/plain', '1\n2\n').kind).toBe('text')
  })
})

describe('rows D, on every kind', () => {
  const multipart = 'multipart/form-data; boundary=b'
  const part = (value: string) =>
    `--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream\r\n\r\n${value}\r\n--b--`
  test.each([
    ['application/x-ndjson', '{"ok":true}\n'],
    ['text/event-stream', 'data: {"ok":true}\n\n'],
    ['application/xml', '<ok/>'],
    [multipart, part('x')],
    ['application/json', '{"ok":true}'],
  ])('D12: an error page under %s is another kind of document', (type, body) => {
    const { kind } = decode(type, body)
    expect(between(bodied(type, body), bodied(type, '<html>Error'))).toEqual([`content_kind $ "${kind}" → "text"`])
  })

  test.each([
    ['application/x-ndjson', (octet: string) => `"${'a'.repeat(1_048_574)}${octet}"\n`],
    ['text/event-stream', (octet: string) => `data: ${'a'.repeat(1_048_568)}${octet}\n\n`],
    ['application/xml', (octet: string) => `<a>${'a'.repeat(1_048_569)}${octet}</a>`],
    ['text/csv', (octet: string) => `${'a'.repeat(1_048_576)}${octet}`],
    [multipart, (octet: string) => part(`${'a'.repeat(1_048_576)}${octet}`)],
  ])('D13: one octet in a megabyte of %s differs', (type, body) => {
    expect(between(bodied(type, body('x')), bodied(type, body('y')))).toHaveLength(1)
    expect(between(bodied(type, body('x')), bodied(type, body('x')))).toEqual([])
  })

  test('D14: an empty body is not one that is there', () => {
    for (const [type, body] of [
      ['application/x-ndjson', '\n'],
      ['text/event-stream', ': ping\n\n'],
      [multipart, '--b--'],
    ] as const) {
      const { kind } = decode(type, body)
      expect(between(bodied(type, body), bodied(type, ''))).toEqual([`content_kind $ "${kind}" → "empty"`])
    }
  })
})
