/** Programs that boot a real lab of containers in a process of their own, so that a test can end that process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Boots in a second or two, and its image is small. */
export const LAB = 'forex-express3-container'
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The last lines of a program that failed. */
const SHOWN = 20

export interface LabProcess {
  readonly child: ChildProcess
  readonly ended: Promise<number | NodeJS.Signals | null>
  /** What it printed, errors too. */
  readonly lines: readonly string[]
  /** Names all that it makes on the engine; null when it ended before it said so. */
  readonly session: Promise<string | null>
  /** Resolves once a line begins so; rejects with what was printed when the program ends without it. */
  printed(start: string): Promise<string>
}

/** Starts a program in a process of its own; `session …` among its lines names what it makes. */
export function labProcess(words: readonly string[], env: Readonly<Record<string, string>> = {}): LabProcess {
  const child = spawn(process.execPath, ['--no-warnings', ...words], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', l => lines.push(l))
  let over = false
  const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
    child.once('close', (code, signal) => {
      over = true
      resolve(code ?? signal)
    })
  })
  const printed = async (start: string): Promise<string> => {
    for (;;) {
      const found = lines.find(line => line.startsWith(start))
      if (found !== undefined) return found.slice(start.length)
      if (over) throw new Error(`the program ended without ${start}:\n${lines.slice(-SHOWN).join('\n')}`)
      await sleep(10)
    }
  }
  return { child, ended, lines, session: printed('session ').catch(() => null), printed }
}

export interface LabPrograms extends AsyncDisposable {
  /** Starts a process that runs `body`, with `lab`, `startLab` and `signal` in scope. */
  run(body: string): Promise<LabProcess>
}

export async function labPrograms(): Promise<LabPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-programs-'))
  const children = new Set<ChildProcess>()
  const source = (path: string): string => JSON.stringify(join(ROOT, path))
  let count = 0
  return {
    async run(body) {
      const program = join(folder, `${++count}.mts`)
      await writeFile(
        program,
        `import { loadLab } from ${source('src/lab/lab-file.ts')}
         import { startLab } from ${source('src/lab/process-driver.ts')}
         import { sessionId } from ${source('src/lab/container/session.ts')}
         console.log('session ' + sessionId())
         const lab = await loadLab(${source(`labs/${LAB}`)})
         const { signal } = new AbortController()
         ${body}`,
      )
      const started = labProcess([program])
      children.add(started.child)
      return started
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The process that cleans up after a session; null when there is none. */
export function janitorOf(session: string): number | null {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0')
      if (words.includes(session) && words.some(word => word.includes('janitor-program'))) return Number(entry)
    } catch {
      // ended meanwhile
    }
  }
  return null
}
