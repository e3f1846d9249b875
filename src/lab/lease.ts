/**
 * Leases: one process at a time drives what several could reach.
 *
 * A folder of the temp folder holds numbered files for each key. The holder is whoever made the file of the highest
 * number: it is made by `link`, which only one can, and only once the one before it was given back or its process is
 * gone. So nobody ever has to delete the file of another, and a dead holder is succeeded atomically.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../core/canonical.ts'
import { bornOf, isStillThere } from './processes.ts'

const POLL_MS = 40
/** Files of earlier holders that stay, so that a process that just read the folder meets them. */
const KEPT = 32

export interface Lease {
  /** Gives it back. May be called again. */
  release(): void
}

export type Leased =
  | { readonly ok: true; readonly lease: Lease }
  /** `heldBy` is who has it, as `process 4711 (forex)`. */
  | { readonly ok: false; readonly heldBy: string }

export interface LeaseOptions {
  /** What it is held for, told to those who wait. */
  readonly purpose: string
  /** How long to wait for it. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Default: a folder of the temp folder of this machine, shared by all users. */
  readonly dir?: string
}

interface Holder {
  readonly pid: number
  /** When the process started, as the system counts; null where it does not say. */
  readonly born: string | null
  readonly purpose: string
}

/** Given back when this process ends, however it ends but by SIGKILL; that is found out by who comes next. */
const held = new Set<Lease>()
let isWatching = false

/**
 * Takes the lease of `key`, once nobody has it. It is given back by `release`, and at the end of this process.
 *
 * **Throws** what `signal` was aborted with, and the error of the system where the folder cannot be written.
 */
export async function takeLease(key: string, o: LeaseOptions): Promise<Leased> {
  const dir = o.dir ?? join(tmpdir(), 'vitest-parity-leases')
  openFolder(dir)
  const name = sha256(key).slice('sha256:'.length, 'sha256:'.length + 32)
  const deadline = performance.now() + o.timeoutMs
  for (;;) {
    o.signal.throwIfAborted()
    const taken = tryTake(dir, name, o.purpose)
    if ('lease' in taken) return { ok: true, lease: taken.lease }
    if (performance.now() >= deadline) return { ok: false, heldBy: taken.heldBy }
    await sleep(POLL_MS, undefined, { signal: o.signal }).catch(() => {})
  }
}

function tryTake(dir: string, name: string, purpose: string): { readonly lease: Lease } | { readonly heldBy: string } {
  const last = highest(dir, name)
  const holder = last === 0 ? null : holderOf(join(dir, `${name}.${last}`))
  if (holder !== null) return { heldBy: `process ${holder.pid} (${holder.purpose})` }
  const file = join(dir, `${name}.${last + 1}`)
  const mine: Holder = { pid: process.pid, born: bornOf(process.pid), purpose }
  // Whoever read the folder before others came and went may have made a file below theirs.
  if (!linkNew(file, mine) || highest(dir, name) !== last + 1) return { heldBy: 'another process' }
  prune(dir, name, last + 1 - KEPT)
  return { lease: leaseOn(file) }
}

function leaseOn(file: string): Lease {
  const lease: Lease = {
    release() {
      if (!held.delete(lease)) return
      try {
        replace(file, { free: true })
      } catch {
        // the folder is gone, and with it every lease in it
      }
    },
  }
  held.add(lease)
  if (!isWatching) {
    isWatching = true
    process.on('exit', () => {
      for (const each of [...held]) each.release()
    })
  }
  return lease
}

/** Who holds by this file: null when it was given back, or its process is gone. */
function holderOf(file: string): Holder | null {
  try {
    const { pid, born = null, purpose } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>
    if (typeof pid !== 'number' || !isStillThere(pid, born)) return null
    return { pid, born, purpose: String(purpose) }
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The highest number of a file of this name; 0 when there is none. */
function highest(dir: string, name: string): number {
  return Math.max(0, ...numbers(dir, name))
}

function numbers(dir: string, name: string): number[] {
  return readdirSync(dir).flatMap(file => {
    const [, number] = file.startsWith(`${name}.`) ? (/^\w+\.(\d+)$/.exec(file) ?? []) : []
    return number === undefined ? [] : [Number(number)]
  })
}

function prune(dir: string, name: string, upTo: number): void {
  for (const number of numbers(dir, name)) {
    if (number > upTo) continue
    try {
      rmSync(join(dir, `${name}.${number}`), { force: true })
    } catch {
      // it belongs to another user
    }
  }
}

/** Makes a file whole or not at all; false when it is there already. */
function linkNew(file: string, content: Holder): boolean {
  const scratch = scratchOf(file, content)
  try {
    linkSync(scratch, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(scratch, { force: true })
  }
}

function replace(file: string, content: { readonly free: true }): void {
  renameSync(scratchOf(file, content), file)
}

function scratchOf(file: string, content: object): string {
  const scratch = `${file}.${randomBytes(8).toString('hex')}.tmp`
  writeFileSync(scratch, JSON.stringify(content))
  chmodSync(scratch, 0o644) // other users read who holds it
  return scratch
}

function openFolder(dir: string): void {
  if (mkdirSync(dir, { recursive: true }) === undefined) return
  chmodSync(dir, 0o1777) // whoever else works on this machine takes part
}
