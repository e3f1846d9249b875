import { setTimeout as sleep } from 'node:timers/promises'
import { leftSeed, type Seed, seedOf } from '../core/seed.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import { leaseLab } from '../lab/broker/client.ts'
import type { LabEvidence } from '../lab/container/spec.ts'
import { LabFailure } from '../lab/lab-failure.ts'
import { type Lab, type LabFile, loadLab } from '../lab/lab-file.ts'
import { type RunningLab, startLab } from '../lab/process-driver.ts'
import { type Probe, tryProbe } from '../lab/readiness.ts'
import type { Case, Fault, Reason, Sha256 } from '../model.ts'
import { type Driven, type DriveOptions, type Driver, openTarget } from '../replay/driver.ts'
import { withoutFolder } from '../report/escape.ts'
import { egressSummary } from '../report/lab-lines.ts'
import type { GateResult } from '../run/events.ts'
import { blockedBy } from './gate.ts'
import { targetOfLab } from './lab-target.ts'
import { once } from './once.ts'
import { tryTwice } from './second-try.ts'

/** How long the end of a legacy may take to be told, once its connections broke. */
const DEATH_MS_MAX = 1_000
const DEATH_POLL_MS = 20
const PROBE_MS_MAX = 2_000
const LOG_LINES_SHOWN = 50

export interface LiveLabOptions {
  /** The folder of lab.yaml. */
  readonly dir: string
  /** The folder that is left out of what is told. */
  readonly root: string
  /** When the state is put back, as the contract says. */
  readonly reset: 'none' | 'suite' | 'case'
  /** What shows whether a reset put the state back, and the rules that this is judged under; null for nothing. */
  readonly probe: { readonly case: Case; readonly rules: RuleSet } | null
  /** Aborted when the suite is closed. */
  readonly signal: AbortSignal
  /** What is kept of a line that a legacy prints. */
  readonly conceal: (line: string) => string
  /** Where the container labs of the run are lent; null: it boots its own. */
  readonly broker: string | null
}

/** What two legacies showed of one case, and what was done between them; or how the lab ended. */
export type Bracketed<T> =
  | { readonly ok: true; readonly first: Driven; readonly between: T; readonly control: Driven }
  | { readonly ok: false; readonly fault: Fault }

/** One of the two legacies. */
interface Twin {
  readonly name: 'the legacy' | 'the control'
  readonly running: RunningLab
  driver: Driver
}

interface Twins {
  readonly first: Twin
  readonly control: Twin
  /** True until the first case was driven. */
  fresh: boolean
  /** What the probe showed first. */
  seed: Seed | null
}

/**
 * Holds two legacies of one lab, booted alike on first need: the one that is compared with, and its control. The control
 * has seen the same cases and is in the same state, so that where the two differ, the legacy differs from itself.
 *
 * It is asked as `ready:` says once more than the other after each start: what counts requests is out of step in it.
 */
export class LiveLab implements AsyncDisposable {
  /** Boots the lab at its own clock, and shows what was booted. Asked once. */
  readonly gate: () => Promise<GateResult>
  readonly #o: LiveLabOptions
  readonly #lab: () => Promise<Lab>
  /** By instant. State builds up at each of them where it is put back once per suite; else there is one pair. */
  readonly #twins = new Map<string | null, Promise<Twins>>()
  /** Why no legacy answers any more. */
  #down: { readonly reason: Reason; readonly text: string } | null = null

  constructor(o: LiveLabOptions) {
    this.#o = o
    this.#lab = once(() => loadLab(o.dir))
    this.gate = once(() => this.#boot())
  }

  /** The hash of the lab; null when it cannot be read. */
  async hash(): Promise<Sha256 | null> {
    return await this.#lab().then(
      lab => lab.hash,
      () => null,
    )
  }

