import { coverNoise } from '../core/calibrate.ts'
import { COMPARATOR } from '../core/diff.ts'
import { decide, decisionsId } from '../core/divergences.ts'
import { judge, type Outcome } from '../core/verdict.ts'
import { admit } from '../golden/store.ts'
import type { LabFile } from '../lab/lab-file.ts'
import { fidelityOf } from '../lab/rung.ts'
import type { Basis, Case, Dimensions, Fixture, Verdict } from '../model.ts'
import type { Driven } from '../replay/driver.ts'
import type { CalibrationResult, GateResult, SuiteContext } from '../run/events.ts'
import { admitCase } from './admission.ts'
import { CandidateSide } from './candidate.ts'
import { comparedWith, observedOutput, outputBeside } from './compared.ts'
import { type Feature, readFeature } from './feature.ts'
import { blockedBy, gateOf } from './gate.ts'
import { type LiveSide, openLive } from './live.ts'
import { readLiveInput } from './live-input.ts'
import { once } from './once.ts'
import { Exchanges, inPhases } from './phases.ts'
import { proveComparator } from './prove.ts'
import { refuseImpossibleReset, resetFacts } from './reset.ts'
import type { CheckOptions, OpenOptions, OpenSuite, Suite } from './suite.ts'

const STEP_TIMEOUT_MS = 10_000
/** Of our own control server: the bound of the candidate does not apply to it, or a busy machine would fail the proof. */
const CONTROL_TIMEOUT_MS = 30_000

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

/** Holds the sides of a feature and what its gates showed. */
class OpenFeature implements Suite {
  readonly feature: string
  readonly cases: readonly string[]
  readonly context: SuiteContext
  readonly checkLive?: NonNullable<Suite['checkLive']>
  /** The proof over the goldens. */
  readonly #recorded: () => Promise<CalibrationResult>
  /** The same, once it was asked for. */
  #recordedProof: CalibrationResult | null = null
  readonly #live: LiveSide | null
  readonly #open: OpenOptions
  readonly #files: Feature
  /** Of a verdict on a fixture. */
  readonly #basis: Basis
  readonly #stop = new AbortController()
  readonly #stale = new Map<string, readonly string[]>()
  readonly #candidate: CandidateSide
  readonly #exchanges = new Exchanges()

  constructor(open: OpenOptions, files: Feature) {
    this.#open = open
    this.#files = files
    this.feature = files.name
    const { reset } = files.contract
    this.cases = inPhases([...files.cases.keys(), ...files.fixtures.names], { cases: files.cases, reset })
    const isLive = open.options.against === 'live'
    this.#basis = basisOf(files, open)
    this.context = { ...contextOf(files, this.#basis, isLive), reset: resetFacts(files, open.options) }
    const { signal } = this.#stop
    this.#recorded = once(async () => {
      this.#recordedProof = await calibrate(files, { signal, timeoutMs: CONTROL_TIMEOUT_MS })
      return this.#recordedProof
    })
    const timeoutMs = open.options.timeoutMs ?? STEP_TIMEOUT_MS
    const live = isLive
      ? openLive({ feature: files, root: open.root, timeoutMs, signal, broker: open.labs ?? null })
      : null
    this.#live = live
    if (live !== null) this.checkLive = (input, options) => this.#checkLive(live, input, options)
    this.#candidate = new CandidateSide({ feature: files, options: open.options, root: open.root, timeoutMs, signal })
  }

