import { compareCodePoints } from '../core/canonical.ts'
import type { Rung } from '../lab/container/spec.ts'
import type { Fidelity } from '../lab/rung.ts'
import type { AllowableReason, Basis, Reason, Verdict, VerdictState } from '../model.ts'
import type {
  CalibrationResult,
  GateResult,
  ResetFacts,
  RunEvent,
  RunFacts,
  SelectedCase,
  StoredEvent,
  SuiteContext,
} from '../run/events.ts'

export interface FeatureReport {
  readonly feature: string
  /** The worst of its cases; null when none was selected. */
  readonly state: VerdictState | null
  readonly lab: string | null
  readonly labDetail: string | null
  /** What the lab claims, how near it comes, and what it does not show; null where no lab is known. */
  readonly fidelity: ReachedFidelity | null
  /** What its cases were compared with; `both` where one file replays the recordings and another asks the lab. */
  readonly against: 'recorded' | 'live' | 'both'
  readonly fixtures: number
  /** Who puts the state back, and when; null when unknown. */
  readonly reset: ResetFacts | null
  readonly basis: Basis | null
  readonly gates: readonly GateResult[]
  readonly calibration: CalibrationResult | null
}

export type ReachedFidelity = Omit<Fidelity, 'rung'> & {
  /** The rung that the legacy answered at; null where none did. */
  readonly rung: Rung | null
  /** What the claim needs and did not have, in words; null where nothing is wanting. A finding, and no part of a verdict. */
  readonly shortfall: string | null
}

export interface Summary {
  readonly selected: number
  readonly parity: number
  readonly diverged: number
  /** Of the diverged, how many are decided in `divergences.yaml`. */
  readonly decided: number
  readonly unverifiable: number
  /** Of the unverifiable, how many the policy allows. */
  readonly allowed: number
  readonly exitCode: 0 | 1 | 2
  /** Why the exit code is not 0, in the order of their weight; empty otherwise. */
  readonly because: readonly string[]
}

/** A verdict with the name its test has for `-t`. */
export interface Judgement {
  readonly test: string
  readonly verdict: Verdict
}

export interface Report {
  readonly run: RunFacts & { readonly started: string; readonly ended: string | null; readonly reason: string }
  readonly summary: Summary
  readonly features: readonly FeatureReport[]
  readonly judgements: readonly Judgement[]
  readonly failures: readonly { readonly where: string; readonly message: string }[]
  /** Selected cases that no verdict was found for: not empty only when the run was killed, or when there is a bug. */
  readonly unjudged: readonly SelectedCase[]
}

/**
 * Returns the report of a run, complete up to its last event. Pure: equal events give equal reports.
 *
 * 1. The selected cases are the denominator; of several verdicts for one case the last counts.
 * 2. `parity + diverged + unverifiable = selected`. When it does not close the report says which cases are open, and the exit code is 2 at least.
 * 3. Exit code 1: an undecided DIVERGED, or a failure that is no verdict. 2: nothing of that, but an UNVERIFIABLE that the policy does not allow,
 *    a gate that failed for a reason it does not allow, nothing selected, or nothing compared. Otherwise 0. A shard is not blamed for being empty.
 * 4. Features and verdicts stand in code-point order, so that order of execution, workers and seeds leave no trace.
 */
export function fold(events: readonly StoredEvent[]): Report {
  const facts = startOf(events)
  const selected = new Map<string, SelectedCase>()
  const verdicts = new Map<string, Verdict>()
  const failures: { where: string; message: string }[] = []
  let ended: Extract<RunEvent, { type: 'run-ended' }> | null = null
  for (const event of events) {
    if (event.type === 'selected') for (const each of event.cases) selected.set(each.key, each)
    if (event.type === 'verdict') verdicts.set(event.key, event.verdict)
    if (event.type === 'failure') failures.push({ where: event.where, message: event.message })
    if (event.type === 'run-ended') ended = event
  }
  failures.sort((a, b) => compareCodePoints(a.where, b.where) || compareCodePoints(a.message, b.message))
  const judgements: Judgement[] = []
  const unjudged: SelectedCase[] = []
  for (const [key, each] of selected) {
    const verdict = verdicts.get(key)
    if (verdict === undefined) unjudged.push(each)
    else judgements.push({ test: each.test, verdict })
  }
  judgements.sort(
    (a, b) =>
      byFeatureAndCase(a.verdict, b.verdict) ||
      compareCodePoints(a.test, b.test) ||
      compareCodePoints(a.verdict.id, b.verdict.id), // two tests of one name
  )
  unjudged.sort(byFeatureAndCase)
  const strays = [...verdicts.keys()].filter(key => !selected.has(key)).length
  const features = featuresOf(events, judgements)
  const summary = summaryOf({
    facts,
    judgements,
    features,
    failures,
    open: unjudged.length + strays,
    selected: selected.size,
    ended,
  })
  const last = events.at(-1)
  return {
    run: {
      ...facts,
      started: events[0]?.at ?? '',
      ended: ended === null ? null : (last?.at ?? null),
      reason: ended?.reason ?? 'killed',
    },
    summary,
    features,
    judgements,
    failures,
    unjudged,
  }
}

function startOf(events: readonly StoredEvent[]): RunFacts {
  for (const event of events) if (event.type === 'run-started') return event.run
  return { id: '', node: '', vitest: '', asOf: '', shard: null, explicit: false, allow: [] }
}

function byFeatureAndCase(a: { feature: string; case: string }, b: { feature: string; case: string }): number {
  return compareCodePoints(a.feature, b.feature) || compareCodePoints(a.case, b.case)
}

