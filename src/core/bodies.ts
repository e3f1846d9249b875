import { Buffer } from 'node:buffer'
import type { Body, FieldList, Reason } from '../model.ts'
import { sha256 } from './canonical.ts'
import { undoCodings } from './codings.ts'
import { type Json, MemberList, parseJson } from './json.ts'
import { type MediaType, parameterOf, parseMediaType } from './media-type.ts'

export type DocumentKind = 'json' | 'text' | 'binary' | 'form' | 'empty'

/** A property of the representation that no value shows. Where both sides have it alike, nothing is to be said of it. */
export interface Representation {
  readonly id: string
  readonly detail: string
}

export interface Decoded {
  readonly kind: DocumentKind
  /** What `$` is; null for an empty document and for one with a fault. */
  readonly value: Json
  readonly notes: readonly Representation[]
  readonly fault?: { readonly reason: Reason; readonly message: string }
  /** `type/subtype` in lower case; null without a usable Content-Type. */
  readonly mediaType: string | null
}

export interface BodyInput {
  readonly headers: FieldList
  readonly body: Body | undefined
  readonly method: string
  readonly status: number
  /** Read a body without a JSON media type as JSON: the other side is known to be JSON. */
  readonly json?: boolean
}

type Read = Pick<Decoded, 'kind' | 'value' | 'notes'>

/**
 * The document that a body holds, by its media type. Never throws; total for any octets.
 *
 * 1. HEAD, 1xx, 204, 304 and zero octets: `empty`.
 * 2. `bytes` stand under their content codings, which are undone; an unknown, broken or oversized one is the fault.
 * 3. A media type that ends in `/json` or `+json`: JSON. Without a media type: JSON when it is a JSON object or array.
 * 4. `application/x-www-form-urlencoded`: `{name: [values]}`, names by first appearance.
 * 5. Images, audio, archives and the like: `{sizeBytes, sha256}`.
 * 6. All else: `{lines: […]}` when the octets decode in their charset (default UTF-8) without loss and hold no NUL, else as 5.
 *
 * What is not what its type says goes on to 6, with the note `builtin:content-type`.
 */
export function decodeBody(o: BodyInput): Decoded {
  const type = parseMediaType(valuesOf(o.headers, 'content-type').at(-1) ?? '')
  const mediaType = type?.essence ?? null
  const empty: Decoded = { kind: 'empty', value: null, notes: [], mediaType }
  const bodiless = o.method.toUpperCase() === 'HEAD' || o.status < 200 || o.status === 204 || o.status === 304
  if (bodiless || o.body === undefined) return empty
  if ('json' in o.body) return { kind: 'json', value: o.body.json, notes: [], mediaType }
  if ('form' in o.body) {
    return o.body.form.length === 0 ? empty : { kind: 'form', value: formDocument(o.body.form), notes: [], mediaType }
  }
  if ('text' in o.body) {
    return o.body.text === '' ? empty : { ...readText(o.body.text, type, o.json === true), mediaType }
  }
  const uncoded = undoCodings(o.body.bytes, valuesOf(o.headers, 'content-encoding'))
  if (!uncoded.ok) {
    const reason = { unknown: 'undecodable', broken: 'corrupt-recording', 'over-limit': 'over-limit' } as const
    return { ...empty, kind: 'binary', fault: { reason: reason[uncoded.why], message: uncoded.message } }
  }
  if (uncoded.bytes.length === 0) return empty
  return { ...readBytes(uncoded.bytes, type, o.json === true), mediaType }
}

/** The document on the standard output of a program: JSON where it is strict JSON, else text or binary. */
export function decodeStdout(stdout: Uint8Array): Decoded {
  if (stdout.length === 0) return { kind: 'empty', value: null, notes: [], mediaType: null }
  const text = decodedText(stdout, 'utf-8')
  const json = text === null ? null : parseJson(text)
  if (json?.ok) return { kind: 'json', value: json.value, notes: [], mediaType: null }
  return { ...readBytes(stdout, TEXT, false), mediaType: null }
}

const TEXT: MediaType = { essence: 'text/plain', parameters: [] }

function valuesOf(headers: FieldList, name: string): string[] {
  return headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value)
}

/** Whether a media type says JSON. */
export function isJsonType(mediaType: string | null): boolean {
  return mediaType !== null && /\/(?:.*\+)?json$/.test(mediaType)
}

function isFormType(mediaType: string | null): boolean {
  return mediaType === 'application/x-www-form-urlencoded'
}

