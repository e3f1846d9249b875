import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallLab } from './call-driver.ts'
import type { LabEvidence } from './container/spec.ts'
import { type Installed, installPackages } from './install.ts'
import { LabFailure } from './lab-failure.ts'
import { fillPort, type Lab, type ProcessLab as ProcessLabFiles, type ServedService } from './lab-file.ts'
import { holdsPort } from './listener.ts'
import { type Host, thisHost } from './platform.ts'
import { processesOf } from './processes.ts'
import { type Probe, tryProbe, waitUntilReady } from './readiness.ts'
import { environment, provenanceOf, stage } from './staged.ts'
import { describeExit, LOG_SETTLE_MS, type Supervised, supervise } from './supervise.ts'

export interface LabOptions {
  /** Aborting it stops the lab. */
  readonly signal: AbortSignal
  /** Default: $PARITY_CACHE, else ~/.cache/vitest-parity. */
  readonly cacheDir?: string
  /** Gets each line that npm and the legacy print. */
  readonly onLog?: (line: string) => void
  /** What is kept and shown of a line that the legacy prints. Default: all of it. */
  readonly conceal?: (line: string) => string
  /** Whether a lab of containers outlives this process, to be attached to again. Default: false. */
  readonly keep?: boolean
  /** Default: the clock of lab.yaml. */
  readonly clock?: string | null
  /** Default: this machine. */
  readonly host?: Host
}

/** How a legacy is driven: by requests to its service, or by running its program once for each step. */
export type LabDrive =
  | { readonly kind: 'http' /** Without a trailing slash. */; readonly url: string }
  | {
      readonly kind: 'command'
      readonly argv: readonly [string, ...string[]]
      readonly cwd: string
      /** All that the program sees of this machine. */
      readonly env: Readonly<Record<string, string>>
    }

/** A legacy that answers. */
export interface RunningLab extends AsyncDisposable {
  /** A reset may change it. */
  readonly drive: LabDrive
  readonly clock: string | null
  /** Versions and hashes; the same on every machine and every day. */
  readonly provenance: Readonly<Record<string, unknown>>
  /** What the boot of a container lab showed; null for a lab of processes. */
  readonly evidence: LabEvidence | null
  /** The last lines that the legacy printed; none where it is called: what it prints is its answer. */
  logs(): string
  /** How the legacy ended although nobody asked it to; null while it runs. */
  crashed(): string | null
  /** Brings the first state back, as reset: in lab.yaml says. Another clock always restarts. */
  reset(o?: { readonly clock?: string | null }): Promise<void>
  /** Of a lab in containers that stood before: shows anew that nothing gets out of it. **Throws** LabFailure(`lab-isolation`). */
  prove?(): Promise<void>
}

const LOG_LINES_MAX = 500
const LOG_LINES_SHOWN = 50
const PORT_ATTEMPTS_MAX = 4
const RESET_TIMEOUT_MS = 10_000

/**
 * Boots a lab: installs its packages, starts its program on a free port of 127.0.0.1 in a copy of its folder, and
 * resolves when it behaves as `ready:` says. Of a service that is called only the copy is made. Nothing of it outlives this process, however this process ends.
 *
 * **Throws** LabFailure (`lab-image`, `lab-boot`, `dependency-missing`), or the reason of `signal`.
 */
export async function startLab(lab: Lab, options: LabOptions): Promise<RunningLab> {
  options.signal.throwIfAborted()
  if (lab.driver === 'container') {
    const { startContainerLab } = await import('./container/driver.ts')
    return startContainerLab(lab, options)
  }
  const onLog = options.onLog ?? (() => {})
  const host = options.host ?? thisHost()
  const installed = await installPackages(lab, { cacheDir: options.cacheDir, host, signal: options.signal, onLog })
  const { service } = lab
  const { signal } = options
  const running =
    'call' in service
      ? new CallLab({ lab, service, installed, signal })
      : new ProcessLab({ lab, service, installed, signal, onLog, conceal: options.conceal ?? (line => line) })
  await running.boot(options.clock === undefined ? lab.file.clock : options.clock)
  return running
}

class ProcessLab implements RunningLab {
  readonly provenance: Readonly<Record<string, unknown>>
  readonly evidence = null
  clock: string | null = null
  #url = ''
  readonly #lab: ProcessLabFiles
  readonly #service: ServedService
  readonly #installed: Installed | null
  readonly #signal: AbortSignal
  readonly #onLog: (line: string) => void
  readonly #conceal: (line: string) => string
  readonly #probe: Probe
  #lines: string[] = []
  #running: Supervised | null = null
  #askedToStop: Supervised | null = null
  #port: number | null = null
  readonly #onAbort = (): void => void this.#stop()

