import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { bornOf } from '../processes.ts'

/** Who answers for an object: one process of one machine. */
export interface Owner {
  readonly pid: number
  /** When that process started, as its system counts; null where it does not say. */
  readonly born: string | null
  /** Its machine, and where there are several spaces of process numbers on it, which one. */
  readonly host: string
}

const SESSION = randomBytes(8).toString('hex')

/** Names this process on every object that it makes; no other process has it. */
export function sessionId(): string {
  return SESSION
}

let owner: Owner | null = null

/** This process. */
export function thisOwner(): Owner {
  owner ??= { pid: process.pid, born: bornOf(process.pid), host: thisHostName() }
  return owner
}

function thisHostName(): string {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}`
  } catch {
    return hostname()
  }
}
