import { Buffer } from 'node:buffer'
import type { Decoded, Parsed, Representation } from './bodies.ts'
import type { Json } from './json.ts'
import { type MediaType, parameterOf, parseMediaType, splitOutsideQuotes } from './media-type.ts'
import { transferDecoded } from './transfer-encoding.ts'

export const PARTS_MAX = 10_000
export const PART_HEAD_MAX_BYTES = 64 * 1024

/** What the body of a part is, by its media type. */
type ReadPart = (octets: Uint8Array, type: MediaType) => Pick<Decoded, 'kind' | 'value' | 'notes' | 'fault'>

interface Part {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly octets: Uint8Array
}

/** What is wrong with a multipart body, or which bound it is over. */
class Unreadable extends Error {
  readonly bound: boolean
  constructor(why: string, bound = false) {
    super(why)
    this.bound = bound
  }
}

const TEXT: MediaType = { essence: 'text/plain', parameters: [] }

/**
 * The parts in order: `[{name, filename, type, body}]`, null where a part has no name or file name.
 *
 * 1. The boundary, its padding, the preamble and the epilogue are no part of the document.
 * 2. `type` is the media type with its parameters, without charset and boundary; `text/plain` where none is said.
 * 3. `body` is the document of the part by that type, once its transfer encoding is undone. A body that is not what its
 *    type says is told by one more member, `kind`.
 * 4. Other fields stand in `headers` (`{name: [values]}`), where there are any; in `multipart/form-data`, which has no
 *    others, they are a property of the representation. A disposition that is more than `form-data` with a name stands
 *    there too.
 * 5. Broken is: no boundary, no closing delimiter, a preamble and no part, a line that does not end in CRLF, a field that is none, or one of
 *    those that matter twice.
 *
 * **Source** RFC 2046 section 5.1, RFC 7578, RFC 8187 for `filename*`.
 */
export function readMultipart(bytes: Uint8Array, type: MediaType, readPart: ReadPart): Parsed {
  const boundary = parameterOf(type, 'boundary') ?? ''
  try {
    const { parts, around } = split(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), boundary)
    const isForm = type.essence === 'multipart/form-data'
    const read = parts.map(part => documentOf(part, isForm, readPart))
    const notes = around === '' ? [] : [{ id: 'builtin:multipart-preamble', detail: around }]
    return {
      ok: true,
      value: read.map(({ value }) => value),
      notes: [...notes, ...gathered(read.map(one => one.notes))],
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return error.bound ? { ok: false, overLimit: error.message } : { ok: false, why: error.message }
  }
}

/** The octets of each part once its transfer encoding is undone, with its media type; none where the body is broken. */
export function partsOf(
  bytes: Uint8Array,
  type: MediaType,
): { readonly octets: Uint8Array; readonly type: MediaType }[] {
  const parts: { octets: Uint8Array; type: MediaType }[] = []
  readMultipart(bytes, type, (octets, own) => {
    parts.push({ octets, type: own })
    return { kind: 'binary', value: null, notes: [] }
  })
  return parts
}

/** Boundaries are 1 to 70 characters. Source: RFC 2046 section 5.1.1. */
function split(bytes: Buffer, boundary: string): { readonly parts: Part[]; readonly around: string } {
  if (!/^[ -~]{1,70}$/.test(boundary) || boundary.endsWith(' ')) throw new Unreadable('has no usable boundary')
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  const parts: Part[] = []
  let open: number | null = null
  let preamble = ''
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    const line =
      at === 0 || (bytes[at - 1] === 0x0a && bytes[at - 2] === 0x0d) ? lineAfter(bytes, at + delimiter.length) : null
    if (line === null) continue
    const end = Math.max(at - 2, open ?? 0)
    if (open === null) preamble = bytes.toString('latin1', 0, Math.max(at - 2, 0))
    else parts.push(partOf(bytes, open, end))
    if (parts.length > PARTS_MAX) throw new Unreadable(`more than ${PARTS_MAX} parts`, true)
    if (line.closes) {
      // A form without fields is its closing delimiter alone; what else stands before one is no preamble.
      if (open === null && preamble.trim() !== '') throw new Unreadable('has no part')
      const epilogue = bytes.toString('latin1', line.next)
      return { parts, around: [preamble, epilogue].filter(text => text.trim() !== '').join(' | ') }
    }
    open = line.next
    // The line end of a delimiter may be that of the next one: a part without fields and body.
    at = line.next - 3
  }
  throw new Unreadable(open === null ? 'has no delimiter' : 'has no closing delimiter')
}

/** What stands after a delimiter: the end of the body, or of its line with padding; null where it is no delimiter. */
function lineAfter(bytes: Buffer, at: number): { readonly closes: boolean; readonly next: number } | null {
  const closes = bytes[at] === 0x2d && bytes[at + 1] === 0x2d
  let next = closes ? at + 2 : at
  while (bytes[next] === 0x20 || bytes[next] === 0x09) next += 1
  if (bytes[next] === 0x0d && bytes[next + 1] === 0x0a) return { closes, next: next + 2 }
  return closes && next === bytes.length ? { closes, next } : null
}

const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\n\0]*?)[ \t]*$/

