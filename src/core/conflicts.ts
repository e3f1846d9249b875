import { commonNode, edgesOf } from './automaton.ts'
import { type State, type StateSpace, stateSpace } from './matcher.ts'
import { normalisedPath, type Selector } from './selector.ts'
import type { Rule } from './tolerance.ts'

/** What is wrong with a rule among the others; it stands at `rule.line` and `rule.column`. */
export interface Conflict {
  readonly rule: Rule
  readonly message: string
  readonly fix: string
}

/**
 * What can be known to be wrong with a list of rules before any document is seen:
 * 1. two rules with the same precedence that some node has both of;
 * 2. a rule that can select only below an ignored node;
 * 3. an index rule that can select below a structural or `order_insensitive` array, whose elements have no position.
 * Exact: 1 walks the product of each two automata, 2 and 3 every reachable state of all rules together, or it is said
 * that there are too many.
 */
export function conflictsOf(rules: readonly Rule[]): Conflict[] {
  return [...tiesOf(rules), ...conflictsOfStates(rules)]
}

function tiesOf(rules: readonly Rule[]): Conflict[] {
  const groups = new Map<string, Rule[]>()
  const conflicts: Conflict[] = []
  for (const rule of rules) {
    const shape = shapeOf(rule.selector)
    const group = groups.get(shape) ?? []
    for (const other of group) {
      const node = commonNode(other.selector.segments, rule.selector.segments)
      if (node === null) continue
      conflicts.push(tieOf(rule, other, rule.selector.root === 'body' ? normalisedPath(node) : rule.selector.root))
      break
    }
    group.push(rule)
    groups.set(shape, group)
  }
  return conflicts
}

function tieOf(rule: Rule, other: Rule, node: string): Conflict {
  const same = pathText(rule.selector) === pathText(other.selector)
  const message = same
    ? `two rules for one node: "${rule.text}" and "${other.text}" (line ${other.line})`
    : `two rules of the same precedence can meet: "${rule.text}" and "${other.text}" (line ${other.line}) both select ${node}`
  return { rule, message, fix: same ? 'remove one of the two' : 'narrow one of the two, so that no node is under both' }
}

/** Equal for selectors between which `compareSpecificity` finds a tie. */
function shapeOf({ step, root, segments }: Selector): string {
  return `${step}:${root}:${segments.map(({ kind, descendant }) => `${descendant ? '..' : '.'}${kind}`).join('')}`
}

/** Equal for selectors that select the same by writing the same. */
function pathText({ step, root, segments }: Selector): string {
  return JSON.stringify([step, root, segments])
}

/** States beyond this are refused: only many rules of the form `$..a..b` come near it. */
const STATES_MAX = 10_000
/** Positions looked at, over all states; about a second of work. */
const WORK_MAX = 20_000_000

interface Findings {
  /** Rules that select a node which is not below an ignored one. */
  readonly effective: Set<Rule>
  /** For each rule that an ignored node cut off, the `ignore` that did. */
  readonly cutBy: Map<Rule, Rule>
  /** For each rule with an index in a place without positions, the rule that governs that place. */
  readonly indexed: Map<Rule, Rule>
}

function conflictsOfStates(rules: readonly Rule[]): Conflict[] {
  const body = rules.filter(({ selector }) => selector.root === 'body')
  const last = body.at(-1)
  if (last === undefined || !body.some(needsStates)) return []
  const found: Findings = { effective: new Set(), cutBy: new Map(), indexed: new Map() }
  const states = stateSpace(body)
  for (const step of new Set([null, ...body.map(({ selector }) => selector.step)])) {
    if (explore(states, states.start(step), found)) continue
    return [
      {
        rule: last,
        message: `the rules combine in more than ${STATES_MAX} ways, which is more than can be checked`,
        fix: 'write paths out where two or more ".." stand in one of them',
      },
    ]
  }
  const conflicts: Conflict[] = []
  for (const rule of body) {
    const ignore = found.cutBy.get(rule)
    const array = found.indexed.get(rule)
    if (ignore !== undefined && !found.effective.has(rule)) {
      const message = `"${rule.text}" can select only below "${ignore.text}" (line ${ignore.line}), where nothing is compared`
      conflicts.push({ rule, message, fix: 'remove it, or narrow the ignore rule' })
    } else if (array !== undefined) {
      const message = `"${rule.text}" counts elements of an array under "${array.text}" (line ${array.line}), where elements have no position`
      conflicts.push({ rule, message, fix: 'use [*] in place of the index' })
    }
  }
  return conflicts
}

/** Without a rule of these keys no state of the others can be in conflict. */
function needsStates({ key }: Rule): boolean {
  return key === 'ignore' || key === 'structural' || key === 'order_insensitive'
}

/** Walks every state that can be reached; false when there are more than can be walked. */
function explore(states: StateSpace, start: State, found: Findings): boolean {
  const seen = new Set([start.identity])
  const open = [start]
  let work = 0
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    note(state, found)
    for (const edge of edgesOf(state.live)) {
      work += state.live.length
      const next = states.after(state, edge)
      if (seen.has(next.identity)) {
        // Equal states may differ in what selects the node, or was cut off at it.
        note(next, found)
        continue
      }
      if (seen.size === STATES_MAX || work > WORK_MAX) return false
      seen.add(next.identity)
      open.push(next)
    }
  }
  return true
}

function note(state: State, found: Findings): void {
  for (const rule of state.selecting) found.effective.add(rule)
  const rule = state.governing
  if (rule === null) return
  for (const { rule: cut } of state.cut) found.cutBy.set(cut, found.cutBy.get(cut) ?? rule)
  if (rule.key !== 'structural' && rule.key !== 'order_insensitive') return
  for (const { rule: below, next } of state.live) {
    if (next?.kind === 'index') found.indexed.set(below, found.indexed.get(below) ?? rule)
  }
}
