import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { wire } from '../../test/wire.ts'
import { NumberToken } from '../core/json.ts'
import type { Request } from '../model.ts'
import { type Exchanged, httpClient } from './http-client.ts'

function clientOf(origin: URL, bodyMaxBytes?: number) {
  const client = httpClient({ origin, label: 'the candidate', ...(bodyMaxBytes === undefined ? {} : { bodyMaxBytes }) })
  onTestFinished(async () => client[Symbol.asyncDispose]())
  return client
}

const get: Request = { method: 'GET', path: '/', headers: [] }
const within = (timeoutMs: number) => ({ step: 0, timeoutMs, signal: new AbortController().signal })

async function answered(octets: string | Buffer, o: { request?: Request; end?: boolean } = {}): Promise<Exchanged> {
  const { origin } = await wire(socket => {
    socket.write(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets)
    if (o.end) socket.end()
  })
  return clientOf(origin).exchange(o.request ?? get, within(2_000))
}

function brokenOf(exchanged: Exchanged): string | undefined {
  if (!exchanged.ok) throw new Error(exchanged.fault.message)
  return exchanged.response.broken
}

describe('what is observed', () => {
  test('keeps headers in wire order with case, repetition and octets outside ASCII', async () => {
    const exchanged = await answered(
      'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Name: caf\xe9\r\nset-cookie: b=2\r\nContent-Length: 2\r\n\r\nhi',
    )
    expect(exchanged).toEqual({
      ok: true,
      response: {
        status: 200,
        headers: [
          ['Set-Cookie', 'a=1'],
          ['X-Name', 'caf\u00e9'],
          ['set-cookie', 'b=2'],
          ['Content-Length', '2'],
        ],
        body: { bytes: Buffer.from('hi') },
      },
    })
  })

  test('follows no redirect and decodes no coding', async () => {
    const exchanged = await answered(
      'HTTP/1.1 302 Found\r\nLocation: http://example.invalid/\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc',
    )
    expect(exchanged).toMatchObject({ ok: true, response: { status: 302, body: { bytes: Buffer.from('abc') } } })
  })

  test('leaves an empty body absent', async () => {
    const exchanged = await answered('HTTP/1.1 204 No Content\r\n\r\n')
    expect(exchanged).toEqual({ ok: true, response: { status: 204, headers: [] } })
  })

  test('skips an interim response', async () => {
    const exchanged = await answered(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
    )
    expect(exchanged).toEqual({
      ok: true,
      response: { status: 200, headers: [['Content-Length', '1']], body: { bytes: Buffer.from('x') } },
    })
  })

  test('sends the headers of the input as written, and JSON with its number text', async () => {
    const { origin, received } = await wire(socket => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    const body = { json: { amount: new NumberToken('10.00'), name: 'é' } }
    const headers = [
      ['X-Two', 'a'],
      ['Content-Type', 'application/json'],
      ['x-two', 'b'],
    ] as const
    await clientOf(origin).exchange({ method: 'POST', path: '/a//b?q=%41&q=2', headers, body }, within(2_000))
    expect(received).toEqual([
      `POST /a//b?q=%41&q=2 HTTP/1.1\r\nhost: ${origin.host}\r\nconnection: keep-alive\r\n` +
        'X-Two: a\r\nContent-Type: application/json\r\nx-two: b\r\ncontent-length: 28\r\n\r\n' +
        '{"amount":10.00,"name":"\xc3\xa9"}',
    ])
  })

  test('puts the path of the base URL before every path', async () => {
    const { origin, received } = await wire(socket => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    await clientOf(new URL('/v1/', origin)).exchange({ ...get, path: '/x' }, within(2_000))
    expect(received[0]).toContain('GET /v1/x HTTP/1.1\r\n')
  })

  test('reads 5 MB of HTML whole', async () => {
    const html = Buffer.alloc(5_000_000, '<p>')
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${html.length}\r\n\r\n`)
    const exchanged = await answered(Buffer.concat([head, html]))
    const body = exchanged.ok ? exchanged.response.body : undefined
    expect(body !== undefined && 'bytes' in body && html.equals(body.bytes)).toBe(true)
  })
})

describe('what breaks after the head', () => {
  const cases: readonly [string, string, boolean, Request, string | undefined][] = [
    ['a whole body', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', false, get, undefined],
    ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\nhi', true, get, undefined],
    [
      'a short body',
      'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhi',
      true,
      get,
      'the connection ended before the 50 bytes that Content-Length announces',
    ],
    [
      'a short body of a connection that closes',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50\r\n\r\nhi',
      true,
      get,
      'the connection ended before the 50 bytes that Content-Length announces',
    ],
    [
      'a long body',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi there',
      false,
      get,
      'the body is longer than the 2 bytes that Content-Length announces',
    ],
    [
      'a long body of a connection that closes',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi there',
      true,
      get,
      'the body is longer than the 2 bytes that Content-Length announces',
    ],
    [
      'a chunked body without its last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n',
      true,
      get,
      'the connection ended before the last chunk of the body',
    ],
    [
      'a chunked body of a connection that closes without its last chunk',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n',
      true,
      get,
      'the connection ended before the last chunk of the body',
    ],
    [
      'a malformed chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhi\r\n',
      false,
      get,
      'the body is not framed as its head says',
    ],
    [
      'a body after HEAD',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
      false,
      { ...get, method: 'HEAD' },
      'a body follows the answer to HEAD',
    ],
    [
      'the head alone after HEAD',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n',
      false,
      { ...get, method: 'HEAD' },
      undefined,
    ],
  ]
  test.each(cases)('%s', async (_name, octets, end, request, broken) => {
    expect(brokenOf(await answered(octets, { end, request }))).toBe(broken)
  })

  test('a reset in the middle of the body is broken, not a fault', async () => {
    const { origin } = await wire(socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhi', () => socket.resetAndDestroy())
    })
    const exchanged = await clientOf(origin).exchange(get, within(2_000))
    // Depending on timing a reset may overtake the head itself.
    if (exchanged.ok) expect(exchanged.response.broken).toMatch(/^the connection ended before the 50 bytes/)
    else expect(exchanged.fault.reason).toBe('transport')
  })
})

describe('what is a fault', () => {
  test('nothing listens: candidate-unreachable, without the port', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const exchanged = await clientOf(new URL(`http://127.0.0.1:${port}`)).exchange(get, within(2_000))
    expect(exchanged).toEqual({
      ok: false,
      fault: {
        reason: 'candidate-unreachable',
        step: 0,
        message: 'the candidate cannot be reached: the connection was refused',
      },
    })
  })

  const faults: readonly [string, (socket: Socket) => void, string, string][] = [
    ['no answer: timeout with its bound', () => {}, 'timeout', 'no response head from the candidate within 150 ms'],
    [
      'a body that hangs: timeout with its bound',
      socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhi'),
      'timeout',
      'the body of the candidate did not end within 150 ms',
    ],
    [
      'an event stream that goes on: stream-open',
      socket => socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'),
      'stream-open',
      'the event stream of the candidate did not end within 150 ms',
    ],
    [
      'a connection that ends before a head: transport',
      socket => socket.end(),
      'transport',
      'the connection to the candidate broke before a response head',
    ],
    [
      'half a head: transport',
      socket => socket.end('HTTP/1.1 200 OK\r\nContent-'),
      'transport',
      'the connection to the candidate broke before a response head',
    ],
    [
      'no HTTP at all: transport',
      socket => socket.write('220 mail.invalid ESMTP\r\n'),
      'transport',
      'what the candidate answered is not HTTP/1.1',
    ],
    [
      'a head over the bound: over-limit',
      socket => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
      'over-limit',
      'the response head of the candidate is larger than the bound of 65536 bytes',
    ],
    [
      'a body over the bound: over-limit',
      socket => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(2000)}`),
      'over-limit',
      'the body of the candidate is larger than the bound of 1000 bytes',
    ],
  ]
  test.each(faults)('%s', async (_name, answer, reason, message) => {
    const { origin } = await wire(answer)
    const exchanged = await clientOf(origin, 1_000).exchange(get, within(150))
    expect(exchanged).toEqual({ ok: false, fault: { reason, step: 0, message } })
  })

  test('throws what the signal was aborted with', async () => {
    const { origin } = await wire(() => {})
    const stop = new AbortController()
    const exchange = clientOf(origin).exchange(get, { step: 0, timeoutMs: 5_000, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await expect(exchange).rejects.toThrow('stopped')
  })
})
