import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endProcesses } from './processes.ts'
import type { SupervisorMessage, SupervisorSpec } from './supervisor.ts'

/** How a command ended. Both null: the supervisor was lost, and the command with it. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface SuperviseOptions {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>
  /** Gets each line of stdout and stderr, without its end, cut at 2000 characters. */
  readonly onLine: (line: string) => void
  /** Between SIGTERM and SIGKILL. Default 3000. */
  readonly graceMs?: number
  /** Deleted once the command is gone, on every way out. */
  readonly removeDirs?: readonly string[]
}

/** A command that ends with this process, however this process ends. */
export interface Supervised extends AsyncDisposable {
  /** Process id of the command, which leads its own process group. */
  readonly pid: number
  readonly mark: string
  /** Resolves when the command itself has ended; never rejects. */
  readonly exited: Promise<Exit>
  exit(): Exit | null
  /** Resolves when nothing of the command is left. May be called again. */
  stop(): Promise<void>
}

const LINE_LENGTH_MAX = 2000
/** The report of an exit may overtake the last lines of the log: how long to wait for them. */
export const LOG_SETTLE_MS = 60
const START_TIMEOUT_MS = 10_000
/** Above the grace period: SIGKILL, deleting directories, and the way out of the supervisor itself. */
const STOP_SLACK_MS = 8000

const SUPERVISOR = fileURLToPath(new URL(`./supervisor${extname(fileURLToPath(import.meta.url))}`, import.meta.url))

/** Resolves to null when `promise` has not settled within `timeoutMs`. Keeps the process alive meanwhile. */
export async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, timeoutMs, null)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Settles as `promise` does, or rejects with the reason of `signal` when that aborts first. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** `ended with exit code 1`, `was ended by SIGKILL`. */
export function describeExit(exit: Exit): string {
  if (exit.code !== null) return `ended with exit code ${exit.code}`
  return exit.signal === null ? 'was lost with its supervisor' : `was ended by ${exit.signal}`
}

/**
 * Starts a command under `supervisor.ts`.
 * Resolves to the running command, or to the system's error code (`ENOENT`, `EACCES`, …) when it cannot be started.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised | { readonly error: string }> {
  const graceMs = options.graceMs ?? 3000
  const mark = randomUUID()
  const spec: SupervisorSpec = {
    argv: options.argv,
    cwd: options.cwd,
    env: options.env,
    graceMs,
    removeDirs: options.removeDirs ?? [],
    mark,
  }
  const supervisor = spawn(process.execPath, ['--no-warnings', SUPERVISOR], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  })
  forwardLines(supervisor, options.onLine)
  letGo(supervisor)

  const gone = new Promise<void>(resolve => {
    supervisor.once('exit', () => resolve())
    supervisor.once('error', () => resolve())
  })
  let exit: Exit | null = null
  const { promise: started, resolve: setStarted } = Promise.withResolvers<number | string>()
  const { promise: exited, resolve: setExited } = Promise.withResolvers<Exit>()
  supervisor.on('message', (message: SupervisorMessage) => {
    if (message.type === 'started') setStarted(message.pid)
    else if (message.type === 'not-started') setStarted(message.code)
    else {
      exit = { code: message.code, signal: message.signal }
      setExited(exit)
    }
  })
  void gone.then(() => {
    setStarted('the supervisor ended')
    exit ??= { code: null, signal: null }
    setExited(exit)
  })

  const endSupervisor = async (pid: number | null): Promise<void> => {
    supervisor.stdin?.end()
    const ended = await within(
      gone.then(() => true),
      graceMs + STOP_SLACK_MS,
    )
    if (ended === null) supervisor.kill('SIGKILL')
    if (pid !== null) await endProcesses(pid, mark, 0)
    // Done by the supervisor, unless that was killed.
    for (const dir of spec.removeDirs) await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  supervisor.send(spec, () => {}) // a supervisor that cannot take it ends, which is seen
  const pid = await within(started, START_TIMEOUT_MS)
  if (typeof pid !== 'number') {
    await endSupervisor(null)
    return { error: pid ?? `not started within ${START_TIMEOUT_MS} ms` }
  }
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => {
    stopping ??= endSupervisor(pid)
    return stopping
  }
  void gone.then(stop)
  return { pid, mark, exited, exit: () => exit, stop, [Symbol.asyncDispose]: stop }
}

function forwardLines(child: ChildProcess, onLine: (line: string) => void): void {
  child.stdin?.on('error', () => {})
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    stream.setEncoding('utf8')
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line =>
      onLine(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line),
    )
  }
}

/** A command that is forgotten must not keep its parent alive: the parent ends, and the supervisor does its work. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref()
}
