import type { ToleranceKey } from '../model.ts'
import { advance, type Edge, type Position, positionsOf } from './automaton.ts'
import type { Rule } from './tolerance.ts'

/** What governs one node, and the way to what governs its children. States are shared: compare them by identity. */
export interface MatchState {
  readonly key: ToleranceKey | 'uncovered'
  /** Null when uncovered. */
  readonly rule: Rule | null
  /** Nothing below can change: every child has this very state. Never under `numeric_tolerance` or `order_insensitive`. */
  readonly inert: boolean
  child(name: string): MatchState
  item(index: number): MatchState
}

export interface Matcher {
  /** The state of `$` in the body of a step, from 0. */
  body(step: number): MatchState
  /** The state of `status`, `exit`, `stderr` or `header.<lower-case name>` of a step; always inert. */
  scalar(step: number, root: string): MatchState
}

/**
 * What governs each node under a list of rules. A rule covers the nodes that it selects; one of `exact`, `structural` and
 * `ignore` also covers all below them. A node is governed by:
 * 1. an `ignore` that governs a node above it: nothing below an ignored node is looked at;
 * 2. else, of the rules that cover it, the one whose selected node is deepest;
 * 3. of several at that depth, the one that `compareSpecificity` puts first.
 *
 * States are made on demand and kept: their number follows the rules, never the document, and a step down is a lookup.
 */
export function compileMatcher(rules: readonly Rule[]): Matcher {
  const named = new Set(rules.map(({ selector }) => selector.step))
  const states = stateSpace(rules)
  const made: Made = { states, known: new Map() }
  const bodies = new Map<number | null, MatchState>()
  const scalars = new Map<string, MatchState>()
  return {
    body(step) {
      const context = named.has(step) ? step : null
      const known = bodies.get(context) ?? matchState(made, states.start(context))
      bodies.set(context, known)
      return known
    },
    scalar(step, root) {
      const context = named.has(step) ? step : null
      const key = `${context}:${root}`
      const known = scalars.get(key) ?? matchState(made, states.scalar(context, root))
      scalars.set(key, known)
      return known
    },
  }
}

/** One determinised state: what governs the node, what its children inherit, and what may still select below. */
export interface State {
  readonly governing: Rule | null
  readonly inherited: Rule | null
  /** Positions with a next segment; none below an ignored node. */
  readonly live: readonly Position[]
  /** Rules that select this very node. */
  readonly selecting: readonly Rule[]
  /** Positions that an ignored node cut off. */
  readonly cut: readonly Position[]
  /** Equal for states that behave equally. */
  readonly identity: string
}

export interface StateSpace {
  /** The state of `$` in a step; null stands for every step that no rule names. */
  start(step: number | null): State
  scalar(step: number | null, root: string): State
  after(state: State, edge: Edge): State
}

/** The states of a list of rules, computed anew at each call. */
export function stateSpace(rules: readonly Rule[]): StateSpace {
  const firsts = positionsOf(rules)
  const ids = new Map(firsts.map(({ rule, id }) => [rule, id]))
  const idOf = (rule: Rule | null): number => (rule === null ? 0 : (ids.get(rule) ?? 0))
  const enter = (positions: readonly Position[], above: Rule | null): State => {
    const state = stateOf(positions, above)
    const live = state.live.map(({ id }) => id).join()
    return { ...state, identity: `${live}|${idOf(state.governing)}|${idOf(state.inherited)}` }
  }
  const starts = (step: number | null, root: string): readonly Position[] =>
    firsts.filter(({ rule: { selector } }) => {
      return selector.root === root && (selector.step === null || selector.step === step)
    })
  return {
    start: step => enter(starts(step, 'body'), null),
    scalar: (step, root) => enter(starts(step, root), null),
    after: (state, edge) => enter(advance(state.live, edge), state.inherited),
  }
}

/** Whether a rule of this key governs the subtree of the node it selects, and not the node alone. */
function governsSubtree(key: ToleranceKey): boolean {
  return key !== 'numeric_tolerance' && key !== 'order_insensitive'
}

function stateOf(positions: readonly Position[], above: Rule | null): Omit<State, 'identity'> {
  let governing: Position | null = null
  let deepest: Position | null = null
  const selecting: Rule[] = []
  const open: Position[] = []
  for (const position of positions) {
    if (position.next !== null) {
      open.push(position)
      continue
    }
    selecting.push(position.rule)
    if (governing === null || position.rank > governing.rank) governing = position
    if (governsSubtree(position.rule.key) && (deepest === null || position.rank > deepest.rank)) deepest = position
  }
  const inherited = deepest?.rule ?? above
  const rule = governing?.rule ?? inherited
  const ignored = rule?.key === 'ignore'
  const live = ignored ? [] : open
  return { governing: rule, inherited, live, selecting, cut: ignored ? open : [] }
}

/** The match states made so far, by the identity of their state. */
interface Made {
  readonly states: StateSpace
  readonly known: Map<string, MatchState>
}

function matchState(all: Made, state: State): MatchState {
  const known = all.known.get(state.identity)
  if (known !== undefined) return known
  const rule = state.governing
  const inert = state.live.length === 0 && rule === state.inherited
  const names = new Map<string, MatchState | null>()
  const indexes = new Map<number, MatchState | null>()
  for (const { next } of state.live) {
    if (next?.kind === 'name') names.set(next.name, null)
    else if (next?.kind === 'index') indexes.set(next.index, null)
  }
  let otherName: MatchState | null = null
  let otherIndex: MatchState | null = null
  const reach = (edge: Edge): MatchState => matchState(all, all.states.after(state, edge))
  const made: MatchState = {
    key: rule?.key ?? 'uncovered',
    rule,
    inert,
    child(name) {
      if (inert) return made
      const reached = names.get(name)
      if (reached === undefined) {
        otherName ??= reach({ kind: 'name', name: null })
        return otherName
      }
      if (reached !== null) return reached
      const first = reach({ kind: 'name', name })
      names.set(name, first)
      return first
    },
    item(index) {
      if (inert) return made
      const reached = indexes.get(index)
      if (reached === undefined) {
        otherIndex ??= reach({ kind: 'index', index: null })
        return otherIndex
      }
      if (reached !== null) return reached
      const first = reach({ kind: 'index', index })
      indexes.set(index, first)
      return first
    },
  }
  all.known.set(state.identity, made)
  return made
}
