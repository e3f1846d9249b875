import { resolve } from 'node:path'
import { leftSeed, type Seed, seedOf } from '../core/seed.ts'
import { allowedToSend } from '../core/sends.ts'
import type { Outcome } from '../core/verdict.ts'
import { type Lease, takeLease } from '../lab/lease.ts'
import type { Case, Fault, Request } from '../model.ts'
import { bounded } from '../replay/bounded.ts'
import { type Driven, type DriveOptions, type Driver, openTarget } from '../replay/driver.ts'
import { type PrincipalBook, principalBook } from '../replay/principals.ts'
import { specOf, type Target } from '../replay/target.ts'
import { withoutFolder } from '../report/escape.ts'
import type { GateResult } from '../run/events.ts'
import type { Feature } from './feature.ts'
import { blockedBy, gateOf } from './gate.ts'
import { once } from './once.ts'
import { resetFacts, resetText } from './reset.ts'
import { tryTwice } from './second-try.ts'
import type { FeatureOptions } from './suite.ts'

/** How long the reset of the candidate may take. */
const RESET_MS_MAX = 30_000
/** How long to wait for a candidate that another worker drives. */
const LEASE_MS_MAX = 480_000
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
  /** How long to wait for a candidate that another worker drives. Default 480_000. */
  readonly leaseMsMax?: number
}

/** What a case came to on this side: what it showed, or what stood in front of it. */
export type Shown = Driven | { readonly ok: false; readonly blocked: Outcome }

/** A target at one instant. */
interface Opened {
  readonly driver: Driver
  /** Puts the state back where that is done once for all cases; why it could not. */
  readonly resetOnce: () => Promise<NotReset | null>
}

/** Holds the drivers of the targets of a suite, puts the state of the candidate back, and knows whether it can be reached. */
export class CandidateSide implements AsyncDisposable {
  /** Shows whether the candidate can be reached, asked once, and who puts its state back. */
  readonly gate: () => Promise<GateResult>
  readonly #o: CandidateOptions
  readonly #opened = new Map<Target, Map<string | null, () => Promise<Opened>>>()
  /** What the probe showed first, by target and instant. */
  readonly #seeds = new Map<Target, Map<string | null, Seed>>()
  readonly #leases = new Map<string, Lease>()
  readonly #principals: PrincipalBook
  /** The case that is driven last, where one goes after another. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Why no further case of the candidate is driven. */
  #down: Fault | null = null

