/** Each reason that a comparison itself can meet, provoked in a recorded project, through the path that a suite takes. */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calibrationId } from '../src/golden/manifest.ts'
import type { Reason, Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { recordFeature } from '../src/pipeline/record.ts'
import { http, type Served, type Target } from '../src/replay/target.ts'
import { startHello } from '../template/hello/parity/hello/candidate/server.ts'

const CASE = '001-happy-plain'
let recorded = ''
beforeAll(async () => {
  recorded = mkdtempSync(join(tmpdir(), 'reasons-'))
  cpSync(join(import.meta.dirname, '../template/hello'), recorded, { recursive: true })
  await recordFeature({ root: recorded, feature: 'hello', signal: new AbortController().signal })
})
afterAll(() => rmSync(recorded, { recursive: true, force: true }))

const candidate = http(({ signal }) => startHello({ port: 0, signal }))

/** A candidate that answers as `listener` does. */
function answering(listener: RequestListener): Target {
  return http(async (): Promise<Served> => {
    const server = createServer(listener)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      },
    }
  })
}

type Change = string | ((text: string) => string)
type Edit = (file: (path: string) => { replace(from: string | RegExp, to: Change): void; remove(): void }) => void

/** A calibration whose second captures had no body. */
function withoutBody(text: string): string {
  const calibration = JSON.parse(text)
  const noise = [{ step: 0, path: '$', pointer: '', first: '"json"', second: '"empty"' }]
  for (const entry of Object.values<{ noise: unknown }>(calibration.fixtures)) entry.noise = noise
  return JSON.stringify({ ...calibration, id: calibrationId(calibration.fixtures) })
}

/** The verdict of a case in a copy of the recorded project after an edit. */
async function verdictOf(o: {
  from?: string
  edit?: Edit
  target?: Target
  name?: string
  asOf?: string
}): Promise<Verdict> {
  const root = mkdtempSync(join(tmpdir(), 'reason-'))
  cpSync(o.from ?? recorded, root, { recursive: true })
  o.edit?.(path => ({
    replace(from, to) {
      const text = readFileSync(join(root, path), 'utf8')
      const edited = typeof to === 'string' ? text.replace(from, to) : text.replace(from, to)
      expect(edited).not.toBe(text)
      writeFileSync(join(root, path), edited)
    },
    remove: () => rmSync(join(root, path)),
  }))
  const suite = openSuite({
    root,
    dirs: {},
    feature: 'hello',
    options: { candidate: o.target ?? candidate, timeoutMs: 300 },
    asOf: o.asOf ?? '2026-11-30',
    candidateId: 'test',
  })
  try {
    return await suite.check(o.name ?? CASE)
  } finally {
    await suite.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const golden = `__golden__/hello/${CASE}.json`
const input = `parity/hello/inputs/${CASE}.json`

test('the project is sound before anything is broken', async () => {
  expect(await verdictOf({})).toMatchObject({ state: 'PARITY', case: CASE })
})

describe('what is on disk', () => {
  test.each<[Reason, string, Edit, { asOf?: string }?]>([
    ['no-fixture', 'the golden is gone', file => file(golden).remove()],
    ['fixture-tampered', 'one letter of the golden changed', file => file(golden).replace('Hello, Ana', 'Hallo, Ana')],
    ['fixture-stale', 'the input changed', file => file(input).replace('/hello/Ana', '/hello/Eva')],
    [
      'oracle-moved',
      'another revision is pinned',
      file => file('parity/hello/contract.yaml').replace('hello-1', 'hello-2'),
    ],
    ['calibration-missing', 'nobody captured it twice', file => file('__golden__/hello/calibration.json').remove()],
    [
      'calibration-expired',
      'the capture is older than the lab allows',
      file => file('labs/hello-legacy/lab.yaml').replace('tz: UTC', 'tz: UTC\nmaxAgeDays: 30'),
      { asOf: '2099-01-01' },
    ],
    [
      'control-degraded',
      'the second capture had no body',
      file => file('__golden__/hello/calibration.json').replace(/^.*$/s, withoutBody),
    ],
    [
      'control-unstable',
      'a rule that covered noise is gone',
      file => file('tolerance/hello.yaml').replace('  - $.servedAt\n', ''),
    ],
  ])('%s: %s', async (reason, _what, edit, more) => {
    expect(await verdictOf({ edit, ...more })).toMatchObject({ state: 'UNVERIFIABLE', reason, case: CASE })
  })

  test('only the case whose golden changed is touched', async () => {
    const edit: Edit = file => file(golden).replace('Hello, Ana', 'Hallo, Ana')
    expect(await verdictOf({ edit, name: '002-happy-german' })).toMatchObject({ state: 'PARITY' })
  })
})

describe('a candidate that', () => {
  test.each<[string, Reason, RequestListener]>([
    ['closes without an answer', 'transport', request => request.socket.destroy()],
    ['never answers', 'timeout', () => {}],
  ])('%s is %s', async (_what, reason, listener) => {
    expect(await verdictOf({ target: answering(listener) })).toMatchObject({ state: 'UNVERIFIABLE', reason })
  })

  test('does not listen blocks its cases by the gate, which names the cause', async () => {
    expect(await verdictOf({ target: http('http://127.0.0.1:9') })).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'blocked',
      cause: { gate: 'candidate', reason: 'candidate-unreachable' },
    })
  })

  test.each<[string, string, RequestListener]>([
    [
      'closes in the middle of its body',
      'protocol_error',
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
        response.write('{"greeting":')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    [
      'answers five megabytes of HTML',
      'content_kind',
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' })
        response.end(`<html>${'x'.repeat(5_000_000)}</html>`)
      },
    ],
    [
      'answers with another status',
      'status',
      (_request, response) => {
        response.writeHead(500, { 'Content-Type': 'application/json; charset=utf-8' })
        response.end('{}')
      },
    ],
  ])('%s has DIVERGED with %s', async (_what, kind, listener) => {
    const verdict = await verdictOf({ target: answering(listener) })
    expect(verdict.state).toBe('DIVERGED')
    if (verdict.state === 'DIVERGED') expect(verdict.differences.map(d => d.kind)).toContain(kind)
  })
})

