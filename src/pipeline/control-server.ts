import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bound, take } from '../core/bindings.ts'
import { applyCodings } from '../core/codings.ts'
import { fillStep } from '../core/filled.ts'
import { textOf } from '../core/json.ts'
import { parameterOf, parseMediaType } from '../core/media-type.ts'
import type { Body, FieldList, InputStep, Observation, Response } from '../model.ts'

/** A real HTTP server on 127.0.0.1 that answers with recorded or mutated responses: the candidate of a calibration run. */
export interface ControlServer extends AsyncDisposable {
  readonly url: string
  /**
   * Answers the coming requests with the responses of `observation`, each only to the request that it was recorded for:
   * the one of its step, with the values that the observation itself binds.
   */
  play(observation: Observation, steps: readonly InputStep[]): void
  /** The first request since `play` that was not the recorded one, and what was; null when there was none. */
  unmatched(): string | null
}

interface Expected {
  /** Method and path; null when the bindings of the observation do not lead there. */
  readonly line: string | null
  readonly response: Response
}

/** Computed by the server itself, or meaningless on another connection. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'trailer'])

export async function startControlServer(): Promise<ControlServer> {
  let queue: readonly Expected[] = []
  let played: string[] = []
  let stray: string | null = null
  const server = createServer((request, reply) => {
    request.resume()
    request.on('end', () => {
      const line = `${request.method} ${request.url}`
      const expected = queue[played.length]
      if (expected === undefined || expected.line !== line) {
        stray ??= strayText(line, played, expected)
        reply.writeHead(500, { 'x-control': 'unmatched' }).end()
        return
      }
      played.push(line)
      const { response } = expected
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
    play: (observation, steps) => {
      queue = expectedOf(observation, steps)
      played = []
      stray = null
    },
    unmatched: () => stray,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function strayText(line: string, played: readonly string[], expected: Expected | undefined): string {
  const times = played.filter(each => each === line).length
  const next = expected === undefined ? 'nothing more was recorded' : `recorded next is ${expected.line}`
  return `${line} has no recorded answer (played ${times} times before); ${next}`
}

/** What will be asked, step by step: the input with what the observation binds. */
function expectedOf(observation: Observation, steps: readonly InputStep[]): readonly Expected[] {
  const values = new Map<string, Bound>()
  return observation.flatMap((seen, at): Expected[] => {
    if (seen.kind !== 'response') return []
    const filled = fillStep(steps[at] ?? {}, values, '*')
    const request = filled.ok ? filled.step.request : undefined
    for (const [name, source] of Object.entries(steps[at]?.bind ?? {})) {
      const bound = take(source, seen, request?.path ?? null)
      if (bound.ok) values.set(name, bound.value)
    }
    return [{ line: request === undefined ? null : `${request.method} ${request.path}`, response: seen.response }]
  })
}

/**
 * The octets that put a body on the wire again, in its own charset and content coding. JSON, text and forms are written;
 * a multipart body and anything binary is octets already, under its coding.
 */
export function encodeBody({ headers, body }: Pick<Response, 'headers' | 'body'>): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  if ('bytes' in body) return body.bytes
  const octets = encodedText(bodyText(body), charsetOf(headers))
  const codings = headers.filter(([own]) => own.toLowerCase() === 'content-encoding').map(([, value]) => value)
  return applyCodings(octets, codings) ?? octets
}

function bodyText(body: Exclude<Body, { readonly bytes: Uint8Array }>): string {
  if ('json' in body) return textOf(body.json)
  if ('text' in body) return body.text
  return body.form.map(field => field.map(encodeURIComponent).join('=')).join('&')
}

function charsetOf(headers: FieldList): string {
  return parameterOf(parseMediaType(firstValue(headers, 'content-type') ?? ''), 'charset')?.toLowerCase() ?? 'utf-8'
}

/** A text in a charset: UTF-8, UTF-16, or one of single octets. Any other is written as UTF-8, which is the same for ASCII. */
function encodedText(text: string, charset: string): Uint8Array {
  if (/^utf-?16(?:le)?$/.test(charset)) return Buffer.from(text, 'utf16le')
  if (/^utf-?16be$/.test(charset)) return Buffer.from(text, 'utf16le').swap16()
  if (/^utf-?8$/.test(charset)) return Buffer.from(text, 'utf8')
  const octets = singleOctets(charset)
  const codes = Array.from(text, character => octets.get(character))
  return codes.every(code => code !== undefined) ? Uint8Array.from(codes) : Buffer.from(text, 'utf8')
}

function singleOctets(charset: string): ReadonlyMap<string, number> {
  const octets = new Map<string, number>()
  try {
    const decoder = new TextDecoder(charset)
    for (let octet = 0; octet < 256; octet += 1) octets.set(decoder.decode(Uint8Array.of(octet)), octet)
  } catch {
    // unknown charset
  }
  octets.delete('\ufffd')
  octets.delete('')
  return octets
}

function firstValue(headers: FieldList, name: string): string | undefined {
  return headers.find(([own]) => own.toLowerCase() === name)?.[1]
}