  async check(name: string, options: CheckOptions = {}): Promise<Verdict> {
    const isOwn = options.as === undefined && options.subject === undefined
    const live = isOwn ? this.#live : null
    const { outcome, fixture } =
      live === null ? await this.#see(name, options) : await this.#seeOwn(live, name, options)
    const entries = isOwn ? this.#files.divergences.filter(entry => entry.case === name) : []
    const decision = 'comparison' in outcome ? decide(entries, outcome.comparison) : { decided: null, stale: [] }
    if (isOwn) this.#stale.set(name, decision.stale)
    return judge({
      feature: this.feature,
      case: options.as ?? name,
      fixtureName: name,
      fixture: fixture?.id ?? null,
      basis: live === null ? this.#basis : await live.basis(this.#basis),
      dimensions: dimensionsOf(this.#files, outcome),
      outcome,
      decided: decision.decided,
    })
  }

  /** Of a live suite what its cases have shown so far; a failed proof over the goldens, where one of them was asked for, stands. */
  async calibration(): Promise<CalibrationResult> {
    const live = this.#live?.calibration()
    const proof = this.#recordedProof
    if (live === undefined || (proof !== null && (proof.state === 'failed' || live.cases === 0)))
      return this.#recorded()
    return live
  }

  gate(name: 'lab' | 'candidate'): Promise<GateResult> {
    return name === 'candidate' ? this.#candidate.gate() : (this.#live?.gate() ?? Promise.resolve(gateOf('lab', null)))
  }

  findings(name: string): readonly string[] {
    return this.#stale.get(name) ?? []
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the suite was closed'))
    // a candidate that does not stop leaves no legacy behind
    await using _live = this.#live
    await this.#candidate[Symbol.asyncDispose]()
  }

  async #checkLive(live: LiveSide, input: unknown, o: CheckOptions & { readonly as: string }): Promise<Verdict> {
    const target = o.subject !== undefined && 'target' in o.subject ? o.subject.target : null
    const asked = target === null ? live.takesRequests : target.kind === 'http'
    const read = readLiveInput(input, { name: o.as, of: asked ? 'request' : 'input' })
    const outcome = await this.#seeLive(live, read, o)
    return judge({
      feature: this.feature,
      case: o.as,
      fixture: null,
      basis: await live.basis(this.#basis),
      dimensions: dimensionsOf(this.#files, outcome),
      outcome,
    })
  }

  /** A case of the corpus in a live suite. Its golden takes no part, but one without an input is no smaller corpus. */
  async #seeOwn(live: LiveSide, name: string, options: CheckOptions): Promise<Seen> {
    const input = this.#files.cases.get(name)
    if (input !== undefined) {
      const seen = await this.#seeLive(live, input, options)
      return { outcome: this.#exchanges.judged(input, seen), fixture: null }
    }
    const admitted = admitCase(this.#files, name, this.#open.asOf)
    if (admitted.ok) throw new Error('a case without an input was admitted')
    return { outcome: { fault: admitted.fault }, fixture: null }
  }

  /** What stands in the way of a comparison, or the comparison. */
  async #see(name: string, o: CheckOptions): Promise<Seen> {
    const admitted = admitCase(this.#files, name, this.#open.asOf)
    if (!admitted.ok) return { outcome: { fault: admitted.fault }, fixture: admitted.fixture }
    const { fixture, input } = admitted
    const { rules } = this.#files
    const proof = await this.#recorded()
    if (proof.reason !== null) return { outcome: blockedBy(proof, proof.reason), fixture }
    if (o.subject !== undefined && 'observed' in o.subject) {
      const observation = observedOutput(o.subject.observed, fixture)
      return { outcome: comparedWith(fixture.observation, { ok: true, observation }, { input, rules }), fixture }
    }
    const target = o.subject?.target ?? this.#open.options.candidate
    const driven = await this.#candidate.drive(target, input, o.signal)
    if ('blocked' in driven) return { outcome: driven.blocked, fixture }
    const compared = comparedWith(fixture.observation, driven, { input, rules })
    const isOwn = o.as === undefined && o.subject === undefined
    return { outcome: isOwn ? this.#exchanges.judged(input, compared) : compared, fixture }
  }

  /** What stands in the way of comparing with the legacy as it answers now, or the comparison. */
  #seeLive(live: LiveSide, input: Case, { subject, signal }: CheckOptions): Promise<Outcome> {
    if (subject !== undefined && 'observed' in subject) {
      const { observed } = subject
      const show = async (legacy: Driven) => outputBeside(observed, legacy)
      return live.see(input, { gate: null, show, signal })
    }
    const own = this.#open.options.candidate
    const target = subject?.target ?? own
    return live.see(input, {
      gate: target === own ? this.#candidate.gate : null,
      show: () => this.#candidate.drive(target, input, signal),
      signal,
    })
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

function contextOf(feature: Feature, recorded: Basis, isLive: boolean): SuiteContext {
  return {
    feature: feature.name,
    lab: feature.contract.lab,
    labDetail: feature.lab === null ? null : runtimeOf(feature.lab),
    ...(feature.lab === null ? {} : { fidelity: fidelityOf(feature.lab) }),
    fixtures: feature.fixtures.names.length,
    basis: isLive ? { ...recorded, fixtureSet: null, calibration: null, lab: null } : recorded,
    gates: isLive ? ['lab', 'candidate', 'calibration'] : ['candidate', 'calibration'],
    reads: [feature.contract.inputsFrom, feature.contract.fixturesFrom],
    ...(isLive ? { against: 'live' } : {}),
  }
}

/** What a legacy runs on, as far as its lab.yaml says: `node 0.10.48`, `ruby:2.7.4-slim`. */
function runtimeOf(lab: LabFile): string | null {
  if (lab.driver === 'container') {
    const services = Object.entries(lab.services)
    const [, driven] =
      services.find(([name]) => name === lab.drive) ?? services.find(([, { port }]) => port !== null) ?? []
    return driven === undefined ? null : (driven.image.tag.split('/').at(-1) ?? null)
  }
  const packages = Object.values(lab.services).flatMap(({ npm }) => Object.entries(npm))
  const node = packages.find(([name]) => name.startsWith('node-'))
  return node === undefined ? null : `node ${node[1]}`
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

function dimensionsOf(feature: Feature, outcome: Outcome): Dimensions {
  const compared = 'comparison' in outcome ? ['response'] : []
  return { compared, notRun: feature.contract.sideEffects.length > 0 ? ['effects'] : [] }
}