  /** What stands in front of every live case; null when nothing does. */
  async blocked(): Promise<Outcome | null> {
    const gate = await this.gate()
    const { reason, text } = gate.reason === null ? (this.#down ?? { reason: null, text: '' }) : gate
    if (reason === null) return null
    return blockedBy({ ...gate, text: text.split('\n', 1)[0] ?? '' }, reason)
  }

  /**
   * What the legacy shows of a case, then what `between` comes to, then what the control shows: what changes with time
   * cannot change for the candidate alone. A legacy that is gone fails the case that met it; later ones are blocked.
   *
   * @throws whatever a signal was aborted with
   */
  async bracket<T>(c: Case, options: DriveOptions, between: (legacy: Driven) => Promise<T>): Promise<Bracketed<T>> {
    try {
      const twins = await this.#ready(c)
      const left = this.#o.reset === 'case' ? await this.#leftSeed(twins, c, options) : null
      if (left !== null) return this.#end(left.reason, left.message)
      const first = await this.#drive(twins.first, c, options)
      // both legacies and the candidate see every case, also one that failed: the state of later ones depends on it
      const [done] = await Promise.allSettled([between(first)])
      const control = await this.#drive(twins.control, c, options)
      if (done.status === 'rejected') throw done.reason
      return { ok: true, first, between: done.value, control }
    } catch (error) {
      if (!(error instanceof LabFailure)) throw error
      return this.#end(error.reason, error.message)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#twins.keys()].map(clock => this.#stop(clock)))
  }

  async #boot(): Promise<GateResult> {
    const closed = (reason: Reason, what: string, remedy: string): GateResult => {
      const text = withoutFolder(what, this.#o.root)
      return { gate: 'lab', state: 'failed', reason, text, remedy: withoutFolder(remedy, this.#o.root) }
    }
    try {
      const { file } = await this.#lab()
      const { value: failure, tries } = await tryTwice(() => this.#failedBoot(file.clock), {
        mayPass: failed => failed?.reason === 'lab-boot',
        signal: this.#o.signal,
      })
      if (failure !== null) return closed(failure.reason, failure.message, failure.remedy)
      const { first } = await this.#twinsAt(file.clock)
      const { evidence } = first.running
      const text = `${bootedText(file, evidence)}${tries === 1 ? '' : ', at the second try'}`
      return { gate: 'lab', state: 'ok', reason: null, text, remedy: null, ...(evidence === null ? {} : { evidence }) }
    } catch (error) {
      if (error instanceof LabFailure) return closed(error.reason, error.message, error.remedy)
      if (!(error instanceof ParityError)) throw error
      return closed('environment', error.message.split('\nFix: ', 1)[0] ?? '', error.fix)
    }
  }

  /** Why the lab does not boot; null when it did. */
  async #failedBoot(clock: string | null): Promise<LabFailure | null> {
    try {
      await this.#twinsAt(clock)
      return null
    } catch (error) {
      if (!(error instanceof LabFailure)) throw error
      this.#twins.delete(clock)
      return error
    }
  }

  /** Both legacies in the state that the contract asks for. */
  async #ready(c: Case): Promise<Twins> {
    const { file } = await this.#lab()
    const clock = c.now ?? file.clock
    if (this.#o.reset !== 'suite') {
      for (const other of this.#twins.keys()) if (other !== clock) await this.#stop(other)
    }
    const twins = await this.#twinsAt(clock)
    for (const { name, running } of [twins.first, twins.control]) {
      const crash = running.crashed()
      if (crash !== null) throw this.#failure(file, name, crash)
    }
    if (this.#o.reset === 'case' && !twins.fresh) {
      await Promise.all([this.#reset(twins.first, clock), this.#reset(twins.control, clock)])
    }
    twins.fresh = false
    return twins
  }

  #twinsAt(clock: string | null): Promise<Twins> {
    const known = this.#twins.get(clock) ?? this.#startTwins(clock)
    this.#twins.set(clock, known)
    return known
  }

  async #startTwins(clock: string | null): Promise<Twins> {
    const first = await this.#start('the legacy', clock)
    try {
      return { first, control: await this.#start('the control', clock), fresh: true, seed: null }
    } catch (error) {
      await stopTwin(first)
      throw error
    }
  }

  async #start(name: Twin['name'], clock: string | null): Promise<Twin> {
    const lab = await this.#lab()
    const { signal, conceal, broker } = this.#o
    const role = name === 'the control' ? 'control' : 'legacy'
    const running =
      // state that builds up over a suite, at each instant of its own, needs labs of its own
      lab.driver === 'container' && broker !== null && this.#o.reset !== 'suite'
        ? await leaseLab(lab, { signal, clock, conceal, address: broker, role })
        : await startLab(lab, { signal, clock, conceal })
    try {
      return { name, running, driver: await this.#opened(name, running, clock) }
    } catch (error) {
      await running[Symbol.asyncDispose]()
      throw error
    }
  }

  async #reset(twin: Twin, clock: string | null): Promise<void> {
    await twin.driver[Symbol.asyncDispose]()
    await twin.running.reset({ clock })
    twin.driver = await this.#opened(twin.name, twin.running, clock)
  }

  async #opened(name: Twin['name'], running: RunningLab, clock: string | null): Promise<Driver> {
    const lab = await this.#lab()
    const { signal } = this.#o
    const ready = readyProbe(lab)
    if (name === 'the control' && ready !== null && running.drive.kind === 'http') {
      await tryProbe(running.drive.url, ready, PROBE_MS_MAX, signal)
    }
    return openTarget(targetOfLab(running), { clock, tz: lab.file.tz, signal, label: name })
  }

  async #drive(twin: Twin, c: Case, options: DriveOptions): Promise<Driven> {
    const driven = await twin.driver.drive(c, options)
    if (driven.ok) return driven
    const { fault } = driven
    const crash = await this.#death(twin, fault)
    if (crash !== null) throw this.#failure((await this.#lab()).file, twin.name, crash)
    return { ...driven, fault: { ...fault, message: withoutFolder(fault.message, this.#o.root) } }
  }

  /** How a legacy ended whose answer did not come; null where it still runs. */
  async #death({ running }: Twin, { reason, message }: Fault): Promise<string | null> {
    const broke = reason === 'transport' || reason === 'candidate-unreachable'
    for (let waitedMs = 0; broke && waitedMs < DEATH_MS_MAX; waitedMs += DEATH_POLL_MS) {
      if (running.crashed() !== null) break
      await sleep(DEATH_POLL_MS)
    }
    const crash = running.crashed()
    if (crash !== null || reason !== 'candidate-unreachable') return crash
    const lines = running.logs().split('\n').slice(-LOG_LINES_SHOWN)
    return [`${message}; its last lines:`, ...lines.map(line => `  ${line}`)].join('\n')
  }

  /** Why the legacy is not in the state that the probe showed first; null when it is, or when nothing probes it. */
  async #leftSeed(twins: Twins, c: Case, options: DriveOptions): Promise<Fault | null> {
    if (this.#o.probe === null) return null
    const { case: probe, rules } = this.#o.probe
    const { name, steps } = probe
    const shown = await this.#drive(twins.first, { ...probe, now: c.now }, options)
    if (!shown.ok) return { ...shown.fault, message: `the probe ${name}: ${shown.fault.message}` }
    if (twins.seed === null) {
      const again = await this.#drive(twins.first, { ...probe, now: c.now }, options)
      if (!again.ok) return { ...again.fault, message: `the probe ${name}: ${again.fault.message}` }
      twins.seed = seedOf(shown.observation, again.observation, steps)
      return null
    }
    const place = leftSeed(twins.seed, shown.observation, { rules, steps })
    if (place === null) return null
    const message = `after the reset the legacy no longer shows the seed state: the probe ${name} differs from what it showed first, at ${place}`
    return { reason: 'control-unstable', step: 0, message }
  }

  /** The fault of the case that met it, which stands in front of every later one. */
  #end(reason: Reason, what: string): { readonly ok: false; readonly fault: Fault } {
    const message = withoutFolder(what, this.#o.root)
    this.#down = { reason, text: message }
    return { ok: false, fault: { reason, step: 0, message } }
  }

  #failure({ id }: LabFile, name: Twin['name'], how: string): LabFailure {
    const whose = name === 'the control' ? ' (its control)' : ''
    return new LabFailure('lab-boot', `lab ${id}${whose}: ${how}`, 'read the log above')
  }

  async #stop(clock: string | null): Promise<void> {
    const twins = this.#twins.get(clock)
    this.#twins.delete(clock)
    const started = await twins?.catch(() => null)
    if (started != null) await Promise.allSettled([stopTwin(started.first), stopTwin(started.control)])
  }
}

