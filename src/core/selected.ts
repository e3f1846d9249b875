import { isObject, type Json, MemberList } from './json.ts'
import type { MatchState } from './matcher.ts'
import type { Rule } from './tolerance.ts'

/** The nodes that each rule governs, by rule. */
export type Selected = ReadonlyMap<Rule, number>

/** Trees never change: what was counted of one under a state is so for good. A golden is compared with many a mutant. */
const counted = new WeakMap<object, Map<MatchState, Selected>>()

/** How many nodes of a document each rule governs first: a subtree under one rule counts once. Any depth. */
export function countSelected(document: Json, root: MatchState): Selected {
  if (typeof document !== 'object' || document === null) return count(document, root)
  const known = counted.get(document) ?? new Map<MatchState, Selected>()
  counted.set(document, known)
  const before = known.get(root)
  if (before !== undefined) return before
  const selected = count(document, root)
  known.set(root, selected)
  return selected
}

interface Counting {
  readonly selected: Map<Rule, number>
  /** What lies too deep for recursion, to be counted by itself. */
  readonly deep: { readonly value: Json; readonly state: MatchState }[]
}

const DEPTH_MAX = 400

function count(document: Json, root: MatchState): Selected {
  const counting: Counting = { selected: new Map(), deep: [] }
  if (root.rule !== null) add(counting, root.rule)
  counting.deep.push({ value: document, state: root })
  for (let next = counting.deep.pop(); next !== undefined; next = counting.deep.pop()) {
    countBelow(counting, next.value, next.state, 0)
  }
  return counting.selected
}

function add({ selected }: Counting, rule: Rule): void {
  selected.set(rule, (selected.get(rule) ?? 0) + 1)
}

/** Counts the nodes below one that was counted. */
function countBelow(counting: Counting, value: Json, state: MatchState, depth: number): void {
  if (state.inert || typeof value !== 'object' || value === null) return
  if (depth > DEPTH_MAX) {
    counting.deep.push({ value, state })
    return
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) countChild(counting, value[at], state, state.item(at), depth)
  } else if (value instanceof MemberList) {
    for (const [name, member] of value.members) countChild(counting, member, state, state.child(name), depth)
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) countChild(counting, value[name], state, state.child(name), depth)
  }
}

function countChild(
  counting: Counting,
  value: Json | undefined,
  above: MatchState,
  state: MatchState,
  depth: number,
): void {
  if (state.rule !== null && state.rule !== above.rule) add(counting, state.rule)
  if (value !== undefined) countBelow(counting, value, state, depth + 1)
}