function partOf(bytes: Buffer, start: number, end: number): Part {
  const lines: string[] = []
  let at = start
  for (;;) {
    const stop = bytes.indexOf('\r\n', at, 'latin1')
    if (stop === -1 || stop > end) throw new Unreadable('has a part whose fields do not end')
    if (stop - start > PART_HEAD_MAX_BYTES) {
      throw new Unreadable(`a part has more than ${PART_HEAD_MAX_BYTES} bytes of fields`, true)
    }
    const line = fieldText(bytes.subarray(at, stop))
    at = stop + 2
    if (line === '') break
    if (/^[ \t]/.test(line) && lines.length > 0) lines.push(`${lines.pop()} ${line.trim()}`)
    else lines.push(line)
    // The blank line of a part without a body may be the one before the next delimiter.
    if (at > end) throw new Unreadable('has a part whose fields do not end')
  }
  const fields = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    if (name === '') throw new Unreadable('has a part with a field that is none')
    const key = name.toLowerCase()
    fields.set(key, [...(fields.get(key) ?? []), value])
  }
  return { fields, octets: bytes.subarray(Math.min(at, end), end) }
}

/** Fields are UTF-8 where they can be read so, else Latin-1. */
function fieldText(octets: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch {
    return Buffer.from(octets).toString('latin1')
  }
}

const OWN_FIELDS = ['content-disposition', 'content-type', 'content-transfer-encoding', 'content-length']

interface ReadPartDocument {
  readonly value: Json
  readonly notes: readonly Representation[]
}

function documentOf({ fields, octets }: Part, isForm: boolean, readPart: ReadPart): ReadPartDocument {
  const [disposition, typed, encoded] = OWN_FIELDS.slice(0, 3).map(name => only(fields, name))
  const { name, filename, rest } = dispositionOf(disposition ?? '')
  const type = typed === undefined ? TEXT : parseMediaType(typed)
  const plain = transferDecoded(octets, encoded?.toLowerCase() ?? '')
  if (plain === null) throw new Unreadable('has a part that is not in its transfer encoding')
  const body = readPart(plain, type ?? TEXT)
  if (body.fault !== undefined) throw new Unreadable(body.fault.message, true)
  const others = [...fields].filter(([field]) => !OWN_FIELDS.includes(field))
  const headers = [
    ...(rest === (isForm ? 'form-data' : '') ? [] : [['content-disposition', [rest]] as const]),
    ...(isForm ? [] : others),
  ]
  const mismatch = body.notes.some(({ id }) => id === 'builtin:content-type')
  const notes = [
    ...body.notes,
    ...(typed === undefined ? [{ id: 'builtin:part-type', detail: 'no type said' }] : []),
    ...(encoded === undefined ? [] : [{ id: 'builtin:part-encoding', detail: encoded.toLowerCase() }]),
    ...(isForm && others.length > 0
      ? [
          {
            id: 'builtin:part-header',
            detail: others.map(([field, values]) => `${field}: ${values.join(', ')}`).join('; '),
          },
        ]
      : []),
    ...charsetNote(type),
  ]
  const value = {
    name,
    filename,
    type: type === null ? (typed ?? '') : canonicalType(type),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(mismatch ? { kind: body.kind } : {}),
    body: body.value,
  }
  return { value, notes }
}

function charsetNote(type: MediaType | null): Representation[] {
  const charset = parameterOf(type, 'charset')?.toLowerCase()
  return charset === undefined ? [] : [{ id: 'builtin:charset', detail: charset }]
}

/** A media type with its parameters sorted, without charset and, of a multipart type, without boundary. */
export function canonicalType(type: MediaType): string {
  const dropped = type.essence.startsWith('multipart/') ? ['charset', 'boundary'] : ['charset']
  const parameters = type.parameters.filter(([name]) => !dropped.includes(name))
  const texts = parameters.map(([name, value]) => `${name}=${/^[\w.+-]+$/.test(value) ? value : JSON.stringify(value)}`)
  return [type.essence, ...texts.sort()].join('; ')
}

function only(fields: Part['fields'], name: string): string | undefined {
  const values = fields.get(name)
  if (values !== undefined && values.length > 1) throw new Unreadable(`has a part with ${name} twice`)
  return values?.[0]
}

interface Disposition {
  readonly name: string | null
  readonly filename: string | null
  /** The type of the disposition with its other parameters. */
  readonly rest: string
}

function dispositionOf(value: string): Disposition {
  const [first = '', ...parameters] = splitOutsideQuotes(value, ';')
  const rest = [first.trim().toLowerCase()]
  let name: string | null = null
  let filename: string | null = null
  let extended: string | null = null
  for (const parameter of parameters) {
    const at = parameter.indexOf('=')
    const key = (at === -1 ? parameter : parameter.slice(0, at)).trim().toLowerCase()
    const given = at === -1 ? '' : unquoted(parameter.slice(at + 1).trim())
    if (key === 'name' && name === null) name = given
    else if (key === 'filename' && filename === null) filename = given
    else if (key === 'filename*' && extended === null) extended = extendedValue(given)
    else if (key !== '') rest.push(parameter.trim())
  }
  return { name, filename: extended ?? filename, rest: rest.join('; ') }
}

/** Old browsers put file paths here: only a quote and a backslash are taken for escaped. */
function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  return value.slice(1, -1).replace(/\\(["\\])/g, '$1')
}

function extendedValue(value: string): string {
  const [, charset = '', text = ''] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? []
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(text)
  } catch {
    // not UTF-8: told as written
  }
  return value
}

/** The notes of all parts as one of each id, with the number of the part before each detail. */
function gathered(parts: readonly (readonly Representation[])[]): Representation[] {
  const details = new Map<string, string[]>()
  for (const [at, notes] of parts.entries()) {
    for (const { id, detail } of notes) details.set(id, [...(details.get(id) ?? []), `part ${at}: ${detail}`])
  }
  return [...details].map(([id, texts]) => ({ id, detail: texts.join('; ') }))
}
