import { readdirSync, readFileSync } from 'node:fs'

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

/** Whether a process of that number runs, whoever owns it; of a negative number: any of that group. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Tells a process from a later one of the same number; `gone` when it ended; null where there is no /proc. */
export function bornOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? null)
  } catch {
    return null
  }
}

/** Whether the process of that number is the one that was `born` then. Where nothing says, the number decides. */
export function isStillThere(pid: number, born: string | null): boolean {
  if (!isAlive(pid)) return false
  const now = bornOf(pid)
  return now !== 'gone' && (born === null || now === null || now === born)
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // already gone
  }
}
