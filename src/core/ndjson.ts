import type { Parsed } from './bodies.ts'
import { type Json, parseJson, textOf } from './json.ts'

/**
 * The values of the lines of NDJSON, or of the records of a JSON text sequence, as one array.
 * A line of white space alone is no value; how many there are is a property of the representation, as is the last line end.
 * A line that is not JSON makes the whole text none of the kind.
 *
 * **Source** RFC 7464 for sequences: a record begins with U+001E, and a number is whole only when white space follows it.
 */
export function readLines(text: string, form: 'lines' | 'sequence'): Parsed {
  const parts = form === 'lines' ? text.split('\n') : text.split('\u001e')
  const values: Json[] = []
  let empty = 0
  const first = form === 'lines' ? '' : parts.shift()
  if (first !== '') return { ok: false, why: 'does not begin with a record separator' }
  const ended = isBlank(parts.at(-1) ?? '')
  if (form === 'lines' && ended) parts.pop()
  for (const [at, part] of parts.entries()) {
    if (isBlank(part)) {
      empty += 1
      continue
    }
    const parsed = parseJson(part)
    if (!parsed.ok)
      return { ok: false, why: `has a ${form === 'lines' ? 'line' : 'record'} ${at + 1} that is not JSON` }
    if (form === 'sequence' && !/\s$/.test(part) && !/["}\]]$/.test(part)) {
      return { ok: false, why: `has a record ${at + 1} that may be cut short` }
    }
    values.push(parsed.value)
  }
  const details = [
    ...(empty === 0 ? [] : [`${empty} empty ${form === 'lines' ? 'lines' : 'records'}`]),
    ...(form === 'sequence' || ended ? [] : ['no line end after the last line']),
  ]
  const notes = details.length === 0 ? [] : [{ id: 'builtin:empty-lines', detail: details.join(', ') }]
  return { ok: true, value: values, notes }
}

/** White space of JSON and nothing else. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text)
}

/** A text that `readLines` reads as this value; null where none is. */
export function writeLines(value: Json, form: 'lines' | 'sequence'): string | null {
  if (!Array.isArray(value)) return null
  const texts = value.map(textOf)
  if (form === 'sequence') return texts.length === 0 ? null : texts.map(text => `\u001e${text}\n`).join('')
  return texts.length === 0 ? '\n' : texts.map(text => `${text}\n`).join('')
}
