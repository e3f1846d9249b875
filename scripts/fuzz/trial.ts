import { compare } from '../../src/core/diff.ts'
import { compileTolerance, type RuleSet } from '../../src/core/tolerance.ts'
import type { Comparison, Difference, Observation } from '../../src/model.ts'

/** One attack on the comparison: two observations, a tolerance file, and what must come of it. */
export interface Trial {
  readonly golden: Observation
  readonly actual: Observation
  readonly yaml: string
  readonly headers?: readonly string[]
  /** `open`: only what holds for every pair is required. */
  readonly expect: 'equal' | 'different' | 'open'
  /** Pointer of the place that was changed: every difference must stand at, above or below it. */
  readonly near?: string
  /** The tolerance file must be refused: two rules tie. */
  readonly refuse?: boolean
  /** One side may not decode: no symmetry and no reflexivity is required. */
  readonly broken?: boolean
  /** So large that the bounds of the comparison may end it: UNVERIFIABLE is right too. */
  readonly mayGiveUp?: boolean
  readonly why: string
}

export interface Finding {
  readonly kind:
    | 'throw'
    | 'irreflexive'
    | 'asymmetric'
    | 'false PARITY'
    | 'false DIVERGED'
    | 'elsewhere'
    | 'undecided'
    | 'tie accepted'
    | 'unstable'
    | 'hidden'
    | 'not hidden'
    | 'slow'
  readonly detail: string
}

export type Outcome = 'held' | 'refused' | Finding

export const SLOW_MS = 40_000

export type State = 'DIVERGED' | 'UNVERIFIABLE' | 'PARITY'

/** **Source** DESIGN §6: a proven difference wins, else a fault. */
export function stateOf({ differences, faults }: Comparison): State {
  return differences.length > 0 ? 'DIVERGED' : faults.length > 0 ? 'UNVERIFIABLE' : 'PARITY'
}

const SWAPPED: Readonly<Record<string, string>> = {
  missing: 'extra',
  extra: 'missing',
  header_missing: 'header_extra',
  header_extra: 'header_missing',
}

const kindsOf = (differences: readonly Difference[], swap: boolean): string =>
  differences
    .map(({ kind }) => (swap ? (SWAPPED[kind] ?? kind) : kind))
    .sort()
    .join()

const brief = ({ differences, faults }: Comparison): string =>
  [
    ...differences.slice(0, 4).map(({ kind, path, rule }) => `${kind} ${path} (${rule})`),
    ...faults.map(({ reason, message }) => `${reason}: ${message}`),
  ]
    .join('; ')
    .slice(0, 600) || 'no difference'

const related = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)

function unmet(trial: Trial, there: Comparison, back: Comparison): Finding | null {
  const state = stateOf(there)
  if (trial.expect === 'different' && state === 'PARITY') return { kind: 'false PARITY', detail: brief(there) }
  if (trial.expect === 'equal' && state === 'DIVERGED') return { kind: 'false DIVERGED', detail: brief(there) }
  const decided = trial.expect === 'open' || state !== 'UNVERIFIABLE'
  if (!decided && trial.broken !== true && trial.mayGiveUp !== true) return { kind: 'undecided', detail: brief(there) }
  const { near } = trial
  const astray = near === undefined ? undefined : there.differences.find(({ pointer }) => !related(pointer, near))
  if (astray !== undefined) return { kind: 'elsewhere', detail: `${brief(there)}; changed: ${near}` }
  if (trial.broken === true) return null
  if (state !== stateOf(back)) return { kind: 'asymmetric', detail: `${brief(there)} | ${brief(back)}` }
  const counts = there.moreDifferences === back.moreDifferences && there.differences.length === back.differences.length
  const kinds = there.moreDifferences > 0 || kindsOf(there.differences, false) === kindsOf(back.differences, true)
  return counts && kinds ? null : { kind: 'asymmetric', detail: `${brief(there)} | ${brief(back)}` }
}

/** What passes must either be equal without any rule, or stand in the count of what a rule hid; and nothing else may. */
function miscounted(trial: Trial, there: Comparison): Finding | null {
  if (trial.yaml === '' || stateOf(there) !== 'PARITY') return null
  const { golden, actual, headers } = trial
  const bare = compileTolerance({ file: 'fuzz.yaml', text: '', ...(headers === undefined ? {} : { headers }) })
  if (!bare.ok) return null
  const plain = compare(golden, actual, bare.rules)
  const hid = there.ruleUses.filter(use => use.hid > 0 && !use.rule.startsWith('builtin:'))
  if (stateOf(plain) === 'DIVERGED' && hid.length === 0) return { kind: 'hidden', detail: brief(plain) }
  // Beside `exact` another rule may hide what only `exact` would tell; headers have leniencies of their own.
  const plainly = !/exact|header/.test(trial.yaml)
  if (plainly && stateOf(plain) === 'PARITY' && hid.length > 0)
    return { kind: 'not hidden', detail: hid.map(use => `${use.rule} hid ${use.hid}`).join('; ') }
  return null
}

function examined(trial: Trial, rules: RuleSet): Finding | null {
  const began = performance.now()
  const { golden, actual } = trial
  const there = compare(golden, actual, rules)
  const back = compare(actual, golden, rules)
  const found = unmet(trial, there, back)
  if (found !== null) return found
  const count = miscounted(trial, there)
  if (count !== null) return count
  if (trial.broken !== true)
    for (const side of [golden, actual]) {
      const itself = compare(side, side, rules)
      const state = stateOf(itself)
      if (state !== 'PARITY' && !(state === 'UNVERIFIABLE' && trial.mayGiveUp === true))
        return { kind: 'irreflexive', detail: brief(itself) }
    }
  if (JSON.stringify(compare(golden, actual, rules)) !== JSON.stringify(there))
    return { kind: 'unstable', detail: brief(there) }
  const ms = performance.now() - began
  return ms > SLOW_MS ? { kind: 'slow', detail: `five comparisons took ${Math.round(ms)} ms` } : null
}

/** Runs one trial. What the comparison throws is a finding, like everything else it must not do. */
export function examine(trial: Trial): Outcome {
  try {
    const { yaml: text, headers } = trial
    const compiled = compileTolerance({ file: 'fuzz.yaml', text, ...(headers === undefined ? {} : { headers }) })
    if (!compiled.ok) return 'refused'
    if (trial.refuse === true) return { kind: 'tie accepted', detail: text.replaceAll('\n', ' ') }
    return examined(trial, compiled.rules) ?? 'held'
  } catch (error) {
    return {
      kind: 'throw',
      detail: error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error),
    }
  }
}
