import type { Segment, Selector } from '../core/selector.ts'
import type { Rule } from '../core/tolerance.ts'

/** Whether `rule` governs every place that the declared path names. */
export function governs(rule: Rule, declared: Selector): boolean {
  if (rule.selector.root !== declared.root) return false
  const subtree = rule.key === 'exact' || rule.key === 'structural' || rule.key === 'ignore'
  return reaches(rule.selector.segments, declared.segments, { below: subtree })
}

/** Whether what `rule` selects lies at or below the declared path. */
export function liesWithin(rule: Rule, declared: Selector): boolean {
  if (rule.selector.root !== declared.root) return false
  return reaches(declared.segments, rule.selector.segments, { below: true })
}

/** Whether the query `over` selects all that `under` selects or, with `below`, one of its ancestors. */
function reaches(over: readonly Segment[], under: readonly Segment[], o: { readonly below: boolean }): boolean {
  const [first, ...rest] = over
  if (first === undefined) return under.length === 0 || o.below
  const [next, ...left] = under
  if (next === undefined) return false
  if (next.descendant && !first.descendant) return false
  if (isOver(first, next) && reaches(rest, left, o)) return true
  return first.descendant && reaches(over, left, o)
}

function isOver(over: Segment, under: Segment): boolean {
  switch (over.kind) {
    case 'wildcard':
      return true
    case 'name':
      return under.kind === 'name' && under.name === over.name
    case 'index':
      return under.kind === 'index' && under.index === over.index
    default:
      return over satisfies never
  }
}
