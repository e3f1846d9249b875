import { allowedToSend } from '../core/sends.ts'
import type { Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import type { Case, Fault, Request } from '../model.ts'
import { bounded } from '../replay/bounded.ts'
import { type Driven, type Driver, openTarget } from '../replay/driver.ts'
import { specOf, type Target } from '../replay/target.ts'
import { withoutFolder } from '../report/escape.ts'
import type { GateResult } from '../run/events.ts'
import type { Feature } from './feature.ts'
import { blockedBy, gateOf } from './gate.ts'
import { once } from './once.ts'
import type { FeatureOptions, OpenOptions } from './suite.ts'

/** How long the reset of the candidate may take. */
const RESET_MS_MAX = 30_000
const DEFAULT_TZ = 'UTC'

export interface CandidateOptions {
  readonly feature: Feature
  readonly options: FeatureOptions
  /** The folder that is left out of what a candidate says of itself. */
  readonly root: string
  /** Per step. */
  readonly timeoutMs: number
  /** Aborted when the suite is closed. */
  readonly signal: AbortSignal
}

/** Holds the drivers of the targets of a suite, puts the state of the candidate back, and knows whether it can be reached. */
export class CandidateSide implements AsyncDisposable {
  /** Shows whether the candidate can be reached, asked once. */
  readonly gate: () => Promise<GateResult>
  readonly #o: CandidateOptions
  readonly #clock: { readonly clock: string | null; readonly tz: string }
  readonly #drivers = new Map<Target, () => Promise<Driver>>()
  readonly #resetOnce: () => Promise<Fault | null>
  /** Why the candidate cannot be reached any more. */
  #down: Fault | null = null

  constructor(o: CandidateOptions) {
    const { lab } = o.feature
    this.#o = o
    this.#clock = { clock: lab?.clock ?? null, tz: lab?.tz ?? DEFAULT_TZ }
    this.#resetOnce = once(() => this.#reset())
    this.gate = once(async () => {
      this.#down = this.#told(await (await this.#driverOf(o.options.candidate)).probe())
      return gateOf('candidate', this.#down)
    })
  }

  /** What stands in front of every case of the candidate; null when nothing does. */
  async blocked(): Promise<Outcome | null> {
    await this.gate()
    return this.#down === null ? null : blockedBy(gateOf('candidate', this.#down), this.#down.reason)
  }

  /** What a target shows for a case, from the state that the contract asks for. */
  async drive(target: Target, input: Case, signal: AbortSignal | undefined): Promise<Driven> {
    const driver = await this.#driverOf(target)
    const notReset = this.#o.feature.contract.reset === 'case' ? await this.#reset() : await this.#resetOnce()
    if (notReset !== null) return { ok: false, fault: notReset, seen: [] }
    const either = signal === undefined ? this.#o.signal : AbortSignal.any([this.#o.signal, signal])
    const { contract } = this.#o.feature
    const sends = (request: Request): boolean => allowedToSend(contract, request)
    const driven = await driver.drive(input, { signal: either, timeoutMs: this.#o.timeoutMs, sends })
    if (this.#restartsEachCase(target)) await this.#stop(target)
    if (driven.ok) return driven
    // a candidate that is gone fails once; what comes after is blocked by it
    const gone = target === this.#o.options.candidate && driven.fault.reason === 'candidate-unreachable'
    if (gone) this.#down = this.#told(await (await this.#driverOf(target)).probe())
    return { ...driven, fault: this.#told(driven.fault) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled([...this.#drivers.values()].map(driver => driver()))
    await Promise.all(
      opened.flatMap(result => (result.status === 'fulfilled' ? [result.value[Symbol.asyncDispose]()] : [])),
    )
  }

  #driverOf(target: Target): Promise<Driver> {
    const known =
      this.#drivers.get(target) ?? once(() => openTarget(target, { ...this.#clock, signal: this.#o.signal }))
    this.#drivers.set(target, known)
    return known()
  }

  /** A started service without a `reset` of its own comes back to its first state by starting anew. */
  #restartsEachCase(target: Target): boolean {
    const { feature, options } = this.#o
    return feature.contract.reset === 'case' && target.kind === 'http' && options.reset === undefined
  }

  async #stop(target: Target): Promise<void> {
    const driver = await this.#drivers.get(target)?.()
    this.#drivers.delete(target)
    await driver?.[Symbol.asyncDispose]()
  }

  /** Why the candidate could not be put back to its first state; null when it was, or when there is nothing to put back. */
  async #reset(): Promise<Fault | null> {
    const { signal, options } = this.#o
    const fault = (what: string): Fault | null =>
      this.#told({ reason: 'environment', step: 0, message: `the reset of the candidate ${what}` })
    try {
      const reset = (async () => options.reset?.({ ...this.#clock, signal, services: {} }))()
      const { late } = await bounded(reset, { timeoutMs: RESET_MS_MAX, signal })
      return late ? fault(`did not end within ${RESET_MS_MAX} ms`) : null
    } catch (error) {
      signal.throwIfAborted()
      return fault(`failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** A fault as it reads on every machine: what a candidate says of itself may name the folder of this checkout. */
  #told<F extends Fault | null>(fault: F): F {
    return fault === null ? fault : { ...fault, message: withoutFolder(fault.message, this.#o.root) }
  }
}

/** Refuses a contract whose word on state is impossible with this candidate. */
export function refuseImpossibleReset({ options }: OpenOptions, { name, contract }: Feature): void {
  const concurrency = options.concurrency ?? 1
  if (concurrency > 1 && contract.reset === 'case') {
    throw new ParityError(
      'PARITY_FEATURE_CONCURRENCY',
      `describeParity('${name}'): concurrency is ${concurrency}, and the contract resets the state before each case`,
      'remove `concurrency`, or write `reset: suite` in the contract',
    )
  }
  const spec = specOf(options.candidate)
  if (contract.reset !== 'none' && spec?.kind === 'http' && spec.at instanceof URL && options.reset === undefined) {
    throw new ParityError(
      'PARITY_FEATURE_RESET',
      `describeParity('${name}'): the contract says reset: ${contract.reset}, and a candidate given by its URL cannot be started anew`,
      'give `reset`, which puts its state back, or http(context => …), which starts it',
    )
  }
}
