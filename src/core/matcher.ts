import type { ToleranceKey } from '../model.ts'
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

export function compileMatcher(rules: readonly Rule[]): Matcher {
  throw new Error(`not written yet (${rules.length} rules)`)
}
