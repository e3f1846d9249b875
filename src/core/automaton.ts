import type { Segment, Selector } from './selector.ts'
import type { Rule } from './tolerance.ts'

/** How far one rule has matched on the way down. */
export interface Position {
  readonly rule: Rule
  /** Precedence of the rule: the greater wins. No two rules of an automaton have the same. */
  readonly rank: number
  /** From 1, unique among the rules; positions are kept in ascending order of it, and those of a rule are neighbours. */
  readonly id: number
  /** The segment that would match next, and the position after it; null when the rule selects the node reached. */
  readonly next: Segment | null
  readonly after: Position | null
}

/** A child as the rules tell them apart: null is any name, or any index, that the rules at hand do not mention. */
export type Edge =
  | { readonly kind: 'name'; readonly name: string | null }
  | { readonly kind: 'index'; readonly index: number | null }

/** The first position of each rule, ranked by `compareSpecificity`; of equal rules the earlier wins. */
export function positionsOf(rules: readonly Rule[]): Position[] {
  const ranked = [...rules].reverse().sort((a, b) => compareSpecificity(a.selector, b.selector))
  let id = 0
  return ranked.map((rule, rank) => {
    const { segments } = rule.selector
    id += segments.length + 1
    let first: Position = { rule, rank, id, next: null, after: null }
    for (const [back, next] of segments.toReversed().entries())
      first = { rule, rank, id: id - back - 1, next, after: first }
    return first
  })
}

/** The positions after one step down, in order. A position before a descendant segment also stays where it is. */
export function advance(positions: readonly Position[], edge: Edge): Position[] {
  const reached: Position[] = []
  let last: Position | undefined
  for (const position of positions) {
    const { next, after } = position
    if (next === null || after === null) continue
    // The position before a segment and the one after it are neighbours, so this keeps order and finds doubles.
    if (next.descendant && position !== last) reached.push(position)
    last = position
    if (!matches(next, edge)) continue
    reached.push(after)
    last = after
  }
  return reached
}

function matches(segment: Segment, edge: Edge): boolean {
  if (segment.kind === 'wildcard') return true
  if (segment.kind === 'name') return edge.kind === 'name' && edge.name === segment.name
  return edge.kind === 'index' && edge.index === segment.index
}

/**
 * The children that the positions tell apart: each name and index mentioned next, and one for all others. Whether that
 * one is a member or an element makes no difference: only a wildcard or a descendant step reaches it.
 */
export function edgesOf(positions: readonly Position[]): Edge[] {
  const names = new Set<string | null>([null])
  const indexes = new Set<number>()
  for (const { next } of positions) {
    if (next?.kind === 'name') names.add(next.name)
    else if (next?.kind === 'index') indexes.add(next.index)
  }
  return [
    ...[...names].map(name => ({ kind: 'name' as const, name })),
    ...[...indexes].map(index => ({ kind: 'index' as const, index })),
  ]
}

const KIND_ORDER = { wildcard: 0, index: 2, name: 4 }

/**
 * Positive when `a` wins over `b` at a node that both select, negative when `b` does, 0 for a tie.
 * Segment by segment from the leaf: name > index > wildcard, and for one selector a child segment over a descendant one;
 * then the path with more segments; then the one for one step over the one for every step.
 */
export function compareSpecificity(a: Selector, b: Selector): number {
  const shorter = Math.min(a.segments.length, b.segments.length)
  for (let back = 1; back <= shorter; back += 1) {
    const order = specificity(a.segments.at(-back)) - specificity(b.segments.at(-back))
    if (order !== 0) return order
  }
  const longer = a.segments.length - b.segments.length
  return longer === 0 ? Number(a.step !== null) - Number(b.step !== null) : longer
}

function specificity(segment: Segment | undefined): number {
  return segment === undefined ? 0 : KIND_ORDER[segment.kind] + (segment.descendant ? 0 : 1)
}

/**
 * A node that two lists of segments both select, as an example path, or null when there is none in any document.
 * Exact: it walks the product of the two automata, which has (m+1)(n+1) states.
 */
export function commonNode(a: readonly Segment[], b: readonly Segment[]): (string | number)[] | null {
  const seen = new Set(['0,0'])
  let reached: { readonly i: number; readonly j: number; readonly path: readonly (string | number)[] }[] = [
    { i: 0, j: 0, path: [] },
  ]
  while (reached.length > 0) {
    const next: typeof reached = []
    for (const { i, j, path } of reached) {
      const left = a[i]
      const right = b[j]
      if (left === undefined && right === undefined) return [...path]
      if (left === undefined || right === undefined) continue
      const both = commonChild(left, right)
      const moves = [
        both === null ? null : { i: i + 1, j: j + 1, child: both },
        right.descendant ? { i: i + 1, j, child: childOf(left) } : null,
        left.descendant ? { i, j: j + 1, child: childOf(right) } : null,
      ]
      for (const move of moves) {
        if (move === null || seen.has(`${move.i},${move.j}`)) continue
        seen.add(`${move.i},${move.j}`)
        next.push({ i: move.i, j: move.j, path: [...path, move.child] })
      }
    }
    reached = next
  }
  return null
}

function commonChild(a: Segment, b: Segment): string | number | null {
  if (a.kind === 'wildcard') return childOf(b)
  if (b.kind === 'wildcard') return childOf(a)
  return childOf(a) === childOf(b) ? childOf(a) : null
}

/** A child that the segment selects. */
function childOf(segment: Segment): string | number {
  if (segment.kind === 'name') return segment.name
  return segment.kind === 'index' ? segment.index : 'x'
}
