import type { Case, Fault, Observation } from '../model.ts'
import { hollowAt } from './degraded.ts'
import { compare } from './diff.ts'
import { coverNoise, noiseOf } from './noise.ts'
import { unstableText } from './proposals.ts'
import type { RuleSet } from './tolerance.ts'

/** What two legacies that were booted alike showed of one case: the one that is compared with, and its control. */
export interface LivePair {
  readonly first: Observation
  readonly control: Observation
}

/**
 * Why a live legacy is no reference for a case; null when it is one. By the first of these that holds:
 *
 * 1. In some step one of the two answered empty where the other has content: `control-degraded`.
 * 2. What the legacy showed cannot be compared, as it broke off or does not decode: that fault.
 * 3. The two differ in a field that no rule covers: `control-unstable`, naming the fields and the rules that would cover them.
 */
export function controlFault({ first, control }: LivePair, c: Pick<Case, 'steps'>, rules: RuleSet): Fault | null {
  const steps = c.steps
  const degraded = degradedBetween(first, control)
  if (degraded !== null) return degraded
  const { differences, faults } = compare(first, control, rules, { steps })
  const [fault] = faults
  if (fault !== undefined) return fault
  const [difference] = differences
  if (difference === undefined) return null
  const covered = coverNoise(noiseOf(first, control, steps), first, rules)
  const told = covered.uncovered.length > 0
  const message = told
    ? unstableText(covered.uncovered, covered)
    : `the legacy differs from itself at ${difference.path}`
  return { reason: 'control-unstable', step: difference.step, message }
}

function degradedBetween(first: Observation, control: Observation): Fault | null {
  const second = hollowAt(first, control)
  const hollow = second ?? hollowAt(control, first)
  if (hollow === null) return null
  const [empty, full] = second === null ? ['legacy', 'control'] : ['control', 'legacy']
  const message = `the ${empty} answered empty where the ${full} has ${hollow.kind}`
  return { reason: 'control-degraded', step: hollow.step, message }
}
