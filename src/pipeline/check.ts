import { coverNoise } from '../core/calibrate.ts'
import { COMPARATOR, compare } from '../core/diff.ts'
import { toJson } from '../core/json.ts'
import { type Outcome, judge } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import { admit } from '../golden/store.ts'
import type { Basis, Case, Dimensions, Fault, Fixture, Observation, Reason, Verdict } from '../model.ts'
import { type Driver, openTarget } from '../replay/driver.ts'
import { allowedToSend } from '../core/sends.ts'
import type { StartContext, Target } from '../replay/target.ts'
import type { CalibrationResult, GateResult, SuiteContext } from '../run/events.ts'
import { type Feature, readFeature } from './feature.ts'
import { once } from './once.ts'
import { proveComparator } from './prove.ts'
import type { CheckOptions, OpenOptions, OpenSuite, Suite } from './suite.ts'

const STEP_TIMEOUT_MS = 10_000
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
  refuseConcurrentReset(open, feature)
  const basis = basisOf(feature, open)
  const stop = new AbortController()
  const stepTimeoutMs = open.options.timeoutMs ?? STEP_TIMEOUT_MS
  const context: Omit<StartContext, 'signal' | 'services'> = {
    clock: feature.lab?.clock ?? null,
    tz: feature.lab?.tz ?? DEFAULT_TZ,
  }
  const drivers = new Map<Target, () => Promise<Driver>>()
  const driverOf = (target: Target): Promise<Driver> => {
    const known = drivers.get(target) ?? once(() => openTarget(target, { ...context, signal: stop.signal }))
    drivers.set(target, known)
    return known()
  }
  const calibration = once(() => calibrate(feature, { signal: stop.signal, timeoutMs: stepTimeoutMs }))
  const resetOnce = once(() => reset(open, context, stop.signal))
  let down: Fault | null = null
  const candidate = once(async (): Promise<GateResult> => {
    down = await (await driverOf(open.options.candidate)).probe()
    return gateOf('candidate', down)
  })

  const outcomeOf = async (name: string, o: CheckOptions): Promise<{ outcome: Outcome; fixture: Fixture | null }> => {
    const admitted = admitCase(feature, name, open.asOf)
    if (!admitted.ok) return { outcome: { fault: admitted.fault }, fixture: admitted.fixture }
    const { fixture, input } = admitted
    const through = (outcome: Outcome) => ({ outcome, fixture })
    const proof = await calibration()
    if (proof.reason !== null) return through(blockedBy(proof, proof.reason))
    if (o.subject !== undefined && 'observed' in o.subject) {
      return through({ comparison: compare(fixture.observation, observed(o.subject.observed, fixture), feature.rules) })
    }
    const target = o.subject?.target ?? open.options.candidate
    const isCandidate = target === open.options.candidate
    if (isCandidate) {
      const gate = await candidate()
      if (gate.reason !== null) return through(blockedBy(gate, gate.reason))
      if (down !== null) return through(blockedBy(gateOf('candidate', down), down.reason))
    }
    const driver = await driverOf(target)
    const notReset = feature.contract.reset === 'case' ? await reset(open, context, stop.signal) : await resetOnce()
    if (notReset !== null) return through({ fault: notReset })
    const signal = o.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, o.signal])
    const driven = await driver.drive(input, { signal, timeoutMs: stepTimeoutMs })
    if (driven.ok) return through({ comparison: compare(fixture.observation, driven.observation, feature.rules) })
    // a candidate that is gone fails once; what comes after is blocked by it
    if (isCandidate && driven.fault.reason === 'candidate-unreachable') down = await driver.probe()
    return through({ fault: driven.fault })
  }

  const suite: Suite = {
    feature: feature.name,
    cases: [...new Set([...feature.cases.keys(), ...feature.fixtures.names])].sort(),
    context: contextOf(feature, basis),
    async check(name, options = {}): Promise<Verdict> {
      const { outcome, fixture } = await outcomeOf(name, options)
      return judge({
        feature: feature.name,
        case: options.as ?? name,
        fixture: fixture?.id ?? null,
        basis,
        dimensions: dimensionsOf(feature, outcome),
        outcome,
      })
    },
    calibration,
    gate: name => (name === 'candidate' ? candidate() : Promise.resolve(gateOf('lab', null))),
    async close() {
      stop.abort(new Error('the suite was closed'))
      const opened = await Promise.allSettled([...drivers.values()].map(driver => driver()))
      await Promise.all(
        opened.flatMap(result => (result.status === 'fulfilled' ? [result.value[Symbol.asyncDispose]()] : [])),
      )
    },
  }
  return suite
}

