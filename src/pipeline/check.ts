import { coverNoise } from '../core/calibrate.ts'
import { compareCodePoints } from '../core/canonical.ts'
import { COMPARATOR, compare } from '../core/diff.ts'
import { decide, decisionsId } from '../core/divergences.ts'
import { toJson } from '../core/json.ts'
import { judge, type Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import { admit } from '../golden/store.ts'
import type { Basis, Case, Dimensions, Fault, Fixture, Observation, Reason, Verdict } from '../model.ts'
import { bounded } from '../replay/bounded.ts'
import { type Driver, openTarget } from '../replay/driver.ts'
import { specOf, type Target } from '../replay/target.ts'
import { withoutFolder } from '../report/escape.ts'
import type { CalibrationResult, GateResult, SuiteContext } from '../run/events.ts'
import { admitCase } from './admission.ts'
import { type Feature, readFeature } from './feature.ts'
import { once } from './once.ts'
import { proveComparator } from './prove.ts'
import type { CheckOptions, OpenOptions, OpenSuite, Suite } from './suite.ts'

const STEP_TIMEOUT_MS = 10_000
/** Of our own control server: the bound of the candidate does not apply to it, or a busy machine would fail the proof. */
const CONTROL_TIMEOUT_MS = 30_000
/** How long the reset of the candidate may take. */
const RESET_MS_MAX = 30_000
const DEFAULT_TZ = 'UTC'

/**
 * Opens a feature for judging: what is on disk is read at once, everything else on first need.
 *
 * A case goes this way: its fixture is admitted (recorded, untampered, of this input, calibrated) → the calibration holds
 * → the candidate is reachable → the case is driven → what it showed is compared with the fixture → the verdict.
 * The first thing that stands in the way is the verdict's reason.
 */
export const openSuite: OpenSuite = open => {
  const feature = readFeature(open)
  refuseImpossibleReset(open, feature)
  return new OpenFeature(open, feature)
}

interface Seen {
  readonly outcome: Outcome
  readonly fixture: Fixture | null
}

/** Holds the drivers of a feature and what its gates showed. */
class OpenFeature implements Suite {
  readonly feature: string
  readonly cases: readonly string[]
  readonly context: SuiteContext
  readonly calibration: () => Promise<CalibrationResult>
  readonly #open: OpenOptions
  readonly #files: Feature
  readonly #stop = new AbortController()
  readonly #stepTimeoutMs: number
  readonly #clock: { readonly clock: string | null; readonly tz: string }
  readonly #drivers = new Map<Target, () => Promise<Driver>>()
  readonly #stale = new Map<string, readonly string[]>()
  readonly #candidate: () => Promise<GateResult>
  readonly #resetOnce: () => Promise<Fault | null>
  /** Why the candidate cannot be reached any more. */
  #down: Fault | null = null

  constructor(open: OpenOptions, files: Feature) {
    this.#open = open
    this.#files = files
    this.feature = files.name
    this.cases = [...new Set([...files.cases.keys(), ...files.fixtures.names])].sort(compareCodePoints)
    this.context = contextOf(files, basisOf(files, open))
    this.#stepTimeoutMs = open.options.timeoutMs ?? STEP_TIMEOUT_MS
    this.#clock = { clock: files.lab?.clock ?? null, tz: files.lab?.tz ?? DEFAULT_TZ }
    this.calibration = once(() => calibrate(files, { signal: this.#stop.signal, timeoutMs: CONTROL_TIMEOUT_MS }))
    this.#resetOnce = once(() => this.#reset())
    this.#candidate = once(async () => {
      this.#down = this.#told(await (await this.#driverOf(open.options.candidate)).probe())
      return gateOf('candidate', this.#down)
    })
  }

  async check(name: string, options: CheckOptions = {}): Promise<Verdict> {
    const { outcome, fixture } = await this.#see(name, options)
    const isOwn = options.as === undefined && options.subject === undefined
    const entries = isOwn ? this.#files.divergences.filter(entry => entry.case === name) : []
    const decision = 'comparison' in outcome ? decide(entries, outcome.comparison) : { decided: null, stale: [] }
    if (isOwn) this.#stale.set(name, decision.stale)
    return judge({
      feature: this.feature,
      case: options.as ?? name,
      fixtureName: name,
      fixture: fixture?.id ?? null,
      basis: this.context.basis,
      dimensions: dimensionsOf(this.#files, outcome),
      outcome,
      decided: decision.decided,
    })
  }

  gate(name: 'lab' | 'candidate'): Promise<GateResult> {
    return name === 'candidate' ? this.#candidate() : Promise.resolve(gateOf('lab', null))
  }

  findings(name: string): readonly string[] {
    return this.#stale.get(name) ?? []
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the suite was closed'))
    const opened = await Promise.allSettled([...this.#drivers.values()].map(driver => driver()))
    await Promise.all(
      opened.flatMap(result => (result.status === 'fulfilled' ? [result.value[Symbol.asyncDispose]()] : [])),
    )
  }

  /** What stands in the way of a comparison, or the comparison. */
  async #see(name: string, o: CheckOptions): Promise<Seen> {
    const admitted = admitCase(this.#files, name, this.#open.asOf)
    if (!admitted.ok) return { outcome: { fault: admitted.fault }, fixture: admitted.fixture }
    const { fixture, input } = admitted
    const proof = await this.calibration()
    if (proof.reason !== null) return { outcome: blockedBy(proof, proof.reason), fixture }
    if (o.subject !== undefined && 'observed' in o.subject) {
      const actual = observed(o.subject.observed, fixture)
      return { outcome: { comparison: compare(fixture.observation, actual, this.#files.rules) }, fixture }
    }
    const target = o.subject?.target ?? this.#open.options.candidate
    const blocked = target === this.#open.options.candidate ? await this.#blocked() : null
    return { outcome: blocked ?? (await this.#drive(target, { input, fixture, signal: o.signal })), fixture }
  }

  async #blocked(): Promise<Outcome | null> {
    await this.#candidate()
    return this.#down === null ? null : blockedBy(gateOf('candidate', this.#down), this.#down.reason)
  }

  async #drive(
    target: Target,
    o: { readonly input: Case; readonly fixture: Fixture; readonly signal: AbortSignal | undefined },
  ): Promise<Outcome> {
    const driver = await this.#driverOf(target)
    const notReset = this.#files.contract.reset === 'case' ? await this.#reset() : await this.#resetOnce()
    if (notReset !== null) return { fault: notReset }
    const signal = o.signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, o.signal])
    const driven = await driver.drive(o.input, { signal, timeoutMs: this.#stepTimeoutMs })
    if (this.#restartsEachCase(target)) await this.#stopDriver(target)
    if (driven.ok) return { comparison: compare(o.fixture.observation, driven.observation, this.#files.rules) }
    // a candidate that is gone fails once; what comes after is blocked by it
    const gone = target === this.#open.options.candidate && driven.fault.reason === 'candidate-unreachable'
    if (gone) this.#down = this.#told(await (await this.#driverOf(target)).probe())
    return { fault: this.#told(driven.fault) }
  }

  #driverOf(target: Target): Promise<Driver> {
    const known =
      this.#drivers.get(target) ?? once(() => openTarget(target, { ...this.#clock, signal: this.#stop.signal }))
    this.#drivers.set(target, known)
    return known()
  }

  /** A started service without a `reset` of its own comes back to its first state by starting anew. */
  #restartsEachCase(target: Target): boolean {
    const { contract } = this.#files
    return contract.reset === 'case' && target.kind === 'http' && this.#open.options.reset === undefined
  }

  async #stopDriver(target: Target): Promise<void> {
    const driver = await this.#drivers.get(target)?.()
    this.#drivers.delete(target)
    await driver?.[Symbol.asyncDispose]()
  }

  /** Why the candidate could not be put back to its first state; null when it was, or when there is nothing to put back. */
  async #reset(): Promise<Fault | null> {
    const { signal } = this.#stop
    const fault = (what: string): Fault | null =>
      this.#told({ reason: 'environment', step: 0, message: `the reset of the candidate ${what}` })
    try {
      const reset = (async () => this.#open.options.reset?.({ ...this.#clock, signal, services: {} }))()
      const { late } = await bounded(reset, { timeoutMs: RESET_MS_MAX, signal })
      return late ? fault(`did not end within ${RESET_MS_MAX} ms`) : null
    } catch (error) {
      signal.throwIfAborted()
      return fault(`failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** A fault as it reads on every machine: what a candidate says of itself may name the folder of this checkout. */
  #told<F extends Fault | null>(fault: F): F {
    return fault === null ? fault : { ...fault, message: withoutFolder(fault.message, this.#open.root) }
  }
}

/** What the contract says of state has to be possible with this candidate. */
function refuseImpossibleReset({ options }: OpenOptions, { name, contract }: Feature): void {
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

function basisOf(feature: Feature, open: OpenOptions): Basis {
  return {
    fixtureSet: feature.fixtures.manifest === null ? null : feature.fixtures.id,
    calibration: feature.calibration?.id ?? null,
    ruleSet: feature.rules.id,
    decisions: feature.divergences.length === 0 ? null : decisionsId(feature.divergences),
    contract: feature.contract.id,
    adapter: { comparator: `vitest-parity/${COMPARATOR}`, candidate: open.options.candidateId ?? open.candidateId },
    asOf: open.asOf,
  }
}

function contextOf(feature: Feature, basis: Basis): SuiteContext {
  const node = Object.values(feature.lab?.services ?? {}).flatMap(({ npm }) => {
    const version = Object.entries(npm).find(([name]) => name.startsWith('node-'))?.[1]
    return version === undefined ? [] : [`node ${version}`]
  })
  return {
    feature: feature.name,
    lab: feature.contract.lab,
    labDetail: node[0] ?? null,
    fixtures: feature.fixtures.names.length,
    basis,
    gates: ['candidate', 'calibration'],
    reads: [feature.contract.inputsFrom, feature.contract.fixturesFrom],
  }
}

async function calibrate(
  feature: Feature,
  o: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<CalibrationResult> {
  const pairs = [...feature.cases.values()].flatMap(input => {
    const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision })
    return admitted.ok ? [{ input, fixture: admitted.fixture }] : []
  })
  const controls = pairs.flatMap(({ fixture }) => {
    const entry = feature.calibration?.fixtures[fixture.id]
    return entry === undefined ? [] : [{ entry, observation: fixture.observation }]
  })
  const proof = await proveComparator(pairs, feature.rules, { ...o, places: 'distinct' })
  const captures = controls.length === 0 ? 0 : Math.min(...controls.map(({ entry }) => entry.captures))
  const seeded = { caught: proof.caught, total: proof.total }
  const counted = {
    gate: 'calibration' as const,
    captures,
    cases: controls.length,
    seeded,
    unprovable: proof.unprovable,
  }
  if (proof.survivors.length > 0) {
    const [first] = proof.survivors
    const text = `seeded ${seeded.caught}/${seeded.total} caught; ${first}`
    return { ...counted, state: 'failed', reason: 'calibration-failed', text, remedy: 'tighten the rule named here' }
  }
  const noisy = controls.filter(
    ({ entry: { noise }, observation }) =>
      noise.length > 0 && coverNoise(noise, observation, feature.rules).uncovered.length > 0,
  )
  const state = noisy.length === 0 ? 'control clean' : `control unstable in ${noisy.length}`
  const control =
    controls.length === 0 ? 'control missing' : `${state} (${captures} captures, ${controls.length} cases)`
  const text = `${control} · seeded ${seeded.caught}/${seeded.total} caught`
  return { ...counted, state: 'ok', reason: null, text, remedy: null }
}

function gateOf(gate: 'lab' | 'candidate', fault: Fault | null): GateResult {
  if (fault === null) return { gate, state: 'ok', reason: null, text: 'reachable', remedy: null }
  return { gate, state: 'failed', reason: fault.reason, text: fault.message, remedy: 'repair it, then run again' }
}

function blockedBy(gate: GateResult, reason: Reason): Outcome {
  const message = `the ${gate.gate} gate failed: ${gate.text}`
  return { fault: { reason: 'blocked', step: 0, message }, cause: { gate: gate.gate, reason } }
}

/** What a test observed itself, as the observation of a function. */
function observed(value: unknown, fixture: Fixture): Observation {
  const [first, ...more] = fixture.observation
  if (first === undefined || more.length > 0 || first.kind === 'response' || first.kind === 'command') {
    throw new ParityError(
      'PARITY_OUTPUT_UNFIT',
      `${fixture.name} records ${first?.kind === 'command' ? 'a program' : 'an exchange'}, and a plain output was given`,
      'give the target itself: await expectParity(candidate).toMatchFixture(…)',
    )
  }
  const output = toJson(value)
  return [
    output.ok
      ? { kind: 'output', output: output.value }
      : { kind: 'output', output: null, unserialisable: { path: output.path, what: output.what } },
  ]
}

function dimensionsOf(feature: Feature, outcome: Outcome): Dimensions {
  const compared = 'comparison' in outcome ? ['response'] : []
  return { compared, notRun: feature.contract.sideEffects.length > 0 ? ['effects'] : [] }
}
