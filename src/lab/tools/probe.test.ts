import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { toolCommand } from '../container/gate.ts'
import type { ProbeRequest } from './probe.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const http = (answer: RequestListener) => portOf(createHttpServer(answer))
const tcp = (talk: (socket: Socket) => void) =>
  portOf(
    createServer(socket => {
      socket.on('error', () => {})
      talk(socket)
    }),
  )

type Question =
  | Omit<ProbeRequest & { kind: 'http' }, 'host' | 'port' | 'budgetMs' | 'once'>
  | { kind: 'stomp' }
  | { kind: 'tcp' }

async function probe(port: number, question: Question, budgetMs = 700, once = false): Promise<string | null> {
  const request = { host: '127.0.0.1', port, budgetMs, once, ...question }
  const [, ...words] = toolCommand('probe', [JSON.stringify(request)])
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout).failed
}

const get = (more: object = {}): Question => ({
  kind: 'http',
  method: 'GET',
  path: '/up',
  status: 200,
  body: null,
  ...more,
})

test.each<[string, RequestListener, Question, string | null]>([
  ['an answer as expected', (_, answer) => answer.end('fine'), get({ body: 'in' }), null],
  ['another status', (_, answer) => answer.writeHead(500).end(), get(), 'GET /up answered 500, expected 200'],
  [
    'another body',
    (_, answer) => answer.end('starting'),
    get({ body: 'ready' }),
    'the body of GET /up does not contain "ready"',
  ],
  [
    'a body that breaks off',
    (_, answer) => {
      answer.write('x')
      setTimeout(() => answer.destroy(), 20)
    },
    get(),
    'the body of GET /up broke off',
  ],
  ['a connection that breaks off', ({ socket }) => socket.destroy(), get(), 'GET /up failed: ECONNRESET'],
])('says of %s what was seen', async (_, answer, question, failed) => {
  expect(await probe(await http(answer), question)).toBe(failed)
})

test('asks again until the service answers, within its budget', async () => {
  let asked = 0
  const port = await http((_, answer) => answer.writeHead(++asked < 3 ? 503 : 200).end())
  expect(await probe(port, get(), 20_000)).toBeNull()
  expect(asked).toBe(3)
})

test('asks once where it is told to', async () => {
  let asked = 0
  const port = await http((_, answer) => {
    asked++
    answer.writeHead(503).end()
  })
  expect(await probe(port, get(), 20_000, true)).toBe('GET /up answered 503, expected 200')
  expect(asked).toBe(1)
})

test.each([
  ['CONNECTED\nversion:1.2\n\n\0', null],
  ['\n\nCONNECTED\n\n\0', null],
  ['ERROR\nmessage:no\n\n\0', 'CONNECT was answered by ERROR'],
  ['x'.repeat(200), 'CONNECT was answered by what is not STOMP'],
  ['', 'CONNECT was answered by the end of the connection'],
])('says whether %j is an answer of STOMP', async (answer, failed) => {
  const port = await tcp(socket =>
    socket.once('data', sent => socket.end(String(sent).startsWith('CONNECT\n') ? answer : '')),
  )
  expect(await probe(port, { kind: 'stomp' })).toBe(failed)
})

test('says that nothing listens, and that something does', async () => {
  const port = await tcp(() => {})
  expect(await probe(port, { kind: 'tcp' })).toBeNull()
  for (const server of servers.splice(0)) server.close()
  expect(await probe(port, { kind: 'tcp' })).toBe(`port ${port} failed: ECONNREFUSED`)
})
