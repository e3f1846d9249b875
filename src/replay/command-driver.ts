import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { textOf } from '../core/json.ts'
import type { Fault } from '../model.ts'
import type { Driver, OpenContext } from './driver.ts'
import { BODY_MAX_BYTES } from './http-client.ts'
import { driveSequence, type Stepped } from './sequence.ts'
import { inputOf } from './steps.ts'
import type { CommandOptions } from './target.ts'

/** What a program sees of the machine; TZ, language and clock are set, never inherited. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'PATHEXT', 'COMSPEC']

/** Runs a program once per step, in a process group of its own that is killed when the step ends. */
export function commandDriver(
  argv: readonly [string, ...string[]],
  settings: CommandOptions,
  context: OpenContext,
): Driver {
  return {
    drive: (c, options) =>
      driveSequence(c, options, {
        origin: null,
        drive(input, step) {
          const stdin = textOf(inputOf(c, step, input, 'program'))
          const env = environment(settings, { ...context, clock: c.now ?? context.clock })
          return run({ argv, cwd: settings.cwd, env, stdin, step, ...options })
        },
      }),
    probe: () => Promise.resolve(null),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function environment(
  options: CommandOptions,
  at: Pick<OpenContext, 'clock' | 'tz' | 'locale'>,
): Record<string, string> {
  const locale = at.locale ?? 'C.UTF-8'
  const env: Record<string, string> = { TZ: at.tz, LANG: locale, LC_ALL: locale }
  for (const name of INHERITED) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  if (at.clock !== null) env.PARITY_CLOCK = at.clock
  return { ...env, ...options.env }
}

interface Run {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string | undefined
  readonly env: Record<string, string>
  readonly stdin: string
  readonly step: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

function run(o: Run): Promise<Stepped> {
  o.signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Stepped>()
  const [program, ...rest] = o.argv
  const child = spawn(program, rest, { cwd: o.cwd, env: o.env, stdio: 'pipe', detached: true, windowsHide: true })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  let fault: Fault | null = null
  const end = () => {
    killGroup(child)
    // what left the group is not killed, and would keep these open for ever
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
  }
  const stop = (reason: Fault['reason'], message: string) => {
    fault ??= { reason, step: o.step, message }
    end()
  }
  const timer = setTimeout(() => stop('timeout', `the program did not end within ${o.timeoutMs} ms`), o.timeoutMs)
  o.signal.addEventListener('abort', end, { once: true })
  const collect = (chunks: Buffer[], name: string) => {
    let sizeBytes = 0
    return (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= BODY_MAX_BYTES) chunks.push(chunk)
      else stop('over-limit', `${name} of the program is larger than the bound of ${BODY_MAX_BYTES} bytes`)
    }
  }
  child.stdout.on('data', collect(stdout, 'stdout'))
  child.stderr.on('data', collect(stderr, 'stderr'))
  child.stdin.on('error', () => {}) // it need not read what it is given
  child.stdin.end(o.stdin)
  const settle = (finish: () => void) => {
    clearTimeout(timer)
    o.signal.removeEventListener('abort', end)
    finish()
  }
  child.once('error', error => settle(() => resolve({ ok: false, fault: notStarted(error, o) })))
  // What the program left running holds its pipes open: it ends with the program.
  child.once('exit', () => killGroup(child))
  child.once('close', (code, signalName) =>
    settle(() => {
      if (o.signal.aborted) return reject(o.signal.reason)
      if (fault !== null) return resolve({ ok: false, fault })
      const exit = code ?? 128 + (signalName === null ? 0 : constants.signals[signalName])
      const text = Buffer.concat(stderr).toString('utf8')
      resolve({ ok: true, seen: { kind: 'command', exit, stdout: Buffer.concat(stdout), stderr: text } })
    }),
  )
  return promise
}

function notStarted(error: NodeJS.ErrnoException, o: Run): Fault {
  const why =
    error.code === 'ENOENT'
      ? 'the program, or the folder that it runs in, does not exist'
      : `it cannot be run (${error.code ?? error.message})`
  return { reason: 'candidate-unreachable', step: o.step, message: `${o.argv[0]}: ${why}` }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
