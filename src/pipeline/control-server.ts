import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { textOf } from '../core/json.ts'
import type { Body, FieldList, Observation, Response } from '../model.ts'

/** A real HTTP server on 127.0.0.1 that answers with recorded or mutated responses: the candidate of a calibration run. */
export interface ControlServer extends AsyncDisposable {
  readonly url: string
  /** Answers the coming requests with the responses of `observation`, in order. */
  play(observation: Observation): void
}

/** Computed by the server itself, or meaningless on another connection. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'trailer'])

export async function startControlServer(): Promise<ControlServer> {
  let queue: Response[] = []
  const server = createServer((request, reply) => {
    request.resume()
    request.on('end', () => {
      const response = queue.shift()
      if (response === undefined) {
        reply.writeHead(500, { 'x-control': 'nothing left to play' }).end()
        return
      }
      reply.sendDate = false
      const headers = response.headers.filter(([name]) => !FRAMING.has(name.toLowerCase())).flat()
      try {
        reply.writeHead(response.status, headers)
        reply.end(encodeBody(response))
      } catch {
        // What cannot be sent, as a header that no server may send, ends the exchange: its calibration then fails.
        request.socket.destroy()
      }
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    play: observation => {
      queue = observation.flatMap(step => (step.kind === 'response' ? [step.response] : []))
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the octets that put `response`'s body on the wire again, in its own charset and content coding. */
export function encodeBody(response: Pick<Response, 'headers' | 'body'>): Uint8Array {
  const { body, headers } = response
  if (body === undefined) return new Uint8Array(0)
  if ('bytes' in body) return body.bytes
  const text = Buffer.from(bodyText(body), charsetOf(headers))
  return (firstValue(headers, 'content-encoding') ?? '')
    .split(',')
    .map(coding => coding.trim().toLowerCase())
    .filter(coding => coding !== '' && coding !== 'identity')
    .reduce<Uint8Array>(compress, text)
}

function bodyText(body: Exclude<Body, { readonly bytes: Uint8Array }>): string {
  if ('json' in body) return textOf(body.json)
  if ('text' in body) return body.text
  return body.form.map(field => field.map(encodeURIComponent).join('=')).join('&')
}

function compress(data: Uint8Array, coding: string): Uint8Array {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gzipSync(data)
    case 'br':
      return brotliCompressSync(data)
    case 'deflate':
      return deflateSync(data)
    case 'zstd':
      return zstdCompressSync(data)
    default:
      return data
  }
}

function charsetOf(headers: FieldList): BufferEncoding {
  const charset =
    /charset\s*=\s*"?([^\s;"]+)/i.exec(firstValue(headers, 'content-type') ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (['iso-8859-1', 'latin1', 'windows-1252', 'us-ascii', 'ascii'].includes(charset)) return 'latin1'
  return ['utf-16le', 'utf-16'].includes(charset) ? 'utf16le' : 'utf8'
}

function firstValue(headers: FieldList, name: string): string | undefined {
  return headers.find(([own]) => own.toLowerCase() === name)?.[1]
}
