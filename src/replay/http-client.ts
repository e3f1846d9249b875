import { Buffer } from 'node:buffer'
import type { Dispatcher, errors } from 'undici'
import { textOf } from '../core/json.ts'
import type { Body, Fault, FieldList, Request, Response } from '../model.ts'
import { type Lane, openLane } from './lane.ts'

/** Bodies are held in memory up to this size, on either side. */
export const BODY_MAX_BYTES = 16 * 1024 * 1024

/** undici refused the request itself: the inputs are checked before, so this is a mistake in the caller. */
const NEVER_SENT = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']

export type Exchanged =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly fault: Fault }

export interface ExchangeOptions {
  /** Index of the step, for the fault. */
  readonly step: number
  /** From the first connection attempt to the last byte of the body. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface HttpClient extends AsyncDisposable {
  /**
   * What `request` was answered with. Headers stand as received, in wire order, with case and repetition;
   * nothing is followed, decoded or added beyond Host, Connection and Content-Length.
   *
   * Before a response head: `candidate-unreachable`, `timeout`, `transport`. After it, a body that is short, longer
   * than announced or framed wrongly is `response.broken`; the octets of a short one depend on timing and are left out.
   * A body that does not end in time is `timeout` (`stream-open` for an event stream), one over the cap `over-limit`.
   *
   * Every request is sent once, on a connection of its own. A server that closes what is idle can then not be met half-way,
   * no request is sent twice, and no octets that come late can pass for the answer to another request. What follows an
   * answer on its connection is `response.broken`.
   *
   * @throws whatever `signal` was aborted with
   */
  exchange(request: Request, options: ExchangeOptions): Promise<Exchanged>
}

/**
 * A client of one origin; no other is ever contacted.
 * `label` names the origin in faults: ports that differ between runs must not stand in it.
 */
export function httpClient(o: {
  readonly origin: URL
  readonly label: string
  /** Default: `BODY_MAX_BYTES`. */
  readonly bodyMaxBytes?: number
}): HttpClient {
  const open = new Set<Lane>()
  const settings: Settings = { label: o.label, bodyMaxBytes: o.bodyMaxBytes ?? BODY_MAX_BYTES }
  return {
    async exchange(request, options) {
      options.signal.throwIfAborted()
      const lane = openLane(o.origin)
      open.add(lane)
      try {
        return await send(lane, request, options, settings)
      } finally {
        open.delete(lane)
        await lane.destroy()
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map(lane => lane.destroy()))
    },
  }
}

interface Settings {
  readonly label: string
  readonly bodyMaxBytes: number
}

/** The bytes that travel as the body; null when there is none. JSON keeps its number and string text. */
export function bodyBytes(body: Body | undefined): Uint8Array | null {
  if (body === undefined) return null
  if ('bytes' in body) return body.bytes
  if ('text' in body) return Buffer.from(body.text, 'utf8')
  if ('form' in body) return Buffer.from(formText(body.form), 'latin1')
  return Buffer.from(textOf(body.json), 'utf8')
}

/** `application/x-www-form-urlencoded` in the order given (URL Standard §5.2). */
function formText(fields: FieldList): string {
  const query = new URLSearchParams()
  for (const [name, value] of fields) query.append(name, value)
  return query.toString()
}

/** What the exchange has shown so far. */
interface Progress {
  head: { status: number; headers: FieldList } | null
  chunks: Buffer[]
  sizeBytes: number
}

function send(lane: Lane, request: Request, options: ExchangeOptions, settings: Settings): Promise<Exchanged> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>()
  const progress: Progress = { head: null, chunks: [], sizeBytes: 0 }
  const { step } = options
  const path = lane.prefix + request.path
  let settled = false
  const settle = (finish: () => void) => {
    if (settled) return
    settled = true
    clearTimeout(timer)
    options.signal.removeEventListener('abort', onAbort)
    finish()
  }
  const fail = (reason: Fault['reason'], message: string) =>
    settle(() => resolve({ ok: false, fault: { reason, step, message } }))
  const timer = setTimeout(() => {
    fail(...lateness(lane, progress, options.timeoutMs, settings.label))
  }, options.timeoutMs)
  const onAbort = () => settle(() => reject(options.signal.reason))
  options.signal.addEventListener('abort', onAbort, { once: true })

  lane.client.dispatch(
    {
      path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers.flat(),
      body: bodyBytes(request.body) as Buffer | null,
    },
    {
      onRequestStart() {},
      onResponseStart(controller, status) {
        if (status < 200) return
        progress.head = { status, headers: fieldsOf(controller.rawHeaders as Buffer[]) }
      },
      onResponseData(_controller, chunk) {
        progress.sizeBytes += chunk.length
        if (progress.sizeBytes > settings.bodyMaxBytes) {
          fail('over-limit', `the body of ${settings.label} is larger than the bound of ${settings.bodyMaxBytes} bytes`)
        } else {
          progress.chunks.push(Buffer.from(chunk))
        }
      },
      onResponseEnd() {
        clearTimeout(timer)
        lane.complete()
        lane.drain().then(excess => settle(() => resolve(completed({ lane, request, progress, excess }))), reject)
      },
      onResponseError(_controller, error) {
        if (NEVER_SENT.includes(codeOf(error))) return settle(() => reject(error))
        if (progress.head !== null) {
          const broken = brokenBy(error, progress.head.headers)
          const { status, headers } = progress.head
          return settle(() => resolve({ ok: true, response: { status, headers, broken } }))
        }
        fail(...refusal(lane, error, settings.label))
      },
    },
  )
  return promise
}

