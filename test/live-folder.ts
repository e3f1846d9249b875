/** A small feature with a lab, for tests of live suites: written by the test, no goldens. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import type { FeatureOptions, Suite } from '../src/pipeline/suite.ts'
import { http, type Served, type Target } from '../src/replay/target.ts'

export interface LiveText {
  /** Body of the function `(request, response, body, n)` of the legacy: `n` counts its requests from 1. */
  readonly legacy: string
  /** Before the server is made. */
  readonly before?: string
  /** Case → the members of its file. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Further lines of the contract. */
  readonly contract?: string
  /** Further lines of the service in lab.yaml, in place of `reset: restart`. */
  readonly service?: string
  readonly tolerance?: string
  /** Files in place of those made of the above, by path. */
  readonly files?: Readonly<Record<string, string>>
}

/** The files of the feature `live`, by path. */
export function liveFiles(o: LiveText): Record<string, string> {
  const inputs = Object.entries(o.inputs).map(
    ([name, input]) => [`parity/live/inputs/${name}.json`, JSON.stringify(input)] as const,
  )
  return {
    'parity/live/contract.yaml': `feature: live\nlab: small\nrevision: r1\n${o.contract ?? ''}`,
    'tolerance/live.yaml': o.tolerance ?? '{}\n',
    'labs/small/lab.yaml': `id: small
claim: what the test needs
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
services:
  app:
    command: [node, app.cjs, "\${port}"]
    ready: { http: GET /ready, timeoutMs: 5000 }
    ${o.service ?? 'reset: restart'}
`,
    'labs/small/app.cjs': `const http = require('node:http'), fs = require('node:fs')
let n = 0
${o.before ?? ''}
const json = (response, value, status = 200) => {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
}
const answer = (request, response, body, n) => { ${o.legacy} }
http.createServer((request, response) => {
  n++
  let body = ''
  request.on('data', chunk => { body += chunk })
  request.on('end', () => {
    if (request.url === '/ready') return response.end('ready')
    answer(request, response, body, n)
  })
}).listen(process.argv[2], '127.0.0.1', () => console.log('listens'))
`,
    ...Object.fromEntries(inputs),
    ...o.files,
  }
}

/** A GET of a path, as an input. */
export function get(path: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { covers: [], steps: [{ request: { method: 'GET', path } }], ...more }
}

/** The feature in a folder of its own, opened live; both are gone when it is disposed. */
export function openLiveFolder(
  o: LiveText,
  options: Omit<FeatureOptions, 'against'>,
): Suite & AsyncDisposable & { readonly root: string; readonly live: NonNullable<Suite['checkLive']> } {
  const root = mkdtempSync(join(tmpdir(), 'live-'))
  for (const [path, text] of Object.entries(liveFiles(o))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const suite = openSuite({
    root,
    dirs: {},
    feature: 'live',
    options: { ...options, against: 'live' },
    asOf: '2026-11-30',
    candidateId: 'test',
  })
  const live = suite.checkLive?.bind(suite)
  if (live === undefined) throw new Error('the suite is not live')
  return Object.assign(suite, {
    root,
    live,
    async [Symbol.asyncDispose]() {
      await suite.close()
      rmSync(root, { recursive: true, force: true })
    },
  })
}

/** A candidate that answers as the listener does that is made anew at each start. */
export function serving(listener: (clock: string | null) => RequestListener): Target {
  return http(async ({ clock }): Promise<Served> => {
    const server = createServer(listener(clock))
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

/** A candidate that answers every request with a JSON value. */
export function answering(value: unknown, status = 200): Target {
  return serving(() => (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  })
}

/** A verdict in one line: the state, and what stands behind it. */
export function lineOf(verdict: Verdict): string {
  switch (verdict.state) {
    case 'PARITY':
      return 'PARITY'
    case 'DIVERGED':
      return `DIVERGED ${verdict.differences.map(({ path, legacy, candidate }) => `${path} ${legacy} ${candidate}`).join(' ')}`
    case 'UNVERIFIABLE':
      return `${verdict.reason}: ${verdict.message}`
    default:
      return verdict satisfies never
  }
}
