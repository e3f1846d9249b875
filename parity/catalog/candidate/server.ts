import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Served, StartContext } from 'vitest-parity'
import { collationKey } from './collation.ts'
import { type Database, openDatabase } from './database.ts'
import { parseQuery, Refusal, readCount, readFields, readProduct } from './input.ts'
import { leadingNumber, wholePart } from './numbers.ts'
import {
  type Condition,
  deleteProduct,
  findProduct,
  insertProduct,
  listCategories,
  listProducts,
  reserve,
  searchProducts,
  updateProduct,
} from './products.ts'

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; undefined for none. */
  readonly body?: unknown
}

interface Call {
  readonly method: string
  readonly query: ReturnType<typeof parseQuery>
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly client: Database['client']
  readonly now: string
  /** Of the path; empty where it has none. */
  readonly id: string
}

type Handler = (call: Call) => Promise<Answer>

const JSON_TYPE = 'application/json; charset=utf-8'
/** What answers without a body are called. */
const NO_TYPE = 'text/html; charset=UTF-8'

const ROUTES: readonly { readonly path: RegExp; readonly methods: Readonly<Record<string, Handler>> }[] = [
  { path: /^\/products$/, methods: { GET: list, POST: create } },
  {
    path: /^\/categories$/,
    methods: { GET: async ({ client }) => ({ status: 200, body: await listCategories(client) }) },
  },
  { path: /^\/search$/, methods: { GET: search } },
  { path: /^\/products\/(\d+)$/, methods: { GET: show, PUT: update, PATCH: update, DELETE: remove } },
  { path: /^\/products\/(\d+)\/reserve$/, methods: { POST: reserveSome } },
]

/** The service over PostgreSQL at `databaseUrl`; null for an embedded database. */
export function catalog({ databaseUrl }: { readonly databaseUrl: string | null }) {
  let running: Database | null = null
  return {
    async start({ clock, signal }: Pick<StartContext, 'clock' | 'signal'>): Promise<Served> {
      const database = await openDatabase(databaseUrl)
      running = database
      const server = createServer(async (request, response) => {
        const { status, headers, body } = await respond(request, database.client, clock).catch(failed)
        response.writeHead(status, { 'content-type': body === undefined ? NO_TYPE : JSON_TYPE, ...headers })
        response.end(body === undefined ? undefined : JSON.stringify(body))
      })
      server.listen({ port: 0, host: '127.0.0.1', signal })
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return {
        url: `http://127.0.0.1:${port}`,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections()
          server.close()
          await database[Symbol.asyncDispose]()
        },
      }
    },
    /** Brings the migrated products back. */
    async reset(): Promise<void> {
      await running?.reset()
    },
  }
}

async function respond(request: IncomingMessage, client: Call['client'], clock: string | null): Promise<Answer> {
  const [target = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const path = target.replace(/\/+$/, '')
  const body = await buffer(request)
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
  for (const { path: pattern, methods } of ROUTES) {
    const match = pattern.exec(path)
    if (match === null) continue
    const handler = methods[method]
    if (handler === undefined) {
      const { body: error } = new Refusal(405, 'method_not_allowed', `${method} is not allowed here`)
      return { status: 405, headers: { allow: Object.keys(methods).join(', ') }, body: error }
    }
    const now = (clock === null ? new Date() : new Date(clock)).toISOString().slice(0, 19).replace('T', ' ')
    const { headers } = request
    return handler({ method, query: parseQuery(query), headers, body, client, now, id: match[1] ?? '' })
  }
  throw new Refusal(404, 'not_found', `no route for ${path}`)
}

function failed(error: unknown): Answer {
  if (error instanceof Refusal) return { status: error.status, body: error.body }
  console.error(error)
  return { status: 500, body: new Refusal(500, 'internal', 'database error').body }
}

async function list({ client, query, now }: Call): Promise<Answer> {
  const page = Math.max(1, wholePart(query.page, 1))
  const asked = wholePart(query.per_page, 10)
  const limit = asked < 1 ? 10 : Math.min(asked, 50)
  const { items, total } = await listProducts(client, {
    conditions: conditionsOf(query, now),
    sort: String(query.sort ?? 'id'),
    descending: String(query.order).toLowerCase() === 'desc',
    offset: (page - 1) * limit,
    limit,
  })
  const pages = Math.ceil(Number(total) / limit)
  const links = [
    ...(page > 1 ? [pageLink(query, page - 1, 'prev')] : []),
    ...(page < pages ? [pageLink(query, page + 1, 'next')] : []),
  ]
  return {
    status: 200,
    headers: { 'x-total-count': total, ...(links.length > 0 ? { link: links.join(', ') } : {}) },
    body: { items, total, page, per_page: limit, pages },
  }
}

const FILTERS: Readonly<Record<string, (text: string) => Condition | null>> = {
  category: text => ({ sql: 'category_key = ?', values: [collationKey(text)] }),
  min_price: text => ({ sql: 'price::float8 >= ?', values: [leadingNumber(text)] }),
  max_price: text => ({ sql: 'price::float8 <= ?', values: [leadingNumber(text)] }),
  active: text => ({ sql: 'active::float8 = ?', values: [leadingNumber(text)] }),
  // What is no day keeps everything, as it always did.
  created_after: text => {
    const time = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d)?$/.test(text)
      ? Date.parse(`${text.replace(' ', 'T')}`)
      : Number.NaN
    return Number.isNaN(time) ? null : { sql: 'created_at > ?', values: [text] }
  },
}

