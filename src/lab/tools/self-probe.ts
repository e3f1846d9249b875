/**
 * Says what the first process of a container is allowed, from a container that shares its processes. It runs as the same
 * user, so what it may do to that root is what the service may do.
 */
import { accessSync, constants, openSync, readFileSync, statSync } from 'node:fs'

/** The one line that it prints, as JSON. Null: it could not be read, for the reason in `unread`. */
export interface SelfSeen {
  readonly uids: string | null
  readonly capabilities: string | null
  readonly noNewPrivileges: string | null
  readonly seccomp: string | null
  /** Options of the root mount of the service. */
  readonly root: string | null
  /** What came of a try to make a file in that root. */
  readonly write: string
  /** Mounts of the service that this user may write to. */
  readonly writable: readonly string[] | null
  readonly memoryBytes: string | null
  readonly pids: string | null
  readonly unread: readonly string[]
}

const unread: string[] = []

function read(...paths: readonly string[]): string | null {
  let why = ''
  for (const path of paths) {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      why = `${path}: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`
    }
  }
  unread.push(why)
  return null
}

/** Path and options of each mount of /proc/1/mountinfo. */
function mountsOf(text: string): { path: string; options: string[] }[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const words = line.split(' ')
      return { path: words[4] ?? '', options: (words[5] ?? '').split(',') }
    })
}

function tryWrite(): string {
  try {
    openSync('/proc/1/root/vitest-parity-was-here', 'wx')
    return 'written'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** What the engine masks is covered by a device that swallows everything: writing there changes nothing. */
function mayWrite(path: string): boolean {
  try {
    accessSync(`/proc/1/root${path}`, constants.W_OK)
    return !statSync(`/proc/1/root${path}`).isCharacterDevice()
  } catch {
    return false
  }
}

const status = read('/proc/1/status')
const mountinfo = read('/proc/1/mountinfo')
const mounts = mountinfo === null ? null : mountsOf(mountinfo)
const field = (name: string): string | null =>
  status === null ? null : (new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? null)
const cgroup = '/proc/1/root/sys/fs/cgroup'

const seen: SelfSeen = {
  uids: field('Uid'),
  capabilities: field('CapBnd'),
  noNewPrivileges: field('NoNewPrivs'),
  seccomp: field('Seccomp'),
  // The last mount on a place is the one that is seen.
  root: mounts?.findLast(mount => mount.path === '/')?.options.join(',') ?? null,
  write: tryWrite(),
  writable:
    mounts
      ?.map(mount => mount.path)
      .filter(mayWrite)
      .sort() ?? null,
  memoryBytes: read(`${cgroup}/memory.max`, `${cgroup}/memory/memory.limit_in_bytes`)?.trim() ?? null,
  pids: read(`${cgroup}/pids.max`, `${cgroup}/pids/pids.max`)?.trim() ?? null,
  unread,
}
process.stdout.write(`${JSON.stringify(seen)}\n`)