test('both-failed: both sides fail alike, and only an error case says that they may', async () => {
  const root = mkdtempSync(join(tmpdir(), 'failing-'))
  cpSync(join(import.meta.dirname, '../template/hello'), root, { recursive: true })
  const server = join(root, 'labs/hello-legacy/server.cjs')
  const greet = "if (path.indexOf('/hello/') === 0) return greet(res, "
  const down = readFileSync(server, 'utf8').replace(greet, "if (path.indexOf('/hello/') === 0) return fail(res, 503, ")
  expect(down).toContain('fail(res, 503, ')
  writeFileSync(server, down.replace("path.slice('/hello/'.length), params)", "'E_DOWN', 'no database')"))
  await recordFeature({ root, feature: 'hello', signal: new AbortController().signal })
  const target = answering((_request, response) => {
    response.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8' })
    response.end(`{"error":{"code":"E_DOWN","message":"no database"},"requestId":"${randomUUID()}"}`)
  })
  const verdicts = await Promise.all(
    [CASE, '010-error-unknown-language', '021-edge-encoded-name'].map(name => verdictOf({ from: root, target, name })),
  )
  rmSync(root, { recursive: true, force: true })
  expect(verdicts).toMatchObject([
    { state: 'UNVERIFIABLE', reason: 'both-failed', case: CASE },
    { state: 'PARITY' },
    { state: 'PARITY' },
  ])
})

test('a request that changes state and is not listed is never sent', async () => {
  const requests: string[] = []
  const target = answering((request, response) => {
    requests.push(request.method ?? '')
    response.end('{}')
  })
  const edit: Edit = file => file(input).replace('"method": "GET"', '"method": "POST"')
  expect(await verdictOf({ edit, target })).toMatchObject({ state: 'UNVERIFIABLE' })
  expect(requests).toEqual([])
})
