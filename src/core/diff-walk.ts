import type { DifferenceKind } from '../model.ts'
import { compareObjects } from './diff-objects.ts'
import { compareOrdered } from './diff-ordered.ts'
import { compareShapes } from './diff-structural.ts'
import { compareMultisets } from './diff-unordered.ts'
import { isObject, type Json } from './json.ts'
import type { MatchState } from './matcher.ts'
import { compareScalars, isScalar, numberText, type Scalar, UNCOVERED } from './scalars.ts'
import type { Rule } from './tolerance.ts'

/** The way from the root to a node, from its end; null at the root. */
export type Place = { readonly up: Place; readonly segment: string | number } | null

/** A node that a rule governs first: below it the same rule hides at most one difference. */
export interface Governed {
  readonly rule: Rule
  hid: boolean
}

/** What a walk tells; a walk without a listener only judges. */
export interface Listener {
  difference(found: {
    readonly kind: DifferenceKind
    readonly place: Place
    /** What stands there; undefined is absence. */
    readonly legacy: Json | undefined
    readonly candidate: Json | undefined
    readonly state: MatchState
    readonly hint?: string
  }): void
  note(id: string, place: Place, detail: string): void
  hid(rule: Rule): void
  /** A comparison below this place was given up. */
  overBudget(place: Place): void
}

/** How many nodes the matching of elements may visit, and how deep it may nest; shared by one comparison. */
export interface Budget {
  readonly visitsMax: number
  visits: number
  depth: number
}

export const MATCH_VISITS_MAX = 20_000_000
/** How many nodes may be visited to make a report short. */
export const BREVITY_VISITS_MAX = 4_000_000
export const MATCH_DEPTH_MAX = 300

/** Leaves the matching of elements; never leaves `compareDocuments`. */
export class OverBudget extends Error {}

export interface Pair {
  readonly x: Json | undefined
  readonly y: Json | undefined
  readonly state: MatchState
  readonly place: Place
  readonly governed: Governed | null
}

/** A pair still to be compared, or something to be said when its turn comes. */
export type Task = Pair | (() => void)

/** One walk over two documents. */
export interface Walk {
  /** Null while only judging: the first difference then ends the walk. */
  readonly listener: Listener | null
  /** Limits what the matching of elements costs. */
  readonly budget: Budget
  /** Limits what is spent on a short report; when it is used up, the report is by position. */
  readonly brevity: Budget
  /** A difference was found. */
  found: boolean
}

/**
 * Reports every difference between two documents under a state; `null` for the listener judges only.
 * The walk keeps its own stack: any depth. Only the matching of elements nests, and that is bounded.
 */
export function walkPair(walk: Walk, root: Pair): void {
  const stack: Task[] = [root]
  for (;;) {
    const task = stack.pop()
    if (task === undefined || (walk.found && walk.listener === null)) return
    if (typeof task === 'function') {
      task()
      continue
    }
    if (walk.listener === null) spend(walk.budget, 1)
    const next = visit(walk, task)
    for (let at = next.length - 1; at >= 0; at -= 1) {
      const one = next[at]
      if (one !== undefined) stack.push(one)
    }
  }
}

/** Whether two values agree under a state: exactly when a walk would report nothing. Throws OverBudget. */
export function agree(x: Json, y: Json, state: MatchState, budget: Budget): boolean {
  if (x === y) return true
  if (budget.depth >= MATCH_DEPTH_MAX) throw new OverBudget()
  const walk: Walk = { listener: null, budget, brevity: budget, found: false }
  budget.depth += 1
  try {
    walkPair(walk, { x, y, state, place: null, governed: null })
  } finally {
    budget.depth -= 1
  }
  return !walk.found
}

export function spend(budget: Budget, visits: number): void {
  budget.visits += visits
  if (budget.visits > budget.visitsMax) throw new OverBudget()
}

/** No further task. */
export const NOTHING: readonly Task[] = []

function visit(walk: Walk, pair: Pair): readonly Task[] {
  const { x, y, state } = pair
  if (x === y) return NOTHING
  if (state.key === 'ignore') {
    if (walk.listener !== null && !equalValues(walk, x, y)) tolerated(walk, pair)
    return NOTHING
  }
  if (x === undefined || y === undefined) return absent(walk, pair)
  if (isScalar(x) && isScalar(y)) return scalars(walk, pair, x, y)
  if (Array.isArray(x) && Array.isArray(y)) {
    if (state.key === 'structural') return compareShapes(walk, pair, x, y)
    if (state.key === 'order_insensitive') return compareMultisets(walk, pair, x, y)
    return compareOrdered(walk, pair, x, y)
  }
  if (isObject(x) && isObject(y)) return compareObjects(walk, pair, x, y)
  differ(walk, pair, 'type_changed')
  return NOTHING
}

/** Tells a difference at a pair. */
export function differ(walk: Walk, pair: Pair, kind: DifferenceKind, hint?: string): void {
  walk.found = true
  walk.listener?.difference({
    kind,
    place: pair.place,
    legacy: pair.x,
    candidate: pair.y,
    state: pair.state,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Counts that a rule let a difference by value pass. */
export function tolerated(walk: Walk, pair: Pair): void {
  if (pair.governed === null || pair.governed.hid || walk.listener === null) return
  pair.governed.hid = true
  walk.listener.hid(pair.governed.rule)
}

/** The pair of a child, with what governs it. */
export function childOf(pair: Pair, segment: string | number, x: Json | undefined, y: Json | undefined): Pair {
  const { state } = pair
  const below = typeof segment === 'number' ? state.item(segment) : state.child(segment)
  return {
    x,
    y,
    state: below,
    place: { up: pair.place, segment },
    governed: governedBelow(pair.governed, state, below),
  }
}

function governedBelow(above: Governed | null, from: MatchState, to: MatchState): Governed | null {
  if (to.rule === null) return null
  if (to.rule === from.rule && above !== null) return above
  return { rule: to.rule, hid: false }
}

function equalValues(walk: Walk, x: Json | undefined, y: Json | undefined): boolean {
  if (x === undefined || y === undefined) return false
  try {
    return agree(x, y, UNCOVERED, walk.brevity)
  } catch (error) {
    if (error instanceof OverBudget) return false
    throw error
  }
}

function absent(walk: Walk, pair: Pair): readonly Task[] {
  const present = pair.x === undefined ? pair.y : pair.x
  if (present === undefined) return NOTHING
  const kind = present === null ? 'null_vs_missing' : pair.x === undefined ? 'extra' : 'missing'
  differ(walk, pair, kind)
  return NOTHING
}

function scalars(walk: Walk, pair: Pair, x: Scalar, y: Scalar): readonly Task[] {
  const finding = compareScalars(x, y, pair.state)
  switch (finding.outcome) {
    case 'same':
      return NOTHING
    case 'same-value':
      walk.listener?.note('builtin:number-text', pair.place, `${numberText(x)}/${numberText(y)}`)
      return NOTHING
    case 'tolerated':
      tolerated(walk, pair)
      return NOTHING
    case 'different':
      differ(walk, pair, finding.kind, finding.hint)
      return NOTHING
    default:
      return finding satisfies never
  }
}
