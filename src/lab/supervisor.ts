/**
 * A program of its own: runs one command in a process group, and leaves nothing of it behind.
 *
 * Over IPC it gets one SupervisorSpec (not as an argument, which every user of the machine could read) and reports
 * `SupervisorMessage`s. It stays until its stdin closes, which happens when its parent asks for it, exits in whatever
 * way, or is killed: then the group gets SIGTERM, after `graceMs` SIGKILL, and `removeDirs` are deleted.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { endProcesses } from './processes.ts'

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

let pid: number | undefined
let spec: SupervisorSpec | undefined
let ending = false

async function end(): Promise<void> {
  if (ending) return
  ending = true
  if (pid !== undefined && spec !== undefined) await endProcesses(pid, spec.mark, spec.graceMs)
  for (const dir of spec?.removeDirs ?? []) {
    try {
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The parent tries as well, and may be gone.
    }
  }
  process.exit(0)
}

function report(message: SupervisorMessage): void {
  // The parent may be gone: its end is seen by stdin, not here.
  if (process.connected) process.send?.(message, () => {})
}

process.once('message', (received: SupervisorSpec) => {
  if (ending) return
  spec = received
  const [program, ...args] = spec.argv
  const child = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...spec.env, PARITY_LAB_MARK: spec.mark },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  pid = child.pid
  child.once('spawn', () => report({ type: 'started', pid: child.pid ?? 0 }))
  child.once('error', error => report({ type: 'not-started', code: 'code' in error ? String(error.code) : error.name }))
  child.once('exit', (code, signal) => report({ type: 'exited', code, signal }))
})
process.on('disconnect', end)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
process.stdin.on('end', end).on('error', end).resume()
