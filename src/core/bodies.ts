import { Buffer } from 'node:buffer'
import type { Body, FieldList, Reason } from '../model.ts'
import { sha256 } from './canonical.ts'
import { undoCodings } from './codings.ts'
import { readEvents } from './event-stream.ts'
import { formDocument, readForm } from './form.ts'
import { type Json, parseJson } from './json.ts'
import { type MediaType, parameterOf, parseMediaType } from './media-type.ts'
import { readMultipart } from './multipart.ts'
import { readLines } from './ndjson.ts'
import { readXml, xmlEncoding } from './xml.ts'

export type DocumentKind = 'json' | 'ndjson' | 'text' | 'binary' | 'form' | 'multipart' | 'sse' | 'xml' | 'empty'

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

type Read = Pick<Decoded, 'kind' | 'value' | 'notes' | 'fault'>

/** What a text or octets are as a kind of document; or why they are none, or which bound they are over. */
export type Parsed =
  | { readonly ok: true; readonly value: Json; readonly notes: readonly Representation[] }
  | { readonly ok: false; readonly why: string }
  | { readonly ok: false; readonly overLimit: string }

/** Multipart bodies may stand in one another this deep. */
const MULTIPART_DEPTH_MAX = 8

/**
 * The document that a body holds, by its media type. Never throws; total for any octets.
 *
 * 1. HEAD, 1xx, 204, 304 and zero octets: `empty`.
 * 2. `bytes` stand under their content codings, which are undone; an unknown, broken or oversized one is the fault.
 * 3. A media type that ends in `/json` or `+json`: JSON. Without a media type: JSON when it is a JSON object or array.
 * 4. NDJSON and JSON text sequences: the array of their values (`readLines`).
 * 5. `application/x-www-form-urlencoded`: `{name: [values]}`, names by first appearance.
 * 6. `multipart/*`: `[{name, filename, type, body}]` (`readMultipart`).
 * 7. `text/event-stream`: `[{event, id, data, retry}]` (`readEvents`).
 * 8. A media type that ends in `/xml` or `+xml`: `{name, attributes, children}` (`readXml`).
 * 9. Images, audio, archives and the like: `{sizeBytes, sha256}`.
 * 10. All else: `{lines: […]}` when the octets decode in their charset (default UTF-8; of XML what it declares) without
 *     loss and hold no NUL, else as 9.
 *
 * What is not what its type says goes on to 10, with the note `builtin:content-type`.
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

/** The kind of document that a media type says. */
export function kindSaid(mediaType: string | null): Exclude<DocumentKind, 'empty'> {
  if (isBinaryType(mediaType)) return 'binary'
  if (mediaType === null) return 'text'
  if (isJsonType(mediaType)) return 'json'
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(mediaType) || isSequence(mediaType))
    return 'ndjson'
  if (mediaType === 'application/x-www-form-urlencoded') return 'form'
  if (mediaType.startsWith('multipart/')) return 'multipart'
  if (mediaType === 'text/event-stream') return 'sse'
  return /[/+]xml$/.test(mediaType) ? 'xml' : 'text'
}

/** Whether a media type says a JSON text sequence (RFC 7464). */
export function isSequence(mediaType: string): boolean {
  return /[/+]json-seq$/.test(mediaType)
}

/** Whether every white space of XML of this type is kept. */
export function keepsSpace(mediaType: string): boolean {
  return mediaType === 'application/xhtml+xml'
}

function isBinaryType(mediaType: string | null): boolean {
  if (mediaType === null || mediaType.endsWith('+xml')) return false
  return /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|zip|gzip|pdf|wasm|x-tar|.*protobuf|grpc)$/.test(
    mediaType,
  )
}

