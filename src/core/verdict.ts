import {
  type Basis,
  type Comparison,
  type Dimensions,
  type Fault,
  type Judged,
  REASONS,
  type Reason,
  type Sha256,
  type Verdict,
} from '../model.ts'
import { canonicalText, sha256 } from './canonical.ts'

/** What judging a case came to: a comparison, or the fault that stood in its way. */
export type Outcome =
  | { readonly comparison: Comparison }
  | {
      readonly fault: Fault
      /** For `blocked`: the gate that blocks, and its own reason. */
      readonly cause?: { readonly gate: string; readonly reason: Reason }
    }

export interface Judgement {
  readonly feature: string
  readonly case: string
  /** Name of the fixture, which remedies speak of; a hand-written test is a case with a name of its own. Default the name of the case. */
  readonly fixtureName?: string
  readonly fixture: Sha256 | null
  readonly basis: Basis
  readonly dimensions: Dimensions
  readonly outcome: Outcome
  /** The decision in `divergences.yaml` that covers all its differences. Default null. */
  readonly decided?: string | null
}

type Finding<V = Verdict> = V extends Verdict ? Omit<V, keyof Judged> : never

/**
 * The verdict on a case, by the first of these rules that holds.
 *
 * 1. No comparison was made: UNVERIFIABLE for the fault that stood in its way.
 * 2. A difference is proven: DIVERGED; the faults stand beside it.
 * 3. The comparison had a fault: UNVERIFIABLE for the first one.
 * 4. No dimension was compared: UNVERIFIABLE(`no-assertion`).
 * 5. PARITY.
 *
 * The id is the SHA-256 of all else in it, printed compactly with sorted keys.
 */
export function judge(o: Judgement): Verdict {
  const finding = findingOf(o)
  const compared = 'comparison' in o.outcome ? o.outcome.comparison : null
  const verdict = {
    feature: o.feature,
    case: o.case,
    fixture: o.fixture,
    basis: o.basis,
    dimensions: o.dimensions,
    faults: 'fault' in o.outcome ? [o.outcome.fault] : o.outcome.comparison.faults,
    notes: compared?.notes ?? [],
    ruleUses: compared?.ruleUses ?? [],
    decided: finding.state === 'DIVERGED' ? (o.decided ?? null) : null,
    ...finding,
  }
  return { id: sha256(canonicalText(verdict)), ...verdict }
}

function findingOf(o: Judgement): Finding {
  if ('fault' in o.outcome) return unverifiable(o, o.outcome.fault, o.outcome.cause ?? null)
  const { differences, moreDifferences, faults } = o.outcome.comparison
  const [first, ...rest] = differences
  if (first !== undefined) return { state: 'DIVERGED', differences: [first, ...rest], moreDifferences }
  const [fault] = faults
  if (fault !== undefined) return unverifiable(o, fault, null)
  if (o.dimensions.compared.length === 0) {
    return unverifiable(o, { reason: 'no-assertion', step: 0, message: 'no dimension was compared' }, null)
  }
  return { state: 'PARITY' }
}

function unverifiable(
  o: Judgement,
  fault: Fault,
  cause: { readonly gate: string; readonly reason: Reason } | null,
): Finding {
  return {
    state: 'UNVERIFIABLE',
    reason: fault.reason,
    message: fault.message,
    remedy: remedyOf(fault.reason, o.feature, o.fixtureName ?? o.case),
    cause,
  }
}

/** The verdict that stands for several: the first DIVERGED, else the first UNVERIFIABLE, else the last; null for none. */
export function worstOf(verdicts: readonly Verdict[]): Verdict | null {
  return (
    verdicts.find(verdict => verdict.state === 'DIVERGED') ??
    verdicts.find(verdict => verdict.state === 'UNVERIFIABLE') ??
    verdicts.at(-1) ??
    null
  )
}

/** The remedy of a reason with the names of the feature and the case in place. */
export function remedyOf(reason: Reason, feature: string, name: string): string {
  return REASONS[reason].replaceAll('<feature>', () => feature).replaceAll('<case>', () => name)
}
