/** Redirects are steps: nothing is followed by itself, and nothing is sent to another host. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { Case, InputStep } from '../src/model.ts'
import { type Driven, openTarget } from '../src/replay/driver.ts'
import { http } from '../src/replay/target.ts'

type Answers = Readonly<
  Record<string, { readonly status?: number; readonly location?: string; readonly link?: string }>
>

/** A server that answers by method and path, and keeps what it was asked for. */
async function serving(
  answers: (port: number) => Answers,
): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { status = 200, ...headers } = known[`${request.method} ${request.url}`] ?? { status: 404 }
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ at: request.url }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const known = answers(port)
  return { port, asked }
}

async function driven(port: number, steps: readonly InputStep[]): Promise<Driven> {
  const signal = new AbortController().signal
  const driver = await openTarget(http(`http://127.0.0.1:${port}`), { clock: null, tz: 'UTC', signal })
  onTestFinished(() => driver[Symbol.asyncDispose]())
  const c: Case = {
    name: '001-happy-redirect',
    bucket: 'happy',
    covers: [],
    steps,
    now: null,
    class: null,
    id: 'sha256:0',
  }
  return driver.drive(c, { signal, timeoutMs: 5_000 })
}

const step = (method: string, path: string, bind?: Readonly<Record<string, string>>): InputStep => ({
  request: { method, path, headers: [] },
  ...(bind === undefined ? {} : { bind }),
})
const next = { next: 'header.location' }

test('a redirect is answered as it is, and the request after it is the next step, not the one it names', async () => {
  const { port, asked } = await serving(() => ({ 'GET /old': { status: 302, location: '/new' } }))
  const result = await driven(port, [step('GET', '/old'), step('GET', '/other')])
  expect(asked).toEqual(['GET /old', 'GET /other'])
  expect(result).toMatchObject({
    ok: true,
    observation: [{ response: { status: 302 } }, { response: { status: 404 } }],
  })
})

test('a chain of redirects is followed step by step where each location is bound: absolute, on its path, relative, with a query', async () => {
  const { port, asked } = await serving(own => ({
    'POST /orders': { status: 303, location: `http://127.0.0.1:${own}/orders/7?new=1` },
    'GET /orders/7?new=1': { status: 302, location: '/o/7/' },
    'GET /o/7/': { status: 307, location: '../final?x=a%20b' },
    'GET /o/final?x=a%20b': {},
  }))
  const result = await driven(port, [
    step('POST', '/orders', next),
    step('GET', '{{next}}', next),
    step('GET', '{{next}}', next),
    step('GET', '{{next}}'),
  ])
  expect(asked).toEqual(['POST /orders', 'GET /orders/7?new=1', 'GET /o/7/', 'GET /o/final?x=a%20b'])
  expect(result.ok && result.observation.map(seen => seen.kind === 'response' && seen.response.status)).toEqual([
    303, 302, 307, 200,
  ])
})

test.each<[string, string, (port: number, foreign: number) => string]>([
  ['another port of this host', 'header.location', (_, foreign) => `http://127.0.0.1:${foreign}/stolen`],
  ['another name of this host', 'header.location', port => `http://localhost:${port}/stolen`],
  ['a name without its scheme', 'header.location', (_, foreign) => `//127.0.0.1:${foreign}/stolen`],
  ['a name behind backslashes', 'header.location', (_, foreign) => `\\\\127.0.0.1:${foreign}/stolen`],
  ['a name that begins like its own', 'header.location', port => `http://127.0.0.1:${port}.example.invalid/stolen`],
  [
    'its own name as a user of another',
    'header.location',
    (port, foreign) => `http://127.0.0.1:${port}@127.0.0.1:${foreign}/stolen`,
  ],
  ['no service at all', 'header.location', () => 'mailto:ana@example.invalid'],
  ['another port in a link', 'link.next', (_, foreign) => `<http://127.0.0.1:${foreign}/stolen>; rel="next"`],
])('a redirect to %s is unbound at its step, and is never requested', async (_name, source, target) => {
  const foreign = await serving(() => ({}))
  const { port, asked } = await serving(own => ({
    'GET /old': {
      status: 302,
      ...(source === 'link.next' ? { link: target(own, foreign.port) } : { location: target(own, foreign.port) }),
    },
  }))
  const result = await driven(port, [
    step('GET', '/old', { next: source }),
    step('GET', '{{next}}'),
    step('GET', '/last'),
  ])
  expect(result).toMatchObject({
    ok: false,
    fault: {
      reason: 'unbound',
      step: 0,
      message: `step 0: the binding \`next\` found no value: ${source} leads to another host, where nothing is sent; 2 steps were not driven`,
    },
    seen: [{ response: { status: 302 } }],
  })
  expect(asked).toEqual(['GET /old'])
  expect(foreign.asked).toEqual([])
})

test('a location taken from a body is sent nowhere else either', async () => {
  const foreign = await serving(() => ({}))
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ next: `http://127.0.0.1:${foreign.port}/stolen` })),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const result = await driven(port, [step('GET', '/old', { next: '$.next' }), step('GET', '{{next}}')])
  expect(result).toMatchObject({ ok: false, fault: { reason: 'unbound', step: 1 } })
  expect(foreign.asked).toEqual([])
})

test('a binding that selects two places is unbound at its step, and names both', async () => {
  const { port, asked } = await serving(() => ({ 'GET /old': {} }))
  const result = await driven(port, [step('GET', '/old', { id: '$["at","at"]' }), step('GET', '/{{id}}')])
  expect(result).toMatchObject({
    ok: false,
    fault: {
      reason: 'unbound',
      step: 0,
      message: expect.stringContaining('selects 2 places in its answer ($.at): it must be one'),
    },
  })
  expect(asked).toEqual(['GET /old'])
})
