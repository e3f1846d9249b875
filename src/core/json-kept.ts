import { Buffer } from 'node:buffer'
import { type ParsedJson, parseJson } from './json.ts'
import type { Json } from './json-value.ts'

/** Trees never change, so a text that was read once is the text of its tree for good. */
const texts = new WeakMap<object, Uint8Array>()

/** What `parseJson` returns for octets in UTF-8; an array or object keeps its text, so that equal octets need no parsing. */
export function parseKeeping(octets: Uint8Array): ParsedJson {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('utf8')
  const parsed = parseJson(text)
  // Octets that are not UTF-8 are not the text that was read.
  const faithful = Buffer.byteLength(text, 'utf8') === octets.length && !text.includes('\ufffd')
  if (parsed.ok && faithful && typeof parsed.value === 'object' && parsed.value !== null)
    texts.set(parsed.value, octets)
  return parsed
}

/** The JSON text that a tree was read from, in UTF-8; null when it was not kept. */
export function keptText(value: Json): Uint8Array | null {
  return typeof value === 'object' && value !== null ? (texts.get(value) ?? null) : null
}
