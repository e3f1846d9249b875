/** A service whose answers a test writes, as a legacy in a lab and as a rewrite beside it, in a project of its own. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COMMANDS } from '../src/cli/commands.ts'
import { runProgram } from '../src/cli/program.ts'
import type { Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { type RecordReport, recordFeature } from '../src/pipeline/record.ts'
import { http, type Target } from '../src/replay/target.ts'

export interface Asked {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What a service keeps until it is put back. */
export interface World {
  /** Sixteen hex digits that never came before, with a letter amid them: by chance alone they could read as a card number. */
  fresh(): string
  readonly store: Record<string, string>
}

export type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]
/** Refers to nothing outside of itself: its source becomes the legacy. */
export type Service = (asked: Asked, world: World) => Answer

export interface DeskOptions {
  readonly legacy: Service
  readonly inputs: Readonly<Record<string, object>>
  /** Default: no rule. */
  readonly tolerance?: string
  /** Default: none. */
  readonly decisions?: string
  /** Further lines of the contract. */
  readonly contract?: string
  /** Further lines of the lab. */
  readonly lab?: string
}

export interface Desk extends Disposable {
  readonly root: string
  write(path: string, text: string): void
  record(): Promise<RecordReport>
  /** The verdict of each case. */
  judge(candidate: Service | Target): Promise<Record<string, Verdict>>
  /** What a command prints, and its exit code. */
  run(words: readonly string[]): Promise<{ readonly code: number; readonly out: string }>
}

const fresh = (hex: string): string => `${hex.slice(0, 8)}f${hex.slice(9)}`

const APP = (legacy: Service): string => `
const http = require('node:http'), { randomBytes } = require('node:crypto')
const service = ${legacy.toString()}
const fresh = ${fresh.toString()}
const made = () => ({ fresh: () => fresh(randomBytes(8).toString('hex')), store: {} })
let world = made()
http.createServer((request, response) => {
  let body = ''
  request.on('data', chunk => { body += chunk }).on('end', () => {
    if (request.url === '/ready') return response.end()
    if (request.url === '/reset') { world = made(); return response.writeHead(204).end() }
    const asked = { method: request.method, path: request.url, headers: request.headers, body }
    const [status, value, headers] = service(asked, world)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(JSON.stringify(value))
  })
}).listen(process.argv[2], '127.0.0.1')
`

/** The rewrite, started anew for each case. */
function rewrite(service: Service): Target {
  return http(async () => {
    const world: World = { fresh: () => fresh(randomBytes(8).toString('hex')), store: {} }
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { method = '', url = '' } = request
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const [status, value, more] = service({ method, path: url, headers, body }, world)
      response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(value))
    })
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

export function openDesk(o: DeskOptions): Desk {
  const root = mkdtempSync(join(tmpdir(), 'desk-'))
  const { signal } = new AbortController()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('labs/desk/app.cjs', APP(o.legacy))
  write(
    'labs/desk/lab.yaml',
    `id: desk
claim: what the test needs
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
services:
  app:
    command: [node, app.cjs, "\${port}"]
    ready: { http: GET /ready, timeoutMs: 10000 }
    reset: { http: POST /reset }
${o.lab ?? ''}`,
  )
  write(
    'parity/desk/contract.yaml',
    `feature: desk
lab: desk
revision: r1
reset: case
outputs: { all: [$.ok] }
${o.contract ?? 'sends: []\n'}`,
  )
  write('tolerance/desk.yaml', o.tolerance ?? '{}\n')
  if (o.decisions !== undefined) write('tolerance/desk.rules.yaml', o.decisions)
  for (const [name, input] of Object.entries(o.inputs)) {
    write(`parity/desk/inputs/${name}.json`, JSON.stringify({ covers: ['outputs.all'], ...input }))
  }
  return {
    root,
    write,
    record: () => recordFeature({ root, feature: 'desk', signal }),
    async judge(candidate) {
      const target = typeof candidate === 'function' ? rewrite(candidate) : candidate
      const options = { candidate: target }
      const suite = openSuite({ root, dirs: {}, feature: 'desk', options, asOf: '2026-12-01', candidateId: 'test' })
      try {
        const verdicts: Record<string, Verdict> = {}
        for (const name of suite.cases) verdicts[name] = await suite.check(name)
        return verdicts
      } finally {
        await suite.close()
      }
    },
    async run(words) {
      let out = ''
      const print = (text: string): void => {
        out += `${text}\n`
      }
      const code = await runProgram(COMMANDS, words, { cwd: root, env: {}, signal, out: print, err: print })
      return { code, out }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const get = (path: string, more: object = {}): object => ({
  request: { method: 'GET', path, headers: [] },
  ...more,
})

export function post(path: string, json: unknown, more: object = {}): object {
  const headers = [['Content-Type', 'application/json']]
  return { request: { method: 'POST', path, headers, body: { json } }, ...more }
}
