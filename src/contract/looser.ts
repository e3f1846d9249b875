import { commonNode, compareSpecificity } from '../core/automaton.ts'
import { compareDecimals, equalDecimals } from '../core/decimal.ts'
import type { Segment, Selector } from '../core/selector.ts'
import type { Rule } from '../core/tolerance.ts'
import { governs } from './reach.ts'

/** What a change of rules lets differ that was compared before. */
export interface Loosened {
  /** Rules that were added, or given a wider bound. */
  readonly added: readonly Rule[]
  /** Rules that are gone, and leave their place to a looser one or to none. */
  readonly removed: readonly Rule[]
}

/**
 * The loosenings between two lists of rules, judged by what governs each place and not by how it is written:
 * 1. a rule is free when what governed its place before was as loose: `ignore $.a` narrowed to `structural $.a.id`;
 * 2. a rule that goes is free when what governs its place afterwards is as strict, or is named under 1 already.
 *
 * Never too lenient: where two paths overlap only in part, the change counts as a loosening.
 */
export function loosenedRules(before: readonly Rule[], after: readonly Rule[]): Loosened {
  const added = after.filter(rule => !before.some(old => isSame(old, rule)) && !isFree(rule, before))
  const gone = before.filter(rule => !after.some(fresh => fresh.text === rule.text))
  const removed = gone.filter(rule =>
    isMissed(rule, { before, after: after.filter(fresh => !added.includes(fresh)), all: after }),
  )
  return { added, removed }
}

function isSame(a: Rule, b: Rule): boolean {
  return a.text === b.text && (a.eps === b.eps || equalDecimals(a.eps ?? '0', b.eps ?? '0'))
}

function isFree(rule: Rule, before: readonly Rule[]): boolean {
  const governing = governingOf(before, rule.selector)
  if (isLooser(rule, governing)) return false
  if (governing?.key === 'ignore') return true
  return !before.some(old => isLooser(rule, old) && overlaps(old, rule.selector) && !covers(old, rule.selector))
}

function isMissed(
  gone: Rule,
  o: { readonly before: readonly Rule[]; readonly after: readonly Rule[]; readonly all: readonly Rule[] },
): boolean {
  if (governingOf(o.before, gone.selector)?.key === 'ignore' && gone.key !== 'ignore') return false
  const governing = governingOf(o.all, gone.selector)
  // by value is all that is left
  if (governing === null && isLooser(null, gone)) return true
  return o.after.some(rule => isLooser(rule, gone) && overlaps(rule, gone.selector) && !won(rule, gone, o.before))
}

/** Whether `rule` stood before and already won over the one that is gone. */
function won(rule: Rule, gone: Rule, before: readonly Rule[]): boolean {
  if (!before.some(old => isSame(old, rule))) return false
  if (rule.key === 'ignore') return true
  const meet = commonNode(rule.selector.segments, gone.selector.segments) !== null
  return meet && compareSpecificity(rule.selector, gone.selector) > 0
}

/** The rule that governs all places of a path; null when there is none. */
function governingOf(rules: readonly Rule[], selector: Selector): Rule | null {
  const over = rules.filter(rule => covers(rule, selector))
  const hiding = over.find(({ key }) => key === 'ignore')
  if (hiding !== undefined) return hiding
  const depth = (rule: Rule): number =>
    selects(rule, selector) ? Number.MAX_SAFE_INTEGER : rule.selector.segments.length
  const [first] = over.toSorted((a, b) => depth(b) - depth(a) || compareSpecificity(b.selector, a.selector))
  return first ?? null
}

function covers(rule: Rule, selector: Selector): boolean {
  const { step } = rule.selector
  return (step === null || step === selector.step) && governs(rule, selector)
}

function selects(rule: Rule, { segments }: Selector): boolean {
  return commonNode(rule.selector.segments, segments) !== null
}

const BELOW: Segment = { kind: 'wildcard', descendant: true }

/** Whether some document has a place of `selector` that the rule selects or, governing subtrees, one below such a place. */
function overlaps(rule: Rule, selector: Selector): boolean {
  const own = rule.selector
  if (own.root !== selector.root) return false
  if (own.step !== null && selector.step !== null && own.step !== selector.step) return false
  if (commonNode(own.segments, selector.segments) !== null) return true
  const subtree = rule.key !== 'numeric_tolerance' && rule.key !== 'order_insensitive'
  return subtree && commonNode([...own.segments, BELOW], selector.segments) !== null
}

const LOOSENESS = { exact: 0, numeric_tolerance: 2, order_insensitive: 2, structural: 3, ignore: 4 } as const

function loosenessOf(rule: Rule | null): number {
  if (rule === null) return 1
  return rule.key === 'numeric_tolerance' && equalDecimals(rule.eps ?? '0', '0') ? 1 : LOOSENESS[rule.key]
}

/** Whether `a` lets something differ that `b` does not; null is comparison by value. */
function isLooser(a: Rule | null, b: Rule | null): boolean {
  const [x, y] = [loosenessOf(a), loosenessOf(b)]
  if (x !== y || a === null || b === null) return x > y
  if (a.key !== b.key) return x === LOOSENESS.numeric_tolerance
  return a.key === 'numeric_tolerance' && compareDecimals(a.eps ?? '0', b.eps ?? '0') > 0
}
