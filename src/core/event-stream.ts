import type { Parsed } from './bodies.ts'
import { childAt } from './edits.ts'
import { isObject, type Json, membersOf } from './json.ts'

interface Block {
  event: string
  data: string[]
  retry: number | null
  lines: number
}

/**
 * The events of a stream as a client gets them: `[{event, id, data, retry}]`.
 *
 * 1. `event` is `message` where none is named; `data` is the text of all its data lines, whatever it holds.
 * 2. `id` is the last event id at that event, which stays until another is sent; the empty text before the first.
 * 3. `retry` is the last reconnection time, in milliseconds, sent since the event before; null without one.
 * 4. Comments, unknown fields and blocks without data reach no client: they are a property of the representation.
 * 5. A block that the end of the stream cuts off is told as an event with `unfinished: true`: a client drops it, but a
 *    stream that lost its last line end is not the same stream.
 * 6. An id or a retry after the last event is told as one more, whose `event` and `data` are null.
 * 7. A text whose lines make no event is no event stream, unless all are comments.
 *
 * **Source** HTML, server-sent events, "Interpreting an event stream".
 */
export function readEvents(text: string): Parsed {
  const events: Json[] = []
  const ignored: string[] = []
  let lastId = ''
  let toldId = ''
  let strange = false
  let block: Block = { event: '', data: [], retry: null, lines: 0 }
  const close = (unfinished: boolean) => {
    const { event, data, retry } = block
    if (data.length > 0) {
      const told = { event: event === '' ? 'message' : event, id: lastId, data: data.join('\n'), retry }
      events.push(unfinished ? { ...told, unfinished: true } : told)
      toldId = lastId
      block = { event: '', data: [], retry: null, lines: 0 }
      return
    }
    if (event !== '') ignored.push(`event: ${event} without data`)
    block = { event: '', data: [], retry, lines: 0 }
  }
  const lines = text.split(/\r\n|\n|\r/)
  // What stands after the last line end is a line that never ended.
  const tail = lines.pop() ?? ''
  for (const line of tail === '' ? lines : [...lines, tail]) {
    if (line === '') {
      close(false)
      continue
    }
    const { name, value } = fieldOf(line)
    if (name === 'data') block.data.push(value)
    else if (name === 'event') block.event = value
    else if (name === 'id' && !value.includes('\0')) lastId = value
    else if (name === 'retry' && /^[0-9]{1,15}$/.test(value)) block.retry = Number(value)
    else {
      ignored.push(line)
      if (name !== '') strange = true
    }
    block.lines += 1
  }
  if (block.lines > 0) close(true)
  const unheard = block.retry !== null || lastId !== toldId
  if (events.length === 0 && (strange || unheard || ignored.some(line => !line.startsWith(':')))) {
    return { ok: false, why: 'holds no event' }
  }
  if (unheard) {
    events.push({ event: null, id: lastId, data: null, retry: block.retry })
  }
  const notes = ignored.length === 0 ? [] : [{ id: 'builtin:event-stream-lines', detail: ignored.join(' | ') }]
  return { ok: true, value: events, notes }
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':')
  if (colon === -1) return { name: line, value: '' }
  const value = line.slice(colon + 1)
  return { name: line.slice(0, colon), value: value.startsWith(' ') ? value.slice(1) : value }
}

/** A stream that `readEvents` reads as this value; null where none is. */
export function writeEvents(value: Json): string | null {
  if (!Array.isArray(value)) return null
  let lastId = ''
  let text = ''
  for (const [at, event] of value.entries()) {
    const written = writeEvent(event, { lastId, first: at === 0, last: at === value.length - 1 })
    if (written === null) return null
    text += written.text
    lastId = written.id
  }
  return text === '' ? '\n' : text
}

function writeEvent(
  told: Json,
  { lastId, first, last }: { readonly lastId: string; readonly first: boolean; readonly last: boolean },
): { readonly text: string; readonly id: string } | null {
  if (!isObject(told)) return null
  const unfinished = childAt(told, 'unfinished')
  if (membersOf(told).length !== (unfinished === undefined ? 4 : 5)) return null
  if (unfinished !== undefined && (unfinished !== true || !last)) return null
  const [event, id, data, retry] = ['event', 'id', 'data', 'retry'].map(name => childAt(told, name))
  if (typeof id !== 'string' || /[\r\n\0]/.test(id)) return null
  if (retry !== null && !(typeof retry === 'number' && /^[0-9]{1,15}$/.test(String(retry)))) return null
  const before = [...(id === lastId ? [] : [`id: ${id}`]), ...(retry === null ? [] : [`retry: ${retry}`])]
  const after = unfinished === undefined ? [''] : []
  const written = (lines: readonly string[]) => ({ text: lines.map(line => `${line}\n`).join(''), id })
  if (event === null && data === null) {
    return last && !first && unfinished === undefined && before.length > 0 ? written([...before, '']) : null
  }
  if (typeof event !== 'string' || typeof data !== 'string') return null
  if (event === '' || /[\r\n]/.test(event) || data.includes('\r')) return null
  const named = event === 'message' ? [] : [`event: ${event}`]
  return written([...before, ...named, ...data.split('\n').map(line => `data: ${line}`), ...after])
}
