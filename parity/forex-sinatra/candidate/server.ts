import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codes, convert, currency, type Pair, roundHalfEven } from '../../forex/candidate/money.ts'
import type { ForexOptions } from '../../forex/candidate/server.ts'
import { type Asked, ask, BrokenEscape, jsonFields, type Received } from './requests.ts'

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer that ends the request wherever it is drawn up. */
class Halt extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super(`halted with ${answer.status}`)
    this.answer = answer
  }
}

const BODY_BYTES_MAX = 64 * 1024
const AMOUNT_MAX = 10_000_000
const RATE_PLACES = 6

/** Starts the service on 127.0.0.1; it stops when disposed or when `signal` aborts. */
export async function startForex(options: ForexOptions): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const now = options.now === null ? new Date() : new Date(options.now)
    const answer = await respond(request, now).catch(answerOf)
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

function answerOf(error: unknown): Answer {
  if (error instanceof Halt) return error.answer
  if (error instanceof BrokenEscape) return page(400, error.message)
  return page(500, '<h1>Internal Server Error</h1>')
}

async function respond(request: IncomingMessage, now: Date): Promise<Answer> {
  const received = await receive(request)
  // The server in front of the legacy takes no target that a URI may not hold, and says nothing about it.
  if (/["<>]/.test(received.target)) return { status: 400 }
  const asked = ask(received)
  const route = `${asked.method === 'HEAD' ? 'GET' : asked.method} ${asked.path.replace(/(?<=.)\/$/, '')}`
  if (route === 'GET /rates') {
    const answer = getRates(asked, now)
    // No representation is ever the same as before: only `*` can match.
    return received.headers['if-none-match'] === '*' ? { status: 304 } : answer
  }
  if (route === 'POST /convert') return postConvert(fieldsOf(asked, received), now)
  return page(404, `${asked.method} ${asked.path}`)
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  if (sizeBytes > BODY_BYTES_MAX) throw new Halt(page(413, 'Request Entity Too Large'))
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]])
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString(),
  }
}

function fieldsOf(asked: Asked, { headers }: Received): Readonly<Record<string, unknown>> {
  if (asked.type !== 'application/json') return asked.params
  const isCoded = headers['content-encoding'] !== undefined
  if (isCoded || asked.charset !== 'utf-8') throw new Halt(page(415, 'Unsupported Media Type'))
  return jsonFields(asked.body) ?? refuse(400, 'E_JSON', 'the body is not JSON')
}

function getRates({ params }: Asked, now: Date): Answer {
  const [base] = known(params.base ?? 'USD')
  const { date, symbols } = params
  if (date !== undefined) {
    const day = instantOf(String(date))
    if (day === null) return refuse(400, 'E_DATE', 'date must be YYYY-MM-DD')
    if (day > now.getTime()) return refuse(404, 'E_DATE', `no rates for ${date} yet`)
  }
  const wanted = typeof symbols === 'string' ? symbols.toUpperCase().split(',') : codes()
  const rates = codes()
    .filter(code => code !== base && wanted.includes(code))
    .map(code => ({ currency: code, rate: rate({ from: known(base)[1], to: known(code)[1] }) }))
  return json(200, { base, timestamp: seconds(now), count: rates.length, rates, requestId: requestId() })
}

function postConvert(fields: Readonly<Record<string, unknown>>, now: Date): Answer {
  if (Object.keys(fields).length === 0) return refuse(400, 'E_BODY', 'from, to and amount are required')
  const [source, from] = known(fields.from)
  const [target, to] = known(fields.to)
  const given = amountOf(fields.amount)
  if (given === null) return refuse(422, 'E_AMOUNT', 'amount must be a number')
  if (given < 0) return refuse(422, 'E_AMOUNT', 'amount must not be negative')
  if (given > AMOUNT_MAX) return refuse(422, 'E_LIMIT', `at most ${AMOUNT_MAX.toFixed(2)} at once`)
  const { amount, fee } = convert(given, { from, to })
  return json(200, {
    from: source,
    to: target,
    amount: double(amount),
    rate: rate({ from, to }),
    fee: double(fee),
    timestamp: seconds(now),
    requestId: requestId(),
  })
}

function known(given: unknown): readonly [string, Pair['from']] {
  const code = (given === undefined || given === null ? '' : textOf(given)).toUpperCase()
  return [code, currency(code) ?? refuse(422, 'E_CCY', `unknown ${code}`)]
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A text counts as far as it reads as a number: callers send `10.00 USD`. */
function amountOf(given: unknown): number | null {
  if (typeof given === 'number') return given
  const prefix = /^\s*[-+]?\d+(?:_\d+)*(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(typeof given === 'string' ? given : '')
  return prefix === null ? null : Number(prefix[0].replaceAll('_', ''))
}

function rate({ from, to }: Pair): object {
  return double(roundHalfEven({ n: to.perDollar, d: from.perDollar }, RATE_PLACES))
}

/** A JSON number that callers in Ruby read as a Float: `1` would be an Integer to them, which divides otherwise. */
function double(decimal: string): object {
  const text = String(Number(decimal))
  return JSON.rawJSON(text.includes('.') ? text : `${text}.0`)
}

/** Midnight UTC of a day, written with or without leading zeroes; null where there is no such day. */
function instantOf(date: string): number | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(date) ?? []
  const instant = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return year !== '' && new Date(instant).getUTCMonth() === Number(month) - 1 && Number(day) > 0 ? instant : null
}

function seconds(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z')
}

function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function refuse(status: number, code: string, message: string): never {
  throw new Halt(json(status, { error: { code, message }, requestId: requestId() }))
}

/** What answers where no route does, or before one. */
function page(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/html;charset=utf-8' }, body }
}

function requestId(): string {
  return `r-${randomBytes(4).toString('hex')}`
}