function conditionsOf(query: Call['query'], now: string): Condition[] {
  const filters = Object.entries(FILTERS).flatMap(([name, condition]) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? (condition(value) ?? []) : []
  })
  if ((query.available ?? '') === '' || query.available === '0') return filters
  const sql = 'active = 1 AND stock > 0 AND (released IS NULL OR released <= ?)'
  return [...filters, { sql, values: [now.slice(0, 10)] }]
}

function pageLink(query: Call['query'], page: number, rel: string): string {
  const parameters: Call['query'] = { ...query, page: String(page) }
  const text = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : value.map((one, at) => [`${name}[${at}]`, one]),
  )
  return `</products?${new URLSearchParams(text)}>; rel="${rel}"`
}

async function search({ client, query }: Call): Promise<Answer> {
  const q = String(query.q ?? '').trim()
  if (q === '') throw new Refusal(400, 'bad_query', 'q is required')
  const items = await searchProducts(client, q)
  return { status: 200, body: { q, items, total: items.length } }
}

async function show({ client, id, headers }: Call): Promise<Answer> {
  const product = await findProduct(client, id)
  const modified = new Date(`${product.updated_at.replace(' ', 'T')}Z`).toUTCString()
  if (headers['if-modified-since'] === modified) return { status: 304 }
  const value = Number(product.price) * Number(product.stock)
  return { status: 200, headers: { 'last-modified': modified }, body: { ...product, value } }
}

async function create({ client, now, ...call }: Call): Promise<Answer> {
  const id = await insertProduct(client, readProduct(fieldsOf(call), { partial: false }), now)
  return { status: 201, headers: { location: `/products/${id}` }, body: await findProduct(client, id) }
}

async function update({ client, id, now, ...call }: Call): Promise<Answer> {
  const fields = readProduct(fieldsOf(call), { partial: call.method === 'PATCH' })
  if (Object.keys(fields).length === 0) throw new Refusal(400, 'nothing', 'nothing to change')
  await updateProduct(client, id, fields, now)
  return { status: 200, body: await findProduct(client, id) }
}

async function remove({ client, id }: Call): Promise<Answer> {
  await deleteProduct(client, id)
  return { status: 204 }
}

async function reserveSome({ client, id, now, ...call }: Call): Promise<Answer> {
  const { quantity = null } = fieldsOf(call)
  const errors: Record<string, string> = {}
  const refuse = (fault: string): string => (errors.quantity = fault)
  const count = quantity === null ? refuse('is required') : readCount(quantity, refuse)
  if (count === 0) refuse('must be at least 1')
  if (typeof count !== 'number' || Object.keys(errors).length > 0) {
    throw new Refusal(422, 'invalid', 'the quantity is not valid', { fields: errors })
  }
  const stock = await reserve(client, { id, quantity: count, now })
  return { status: 200, body: { id, reserved: count, stock } }
}

function fieldsOf(call: Pick<Call, 'method' | 'headers' | 'body'>): ReturnType<typeof readFields> {
  return readFields({ method: call.method, type: call.headers['content-type'] ?? '', body: call.body })
}
