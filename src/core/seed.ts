import type { InputStep, Observation } from '../model.ts'
import { compare } from './diff.ts'
import { noiseOf } from './noise.ts'
import { isWithin, withoutIndexes, withoutStep } from './selector.ts'
import type { RuleSet } from './tolerance.ts'

/** What the probe of a feature shows in the first state. */
export interface Seed {
  readonly observation: Observation
  /** Places where it differs from itself although nothing happened between: they say nothing of the state. */
  readonly unsteady: readonly string[]
}

/** The seed that two probes show of one untouched state. */
export function seedOf(first: Observation, second: Observation, steps: readonly InputStep[]): Seed {
  const unsteady = noiseOf(first, second, steps).map(({ path }) => placeOf(path))
  return { observation: first, unsteady: [...new Set(unsteady)] }
}

/**
 * The first place where a probe no longer shows the seed state, as `$[3] (extra)`; null where it shows it. What the rules
 * let pass, and what is unsteady, is no difference.
 */
export function leftSeed(
  seed: Seed,
  probe: Observation,
  o: { readonly rules: RuleSet; readonly steps: readonly InputStep[] },
): string | null {
  const { differences, faults } = compare(seed.observation, probe, o.rules, { steps: o.steps })
  const left = differences.find(({ path }) => !seed.unsteady.some(place => isWithin(placeOf(path), place)))
  if (left !== undefined) return `${left.path} (${left.kind})`
  return faults[0]?.message ?? null
}

function placeOf(path: string): string {
  return withoutIndexes(withoutStep(path))
}
