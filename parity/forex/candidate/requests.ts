import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'

/** Fields by name; a name that occurs more than once has a list. */
export type Fields = Readonly<Record<string, unknown>>

export type ReadBody = { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly status: number }

const BODY_BYTES_MAX = 64 * 1024
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async bytes => bytes,
  gzip: bytes => promisify(gunzip)(bytes, { maxOutputLength: BODY_BYTES_MAX }),
  deflate: bytes => promisify(inflate)(bytes, { maxOutputLength: BODY_BYTES_MAX }),
}

/** Fields of a query or form. A value whose escapes are broken stays as it was sent. */
export function parseFields(text: string): Fields {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = unescaped(at === -1 ? part : part.slice(0, at))
    const value = at === -1 ? '' : unescaped(part.slice(at + 1))
    const before = fields[name]
    fields[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return fields
}

/** The fields of a JSON or form body, none for a body of any other type; or the status that refuses it. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const bytes = await receive(request)
  const { type, charset } = contentType(request)
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') return { ok: true, fields: {} }

  const isJson = type === 'application/json'
  if (isJson ? !charset.startsWith('utf-') : charset !== 'utf-8') return { ok: false, status: 415 }
  const decode = DECODERS[(request.headers['content-encoding'] ?? 'identity').toLowerCase()]
  if (decode === undefined) return { ok: false, status: 415 }
  if (bytes === null) return { ok: false, status: 413 }
  try {
    const text = new TextDecoder(charset).decode(await decode(bytes))
    return isJson ? parseJson(text) : { ok: true, fields: parseFields(text) }
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return { ok: false, status: tooLarge ? 413 : 400 }
  }
}

function parseJson(text: string): ReadBody {
  if (text === '') return { ok: true, fields: {} }
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ok: true, fields: { ...value } } : { ok: false, status: 400 }
}

/** The whole body; null when it is larger than the bound. It is read to its end either way, so that the answer arrives. */
async function receive(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return sizeBytes > BODY_BYTES_MAX ? null : Buffer.concat(chunks)
}

function contentType(request: IncomingMessage): { readonly type: string; readonly charset: string } {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map(part => part.trim())
  const charset = parameters.map(part => /^charset="?([^"]+)"?$/i.exec(part)?.[1]).find(found => found !== undefined)
  return { type: type.toLowerCase(), charset: (charset ?? 'utf-8').toLowerCase() }
}

function unescaped(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