  constructor(o: {
    readonly lab: ProcessLabFiles
    readonly service: ServedService
    readonly installed: Installed | null
    readonly signal: AbortSignal
    readonly onLog: (line: string) => void
    readonly conceal: (line: string) => string
  }) {
    this.#lab = o.lab
    this.#service = o.service
    this.#installed = o.installed
    this.#signal = o.signal
    this.#onLog = o.onLog
    this.#conceal = o.conceal
    const { ready } = o.service
    this.#probe = { ...parseCall(ready.http), status: ready.status, body: ready.body ?? null }
    this.provenance = provenanceOf(o.lab)
    o.signal.addEventListener('abort', this.#onAbort)
  }

  get drive(): LabDrive {
    return { kind: 'http', url: this.#url }
  }

  logs(): string {
    return this.#lines.join('\n')
  }

  crashed(): string | null {
    if (this.#running === this.#askedToStop) return null
    const exit = this.#running?.exit() ?? null
    return exit === null ? null : `the legacy ${describeExit(exit)}${this.#shownLog()}`
  }

  async reset(o: { readonly clock?: string | null } = {}): Promise<void> {
    const clock = o.clock === undefined ? this.clock : o.clock
    const { reset } = this.#service
    if (reset === 'restart' || clock !== this.clock || this.crashed() !== null) {
      await this.#stop()
      await this.boot(clock)
    } else if (reset !== 'none') {
      const hook: Probe = { ...parseCall(reset.http), status: reset.status, body: null }
      const failed = await tryProbe(this.#url, hook, RESET_TIMEOUT_MS, this.#signal)
      if (failed !== null) throw this.#failure(`the reset did not work: ${failed}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    await this.#stop()
  }

  /** One budget, `ready.timeoutMs`, covers all: a port that was taken meanwhile is tried again within it. */
  async boot(clock: string | null): Promise<void> {
    const { timeoutMs } = this.#service.ready
    const deadline = performance.now() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      this.#lines = []
      this.#port = await freePort(attempt === 1 ? this.#port : null)
      const running = await this.#start(this.#port, clock)
      const readiness = await this.#waitUntilReady(running, this.#port, deadline)
      if (readiness.ok) {
        this.clock = clock
        this.#url = `http://127.0.0.1:${this.#port}`
        return
      }
      if (readiness.exit !== null) await sleep(LOG_SETTLE_MS)
      await this.#stop()
      const taken = readiness.exit !== null && this.#lines.some(line => line.includes('EADDRINUSE'))
      if (taken && attempt < PORT_ATTEMPTS_MAX) continue
      const what =
        readiness.exit === null
          ? `was not ready within ${timeoutMs} ms: ${readiness.last}`
          : `${describeExit(readiness.exit)} before it was ready: ${readiness.last}`
      throw this.#failure(what)
    }
  }

  async #waitUntilReady(running: Supervised, port: number, deadline: number) {
    try {
      return await waitUntilReady({
        url: `http://127.0.0.1:${port}`,
        probe: this.#probe,
        deadline,
        exit: running.exit,
        confirm() {
          const stranger = holdsPort(port, processesOf(running.pid, running.mark)) === false
          return stranger ? `port ${port} answers, but another program holds it` : null
        },
        signal: this.#signal,
      })
    } catch (error) {
      await this.#stop()
      throw error
    }
  }

  async #start(port: number, clock: string | null): Promise<Supervised> {
    const { command } = this.#service
    const dir = await stage(this.#lab, this.#installed)
    const own = Object.entries(this.#service.env).map(([name, value]) => [name, fillPort(value, port)])
    const env = environment(this.#lab, { dir, clock, installed: this.#installed, own: Object.fromEntries(own) })
    const running = await supervise({
      argv: [fillPort(command[0], port), ...command.slice(1).map(word => fillPort(word, port))],
      cwd: join(dir, 'lab'),
      env,
      removeDirs: [dir],
      onLine: printed => {
        const line = this.#conceal(printed)
        if (this.#lines.push(line) > LOG_LINES_MAX) this.#lines.shift()
        this.#onLog(line)
      },
    })
    if ('error' in running) {
      const what = `lab ${this.#lab.file.id}: ${command[0]} cannot be started (${running.error})`
      const remedy = `install ${command[0]}, or name it in npm: of lab.yaml; looked in ${env.PATH}`
      throw new LabFailure('dependency-missing', what, remedy)
    }
    this.#running = running
    return running
  }

  async #stop(): Promise<void> {
    this.#askedToStop = this.#running
    await this.#running?.stop()
  }

  #failure(what: string): LabFailure {
    const remedy = `read the log above; to see it whole: cd ${this.#lab.dir}, and run the command of lab.yaml by hand`
    return new LabFailure('lab-boot', `lab ${this.#lab.file.id} ${what}${this.#shownLog()}`, remedy)
  }

  #shownLog(): string {
    if (this.#lines.length === 0) return '\n  (it printed nothing)'
    const shown = this.#lines.slice(-LOG_LINES_SHOWN).map(line => `  ${line}`)
    return `\n  its last ${shown.length} lines:\n${shown.join('\n')}`
  }
}

function parseCall(call: string): { method: string; path: string } {
  const space = call.indexOf(' ')
  return { method: call.slice(0, space), path: call.slice(space + 1) }
}

/** A port that was free a moment ago; `wanted` when that one is. */
async function freePort(wanted: number | null): Promise<number> {
  const tryPort = (port: number): Promise<number | null> =>
    new Promise(resolve => {
      const server = createServer()
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null))
      })
    })
  const port = (wanted === null ? null : await tryPort(wanted)) ?? (await tryPort(0))
  if (port !== null) return port
  throw new LabFailure('lab-boot', 'no port of 127.0.0.1 is free', 'end some of the programs that listen there')
}
