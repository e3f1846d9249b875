/**
 * A program of its own: runs one command in a process group, and leaves nothing of it behind.
 *
 * `node supervisor.ts <JSON of SupervisorSpec>`. It stays until its stdin closes, which happens when its parent
 * asks for it, exits in whatever way, or is killed: then the group gets SIGTERM, and after `graceMs` SIGKILL, and
 * `removeDirs` are deleted. Over IPC it reports `SupervisorMessage`s. It imports nothing of this package.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'

export interface SupervisorSpec {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly graceMs: number
  readonly removeDirs: readonly string[]
  /** Stands in the environment of all that the command starts, so that what left the group is found too (Linux). */
  readonly mark: string
}

export type SupervisorMessage =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'not-started'; readonly code: string }
  | { readonly type: 'exited'; readonly code: number | null; readonly signal: string | null }

const POLL_MS = 20
const KILL_WAIT_MS = 2000

/** The processes of `pgid` and those that carry `mark`, zombies left out. Where there is no /proc: `[-pgid]` while the group exists. */
export function processesOf(pgid: number, mark: string): number[] {
  let entries: string[]
  try {
    entries = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return isAlive(-pgid) ? [-pgid] : []
  }
  const found: number[] = []
  for (const entry of entries) {
    const pid = Number(entry)
    if (pid === process.pid) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || state === 'X') continue
      if (Number(group) === pgid || readFileSync(`/proc/${entry}/environ`, 'latin1').includes(mark)) found.push(pid)
    } catch {
      // ended meanwhile, or belongs to someone else
    }
  }
  return found
}

/** Sends SIGTERM, waits `graceMs`, sends SIGKILL, and returns when nothing is left, or 2 s after the SIGKILL. */
export async function endProcesses(pgid: number, mark: string, graceMs: number): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    const until = performance.now() + waitMs
    const told = new Set<number>()
    for (;;) {
      const left = processesOf(pgid, mark)
      if (left.length === 0) return
      for (const pid of left) {
        if (told.has(pid)) continue
        told.add(pid)
        kill(pid, signal)
      }
      if (performance.now() >= until) break
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // already gone
  }
}

function supervise(spec: SupervisorSpec): void {
  const [program, ...args] = spec.argv
  // A write to a parent that is gone must not end the supervisor before its work is done.
  const report = (message: SupervisorMessage): void => {
    if (process.connected) process.send?.(message, () => {})
  }
  const child = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...spec.env, PARITY_LAB_MARK: spec.mark },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.once('spawn', () => report({ type: 'started', pid: child.pid ?? 0 }))
  child.once('error', error => report({ type: 'not-started', code: 'code' in error ? String(error.code) : error.name }))
  child.once('exit', (code, signal) => report({ type: 'exited', code, signal }))

  let ending = false
  const end = async (): Promise<void> => {
    if (ending) return
    ending = true
    if (child.pid !== undefined) await endProcesses(child.pid, spec.mark, spec.graceMs)
    for (const dir of spec.removeDirs) {
      try {
        rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
      } catch {
        // not ours to report: the parent may be gone
      }
    }
    process.exit(0)
  }
  process.on('disconnect', end)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
  process.stdin.on('end', end).on('error', end).resume()
}

if (process.argv[2] !== undefined && import.meta.main) supervise(JSON.parse(process.argv[2]) as SupervisorSpec)
