/** A small service with state: a login, orders with ids of its own, pages by cursor. Each instance gives other ids and tokens. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http, type Served, type Target } from '../src/replay/target.ts'

export interface ShopOptions {
  /** What ids, tokens and cursors begin with: `legacy-`. */
  readonly mark: string
  /** Ids are numbers from here, in place of words. */
  readonly firstId?: number
  /** Deviations of a candidate. */
  readonly wrong?: 'login' | 'same id' | 'foreign id' | 'no id' | 'two ids' | 'created again' | 'location'
}

export interface Shop extends Served {
  /** `GET /orders` of every request that was received. */
  readonly received: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

export async function startShop(o: ShopOptions): Promise<Shop> {
  const orders = new Map<string, { id: string | number; item: string }>()
  const received: string[] = []
  const token = `${o.mark}token`
  const idAt = (count: number) => (o.firstId === undefined ? `${o.mark}order-${count}` : o.firstId + count)

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://shop.test')
    received.push(`${request.method} ${request.url}`)
    let body = ''
    for await (const chunk of request) body += chunk
    const send = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
      reply.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value))
    }
    if (url.pathname === '/login') {
      if (o.wrong === 'login') return send(401, { error: 'no' })
      return send(200, { token }, { 'Set-Cookie': `sid=${o.mark}sid; Path=/` })
    }
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, { error: 'who?' })
    if (request.headers.cookie !== undefined && request.headers.cookie !== `sid=${o.mark}sid`) return send(403, {})
    if (request.method === 'POST' && url.pathname === '/orders') return create(JSON.parse(body), send)
    if (request.method === 'GET' && url.pathname === '/orders') return list(url, send)
    const id = decodeURIComponent(url.pathname.slice('/orders/'.length))
    const known = orders.get(id)
    if (request.method === 'GET' && known) {
      return send(200, o.wrong === 'foreign id' ? { ...known, id: idAt(9) } : known)
    }
    if (request.method === 'DELETE' && orders.delete(id)) return send(204, null)
    return send(404, { error: 'gone' })
  }

  function create(
    input: { item: string },
    send: (status: number, value: unknown, headers?: Record<string, string>) => void,
  ) {
    const twice = [...orders.values()].some(({ item }) => item === input.item)
    if (twice && o.wrong !== 'created again') return send(409, { error: 'there already' })
    const id = o.wrong === 'same id' ? idAt(1) : idAt(orders.size + 1)
    const order = { id, item: input.item }
    orders.set(String(id), order)
    const shown =
      o.wrong === 'no id' ? { item: input.item } : o.wrong === 'two ids' ? { ...order, more: [{ id: 1 }] } : order
    return send(201, shown, { Location: `/orders/${o.wrong === 'location' ? 'x' : id}` })
  }

  /** One order a page; the cursor is the name of the page. */
  function list(url: URL, send: (status: number, value: unknown, headers?: Record<string, string>) => void) {
    const at = Number(url.searchParams.get('after')?.slice(`${o.mark}cursor-`.length) ?? 0)
    const page = [...orders.values()].slice(at, at + 1)
    const next = at + 1 < orders.size ? `${o.mark}cursor-${at + 1}` : null
    return send(200, { page, next }, next === null ? {} : { Link: `</orders?after=${next}>; rel="next"` })
  }

  const server = createServer((request, reply) => void answer(request, reply))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export function shop(o: ShopOptions): Target {
  return http(() => startShop(o))
}
