import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codes, convert, currency, rate } from './money.ts'
import { type Fields, parseFields, readBody } from './requests.ts'

declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}

export interface ForexOptions {
  /** The present, as ISO text; null for the real one. */
  readonly now: string | null
  readonly port: number
  readonly signal: AbortSignal
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Handler = (fields: Fields, now: Date) => Answer

const AMOUNT_MAX = 10_000_000
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' }

const ROUTES: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/rates': { GET: getRates, HEAD: getRates },
  '/convert': { POST: postConvert },
}

/** Starts the service on 127.0.0.1; it stops when disposed or when `signal` aborts. */
export async function startForex(options: ForexOptions): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const now = options.now === null ? new Date() : new Date(options.now)
    const answer = await respond(request, now).catch((): Answer => page(500))
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  server.listen({ port: options.port, host: '127.0.0.1', signal: options.signal })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function respond(request: IncomingMessage, now: Date): Promise<Answer> {
  const target = request.url ?? '/'
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const body = await readBody(request)
  if (!body.ok) return page(body.status)

  const method = methodOf(request)
  const route = ROUTES[path.toLowerCase().replace(/(?<=.)\/$/, '')] ?? {}
  const handler = route[method]
  if (handler === undefined) {
    const allow = Object.keys(route).join(',')
    if (method === 'OPTIONS' && allow !== '') return { status: 200, headers: { ...HTML_TYPE, allow }, body: allow }
    return page(404, `Cannot ${method} ${escapeHtml(target)}`)
  }
  const answer = handler(method === 'POST' ? body.fields : parseFields(mark === -1 ? '' : target.slice(mark + 1)), now)
  // No representation is ever the same as before: only `*` can match.
  if (method !== 'POST' && answer.status === 200 && request.headers['if-none-match'] === '*') return { status: 304 }
  return answer
}

function methodOf(request: IncomingMessage): string {
  const method = request.method ?? 'GET'
  const override = request.headers['x-http-method-override']
  return method === 'POST' && typeof override === 'string' ? override.toUpperCase() : method
}

function getRates(query: Fields, now: Date): Answer {
  const base = String([query.base ?? 'USD'].flat().at(-1)).toUpperCase()
  const from = currency(base)
  if (from === undefined) return failure(422, 'E_CCY', `unknown ${base}`)

  if (query.date !== undefined) {
    const date = String(query.date)
    const instant = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN
    if (Number.isNaN(instant)) return failure(400, 'E_DATE', 'date must be YYYY-MM-DD')
    if (instant > now.getTime()) return failure(404, 'E_DATE', `no rates for ${date} yet`)
  }
  const symbols = typeof query.symbols === 'string' ? query.symbols.toUpperCase().split(',') : codes()
  const rates = codes().flatMap(code => {
    const to = currency(code)
    return to === undefined || to === from || !symbols.includes(code)
      ? []
      : [{ currency: code, rate: rate({ from, to }) }]
  })
  return json(200, { base, timestamp: now.toISOString(), count: rates.length, rates, requestId: requestId() })
}

function postConvert(body: Fields, now: Date): Answer {
  if (Object.keys(body).length === 0) return failure(400, 'E_BODY', 'from, to and amount are required')
  const [source, target] = [String(body.from).toUpperCase(), String(body.to).toUpperCase()]
  const from = currency(source)
  if (from === undefined) return failure(422, 'E_CCY', `unknown ${source}`)
  const to = currency(target)
  if (to === undefined) return failure(422, 'E_CCY', `unknown ${target}`)

  // A text counts as far as it reads as a number: callers send `10.00 USD`.
  const given = typeof body.amount === 'string' ? Number.parseFloat(body.amount) : body.amount
  if (typeof given !== 'number' || !Number.isFinite(given)) return failure(422, 'E_AMOUNT', 'amount must be a number')
  if (given < 0) return failure(422, 'E_AMOUNT', 'amount must not be negative')
  if (given > AMOUNT_MAX) return failure(422, 'E_LIMIT', `at most ${AMOUNT_MAX.toFixed(2)} at once`)

  const { amount, fee } = convert(given, { from, to })
  return json(200, {
    from: source,
    to: target,
    amount: Number(amount),
    rate: rate({ from, to }),
    fee: JSON.rawJSON(fee), // the ledger import reads its digits as text
    timestamp: now.toISOString(),
    requestId: requestId(),
  })
}

function json(status: number, value: unknown): Answer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(value) }
}

function failure(status: number, code: string, message: string): Answer {
  return json(status, { error: { code, message }, requestId: requestId() })
}

/** The pages that answer where no handler does; their words are those that callers match on. */
function page(status: number, text: string = STATUS_TEXTS[status] ?? STATUS_CODES[status] ?? ''): Answer {
  return { status, headers: { ...HTML_TYPE, 'x-content-type-options': 'nosniff' }, body: `${text}\n` }
}

const STATUS_TEXTS: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' }

function requestId(): string {
  return `r-${randomBytes(4).toString('hex')}`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
