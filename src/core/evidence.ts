import type { Observation } from '../model.ts'
import { compareCodePoints } from './canonical.ts'
import { documentOf, type StepDocument } from './documents.ts'
import { isObject, type Json, membersOf } from './json.ts'
import { compileMatcher, type MatchState } from './matcher.ts'
import type { Noise } from './proposals.ts'
import { isWithin, normalisedPath, withoutIndexes, withoutStep } from './selector.ts'
import type { Rule } from './tolerance.ts'

/** A golden and where two captures of it differed. */
export interface Captured {
  readonly golden: Observation
  readonly noise: readonly Noise[]
}

/** Places that a rule governs, without steps and indexes, sorted into what the legacy gave anew and what it repeated. */
export interface Governed {
  readonly noisy: readonly string[]
  readonly stable: readonly string[]
}

/** What the captures of a feature show of its rules. */
export interface Evidence {
  /** The places that `rule` governs among `rules`, of which it is one. Kept by the text of the rule. */
  governedBy(rule: Rule, rules: readonly Rule[]): Governed
}

/**
 * What captures show. A place is noisy when any capture of any golden differed there or below it, or in
 * a whole object or array above it. Places are leaves;
 * an array of any order and a number under a bound are places of their own. Lines of a text are told apart.
 */
export function evidenceOf(captured: readonly Captured[]): Evidence {
  const known = new Map<string, Governed>()
  let read: { readonly steps: readonly Step[]; readonly noisy: readonly NoisyPath[] } | null = null
  return {
    governedBy(rule, rules) {
      read ??= { steps: captured.flatMap(stepsOf), noisy: captured.flatMap(noisyPaths) }
      const { steps, noisy } = read
      const found = known.get(rule.text) ?? sorted(placesOf(rule, rules, steps), noisy)
      known.set(rule.text, found)
      return found
    },
  }
}

interface Step {
  readonly at: number
  readonly document: StepDocument
  /** `status`, `exit`, `stderr` and `header.<lower-case name>`, as far as the step has them. */
  readonly roots: readonly string[]
}

const AS_STORED = { json: false, crossed: false } as const

function stepsOf({ golden }: Captured): Step[] {
  return golden.map((observed, at) => {
    const document = documentOf(observed, AS_STORED)
    if (observed.kind === 'command') return { at, document, roots: ['exit', 'stderr'] }
    if (observed.kind !== 'response') return { at, document, roots: [] }
    const headers = observed.response.headers.map(([name]) => `header.${name.toLowerCase()}`)
    return { at, document, roots: ['status', ...headers] }
  })
}

interface NoisyPath {
  readonly path: string
  /** What differed was an object or array: all below it is noisy too. */
  readonly isWhole: boolean
}

function noisyPaths({ golden, noise }: Captured): NoisyPath[] {
  return noise.map(({ step, path, first, second }) => {
    const observed = golden[step]
    const kind = observed === undefined ? 'json' : documentOf(observed, AS_STORED).kind
    return { path: placeOf(path, kind), isWhole: [first, second].some(token => /^[[{]/.test(token ?? '')) }
  })
}

function placeOf(path: string, kind: StepDocument['kind']): string {
  const own = withoutStep(path)
  return kind === 'text' ? own : withoutIndexes(own)
}

function sorted(places: ReadonlySet<string>, noisy: readonly NoisyPath[]): Governed {
  const isNoisy = (place: string): boolean =>
    noisy.some(({ path, isWhole }) => isWithin(path, place) || (isWhole && isWithin(place, path)))
  const all = [...places].sort(compareCodePoints)
  return { noisy: all.filter(isNoisy), stable: all.filter(place => !isNoisy(place)) }
}

function placesOf(rule: Rule, rules: readonly Rule[], steps: readonly Step[]): ReadonlySet<string> {
  const matcher = compileMatcher(rules)
  const { root } = rule.selector
  const places = new Set<string>()
  for (const { at, document, roots } of steps) {
    if (root !== 'body') {
      if (roots.includes(root) && matcher.scalar(at, root).rule === rule) places.add(root)
      continue
    }
    for (const path of leavesUnder(rule, document.value, matcher.body(at))) places.add(placeOf(path, document.kind))
  }
  return places
}

interface Node {
  readonly value: Json
  readonly state: MatchState
  readonly segments: readonly (string | number)[]
}

/** Paths of the leaves that a rule governs, or of the very nodes where it governs nothing below them. Iterative. */
function leavesUnder(rule: Rule, value: Json, state: MatchState): string[] {
  const alone = rule.key === 'numeric_tolerance' || rule.key === 'order_insensitive'
  const paths: string[] = []
  const stack: Node[] = [{ value, state, segments: [] }]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { state, segments } = node
    if (state.inert && state.rule !== rule) continue // nothing below comes under another rule
    const children = childrenOf(node)
    if (state.rule === rule && (alone || children.length === 0)) paths.push(normalisedPath(segments))
    stack.push(...children)
  }
  return paths
}

function childrenOf({ value, state, segments }: Node): Node[] {
  if (Array.isArray(value)) {
    return value.map((element, at) => ({ value: element, state: state.item(at), segments: [...segments, at] }))
  }
  if (!isObject(value)) return []
  return membersOf(value).map(([name, member]) => ({
    value: member,
    state: state.child(name),
    segments: [...segments, name],
  }))
}
