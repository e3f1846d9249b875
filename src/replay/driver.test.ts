import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { MemberList, NumberToken } from '../core/json.ts'
import type { Case, InputStep } from '../model.ts'
import { openTarget } from './driver.ts'
import { fn, http, type Served, type StartContext, type Target } from './target.ts'

const folder = mkdtempSync(join(tmpdir(), 'parity driver ü '))
afterAll(() => rmSync(folder, { recursive: true }))

function caseOf(steps: readonly InputStep[], now: string | null = null): Case {
  return { name: '001-happy-x', bucket: 'happy', covers: [], steps, now, class: null, id: 'sha256:0' }
}
const getRoot = { request: { method: 'GET', path: '/', headers: [] } }
const context = { clock: '2026-01-02T03:04:05Z', tz: 'UTC', signal: new AbortController().signal }
const options = { signal: context.signal, timeoutMs: 5_000 }

async function drive(target: Target, c: Case, timeoutMs = 5_000) {
  await using driver = await openTarget(target, context)
  return await driver.drive(c, { ...options, timeoutMs })
}

async function serve(answer: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/` }
}

async function start({ clock }: StartContext): Promise<Served> {
  const { server, url } = await serve(String(clock))
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function textsOf(driven: Awaited<ReturnType<typeof drive>>): readonly string[] {
  if (!driven.ok) throw new Error(driven.fault.message)
  return driven.observation.map(step => {
    if (step.kind === 'command') return Buffer.from(step.stdout).toString()
    if (step.kind !== 'response') return JSON.stringify(step)
    const { body } = step.response
    return body !== undefined && 'bytes' in body ? Buffer.from(body.bytes).toString() : ''
  })
}

describe('a service', () => {
  test('given by a URL is driven step by step', async () => {
    const { server, url } = await serve('hello')
    expect(textsOf(await drive(http(url), caseOf([getRoot, getRoot])))).toEqual(['hello', 'hello'])
    server.close()
  })

  test('that names its own authority in Location names itself, and no other authority', async () => {
    const server = createServer((request, response) => {
      const own = `http://${request.headers.host}`
      response.writeHead(302, ['Location', request.url === '/own' ? `${own}/next` : 'http://127.0.0.1:1/next']).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const step = (path: string) => ({ request: { method: 'GET', path, headers: [] } })
    const driven = await drive(http(url), caseOf([step('/own'), step('/other')]))
    const locations = driven.ok
      ? driven.observation.map(
          each => each.kind === 'response' && each.response.headers.find(([n]) => n === 'Location')?.[1],
        )
      : []
    expect(locations).toEqual(['{self}/next', 'http://127.0.0.1:1/next'])
    server.close()
  })

  test('given by a start function runs at the instant of the case', async () => {
    await using driver = await openTarget(http(start), context)
    expect(textsOf(await driver.drive(caseOf([getRoot]), options))).toEqual(['2026-01-02T03:04:05Z'])
    expect(textsOf(await driver.drive(caseOf([getRoot], '2027-01-01T00:00:00Z'), options))).toEqual([
      '2027-01-01T00:00:00Z',
    ])
  })

  test('given by a URL cannot be set to the instant of a case, and says so', async () => {
    const { server, url } = await serve('hello')
    expect(await drive(http(url), caseOf([getRoot], '2027-01-01T00:00:00Z'))).toMatchObject({
      ok: false,
      seen: [],
      fault: { reason: 'environment' },
    })
    server.close()
  })

  test('is stopped, and its signal aborted, when the driver is disposed', async () => {
    let signal: AbortSignal | undefined
    const disposals: number[] = []
    const driver = await openTarget(
      http(async context => {
        signal = context.signal
        const served = await start(context)
        return { ...served, url: served.url, [Symbol.asyncDispose]: async () => void disposals.push(1) }
      }),
      context,
    )
    expect([signal?.aborted, disposals.length]).toEqual([false, 0])
    await driver[Symbol.asyncDispose]()
    expect([signal?.aborted, disposals.length]).toEqual([true, 1])
  })

  test('that fails to start is unreachable, with its message, for every case and for the probe', async () => {
    await using driver = await openTarget(
      http(() => {
        throw new Error('no database\nat secret place')
      }),
      context,
    )
    const fault = { reason: 'candidate-unreachable', step: 0, message: 'the candidate did not start: no database' }
    expect(await driver.drive(caseOf([getRoot]), options)).toEqual({ ok: false, fault, seen: [] })
    expect(await driver.probe()).toEqual(fault)
  })

  test('that hangs while it starts is unreachable with the bound, and is stopped when it comes up late', async () => {
    const stopped = Promise.withResolvers<void>()
    const up = Promise.withResolvers<Served>()
    await using driver = await openTarget(
      http(() => up.promise),
      { ...context, startMsMax: 50 },
    )
    expect(await driver.probe()).toEqual({
      reason: 'candidate-unreachable',
      step: 0,
      message: 'the candidate did not start within 50 ms',
    })
    up.resolve({ url: 'http://127.0.0.1:1', [Symbol.asyncDispose]: async () => stopped.resolve() })
    await stopped.promise
  })

  test('that is still starting when the suite ends is stopped when it comes up', async () => {
    const stopped = Promise.withResolvers<void>()
    const up = Promise.withResolvers<Served>()
    const closed = new AbortController()
    const opening = openTarget(
      http(() => up.promise),
      { ...context, signal: closed.signal },
    )
    closed.abort(new Error('closed'))
    await expect(opening).rejects.toThrow('closed')
    up.resolve({ url: 'http://127.0.0.1:1', [Symbol.asyncDispose]: async () => stopped.resolve() })
    await stopped.promise
  })

  test('that does not stop is an error with the bound and the fix', async () => {
    const { server, url } = await serve('hello')
    const hung = { url, [Symbol.asyncDispose]: () => new Promise<void>(() => {}) }
    const driver = await openTarget(
      http(() => hung),
      { ...context, stopMsMax: 50 },
    )
    await expect(driver[Symbol.asyncDispose]()).rejects.toMatchObject({
      code: 'PARITY_TARGET_DISPOSE',
      message: expect.stringContaining('the started candidate did not stop within 50 ms\nFix: let its'),
    })
    server.close()
  })

  test('whose start function returns no URL is unreachable', async () => {
    await using driver = await openTarget(
      http(() => ({ url: 'localhost:1' })),
      context,
    )
    expect(await driver.probe()).toEqual({
      reason: 'candidate-unreachable',
      step: 0,
      message: 'the candidate started, but its start function returned no usable { url }',
    })
  })

  test('that listens passes the probe, and one that does not is named', async () => {
    const { server, url } = await serve('hello')
    await using driver = await openTarget(http(url), context)
    expect(await driver.probe()).toBe(null)
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    expect(await driver.probe()).toEqual({
      reason: 'candidate-unreachable',
      step: 0,
      message: `the candidate at ${new URL(url).origin} cannot be reached: the connection was refused`,
    })
  })

  test('takes no inputs', async () => {
    await expect(drive(http(start), caseOf([{ input: 1 }]))).rejects.toMatchObject({ code: 'PARITY_TARGET_KIND' })
  })
})