function readBytes(bytes: Uint8Array, type: MediaType | null, json: boolean, depth = 0): Read {
  const kind = kindSaid(type?.essence ?? null)
  if (kind === 'binary') return binaryDocument(bytes, [])
  if (kind === 'multipart' && type !== null && !json) {
    const parts = readParts(bytes, type, depth)
    if (!('why' in parts)) return parts
    const text = decodedText(bytes, 'utf-8')
    const note = mismatch(`${type.essence} that ${parts.why}`)
    return text === null || text.includes('\0') ? binaryDocument(bytes, [note]) : textDocument(text, [note])
  }
  const charset = (kind === 'xml' ? xmlCharset(bytes, type) : parameterOf(type, 'charset')) ?? 'utf-8'
  const text = decodedText(bytes, charset)
  if (text !== null && !text.includes('\0')) return readText(text, type, json)
  const claims = kind !== 'text' || type?.essence.startsWith('text/')
  return binaryDocument(bytes, claims ? [mismatch(`${type?.essence} that is not text in ${charset}`)] : [])
}

/** A byte order mark goes before the media type, which goes before what the document declares. Source: RFC 7303 section 3. */
function xmlCharset(bytes: Uint8Array, type: MediaType | null): string | null {
  const own = xmlEncoding(bytes)
  return own === 'utf-16' ? own : (parameterOf(type, 'charset') ?? own)
}

function readParts(bytes: Uint8Array, type: MediaType, depth: number): Read | { readonly why: string } {
  const parsed =
    depth < MULTIPART_DEPTH_MAX
      ? readMultipart(bytes, type, (octets, own) => readBytes(octets, own, false, depth + 1))
      : { ok: false as const, overLimit: `multipart bodies stand more than ${MULTIPART_DEPTH_MAX} deep in one another` }
  if (parsed.ok) return { kind: 'multipart', value: parsed.value, notes: parsed.notes }
  return 'why' in parsed ? parsed : overLimit('multipart', parsed.overLimit)
}

function overLimit(kind: DocumentKind, message: string): Read {
  return { kind, value: null, notes: [], fault: { reason: 'over-limit', message } }
}

function readText(received: string, type: MediaType | null, json: boolean): Read {
  const mediaType = type?.essence ?? null
  const kind = json ? 'json' : kindSaid(mediaType)
  if (kind === 'binary' || (kind === 'multipart' && type !== null)) {
    return readBytes(Buffer.from(received, 'utf8'), type, false)
  }
  const marked = received.startsWith('\ufeff')
  const text = marked ? received.slice(1) : received
  const notes = marked ? [{ id: 'builtin:byte-order-mark', detail: 'begins with a byte order mark' }] : []
  if (mediaType === null && !json && /^\s*[[{]/.test(text)) {
    const parsed = parseJson(text)
    const note = { id: 'builtin:content-type', detail: 'JSON without a media type' }
    if (parsed.ok) return { kind: 'json', value: parsed.value, notes: [...notes, note] }
  }
  const parsed = parsedAs(kind, text, mediaType ?? '')
  if (parsed === null) return textDocument(text, notes)
  if (parsed.ok) return { kind, value: parsed.value, notes: [...notes, ...parsed.notes] }
  if ('overLimit' in parsed) return overLimit(kind, parsed.overLimit)
  const said = kindSaid(mediaType) === kind
  return textDocument(text, said ? [...notes, mismatch(`${mediaType} that ${parsed.why}`)] : notes)
}

/** A text as a kind of document; null for those that a text is by itself. */
function parsedAs(kind: DocumentKind, text: string, mediaType: string): Parsed | null {
  switch (kind) {
    case 'json': {
      const parsed = parseJson(text)
      return parsed.ok ? { ok: true, value: parsed.value, notes: [] } : { ok: false, why: 'is not JSON' }
    }
    case 'ndjson':
      return readLines(text, isSequence(mediaType) ? 'sequence' : 'lines')
    case 'form':
      return readForm(text)
    case 'sse':
      return readEvents(text)
    case 'xml':
      return readXml(text, { keepSpace: keepsSpace(mediaType) })
    case 'multipart':
    case 'text':
    case 'binary':
    case 'empty':
      return null
    default:
      return kind satisfies never
  }
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
