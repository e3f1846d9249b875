import { Buffer } from 'node:buffer'
import type { FieldList, Response } from '../model.ts'
import { type DocumentKind, isSequence, keepsSpace, kindSaid } from './bodies.ts'
import { sha256 } from './canonical.ts'
import { undoCodings } from './codings.ts'
import { childAt } from './edits.ts'
import { writeEvents } from './event-stream.ts'
import { isObject, type Json, membersOf, textOf } from './json.ts'
import { type MediaType, parameterOf, parseMediaType } from './media-type.ts'
import { canonicalType, partsOf } from './multipart.ts'
import { writeLines } from './ndjson.ts'
import { writeXml } from './xml-writing.ts'

/** What a document that was written before had: the texts of its elements, the octets of its parts by their hash. */
export interface Known {
  readonly texts: WeakMap<object, string>
  readonly octets: ReadonlyMap<string, Uint8Array> | null
}

/** A text that is read as this document, under this media type; null where none is. */
export function writeText(kind: DocumentKind, value: Json, mediaType: string, known?: Known): string | null {
  switch (kind) {
    case 'json':
      return textOf(value)
    case 'ndjson':
      return writeLines(value, isSequence(mediaType) ? 'sequence' : 'lines')
    case 'text':
      return writeLinesOfText(value)
    case 'form':
      return writeForm(value)
    case 'sse':
      return writeEvents(value)
    case 'xml':
      return writeXml(value, {
        keepSpace: keepsSpace(mediaType),
        ...(known === undefined ? {} : { known: known.texts }),
      })
    case 'multipart':
    case 'binary':
    case 'empty':
      return null
    default:
      return kind satisfies never
  }
}

function writeLinesOfText(value: Json): string | null {
  const lines = childAt(value, 'lines')
  if (!isObject(value) || membersOf(value).length !== 1 || !Array.isArray(lines) || lines.length === 0) return null
  if (!lines.every(line => typeof line === 'string' && !/[\r\n]/.test(line))) return null
  return lines.join('\n')
}

function writeForm(value: Json): string | null {
  return (
    formFields(value)
      ?.map(field => field.map(encodeURIComponent).join('='))
      .join('&') ?? null
  )
}

/** The fields of a form by name; null where a document is none. */
export function formFields(value: Json): FieldList | null {
  if (!isObject(value)) return null
  const members = membersOf(value)
  if (new Set(members.map(([name]) => name)).size !== members.length) return null
  const fields: [string, string][] = []
  for (const [name, values] of members) {
    if (!Array.isArray(values) || values.length === 0) return null
    for (const one of values) {
      if (typeof one !== 'string' || !one.isWellFormed() || !name.isWellFormed()) return null
      fields.push([name, one])
    }
  }
  return fields
}

/** The octets of the parts of a multipart response, by their SHA-256. */
export function partOctets({ headers, body }: Pick<Response, 'headers' | 'body'>): Map<string, Uint8Array> {
  const octets = new Map<string, Uint8Array>()
  const values = (wanted: string) => headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  const type = parseMediaType(values('content-type').at(-1) ?? '')
  const add = (bytes: Uint8Array, own: MediaType) => {
    if (!own.essence.startsWith('multipart/')) return
    for (const part of partsOf(bytes, own)) {
      octets.set(sha256(part.octets).slice('sha256:'.length), part.octets)
      add(part.octets, part.type)
    }
  }
  if (type === null || body === undefined) return octets
  if ('text' in body) add(Buffer.from(body.text, 'utf8'), type)
  if ('bytes' in body) {
    const uncoded = undoCodings(body.bytes, values('content-encoding'))
    if (uncoded.ok) add(uncoded.bytes, type)
  }
  return octets
}

/**
 * Octets that `readMultipart` reads as this value, between the boundary of `type`; null where none are. The octets of a
 * binary part are looked up by their hash.
 */