describe('a function', () => {
  test('is called with a copy of the input at the instant of the case', async () => {
    const input = { a: 1, b: [new NumberToken('10.00')] }
    const target = fn((given: { a: number; b: number[] }, { clock }) => {
      given.b.push(given.a)
      return { given, clock }
    })
    expect(await drive(target, caseOf([{ input }, { input }]))).toEqual({
      ok: true,
      observation: [0, 1].map(() => ({
        kind: 'output',
        output: { given: { a: 1, b: [10, 1] }, clock: '2026-01-02T03:04:05Z' },
      })),
    })
  })

  test('takes an input with duplicate names as JSON.parse does', async () => {
    const input = new MemberList([
      ['a', 1],
      ['a', 2],
    ])
    expect(
      await drive(
        fn(given => given),
        caseOf([{ input }]),
      ),
    ).toMatchObject({ observation: [{ output: { a: 2 } }] })
  })

  const thrown: readonly [string, unknown, unknown][] = [
    ['an error with its class', new RangeError('too far'), { name: 'RangeError', code: null, message: 'too far' }],
    ['a code', Object.assign(new Error('no'), { code: 'E_NO' }), { name: 'Error', code: 'E_NO', message: 'no' }],
    ['a number code as text', Object.assign(new Error('no'), { code: 7 }), { name: 'Error', code: '7', message: 'no' }],
    ['a string', 'oops', { name: 'string', code: null, message: 'oops' }],
    ['nothing', undefined, { name: 'undefined', code: null, message: 'undefined' }],
  ]
  test.each(thrown)('that throws %s is observed as such', async (_name, error, threw) => {
    const sync = fn(() => {
      throw error
    })
    expect(await drive(sync, caseOf([{ input: null }]))).toEqual({ ok: true, observation: [{ kind: 'threw', threw }] })
    expect(
      await drive(
        fn(() => Promise.reject(error)),
        caseOf([{ input: null }]),
      ),
    ).toEqual({
      ok: true,
      observation: [{ kind: 'threw', threw }],
    })
  })

  test('whose output has no JSON form is observed with the place', async () => {
    expect(
      await drive(
        fn(() => ({ a: new Map() })),
        caseOf([{ input: null }]),
      ),
    ).toMatchObject({
      observation: [{ kind: 'output', output: null, unserialisable: { path: '$.a' } }],
    })
  })

  test('that does not settle is a timeout with its bound, and its signal is aborted', async () => {
    let signal: AbortSignal | undefined
    const target = fn((_input, given) => {
      signal = given.signal
      return new Promise(() => {})
    })
    expect(await drive(target, caseOf([{ input: null }]), 50)).toEqual({
      ok: false,
      seen: [],
      fault: { reason: 'timeout', step: 0, message: 'the function did not settle within 50 ms' },
    })
    expect(signal?.aborted).toBe(true)
  })
})
