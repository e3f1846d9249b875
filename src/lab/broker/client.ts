import { connect, type Socket } from 'node:net'
import { LabFailure } from '../lab-failure.ts'
import type { Lab } from '../lab-file.ts'
import type { LabDrive, LabOptions, RunningLab } from '../process-driver.ts'
import { type BrokerMessage, type BrokerRequest, type LabRole, lineReader } from './protocol.ts'

const LOG_LINES_MAX = 500

type Ready = Extract<BrokerMessage, { event: 'ready' }>

/**
 * A lab of the run, leased from the broker at `address` until it is disposed of; nobody else drives it meanwhile.
 *
 * **Throws** LabFailure, or the reason of `signal`.
 */
export async function leaseLab(
  lab: Lab,
  options: Pick<LabOptions, 'signal' | 'clock' | 'conceal' | 'onLog'> & {
    readonly address: string
    readonly role: LabRole
  },
): Promise<RunningLab> {
  options.signal.throwIfAborted()
  const leased = new RemoteLab(options)
  try {
    const clock = options.clock ?? null
    await leased.ask({ op: 'acquire', dir: lab.dir, clock, role: options.role })
    return leased
  } catch (error) {
    await leased[Symbol.asyncDispose]()
    throw error
  }
}

/** Stands in a worker for a lab that the main process holds. */
class RemoteLab implements RunningLab {
  readonly #socket: Socket
  readonly #signal: AbortSignal
  readonly #conceal: (line: string) => string
  readonly #onLog: (line: string) => void
  readonly #lines: string[] = []
  readonly #onAbort = (): void => void this.#socket.destroy()
  #state: Ready | null = null
  #crash: string | null = null
  #waiting: { resolve(): void; reject(error: unknown): void } | null = null
  #disposed = false

  constructor(o: Pick<LabOptions, 'signal' | 'conceal' | 'onLog'> & { readonly address: string }) {
    this.#signal = o.signal
    this.#conceal = o.conceal ?? (line => line)
    this.#onLog = o.onLog ?? (() => {})
    this.#socket = connect(o.address)
    this.#socket.setEncoding('utf8')
    const read = lineReader<BrokerMessage>(message => this.#take(message))
    this.#socket.on('data', chunk => read(String(chunk)))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => this.#lost())
    o.signal.addEventListener('abort', this.#onAbort)
  }

  get drive(): LabDrive {
    return this.#ready().drive
  }

  get clock(): string | null {
    return this.#ready().clock
  }

  get provenance(): Readonly<Record<string, unknown>> {
    return this.#ready().provenance
  }

  get evidence(): RunningLab['evidence'] {
    return this.#ready().evidence
  }

  logs(): string {
    return this.#lines.join('\n')
  }

  crashed(): string | null {
    return this.#crash
  }

  async reset(o: { readonly clock?: string | null } = {}): Promise<void> {
    await this.ask({ op: 'reset', clock: o.clock === undefined ? this.clock : o.clock })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#socket.destroy()
  }

  /** One at a time. */
  async ask(request: BrokerRequest): Promise<void> {
    if (this.#crash !== null) throw this.#gone(this.#crash)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting = { resolve, reject }
    this.#socket.write(`${JSON.stringify(request)}\n`)
    await promise
  }

  #ready(): Ready {
    if (this.#state === null) throw new Error('the lab has not answered yet')
    return this.#state
  }

  #take(message: BrokerMessage): void {
    switch (message.event) {
      case 'log': {
        const line = this.#conceal(message.line)
        if (this.#lines.push(line) > LOG_LINES_MAX) this.#lines.shift()
        this.#onLog(line)
        return
      }
      case 'crashed':
        this.#crash = this.#conceal(message.text)
        return
      case 'ready':
        this.#state = message
        this.#settle(null)
        return
      case 'failed':
        this.#settle(new LabFailure(message.reason, this.#conceal(message.message), message.remedy))
        return
      default:
        message satisfies never
    }
  }

  #settle(error: unknown): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (error === null) waiting?.resolve()
    else waiting?.reject(error)
  }

  #lost(): void {
    if (this.#disposed) {
      this.#settle(this.#gone('the lab was given back'))
      return
    }
    this.#crash ??= 'the process that holds the lab is gone'
    this.#settle(this.#signal.aborted ? this.#signal.reason : this.#gone(this.#crash))
  }

  #gone(how: string): LabFailure {
    return new LabFailure('lab-boot', how, 'look at how the run ended, then run again')
  }
}