function isBinaryType(mediaType: string | null): boolean {
  if (mediaType === null || mediaType.endsWith('+xml')) return false
  return /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|zip|gzip|pdf|wasm|x-tar|.*protobuf|grpc)$/.test(
    mediaType,
  )
}

function readBytes(bytes: Uint8Array, type: MediaType | null, json: boolean): Read {
  if (isBinaryType(type?.essence ?? null)) return binaryDocument(bytes, [])
  const charset = parameterOf(type, 'charset') ?? 'utf-8'
  const text = decodedText(bytes, charset)
  if (text !== null && !text.includes('\0')) return readText(text, type, json)
  const claims = type !== null && /^text\/|[/+](?:json|xml)$|x-www-form-urlencoded$/.test(type.essence)
  return binaryDocument(bytes, claims ? [mismatch(`${type.essence} that is not text in ${charset}`)] : [])
}

function readText(received: string, type: MediaType | null, json: boolean): Read {
  const mediaType = type?.essence ?? null
  if (isBinaryType(mediaType)) return binaryDocument(Buffer.from(received, 'utf8'), [])
  const marked = received.startsWith('\ufeff')
  const text = marked ? received.slice(1) : received
  const notes = marked ? [{ id: 'builtin:byte-order-mark', detail: 'begins with a byte order mark' }] : []
  if (isJsonType(mediaType) || json) {
    const parsed = parseJson(text)
    if (parsed.ok) return { kind: 'json', value: parsed.value, notes }
    return textDocument(text, isJsonType(mediaType) ? [...notes, mismatch(`${mediaType} that is not JSON`)] : notes)
  }
  if (mediaType === null && /^\s*[[{]/.test(text)) {
    const parsed = parseJson(text)
    const note = { id: 'builtin:content-type', detail: 'JSON without a media type' }
    if (parsed.ok) return { kind: 'json', value: parsed.value, notes: [...notes, note] }
  }
  if (isFormType(mediaType)) {
    const fields = parseForm(text)
    if (fields !== null) return { kind: 'form', value: formDocument(fields), notes }
    return textDocument(text, [...notes, mismatch(`${mediaType} that is no form`)])
  }
  return textDocument(text, notes)
}

function mismatch(detail: string): Representation {
  return { id: 'builtin:content-type', detail }
}

/** The text of octets, the byte order mark kept; null when they are not wholly of that charset, or it is unknown. */
function decodedText(bytes: Uint8Array, charset: string): string | null {
  try {
    const bigEndian = /^utf-?16$/i.test(charset) && bytes[0] === 0xfe && bytes[1] === 0xff
    return new TextDecoder(bigEndian ? 'utf-16be' : charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function binaryDocument(bytes: Uint8Array, notes: readonly Representation[]): Read {
  return { kind: 'binary', value: { sizeBytes: bytes.length, sha256: sha256(bytes).slice('sha256:'.length) }, notes }
}

function textDocument(text: string, notes: readonly Representation[]): Read {
  const lineEnds = lineEndStyle(text)
  const line = lineEnds === null ? [] : [{ id: 'builtin:line-ends', detail: lineEnds }]
  return { kind: 'text', value: { lines: text.split(/\r\n|\n|\r/) }, notes: [...notes, ...line] }
}

/** `lf`, `crlf`, `cr`, or which of them how often; null for a single line. */
function lineEndStyle(text: string): string | null {
  const counts = { crlf: 0, lf: 0, cr: 0 }
  for (const [end] of text.matchAll(/\r\n|\n|\r/g)) counts[end === '\r\n' ? 'crlf' : end === '\n' ? 'lf' : 'cr'] += 1
  const used = Object.entries(counts).filter(([, count]) => count > 0)
  if (used.length < 2) return used[0]?.[0] ?? null
  return used.map(([name, count]) => `${count} ${name}`).join(', ')
}

/** The fields of a form; null when an escape is not UTF-8, so that no two forms are read as one. Source: WHATWG URL, urlencoded parsing. */
function parseForm(text: string): FieldList | null {
  const fields: [string, string][] = []
  try {
    for (const part of text.split('&')) {
      if (part === '') continue
      const at = part.indexOf('=')
      fields.push([unescaped(at === -1 ? part : part.slice(0, at)), at === -1 ? '' : unescaped(part.slice(at + 1))])
    }
  } catch {
    return null
  }
  return fields
}

function unescaped(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function formDocument(fields: FieldList): Json {
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const members = [...values]
  return members.some(([name]) => /^\d+$/.test(name)) ? new MemberList(members) : Object.fromEntries(members)
}
