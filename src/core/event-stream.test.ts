import { describe, expect, test } from 'vitest'
import { between, bodied, decode, NONE, notesOf, shown } from '../../test/bodies.ts'
import { compare } from './diff.ts'

describe('D17: event streams', () => {
  const type = 'text/event-stream'
  test('events are those that a client gets', () => {
    const stream = ': hello\nretry: 500\nevent: tick\nid: 7\ndata: {"n":1}\ndata:two\n\ndata\n\ndata:  x\nid\n\n'
    expect(shown(decode(type, stream))).toBe(
      'sse [{"event":"tick","id":"7","data":"{\\"n\\":1}\\ntwo","retry":500},' +
        '{"event":"message","id":"7","data":"","retry":null},{"event":"message","id":"","data":" x","retry":null}]',
    )
  })

  test.each([
    ['line ends of another kind', 'data: 1\r\n\r\ndata: 2\r\r', 'data: 1\n\ndata: 2\n\n'],
    ['the event named message', 'event: message\ndata: 1\n\n', 'data:1\n\n'],
    ['an id said again', 'id: 1\ndata: a\n\nid: 1\ndata: b\n\n', 'id: 1\ndata: a\n\ndata: b\n\n'],
    ['more empty lines', 'data: 1\n\n\n\n', 'data: 1\n\n'],
    ['a byte order mark', '\ufeffdata: 1\n\n', 'data: 1\n\n'],
    ['a comment', ': ping\ndata: 1\n\n', 'data: 1\n\n'],
    ['an event without data', 'event: x\n\ndata: 1\n\n', 'data: 1\n\n'],
    ['an unknown field', 'data: 1\nx: 2\n\n', 'data: 1\n\n'],
  ])('%s makes no difference', (_, golden, actual) => {
    expect(between(bodied(type, golden), bodied(type, actual))).toEqual([])
  })

  test('what no client gets is a note', () => {
    const { notes } = compare(bodied(type, ': ping\ndata: 1\n\n'), bodied(type, 'data: 1\n\n'), NONE)
    expect(notes.map(({ id, detail }) => `${id} ${detail}`)).toEqual(['builtin:event-stream-lines : ping/not so'])
  })

  test.each([
    ['other data', 'data: 1\n\n', 'data: 2\n\n', ['value_changed $[0].data "1" → "2"']],
    [
      'a lost event',
      'data: 1\n\ndata: 2\n\n',
      'data: 1\n\n',
      ['missing $[1] {"event":"message","id":"","data":"2","retry":null} → null'],
    ],
    ['another event', 'event: a\ndata: 1\n\n', 'event: b\ndata: 1\n\n', ['value_changed $[0].event "a" → "b"']],
    ['another id', 'id: 1\ndata: 1\n\n', 'id: 2\ndata: 1\n\n', ['value_changed $[0].id "1" → "2"']],
    ['another retry', 'retry: 1\ndata: 1\n\n', 'retry: 2\ndata: 1\n\n', ['value_changed $[0].retry 1 → 2']],
    ['a last event that is cut off', 'data: 1\n\n', 'data: 1\n', ['extra $[0].unfinished null → true']],
    [
      'a retry at the end',
      'data: 1\n\n',
      'data: 1\n\nretry: 9\n\n',
      ['extra $[1] null → {"event":null,"id":"","data":null,"retry":9}'],
    ],
    [
      'one blob in place of two events',
      'data: 1\n\ndata: 2\n\n',
      'data: 1\ndata: 2\n\n',
      [
        'value_changed $[0].data "1" → "1\\n2"',
        'missing $[1] {"event":"message","id":"","data":"2","retry":null} → null',
      ],
    ],
  ])('%s is told', (_, golden, actual, differences) => {
    expect(between(bodied(type, golden), bodied(type, actual)).toSorted()).toEqual(differences.toSorted())
  })

  test('data stays text, and a hint says where only its writing differs', () => {
    const { differences } = compare(
      bodied(type, 'data: {"a":1,"b":2}\n\n'),
      bodied(type, 'data: {"b":2, "a":1}\n\n'),
      NONE,
    )
    expect(differences.map(({ path, hint }) => [path, hint])).toEqual([
      ['$[0].data', 'the same JSON, written differently'],
    ])
  })

  test.each([
    ['an error page', '{"error":"a"}'],
    ['a retry alone', 'retry: 10000\n\n'],
  ])('%s is no stream: its text counts', (_, body) => {
    const decoded = decode(type, body)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain('builtin:content-type text/event-stream that holds no event')
    expect(between(bodied(type, body), bodied(type, body.replace(/a|1/, 'b')))).toHaveLength(1)
    expect(between(bodied(type, 'data: 1\n\n'), bodied(type, body))).toEqual(['content_kind $ "sse" → "text"'])
  })

  test('a stream of comments alone has no events', () => {
    expect(shown(decode(type, ': ping\n\n: ping\n\n'))).toBe('sse []')
  })
})
