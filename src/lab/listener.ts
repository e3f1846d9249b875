import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTEN = '0A'

/**
 * Says whether one of `pids` holds the socket that listens on `port`; null where the system does not tell (no /proc).
 * A port that was free before the legacy started may have been taken by a stranger, whose answers must not be recorded.
 */
export function holdsPort(port: number, pids: readonly number[]): boolean | null {
  const inodes = listeningInodes(port)
  if (inodes === null) return null
  return pids.some(pid => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some(fd => {
        try {
          return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`))
        } catch {
          return false // closed meanwhile
        }
      })
    } catch {
      return false // ended meanwhile
    }
  })
}

function listeningInodes(port: number): Set<string> | null {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes = new Set<string>()
  let known = false
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let lines: string[]
    try {
      lines = readFileSync(table, 'latin1').trim().split('\n').slice(1)
    } catch {
      continue
    }
    known = true
    for (const line of lines) {
      const fields = line.trim().split(/\s+/)
      if (fields[1]?.endsWith(suffix) && fields[3] === LISTEN) inodes.add(`socket:[${fields[9]}]`)
    }
  }
  return known ? inodes : null
}