/** What the service that is driven was asked until it was ready; null where it was asked nothing over HTTP. */
function readyProbe(lab: Lab): Probe | null {
  if (lab.driver === 'container') {
    const ready = lab.services.find(({ name }) => name === lab.drive)?.ready
    return ready?.kind === 'http' ? ready : null
  }
  if (!('ready' in lab.service)) return null
  const { http, status, body = null } = lab.service.ready
  const [method = '', path = ''] = http.split(' ')
  return { method, path, status, body }
}

async function stopTwin({ driver, running }: Twin): Promise<void> {
  try {
    await driver[Symbol.asyncDispose]()
  } finally {
    await running[Symbol.asyncDispose]()
  }
}

/** What was booted, in one line that is the same on every machine. */
function bootedText(file: LabFile, evidence: LabEvidence | null): string {
  const { id, driver, isolation, clock } = file
  const parts =
    file.driver === 'container'
      ? Object.values(file.services).map(({ image }) => image.tag.replace(/^.*\//, ''))
      : Object.values(file.services).flatMap(({ npm }) => Object.entries(npm).map(each => each.join(' ')))
  const proven = evidence === null ? [] : [egressSummary(evidence.egress)]
  const facts = [
    `driver ${driver}`,
    `isolation ${isolation}`,
    ...proven,
    ...parts,
    clock === null ? 'its own clock' : clock,
  ]
  return `${id} answers, and once more as its control (${facts.join(' · ')})`
}
