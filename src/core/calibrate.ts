import type { InputStep, Observation, StepObservation } from '../model.ts'
import { type ComparatorName, type NamedMutant, stepMutants } from './comparators.ts'
import { documentOf } from './documents.ts'
import { isObject, type Json, membersOf } from './json.ts'
import type { MatchState } from './matcher.ts'
import { SEEDED_DEPTH_MAX } from './mutants-document.ts'
import { normalisedPath } from './selector.ts'
import type { Rule, RuleSet } from './tolerance.ts'

export { degradedControl, degradedNoise } from './degraded.ts'
export { coverNoise, noiseOf } from './noise.ts'

/** A golden with one seeded change, and what comparing it with the golden must come to. */
export interface Mutant {
  /** The rule it proves, as `exact $.error.code`; `uncovered`, `status` or `header.x` where none governs. */
  readonly rule: string
  readonly mutation: string
  /** Which comparator has to judge it. */
  readonly comparator: ComparatorName
  readonly step: number
  /** Where the change stands, as the path of a difference. */
  readonly path: string
  /** DIVERGED at this path or below it counts: the array, where elements are matched. */
  readonly within: string
  /** Made anew at each reading. */
  readonly observation: Observation
  readonly expect: 'DIVERGED' | 'PARITY'
}

/** A place that a rule selects and at which nothing could be changed so that the rule must catch it or let it pass. */
export interface Unprovable {
  readonly rule: string
  readonly path: string
  readonly why: string
}

/**
 * The seeded mutants of a golden under its rules, at every place, in the order of the golden.
 *
 * A mutant differs from the golden by construction: what would change nothing is not made, and below an array whose
 * elements are matched the change leaves the reach of every element. Those that `expect` PARITY lie just inside what a rule
 * lets pass. The comparator takes no part in making them. Steps of the input that are `given` have none; a change of a value
 * that a step binds is none where another value may stand there.
 */
export function seededMutants(
  golden: Observation,
  rules: RuleSet,
  steps: readonly InputStep[] = [],
): { readonly mutants: Mutant[]; readonly unprovable: Unprovable[] } {
  const mutants: Mutant[] = []
  const unprovable: Unprovable[] = []
  const prefix = (step: number) => (golden.length > 1 ? `steps[${step}]:` : '')
  for (const [step, observed] of golden.entries()) {
    if (steps[step]?.given === true) continue
    const document = documentOf(observed, { json: holdsJson(observed), crossed: false })
    if (document.fault !== null) continue
    const { matcher, headers } = rules
    const made = stepMutants({ observed, document, step, matcher, headers, golden, steps })
    for (const mutant of made) mutants.push(placed(golden, step, prefix(step), mutant))
    const proven = provenPlaces(made)
    for (const { rule, path } of governedPlaces(document.value, matcher.body(step))) {
      const why = 'no change of this node must be caught or let pass by construction'
      if (proven.get(rule)?.has(path) !== true)
        unprovable.push({ rule: rule.text, path: `${prefix(step)}${path}`, why })
    }
  }
  return { mutants, unprovable }
}

/** By rule, the places that a mutant of it lies within: every path that `isWithin` finds it at or below. */
function provenPlaces(made: readonly NamedMutant[]): ReadonlyMap<Rule, ReadonlySet<string>> {
  const places = new Map<Rule, Set<string>>()
  for (const { path, state } of made) {
    if (state.rule === null) continue
    const own = places.get(state.rule) ?? new Set()
    places.set(state.rule, own.add(path))
    for (const { index } of path.matchAll(/[.[]/g)) own.add(path.slice(0, index))
  }
  return places
}

/** A body stored as JSON under another media type is read as JSON on both sides. */
function holdsJson(step: StepObservation): boolean {
  return step.kind === 'response' && step.response.body !== undefined && 'json' in step.response.body
}

function placed(golden: Observation, step: number, prefix: string, mutant: NamedMutant): Mutant {
  return {
    rule: mutant.state.rule?.text ?? mutant.root,
    mutation: mutant.mutation,
    comparator: mutant.comparator,
    step,
    path: `${prefix}${mutant.path}`,
    within: `${prefix}${mutant.within}`,
    expect: mutant.expect,
    get observation() {
      return golden.with(step, mutant.step())
    },
  }
}

/** The nodes that a rule governs first, with their paths. Iterative. */
function governedPlaces(document: Json, root: MatchState): { readonly rule: Rule; readonly path: string }[] {
  const places: { rule: Rule; path: string }[] = []
  const stack: { value: Json; state: MatchState; above: Rule | null; segments: readonly (string | number)[] }[] = [
    { value: document, state: root, above: null, segments: [] },
  ]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, state, above, segments } = node
    if (state.rule !== null && state.rule !== above) places.push({ rule: state.rule, path: normalisedPath(segments) })
    if (state.inert || segments.length > SEEDED_DEPTH_MAX) continue
    const children: (readonly [string | number, Json, MatchState])[] = Array.isArray(value)
      ? value.map((element, at) => [at, element, state.item(at)] as const)
      : isObject(value)
        ? membersOf(value).map(([name, member]) => [name, member, state.child(name)] as const)
        : []
    for (const [segment, child, below] of children.reverse()) {
      stack.push({ value: child, state: below, above: state.rule, segments: [...segments, segment] })
    }
  }
  return places
}
