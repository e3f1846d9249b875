/** Throw-away projects that the real Vitest runs in, for tests of the Vitest side. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Verdict } from '../src/model.ts'
import type { JsonReport } from '../src/report/json.ts'
import type { StoredEvent } from '../src/run/events.ts'

const REPO = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(REPO, 'node_modules', 'vitest', 'vitest.mjs')
/** A run that takes longer is a failure of the test, not of the machine. */
const RUN_MS_MAX = 90_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  /** Resolves once what was printed so far matches. */
  seen(pattern: RegExp): Promise<void>
  /** Both streams, in the order they came. */
  output(): string
  readonly ended: Promise<Ended>
}

export interface Project extends Disposable {
  readonly root: string
  write(path: string, text: string): void
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running
  report(): JsonReport
  /** `feature case` → state, with the reason of an UNVERIFIABLE. */
  states(): Record<string, string>
  events(): StoredEvent[][]
}

export interface ProjectOptions {
  /** Text of the options of `parity()`. Default none. */
  readonly parity?: string
  readonly files: Readonly<Record<string, string>>
  /** Part of the name of the folder. */
  readonly name?: string
  /** Further members of the configuration, as text. */
  readonly config?: string
  /** How long a run may take before it is killed. Default 90_000. */
  readonly runMsMax?: number
}

/** Path of a module of this repository, for an import in a file of a project. */
export function source(path: string): string {
  return join(REPO, path)
}

export const FAKE = `import { describeParity, expectParity, http, test } from '${source('test/fake-suite.ts')}'\n`

/** The word, for texts of modules: a tool asks for the export, and this repository has none of its own. */
export const DEFAULT = 'default'

export function makeProject(options: ProjectOptions): Project {
  const root = mkdtempSync(join(tmpdir(), `parity-${options.name ?? 'project'}-`))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(join(REPO, 'node_modules'), join(root, 'node_modules'))
  write('package.json', '{ "type": "module", "private": true }\n')
  write(
    'vitest.config.ts',
    `import { defineConfig } from 'vitest/config'
import { parity } from '${source('src/vitest/plugin.ts')}'
export ${DEFAULT} defineConfig({ plugins: [parity(${options.parity ?? ''})], ${options.config ?? ''} })\n`,
  )
  for (const [path, text] of Object.entries(options.files)) write(path, text)
  const report = (): JsonReport => JSON.parse(readFileSync(join(root, '.parity', 'report.json'), 'utf8'))
  const { runMsMax = RUN_MS_MAX } = options
  const start: Project['start'] = (args, env) => startVitest({ root, args, runMsMax }, env)
  return {
    root,
    write,
    start,
    run: (args, env) => start(args, env).ended,
    report,
    states: () => Object.fromEntries(report().verdicts.map(each => [`${each.feature} ${each.case}`, stateText(each)])),
    events: () =>
      readdirSync(join(root, '.parity', 'runs'))
        .sort()
        .map(id => readEvents(join(root, '.parity', 'runs', id, 'events.ndjson'))),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

function readEvents(file: string): StoredEvent[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map(line => JSON.parse(line))
}

function stateText(verdict: Verdict): string {
  return verdict.state === 'UNVERIFIABLE' ? `UNVERIFIABLE ${verdict.reason}` : verdict.state
}

function startVitest(
  { root, args, runMsMax }: { readonly root: string; readonly args: readonly string[]; readonly runMsMax: number },
  env: Readonly<Record<string, string>> = {},
): Running {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|TEST$|CI$|GITHUB_)/.test(name)),
  )
  const child = spawn(process.execPath, [VITEST, ...args], {
    cwd: root,
    env: { ...inherited, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that a test can send a signal as a terminal does
  })
  let stdout = ''
  let stderr = ''
  let output = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout += chunk
    output += chunk
    for (const check of waiting) check()
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
    output += chunk
    for (const check of waiting) check()
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), runMsMax)
  const ended = new Promise<Ended>(resolve => {
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, stdout, stderr })
    })
  })
  const seen = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!pattern.test(output)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
      void ended.then(() => reject(new Error(`it ended before ${pattern} was seen:\n${stdout}\n${stderr}`)))
    })
  return { child, seen, output: () => output, ended }
}