export function writeParts(value: Json, type: MediaType, octets: ReadonlyMap<string, Uint8Array>): Uint8Array | null {
  const boundary = parameterOf(type, 'boundary') ?? ''
  if (!Array.isArray(value) || boundary === '') return null
  const chunks: Uint8Array[] = []
  for (const part of value) {
    const written = writePart(part, type.essence === 'multipart/form-data', octets)
    if (written === null) return null
    chunks.push(Buffer.from(`--${boundary}\r\n${written.head}\r\n`, 'utf8'), written.body, Buffer.from('\r\n'))
  }
  // A body without parts has no delimiter but the closing one.
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}

interface WrittenPart {
  readonly head: string
  readonly body: Uint8Array
}

function writePart(part: Json, isForm: boolean, octets: ReadonlyMap<string, Uint8Array>): WrittenPart | null {
  if (!isObject(part)) return null
  const members = new Map(membersOf(part))
  const known = ['name', 'filename', 'type', 'headers', 'kind', 'body']
  const strange = members.size !== membersOf(part).length || [...members.keys()].some(name => !known.includes(name))
  const [name, filename, said, body] = ['name', 'filename', 'type', 'body'].map(one => members.get(one))
  if (strange || typeof said !== 'string' || body === undefined) return null
  const type = parseMediaType(said)
  if (type === null || canonicalType(type) !== said) return null
  const head = writeHead({ name, filename, headers: members.get('headers'), isForm })
  if (head === null) return null
  const nested = `parity-${sha256(textOf(body)).slice(-16)}`
  const isNested = kindSaid(type.essence) === 'multipart'
  const own = isNested ? { ...type, parameters: [...type.parameters, ['boundary', nested] as const] } : type
  const written = writeBody(body, members.get('kind'), own, octets)
  const typeField = `Content-Type: ${said}${isNested ? `; boundary=${nested}` : ''}\r\n`
  return written === null ? null : { head: `${head}${typeField}`, body: written }
}

function writeBody(
  body: Json,
  kind: Json | undefined,
  type: MediaType,
  octets: ReadonlyMap<string, Uint8Array>,
): Uint8Array | null {
  const said = kindSaid(type.essence)
  const shown = kind ?? said
  if (shown === 'multipart') return writeParts(body, type, octets)
  if (shown === 'binary') {
    const hash = childAt(body, 'sha256')
    const found = typeof hash === 'string' ? (octets.get(hash) ?? null) : null
    return found !== null && textOf(body) === textOf({ sizeBytes: found.length, sha256: hash ?? '' }) ? found : null
  }
  // What is not what its type says is shown as it was, or not at all: a changed text might be what it says.
  if (kind !== undefined && kind !== 'text') return null
  const text = writeText(kind === 'text' ? 'text' : said, body, type.essence)
  return text === null || text.includes('\0') ? null : Buffer.from(text, 'utf8')
}

function writeHead(o: {
  readonly name: Json | undefined
  readonly filename: Json | undefined
  readonly headers: Json | undefined
  readonly isForm: boolean
}): string | null {
  const fields: [string, string][] = []
  let disposition = o.isForm ? 'form-data' : ''
  if (o.headers !== undefined) {
    if (!isObject(o.headers) || membersOf(o.headers).length === 0) return null
    for (const [field, values] of membersOf(o.headers)) {
      if (!Array.isArray(values) || values.length === 0 || !/^[a-z0-9-]+$/.test(field)) return null
      for (const one of values) {
        if (typeof one !== 'string' || /[\r\n\0]/.test(one) || one !== one.trim()) return null
        if (field === 'content-disposition') disposition = one
        else if (o.isForm) return null
        else fields.push([field, one])
      }
    }
  }
  const parameters: string[] = []
  for (const [key, value] of [['name', o.name] as const, ['filename', o.filename] as const]) {
    if (value === null) continue
    if (typeof value !== 'string' || /[\r\n\0]/.test(value)) return null
    parameters.push(`${key}="${value.replaceAll(/["\\]/g, '\\$&')}"`)
  }
  const all = [disposition, ...parameters].join('; ')
  const own = all === '' ? [] : [['Content-Disposition', all] as const]
  return [...own, ...fields].map(([field, value]) => `${field}: ${value}\r\n`).join('')
}