  constructor(o: CandidateOptions) {
    this.#o = o
    const { principals } = o.feature.contract
    this.#principals = principalBook({ principals, env: process.env, label: 'the candidate' })
    this.gate = once(async () => {
      const { value, tries } = await tryTwice(() => this.#probed(), {
        mayPass: fault => fault?.reason === 'candidate-unreachable',
        signal: o.signal,
      })
      this.#down = this.#told(value)
      const shown = gateOf('candidate', this.#down, tries)
      const state = resetText(resetFacts(o.feature, o.options), this.#leaseKey(o.options.candidate) !== null)
      return shown.state === 'failed' || state === '' ? shown : { ...shown, text: `${shown.text} · ${state}` }
    })
  }

  /** Why the candidate cannot be reached; it is let go then, so that it is opened anew when it is asked once more. */
  async #probed(): Promise<Fault | null> {
    const { candidate } = this.#o.options
    const fault = await (await this.#openedAt(candidate, this.#labClock)).driver.probe()
    if (fault !== null) await this.#stop(candidate)
    return fault
  }

  /** What a target shows for a case, from the state that the contract asks for; one case after another, where it asks for any. */
  async drive(target: Target, input: Case, signal: AbortSignal | undefined): Promise<Shown> {
    const isCandidate = target === this.#o.options.candidate
    if (isCandidate) await this.gate()
    const either = signal === undefined ? this.#o.signal : AbortSignal.any([this.#o.signal, signal])
    return this.#inTurn(async (): Promise<Shown> => {
      either.throwIfAborted()
      if (isCandidate && this.#down !== null) return blocked(this.#down)
      const driven = await this.#driveFromState(target, input, either)
      return driven.ok ? driven : { ...driven, fault: this.#told(driven.fault) }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = [...this.#opened.values()].flatMap(byClock => [...byClock.values()])
    const drivers = await Promise.allSettled(opened.map(open => open()))
    try {
      await Promise.all(
        drivers.flatMap(result => (result.status === 'fulfilled' ? [result.value.driver[Symbol.asyncDispose]()] : [])),
      )
    } finally {
      for (const lease of this.#leases.values()) lease.release()
    }
  }

  async #driveFromState(target: Target, input: Case, signal: AbortSignal): Promise<Driven> {
    const isPerCase = this.#o.feature.contract.reset === 'case'
    const clock = this.#clockOf(target, input)
    const notLeased = await this.#lease(target, signal)
    if (notLeased !== null) return this.#end(target, notLeased)
    if (isPerCase) await this.#stop(target, clock) // one at a time, so that `reset` reaches the one that is driven
    const { driver, resetOnce } = await this.#openedAt(target, clock)
    const reset = await (isPerCase ? this.#reset(clock) : resetOnce())
    if (reset !== null) return reset.isOver ? refused(reset.fault) : this.#end(target, reset.fault)
    const options = this.#driveOptions(signal)
    const left = isPerCase ? await this.#leftSeed(target, { clock, driver, options }) : null
    if (left !== null) return this.#end(target, left)
    const driven = await driver.drive(input, options)
    if (isPerCase && this.#startsAnew(target)) await this.#stop(target)
    // a candidate that is gone fails once; what comes after is blocked by it
    const isCut = !driven.ok && ['candidate-unreachable', 'transport'].includes(driven.fault.reason)
    if (isCut && target === this.#o.options.candidate)
      this.#down = this.#told(await (await this.#openedAt(target, clock)).driver.probe())
    return driven
  }

  /** The fault of a case that stands in front of every later one of the candidate as well. */
  #end(target: Target, fault: Fault): Driven {
    if (target === this.#o.options.candidate) this.#down = this.#told(fault)
    return refused(fault)
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#o.feature.contract.reset === 'none') return run()
    const mine = this.#turn.then(run)
    this.#turn = mine.catch(() => {})
    return mine
  }

  #driveOptions(signal: AbortSignal): DriveOptions {
    const { feature, timeoutMs } = this.#o
    const sends = (request: Request): boolean => allowedToSend(feature.contract, request)
    return { signal, timeoutMs, sends, principals: this.#principals.forCase }
  }

  get #labClock(): string | null {
    return this.#o.feature.lab?.clock ?? null
  }

  get #locale(): { readonly locale?: string } {
    const { lab } = this.#o.feature
    return lab === null ? {} : { locale: lab.locale }
  }

  get #tz(): string {
    return this.#o.feature.lab?.tz ?? DEFAULT_TZ
  }

  /** The instant that a target is opened at for a case. Where it cannot be set, the driver says so. */
  #clockOf(target: Target, input: Case): string | null {
    const { reset } = this.#o.feature.contract
    const isSet = isGivenByUrl(target) ? reset === 'case' && this.#o.options.reset !== undefined : reset !== 'none'
    return isSet ? (input.now ?? this.#labClock) : this.#labClock
  }

  #openedAt(target: Target, clock: string | null): Promise<Opened> {
    const byClock = this.#opened.get(target) ?? new Map<string | null, () => Promise<Opened>>()
    this.#opened.set(target, byClock)
    const open = async (): Promise<Opened> => ({
      driver: await openTarget(target, { clock, tz: this.#tz, ...this.#locale, signal: this.#o.signal }),
      resetOnce: once(() => this.#reset(clock)),
    })
    const known = byClock.get(clock) ?? once(open)
    byClock.set(clock, known)
    return known()
  }

  /** Closes a target, but for the instant that goes on. */
  async #stop(target: Target, except?: string | null): Promise<void> {
    const byClock = this.#opened.get(target) ?? new Map<string | null, () => Promise<Opened>>()
    for (const [clock, open] of [...byClock]) {
      if (clock === except) continue
      byClock.delete(clock)
      await (await open()).driver[Symbol.asyncDispose]()
    }
  }

  /** A started service without a `reset` of its own comes back to its first state by starting anew. */
  #startsAnew(target: Target): boolean {
    const { candidate, reset } = this.#o.options
    return target.kind === 'http' && !isGivenByUrl(target) && (target !== candidate || reset === undefined)
  }

  /** Why the candidate could not be put back to its first state; null when it was, or when there is nothing to put back. */
  async #reset(clock: string | null): Promise<NotReset | null> {
    const { signal, options } = this.#o
    const fault = (what: string, isOver: boolean): NotReset => {
      return { fault: { reason: 'environment', step: 0, message: `the reset of the candidate ${what}` }, isOver }
    }
    try {
      const reset = (async () => options.reset?.({ clock, tz: this.#tz, signal, services: {} }))()
      const { late } = await bounded(reset, { timeoutMs: RESET_MS_MAX, signal })
      return late ? fault(`did not end within ${RESET_MS_MAX} ms`, false) : null
    } catch (error) {
      signal.throwIfAborted()
      return fault(`failed: ${error instanceof Error ? error.message : String(error)}`, true)
    }
  }

  /** Why the state is not the one that the probe showed first; null when it is, or when nothing probes it. */
  async #leftSeed(
    target: Target,
    o: { readonly clock: string | null; readonly driver: Driver; readonly options: DriveOptions },
  ): Promise<Fault | null> {
    const { probe, rules } = this.#o.feature
    if (probe === null) return null
    const at: Case = { ...probe, now: o.clock }
    const seeds = this.#seeds.get(target) ?? new Map<string | null, Seed>()
    this.#seeds.set(target, seeds)
    const seed = seeds.get(o.clock)
    const failed = (fault: Fault): Fault => ({ ...fault, message: `the probe ${probe.name}: ${fault.message}` })
    const shown = await o.driver.drive(at, o.options)
    if (!shown.ok) return failed(shown.fault)
    if (seed === undefined) {
      const again = await o.driver.drive(at, o.options)
      if (!again.ok) return failed(again.fault)
      seeds.set(o.clock, seedOf(shown.observation, again.observation, probe.steps))
      return null
    }
    const place = leftSeed(seed, shown.observation, { rules, steps: probe.steps })
    if (place === null) return null
    const by = this.#startsAnew(target) ? 'a fresh start' : 'its reset'
    const message = `after ${by} the candidate no longer shows the seed state: the probe ${probe.name} differs from what it showed first, at ${place}`
    return { reason: 'environment', step: 0, message }
  }

  /** Waits until no other worker drives the target, where it could; why it still does at the end. */
  async #lease(target: Target, signal: AbortSignal): Promise<Fault | null> {
    const key = this.#leaseKey(target)
    if (key === null || this.#leases.has(key)) return null
    const { feature, leaseMsMax: timeoutMs = LEASE_MS_MAX } = this.#o
    const fault = (message: string): Fault => ({ reason: 'environment', step: 0, message })
    try {
      const leased = await takeLease(key, { purpose: feature.name, timeoutMs, signal })
      if (!leased.ok) return fault(`${leased.heldBy} drives ${key}, and did not end within ${timeoutMs} ms`)
      this.#leases.set(key, leased.lease)
      return null
    } catch (error) {
      signal.throwIfAborted()
      return fault(`no lease of ${key} can be had: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** What several workers could drive at once: what none of them starts, and something outside of it keeps its state. */
  #leaseKey(target: Target): string | null {
    const { feature, options, root } = this.#o
    const spec = specOf(target)
    if (feature.contract.reset === 'none') return null
    if (spec?.kind === 'http' && spec.at instanceof URL) return `the candidate at ${placeOf(spec.at)}`
    if (spec?.kind !== 'command' || options.reset === undefined) return null
    return `the program ${spec.argv.join(' ')} in ${resolve(root, spec.options.cwd ?? '.')}`
  }

  /** A fault as it reads on every machine: what a candidate says of itself may name the folder of this checkout. */
  #told<F extends Fault | null>(fault: F): F {
    return fault === null ? fault : { ...fault, message: withoutFolder(fault.message, this.#o.root) }
  }
}

/** A reset that failed; `isOver` unless it may still be at work. */
interface NotReset {
  readonly fault: Fault
  readonly isOver: boolean
}

function blocked(down: Fault): Shown {
  return { ok: false, blocked: blockedBy(gateOf('candidate', down), down.reason) }
}

function refused(fault: Fault): Driven {
  return { ok: false, fault, seen: [] }
}

function isGivenByUrl(target: Target): boolean {
  const spec = specOf(target)
  return spec?.kind === 'http' && spec.at instanceof URL
}

/** Host and port; this machine has many names. */
function placeOf({ hostname, port, protocol }: URL): string {
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
  return `${isHere ? '127.0.0.1' : hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
