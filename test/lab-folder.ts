import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadLab, type ProcessLab } from '../src/lab/lab-file.ts'
import type { RunningLab } from '../src/lab/process-driver.ts'

/** A folder with a space and letters outside ASCII in its name; gone when disposed. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'parity tëst-日-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export interface LabText {
  /** Source of app.cjs, which gets the port as its argument. */
  readonly app: string
  /** In place of the command that runs app.cjs. */
  readonly command?: string
  /** Default: GET / answers 200 within 5 s. */
  readonly ready?: string
  readonly reset?: string
  /** In place of command, ready and reset: the lines of the service, as YAML. */
  readonly service?: string
  /** Further lines of the service, as YAML. */
  readonly more?: string
  /** Further files by path. */
  readonly files?: Readonly<Record<string, string>>
}

/** Writes a lab into `folder`/lab and returns that path. */
export async function writeLab(folder: string, lab: LabText): Promise<string> {
  const dir = join(folder, 'lab')
  const served = `    command: ${lab.command ?? `[node, app.cjs, "\${port}"]`}
    ready: ${lab.ready ?? '{ http: GET /, timeoutMs: 5000 }'}
    reset: ${lab.reset ?? 'restart'}`
  const yaml = `id: a-lab
claim: what the test needs
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
services:
  app:
${lab.service ?? served}
${lab.more ?? ''}`
  for (const [path, text] of Object.entries({ 'lab.yaml': yaml, 'app.cjs': lab.app, ...lab.files })) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return dir
}

/** Source of a service that answers every request with what `answer` makes of it: JSON text, status 200. */
export function appThatAnswers(answer: string, before = ''): string {
  return `
const http = require('node:http'), fs = require('node:fs')
let count = 0
${before}
http.createServer((request, response) => {
  count++
  response.end(JSON.stringify(${answer}))
}).listen(process.argv[2], '127.0.0.1', () => console.log('listening'))`
}

/** Resolves to whether `check` became true within `timeoutMs`. */
export async function eventually(check: () => boolean | Promise<boolean>, timeoutMs = 8000): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (performance.now() < until) {
    if (await check()) return true
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return check()
}

/** Whether a process runs; one that ended and waits for its parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}

/** The base URL of a running lab; empty where its program is called. */
export function urlOf({ drive }: Pick<RunningLab, 'drive'>): string {
  return drive.kind === 'http' ? drive.url : ''
}

/** A lab that is no container lab. */
export async function loadProcessLab(dir: string): Promise<ProcessLab> {
  const lab = await loadLab(dir)
  if (lab.driver === 'container') throw new Error(`${dir} is a container lab`)
  return lab
}