/** Names and values in wire order; octets outside ASCII as Latin-1, so that none is lost. */
function fieldsOf(raw: readonly Buffer[]): FieldList {
  const fields: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    fields.push([String(raw[at]?.toString('latin1')), String(raw[at + 1]?.toString('latin1'))])
  }
  return fields
}

function completed(o: {
  readonly lane: Lane
  readonly request: Request
  readonly progress: Progress
  /** Octets came after the end of the answer. */
  readonly excess: boolean
}): Exchanged {
  const { lane, request, progress } = o
  const { status, headers } = progress.head ?? { status: 0, headers: [] }
  const announced = announcedBytes(request, status, headers)
  const body = progress.sizeBytes === 0 ? {} : { body: { bytes: Buffer.concat(progress.chunks) } }
  const excess = o.excess || (announced !== null && lane.bodyBytesSeen() > announced)
  const broken = excess ? { broken: excessText(announced, request, status) } : {}
  return { ok: true, response: { status, headers, ...body, ...broken } }
}

/** The octets that may follow the head on the wire; null where the framing does not say. */
function announcedBytes(request: Request, status: number, headers: FieldList): number | null {
  if (request.method === 'HEAD' || status === 204 || status === 304) return 0
  if (fieldOf(headers, 'transfer-encoding') !== null) return null
  const length = fieldOf(headers, 'content-length')
  return length === null ? null : Number(length)
}

function excessText(announced: number | null, request: Request, status: number): string {
  if (request.method === 'HEAD') return 'a body follows the answer to HEAD'
  if (status === 204 || status === 304) return `a body follows status ${status}, which has none`
  if (announced === null) return 'octets follow the last chunk of the body'
  return `the body is longer than the ${announced} bytes that Content-Length announces`
}

function fieldOf(headers: FieldList, name: string): string | null {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1] ?? null
}

/** What broke after the head, in words that do not depend on timing. */
function brokenBy(error: Error, headers: FieldList): string {
  const length = fieldOf(headers, 'content-length')
  const chunked = fieldOf(headers, 'transfer-encoding') !== null
  if (malformed(error)) return 'the body is not framed as its head says'
  if (chunked) return 'the connection ended before the last chunk of the body'
  if (length !== null) return `the connection ended before the ${length} bytes that Content-Length announces`
  return 'the connection was reset before the end of the body'
}

function lateness(lane: Lane, progress: Progress, timeoutMs: number, label: string): [Fault['reason'], string] {
  if (progress.head === null) {
    const what = lane.connected() ? 'no response head' : 'no connection'
    return ['timeout', `${what} from ${label} within ${timeoutMs} ms`]
  }
  const stream = /^\s*text\/event-stream\b/i.test(fieldOf(progress.head.headers, 'content-type') ?? '')
  if (stream) return ['stream-open', `the event stream of ${label} did not end within ${timeoutMs} ms`]
  return ['timeout', `the body of ${label} did not end within ${timeoutMs} ms`]
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
}

function refusal(lane: Lane, error: Error, label: string): [Fault['reason'], string] {
  const code = codeOf(error)
  if (!lane.connected()) {
    return ['candidate-unreachable', `${label} cannot be reached: ${UNREACHABLE[code] ?? `no connection (${code})`}`]
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['over-limit', `the response head of ${label} is larger than the bound of ${lane.headMaxBytes} bytes`]
  if (malformed(error)) return ['transport', `what ${label} answered is not HTTP/1.1`]
  return ['transport', `the connection to ${label} broke before a response head`]
}

/** The parser refused octets; an early end is none of these. */
function malformed(error: Error): boolean {
  return error.name === 'HTTPParserError' && !/EOF/.test(error.message)
}

function codeOf(error: Error): string {
  const { code } = error as errors.UndiciError & { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
