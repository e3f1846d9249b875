import { coverNoise } from '../core/calibrate.ts'
import { compareCodePoints } from '../core/canonical.ts'
import { COMPARATOR, compare } from '../core/diff.ts'
import { decide, decisionsId } from '../core/divergences.ts'
import { withBothFailed } from '../core/failed.ts'
import { toJson } from '../core/json.ts'
import { judge, type Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import { admit } from '../golden/store.ts'
import type { Basis, Case, Dimensions, Fixture, Observation, Verdict } from '../model.ts'
import type { Driven } from '../replay/driver.ts'
import type { CalibrationResult, GateResult, SuiteContext } from '../run/events.ts'
import { admitCase } from './admission.ts'
import { CandidateSide } from './candidate.ts'
import { type Feature, readFeature } from './feature.ts'
import { blockedBy, gateOf } from './gate.ts'
import { once } from './once.ts'
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
  readonly calibration: () => Promise<CalibrationResult>
  readonly #open: OpenOptions
  readonly #files: Feature
  readonly #stop = new AbortController()
  readonly #stale = new Map<string, readonly string[]>()
  readonly #candidate: CandidateSide

  constructor(open: OpenOptions, files: Feature) {
    this.#open = open
    this.#files = files
    this.feature = files.name
    this.cases = [...new Set([...files.cases.keys(), ...files.fixtures.names])].sort(compareCodePoints)
    this.context = { ...contextOf(files, basisOf(files, open)), reset: resetFacts(files, open.options) }
    const { signal } = this.#stop
    this.calibration = once(() => calibrate(files, { signal, timeoutMs: CONTROL_TIMEOUT_MS }))
    const timeoutMs = open.options.timeoutMs ?? STEP_TIMEOUT_MS
    this.#candidate = new CandidateSide({ feature: files, options: open.options, root: open.root, timeoutMs, signal })
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
    return name === 'candidate' ? this.#candidate.gate() : Promise.resolve(gateOf('lab', null))
  }

  findings(name: string): readonly string[] {
    return this.#stale.get(name) ?? []
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the suite was closed'))
    await this.#candidate[Symbol.asyncDispose]()
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
      return { outcome: this.#compared(admitted, { ok: true, observation: actual }), fixture }
    }
    const target = o.subject?.target ?? this.#open.options.candidate
    const driven = await this.#candidate.drive(target, input, o.signal)
    if (driven.blocked !== undefined) return { outcome: driven.blocked, fixture }
    return { outcome: this.#compared(admitted, driven), fixture }
  }

  /** The comparison with what the candidate showed, up to the step that had a fault; the fault alone when that was the first. */
  #compared({ fixture, input }: { readonly fixture: Fixture; readonly input: Case }, driven: Driven): Outcome {
    const { steps } = input
    const legacy = fixture.observation
    if (!driven.ok) {
      if (driven.seen.length === 0) return { fault: driven.fault }
      return { comparison: compare(legacy, driven.seen, this.#files.rules, { steps, cut: driven.fault }) }
    }
    const candidate = driven.observation
    const comparison = compare(legacy, candidate, this.#files.rules, { steps })
    return { comparison: withBothFailed(comparison, { legacy, candidate, case: input }) }
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