/** The reason that decides whether a verdict is allowed: `blocked` follows its cause. */
export function policyReason(verdict: Extract<Verdict, { state: 'UNVERIFIABLE' }>): Reason {
  return verdict.reason === 'blocked' && verdict.cause !== null ? verdict.cause.reason : verdict.reason
}

export function isAllowed(reason: Reason, allow: readonly AllowableReason[]): boolean {
  return (allow as readonly Reason[]).includes(reason)
}

function featuresOf(events: readonly StoredEvent[], judgements: readonly Judgement[]): FeatureReport[] {
  const names = new Set<string>(judgements.map(each => each.verdict.feature))
  for (const event of events) if (event.type === 'suite') names.add(event.context.feature)
  return [...names].sort(compareCodePoints).map(feature => {
    const gates = new Map<string, GateResult | CalibrationResult>()
    let context: SuiteContext | null = null
    const against = new Set<'recorded' | 'live'>()
    for (const event of events) {
      if (event.type === 'suite' && event.context.feature === feature) {
        against.add(event.context.against ?? 'recorded')
        // the goldens say more of a feature than the lab alone, whichever file came last
        if (event.context.against === undefined || !against.has('recorded')) context = event.context
      }
      if (event.type !== 'gate' || event.feature !== feature) continue
      // two files may judge one feature: a failure is never covered by another file's success
      if (gates.get(event.result.gate)?.state !== 'failed') gates.set(event.result.gate, event.result)
    }
    const own = judgements.filter(each => each.verdict.feature === feature).map(each => each.verdict)
    const calibration = gates.get('calibration')
    return {
      feature,
      state: worstState(own),
      lab: context?.lab ?? null,
      labDetail: context?.labDetail ?? null,
      fidelity: reachedFidelity(context, { isLive: !against.has('recorded'), lab: gates.get('lab') }),
      against: against.size > 1 ? 'both' : ([...against][0] ?? 'recorded'),
      fixtures: context?.fixtures ?? 0,
      reset: context?.reset ?? null,
      basis: context?.basis ?? null,
      gates: [...gates.values()]
        .filter(gate => gate.gate !== 'calibration')
        .sort((a, b) => compareCodePoints(a.gate, b.gate)),
      calibration: calibration !== undefined && 'seeded' in calibration ? calibration : null,
    }
  })
}

function reachedFidelity(
  context: SuiteContext | null,
  ran: { readonly isLive: boolean; readonly lab: GateResult | undefined },
): ReachedFidelity | null {
  const { fidelity, fixtures = 0 } = context ?? {}
  if (fidelity === undefined) return null
  const rung = (ran.isLive ? ran.lab?.state === 'ok' : fixtures > 0) ? fidelity.rung : null
  const { needs } = fidelity
  // rungs are named so that their names sort as they rank
  const isShort = needs !== null && (rung === null || rung < needs)
  const shortfall = isShort
    ? `the claim needs ${needs}, and ${rung === null ? 'no lab ran' : `${rung} is what ran`}`
    : null
  return { ...fidelity, rung, shortfall }
}

function worstState(verdicts: readonly Verdict[]): VerdictState | null {
  for (const state of ['DIVERGED', 'UNVERIFIABLE', 'PARITY'] as const) {
    if (verdicts.some(each => each.state === state)) return state
  }
  return null
}

function summaryOf(o: {
  readonly facts: RunFacts
  readonly judgements: readonly Judgement[]
  readonly features: readonly FeatureReport[]
  readonly failures: readonly unknown[]
  readonly open: number
  readonly selected: number
  readonly ended: { readonly vitestFailed: boolean } | null
}): Summary {
  const count = { parity: 0, diverged: 0, decided: 0, unverifiable: 0, allowed: 0 }
  for (const { verdict } of o.judgements) {
    switch (verdict.state) {
      case 'PARITY':
        count.parity++
        break
      case 'DIVERGED':
        count.diverged++
        if (verdict.decided !== null) count.decided++
        break
      case 'UNVERIFIABLE':
        count.unverifiable++
        if (isAllowed(policyReason(verdict), o.facts.allow)) count.allowed++
        break
      default:
        verdict satisfies never
    }
  }
  const failedGates = o.features
    .flatMap(each => [...each.gates, ...(each.calibration === null ? [] : [each.calibration])])
    .filter(gate => gate.state === 'failed' && !(gate.reason !== null && isAllowed(gate.reason, o.facts.allow)))
  const one: string[] = []
  const two: string[] = []
  if (count.diverged > count.decided) one.push(`${count.diverged - count.decided} diverged`)
  if (o.failures.length > 0) one.push(`${o.failures.length} failed outside a comparison`)
  if (count.unverifiable > count.allowed) two.push(`${count.unverifiable - count.allowed} unverifiable`)
  if (failedGates.length > 0) two.push(`failed: ${[...new Set(failedGates.map(gate => gate.gate))].join(', ')}`)
  if (o.open > 0 || count.parity + count.diverged + count.unverifiable !== o.selected) {
    two.push(`the count does not close: ${o.open} of ${o.selected} selected cases have no verdict of their own`)
  }
  if (o.facts.shard === null) {
    if (o.selected === 0) {
      if (o.facts.explicit) two.push('nothing was selected')
    } else if (count.parity + count.diverged === 0) two.push('nothing was compared')
  }
  if (one.length + two.length === 0 && o.ended?.vitestFailed === true) one.push('Vitest reports a failure')
  return {
    selected: o.selected,
    ...count,
    exitCode: one.length > 0 ? 1 : two.length > 0 ? 2 : 0,
    because: [...one, ...two],
  }
}
