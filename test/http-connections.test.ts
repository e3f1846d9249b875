import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Request } from '../src/model.ts'
import { type Exchanged, httpClient } from '../src/replay/http-client.ts'
import { wire } from './wire.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function clientOf(origin: URL) {
  const client = httpClient({ origin, label: 'the candidate' })
  onTestFinished(async () => client[Symbol.asyncDispose]())
  return (request: Request) =>
    client.exchange(request, { step: 0, timeoutMs: 5_000, signal: new AbortController().signal })
}

/** What was answered, in one line. */
function told(exchanged: Exchanged): string {
  if (!exchanged.ok) return `${exchanged.fault.reason}: ${exchanged.fault.message}`
  const { status, body, broken } = exchanged.response
  const text = body !== undefined && 'bytes' in body ? Buffer.from(body.bytes).toString() : ''
  return `${status} ${text}${broken === undefined ? '' : ` (${broken})`}`
}

const get = (path: string): Request => ({ method: 'GET', path, headers: [] })
const answerOf = (text: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${text.length}\r\n\r\n${text}`

/** A server that answers each request with its own target: `after` gets the connection once the answer is written. */
async function echo(after: (socket: Socket, n: number) => void, head = ''): Promise<{ origin: URL; seen: string[] }> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', chunk => {
      const target = /^\S+ (\S+) /.exec(chunk.toString('latin1'))?.[1] ?? ''
      const n = seen.push(target) - 1
      socket.write(answerOf(target, head), () => after(socket, n))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { origin: new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`), seen }
}

test('a server that closes idle connections after a few milliseconds never costs an answer, and sees each request once', async () => {
  const seen: string[] = []
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => response.end(request.url))
  })
  server.keepAliveTimeout = 2
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const exchange = clientOf(new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`))
  const sent: string[] = []
  for (let n = 0; n < 350; n += 1) {
    const method = METHODS[n % METHODS.length] ?? 'GET'
    sent.push(`${method} /${n}`)
    expect(told(await exchange({ method, path: `/${n}`, headers: [] }))).toBe(`200 ${method === 'HEAD' ? '' : `/${n}`}`)
    await wait(n % 5)
  }
  expect(seen).toEqual(sent)
})

test.each<readonly [string, (socket: Socket, n: number) => void, string]>([
  ['ends it right after its answer', socket => socket.end(), ''],
  ['ends it with notice', socket => socket.end(), 'Connection: close\r\n'],
  ['announces the end and leaves it open', () => {}, 'Connection: close\r\n'],
  ['destroys it some milliseconds later', (socket, n) => setTimeout(() => socket.destroy(), n % 4), ''],
  [
    'keeps it for one millisecond, as it says',
    (socket, n) => setTimeout(() => socket.end(), n % 2),
    'Keep-Alive: timeout=1\r\n',
  ],
])('a server that closes a connection unasked answers every request: it %s', async (_name, after, head) => {
  const { origin, seen } = await echo(after, head)
  const exchange = clientOf(origin)
  for (let n = 0; n < 200; n += 1) {
    const request = { ...get(`/${n}`), method: n % 2 === 0 ? 'POST' : 'GET' }
    expect(told(await exchange(request))).toBe(`200 /${n}`)
  }
  expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => `/${n}`))
})

test.each(METHODS)('%s is sent once to a server that takes it and closes without an answer', async method => {
  const { origin, received } = await wire((socket, n) => (n % 2 === 0 ? socket.write(answerOf('')) : socket.destroy()))
  const exchange = clientOf(origin)
  for (let n = 0; n < 20; n += 1) {
    expect(told(await exchange(get('/')))).toBe('200 ')
    expect(told(await exchange({ method, path: '/', headers: [] }))).toBe(
      'transport: the connection to the candidate broke before a response head',
    )
  }
  expect(received).toHaveLength(40)
})

test('an answer that nobody asked for, and that comes late, never passes for the answer to a later request', async () => {
  const late = (socket: Socket, n: number) =>
    setTimeout(() => socket.writable && socket.write(answerOf('/late')), n % 3)
  const { origin } = await echo(late)
  const exchange = clientOf(origin)
  for (let n = 0; n < 300; n += 1)
    expect(told(await exchange(get(`/${n}`)))).toMatch(new RegExp(`^200 /${n}(?: \\(.*)?$`))
})

test('concurrent requests keep their answers apart', async () => {
  const { origin } = await echo((socket, n) => n % 2 === 0 && socket.end())
  const exchange = clientOf(origin)
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => exchange(get(`/${n}`)).then(told)))
  expect(answers).toEqual(Array.from({ length: 60 }, (_, n) => `200 /${n}`))
})

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n'
const CHUNKED_CLOSE = CHUNKED.replace('\r\n', '\r\nConnection: close\r\n')
const excess: readonly [string, string, string, string, string][] = [
  [
    'a second answer',
    'GET',
    answerOf('hi'),
    answerOf('second'),
    '200 hi (the body is longer than the 2 bytes that Content-Length announces)',
  ],
  [
    'octets that are no answer',
    'GET',
    answerOf('hi'),
    '!',
    '200 hi (the body is longer than the 2 bytes that Content-Length announces)',
  ],
  [
    'octets after the announced close',
    'GET',
    answerOf('hi', 'Connection: close\r\n'),
    '!',
    '200 hi (the body is longer than the 2 bytes that Content-Length announces)',
  ],
  ['a second answer to chunks', 'GET', CHUNKED, CHUNKED, '200 hi (octets follow the last chunk of the body)'],
  ['octets after chunks', 'GET', CHUNKED, '!', '200 hi (octets follow the last chunk of the body)'],
  [
    'octets after chunks of a connection that closes',
    'GET',
    CHUNKED_CLOSE,
    '!',
    '200 hi (octets follow the last chunk of the body)',
  ],
  [
    'a body after 204',
    'DELETE',
    'HTTP/1.1 204 No Content\r\n\r\n',
    'gone',
    '204  (a body follows status 204, which has none)',
  ],
  [
    'a body after HEAD',
    'HEAD',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n',
    'hi',
    '200  (a body follows the answer to HEAD)',
  ],
]
test.each(excess)(
  '%s is seen at the step that shows it, in one packet or in two',
  async (_name, method, first, more, shown) => {
    for (const together of [true, false]) {
      const { origin } = await wire((socket, n) => {
        if (n % 2 === 1) return socket.write(answerOf('own'))
        if (together) return socket.write(first + more)
        return socket.write(first, () => setImmediate(() => socket.write(more)))
      })
      const exchange = clientOf(origin)
      for (let n = 0; n < 25; n += 1) {
        expect(told(await exchange({ method, path: '/', headers: [] }))).toBe(shown)
        expect(told(await exchange(get('/next')))).toBe('200 own')
      }
    }
  },
)

test('a server that answers the requests of one connection in another order is caught at the first of them', async () => {
  const { origin } = await wire((socket, n) => {
    if (n % 2 === 0) socket.write(answerOf('second') + answerOf('first'))
    else socket.write(answerOf('second'))
  })
  const exchange = clientOf(origin)
  expect(told(await exchange(get('/1')))).toBe(
    '200 second (the body is longer than the 6 bytes that Content-Length announces)',
  )
  expect(told(await exchange(get('/2')))).toBe('200 second')
})

test('a server that keeps its half of the connection open is answered all the same', async () => {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => {}).on('data', () => socket.write(answerOf('open')))
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const exchange = clientOf(new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`))
  for (let n = 0; n < 3; n += 1) expect(told(await exchange(get('/')))).toBe('200 open')
})
