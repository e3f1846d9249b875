import { join } from 'node:path'
import { controlFault } from '../core/live.ts'
import { allowedToSend } from '../core/sends.ts'
import type { Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import type { Basis, Case, Observation, Request } from '../model.ts'
import { forbidden } from '../record/record.ts'
import type { Driven } from '../replay/driver.ts'
import { type PrincipalBook, principalBook } from '../replay/principals.ts'
import type { CalibrationResult, GateResult } from '../run/events.ts'
import { comparedWith } from './compared.ts'
import type { Feature } from './feature.ts'
import { blockedBy } from './gate.ts'
import { LiveLab } from './live-lab.ts'
import { proveComparator } from './prove.ts'

/** Of our own control server, as in a recorded suite. */
const CONTROL_TIMEOUT_MS = 30_000

export interface LiveOptions {
  readonly feature: Feature
  readonly root: string
  /** Per step. */
  readonly timeoutMs: number
  /** Aborted when the suite is closed. */
  readonly signal: AbortSignal
  /** Where the container labs of the run are lent. Default: it boots its own. */
  readonly broker?: string | null
}

/** What a subject showed, or what stands in front of it. */
type Shown = Driven | { readonly ok: false; readonly blocked: Outcome }

/** What is compared with the legacy. */
export interface LiveSubject {
  /** Has to hold before anything is driven; null for a subject that stands behind none. */
  readonly gate: (() => Promise<GateResult>) | null
  /** What it shows; the legacy has shown its own. */
  show(legacy: Driven): Promise<Shown>
  readonly signal: AbortSignal | undefined
}

/**
 * Holds a legacy that answers while the suite runs.
 *
 * A case goes this way: nothing of it is forbidden → the calibration holds → the lab and the candidate answer → the legacy,
 * the candidate and the control of the legacy are driven, in this order → the control agrees with the legacy, save where a
 * rule says so → the comparator is proven at every place of what the legacy showed that was not proven before → the verdict.
 * One case at a time: the state of each side is that of the cases before.
 */
export class LiveSide implements AsyncDisposable {
  readonly #o: LiveOptions
  readonly #lab: LiveLab
  readonly #principals: PrincipalBook
  readonly #proven = new Set<string>()
  readonly #seeded = { caught: 0, total: 0 }
  readonly #survivors: string[] = []
  readonly #unprovable = new Set<string>()
  #cases = 0
  #unstable = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(o: LiveOptions, lab: string) {
    const { paths, contract, probe, rules } = o.feature
    this.#o = o
    this.#principals = principalBook({ principals: contract.principals, env: process.env, label: 'the legacy' })
    this.#lab = new LiveLab({
      dir: join(paths.labs, lab),
      root: o.root,
      reset: contract.reset,
      probe: probe === null ? null : { case: probe, rules },
      signal: o.signal,
      conceal: this.#principals.concealText,
      broker: o.broker ?? null,
    })
  }

  gate(): Promise<GateResult> {
    return this.#lab.gate()
  }

  /** True for a legacy that listens, false for one that is called. */
  get takesRequests(): boolean {
    return !Object.values(this.#o.feature.lab?.services ?? {}).some(service => 'call' in service)
  }

  /** The inputs of a live verdict: no golden and no recorded calibration, but the lab that answered. */
  async basis(recorded: Basis): Promise<Basis> {
    return { ...recorded, fixtureSet: null, calibration: null, lab: await this.#lab.hash() }
  }

  /** What the cases so far have shown. */
  calibration(): CalibrationResult {
    const { caught, total } = this.#seeded
    const state = this.#unstable === 0 ? 'control clean' : `control unstable in ${this.#unstable}`
    const seeded = `seeded ${caught}/${total} caught`
    const cases = this.#cases === 1 ? '1 case' : `${this.#cases} cases`
    const shown = this.#cases === 0 ? 'the legacy answered no case' : `${state} (live, ${cases}) · ${seeded}`
    const [survivor] = this.#survivors
    return {
      gate: 'calibration',
      captures: this.#cases === 0 ? 0 : 2,
      cases: this.#cases,
      seeded: { ...this.#seeded },
      unprovable: [...this.#unprovable],
      ...(survivor === undefined
        ? { state: 'ok', reason: null, text: shown, remedy: null }
        : {
            state: 'failed',
            reason: 'calibration-failed',
            text: `${seeded}; ${survivor}`,
            remedy: 'tighten the rule named here',
          }),
    }
  }

  /** What stands in the way of comparing the subject with the legacy as it answers now, or the comparison. */
  see(c: Case, subject: LiveSubject): Promise<Outcome> {
    const seen = this.#turn.then(() => this.#see(c, subject))
    this.#turn = seen.catch(() => {})
    return seen
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lab[Symbol.asyncDispose]()
  }

  async #see(c: Case, subject: LiveSubject): Promise<Outcome> {
    const { contract, rules } = this.#o.feature
    const refused = forbidden(c, contract)
    if (refused !== null) return { fault: refused }
    const blocked = this.#blocked() ?? (await this.#lab.blocked())
    if (blocked !== null) return blocked
    const gate = (await subject.gate?.()) ?? null
    if (gate !== null && gate.reason !== null) return blockedBy(gate, gate.reason)
    const either = subject.signal === undefined ? [] : [subject.signal]
    const signal = AbortSignal.any([this.#o.signal, ...either])
    const sends = (request: Request): boolean => allowedToSend(contract, request)
    const options = { signal, timeoutMs: this.#o.timeoutMs, sends, principals: this.#principals.forCase }
    const seen = await this.#lab.bracket(c, options, legacy => subject.show(legacy))
    if (!seen.ok) return { fault: seen.fault }
    const { first, control, between } = seen
    if ('blocked' in between) return between.blocked
    if (!first.ok) return { fault: first.fault }
    if (!control.ok) return { fault: control.fault }
    this.#cases += 1
    const fault = controlFault({ first: first.observation, control: control.observation }, c, rules)
    if (fault !== null) {
      this.#unstable += 1
      return { fault }
    }
    await this.#prove(c, first.observation)
    return this.#blocked() ?? comparedWith(first.observation, between, { input: c, rules })
  }

  #blocked(): Outcome | null {
    const proof = this.calibration()
    return proof.reason === null ? null : blockedBy(proof, proof.reason)
  }

  /** Seeds mismatches into what the legacy showed, at the places that no case before had. */
  async #prove(input: Case, observation: Observation): Promise<void> {
    const pair = { input, fixture: { name: input.name, observation } }
    const { signal } = this.#o
    const { caught, total, survivors, unprovable } = await proveComparator([pair], this.#o.feature.rules, {
      signal,
      timeoutMs: CONTROL_TIMEOUT_MS,
      places: 'distinct',
      proven: this.#proven,
    })
    this.#seeded.caught += caught
    this.#seeded.total += total
    this.#survivors.push(...survivors)
    for (const place of unprovable) this.#unprovable.add(place)
  }
}

/**
 * The live side of a feature.
 *
 * @throws ParityError PARITY_FEATURE_LIVE, PARITY_LAB_MISSING, PARITY_RECORD_REVISION
 */
export function openLive(o: LiveOptions): LiveSide {
  const { name, contract, lab } = o.feature
  if (contract.lab === null) {
    throw new ParityError(
      'PARITY_FEATURE_LIVE',
      `describeParity('${name}'): against is 'live', and the contract of ${name} names no lab that could answer`,
      `add \`lab: <name>\` to parity/${name}/contract.yaml, and labs/<name>/lab.yaml; or write against: 'recorded'`,
    )
  }
  if (lab === null) {
    throw new ParityError(
      'PARITY_LAB_MISSING',
      `describeParity('${name}'): against is 'live', and the lab ${contract.lab} of its contract has no lab.yaml`,
      `write labs/${contract.lab}/lab.yaml, or correct lab: in the contract`,
    )
  }
  if (lab.revision !== contract.revision) {
    throw new ParityError(
      'PARITY_RECORD_REVISION',
      `the contract of ${name} pins ${contract.revision}, the lab ${lab.id} runs ${lab.revision}`,
      'write the same revision in both',
    )
  }
  return new LiveSide(o, contract.lab)
}
