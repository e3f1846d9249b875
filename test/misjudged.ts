import { seededMutants } from '../src/core/calibrate.ts'
import { compare } from '../src/core/diff.ts'
import type { RuleSet } from '../src/core/tolerance.ts'
import type { InputStep, Observation } from '../src/model.ts'

/** One line for each seeded mutant of a golden that is not judged as it must be. */
export function misjudged(golden: Observation, rules: RuleSet, steps: readonly InputStep[] = []): string[] {
  return seededMutants(golden, rules, steps).mutants.flatMap(mutant => {
    const { differences, faults } = compare(golden, mutant.observation, rules, { steps })
    const name = `${mutant.rule}: ${mutant.mutation} at ${mutant.path}`
    if (faults.length > 0) return [`${name}: ${faults[0]?.message}`]
    const [first] = differences
    if (mutant.expect === 'PARITY') return first === undefined ? [] : [`${name}: refused at ${first.path}`]
    const { within } = mutant
    const seen = differences.some(
      ({ path }) => path === within || /^[.[]/.test(path.startsWith(within) ? path.slice(within.length) : ''),
    )
    return seen ? [] : [`${name}: ${first === undefined ? 'unseen' : `seen at ${first.path}`}`]
  })
}