function refuseConcurrentReset(open: OpenOptions, feature: Feature): void {
  const concurrency = open.options.concurrency ?? 1
  if (concurrency <= 1 || feature.contract.reset !== 'case') return
  throw new ParityError(
    'PARITY_FEATURE_CONCURRENCY',
    `describeParity('${feature.name}'): concurrency is ${concurrency}, and the contract resets the state before each case`,
    'remove `concurrency`, or write `reset: suite` in the contract',
  )
}

function basisOf(feature: Feature, open: OpenOptions): Basis {
  return {
    fixtureSet: feature.fixtures.manifest === null ? null : feature.fixtures.id,
    calibration: feature.calibration?.id ?? null,
    ruleSet: feature.rules.id,
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
  }
}

type Admitted =
  | { readonly ok: true; readonly input: Case; readonly fixture: Fixture }
  | { readonly ok: false; readonly fault: Fault; readonly fixture: Fixture | null }

/** The input and the fixture of a case, fit to be compared; or the fault of the first of its files that is not. */
function admitCase(feature: Feature, name: string, asOf: string): Admitted {
  const refuse = (reason: Reason, message: string, fixture: Fixture | null = null): Admitted => ({
    ok: false,
    fault: { reason, step: 0, message },
    fixture,
  })
  const input = feature.cases.get(name)
  if (input === undefined) {
    const recorded = feature.fixtures.names.includes(name)
    return refuse(
      recorded ? 'fixture-stale' : 'no-fixture',
      recorded ? 'the golden has no input any more' : `there is no case ${name}`,
    )
  }
  const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision, asOf })
  if (!admitted.ok) return { ...admitted, fixture: null }
  const { fixture } = admitted
  const unlisted = input.steps.find(({ request }) => request !== undefined && !allowedToSend(feature.contract, request))
  if (unlisted?.request !== undefined) {
    const { method, path } = unlisted.request
    return refuse('side-effects-not-allowed', `${method} ${path.split('?', 1)[0]} is not listed under sends:`, fixture)
  }
  return calibrationFault(feature, fixture, asOf) ?? { ok: true, input, fixture }
}

function calibrationFault(feature: Feature, fixture: Fixture, asOf: string): Admitted | null {
  const refuse = (reason: Reason, message: string): Admitted => ({
    ok: false,
    fault: { reason, step: 0, message },
    fixture,
  })
  const entry = feature.calibration?.fixtures[fixture.id]
  if (entry === undefined) return refuse('calibration-missing', 'calibration.json has no entry for this fixture')
  const maxAgeDays = feature.lab?.maxAgeDays
  const ageDays = (Date.parse(asOf) - Date.parse(entry.captured)) / 86_400_000
  if (maxAgeDays !== undefined && ageDays > maxAgeDays) {
    return refuse('calibration-expired', `captured on ${entry.captured}, it holds ${maxAgeDays} days, and it is ${asOf}`)
  }
  const { uncovered, proposals } = coverNoise(entry.noise, fixture.observation, feature.rules)
  if (uncovered.length === 0) return null
  const places = uncovered.map(({ path }) => path).join(', ')
  const proposed = proposals.map(({ rule }) => rule).join(', ') || 'none'
  return refuse('control-unstable', `the legacy differs from itself at ${places}; proposed: ${proposed}`)
}

async function calibrate(
  feature: Feature,
  o: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<CalibrationResult> {
  const pairs = [...feature.cases.values()].flatMap(input => {
    const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision })
    return admitted.ok ? [{ input, fixture: admitted.fixture }] : []
  })
  const entries = pairs.flatMap(({ fixture }) => feature.calibration?.fixtures[fixture.id] ?? [])
  const proof = await proveComparator(pairs, feature.rules, { ...o, places: 'distinct' })
  const captures = entries.length === 0 ? 0 : Math.min(...entries.map(entry => entry.captures))
  const seeded = { caught: proof.caught, total: proof.total }
  const counted = { gate: 'calibration' as const, captures, cases: entries.length, seeded, unprovable: proof.unprovable }
  if (proof.survivors.length > 0) {
    const [first] = proof.survivors
    const text = `seeded ${seeded.caught}/${seeded.total} caught; ${first}`
    return { ...counted, state: 'failed', reason: 'calibration-failed', text, remedy: 'tighten the rule named here' }
  }
  const control = entries.length === 0 ? 'control missing' : `control clean (${captures} captures, ${entries.length} cases)`
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

/** Why the candidate could not be put back to its first state; null when it was, or when there is nothing to put back. */
async function reset(
  open: OpenOptions,
  context: Omit<StartContext, 'signal' | 'services'>,
  signal: AbortSignal,
): Promise<Fault | null> {
  try {
    await open.options.reset?.({ ...context, signal, services: {} })
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { reason: 'environment', step: 0, message: `the reset of the candidate failed: ${message}` }
  }
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
