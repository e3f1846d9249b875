import { cheapestColumns } from './assignment.ts'
import { agree, type Budget, childOf, OverBudget, type Pair, spend, type Task, type Walk } from './diff-walk.ts'
import { isObject, type Json, membersOf, textOf } from './json.ts'
import { compareScalars, isScalar } from './scalars.ts'

export interface Leftovers {
  readonly x: readonly Json[]
  readonly y: readonly Json[]
  /** Indexes of the elements that agree with nothing on the other side. */
  readonly golden: readonly number[]
  readonly actual: readonly number[]
}

/** Pairs of leftovers that are set against each other to find the closest. */
const PAIRS_MAX = 4_000

/**
 * What there is to say of elements without a counterpart: those that are closest are told as changed, leaf by leaf, so
 * that the fewest leaves change; the rest are missing or extra. In order of the golden, then of the actual.
 */
export function pairLeftovers(walk: Walk, pair: Pair, o: Leftovers): { at: number | null; task: Task }[] {
  const swapped = startsWithActual(o)
  const [few, many] = swapped ? [o.actual, o.golden] : [o.golden, o.actual]
  const columns = closest(walk, pair, o, few, many, swapped)
  const partners = new Map<number, number>()
  for (const [row, index] of few.entries()) {
    const other = many[columns[row] ?? row]
    if (other === undefined) continue
    partners.set(swapped ? other : index, swapped ? index : other)
  }
  const taken = new Set(partners.values())
  return [
    ...o.golden.map(at => ({ at, task: childOf(pair, at, o.x[at], o.y[partners.get(at) ?? -1]) })),
    ...o.actual.filter(at => !taken.has(at)).map(at => ({ at: null, task: childOf(pair, at, undefined, o.y[at]) })),
  ]
}

/**
 * Of the assignments with the most agreeing pairs the one that leaves the fewest leaves changed: for each element of the
 * golden its agreeing partner, or -1. Null when there are too many pairs to look at.
 */
export function fewestChanges(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): number[] | null {
  if (x.length * y.length > PAIRS_MAX) return null
  const o: Leftovers = { x, y, golden: [...x.keys()], actual: [...y.keys()] }
  const swapped = startsWithActual(o)
  const [few, many] = swapped ? [y, x] : [x, y]
  const state = pair.state.item(0)
  try {
    const costs = few.map(one =>
      many.map(other => {
        const [left, right] = swapped ? [other, one] : [one, other]
        if (agree(left, right, state, walk.brevity)) return 0
        return Math.max(1, changedLeaves({ x: left, y: right, state, place: null, governed: null }, walk.brevity))
      }),
    )
    // One pair that disagrees costs more than all leaves together.
    const most = 1 + costs.reduce((sum, row) => sum + Math.max(0, ...row), 0)
    const columns = cheapestColumns(few.length, many.length, (row, column) => {
      const cost = costs[row]?.[column] ?? 0
      return cost === 0 ? 0 : most + cost
    })
    const partners = x.map(() => -1)
    for (const [row, column] of columns.entries()) {
      if (costs[row]?.[column] === 0) partners[swapped ? column : row] = swapped ? row : column
    }
    return partners
  } catch (error) {
    if (error instanceof OverBudget) return null
    throw error
  }
}

/** The shorter side first; of equal ones, by their text: so that either direction of a comparison pairs alike. */
export function startsWithActual({ x, y, golden, actual }: Leftovers): boolean {
  if (golden.length !== actual.length) return golden.length > actual.length
  for (const [at, left] of golden.entries()) {
    const texts = [x[left], y[actual[at] ?? -1]].map(value => textOf(value ?? null))
    if (texts[0] !== texts[1]) return (texts[0] ?? '') > (texts[1] ?? '')
  }
  return false
}

function closest(
  walk: Walk,
  pair: Pair,
  o: Leftovers,
  few: readonly number[],
  many: readonly number[],
  swapped: boolean,
): number[] {
  const inOrder = [...few.keys()]
  if (many.length < 2 || few.length * many.length > PAIRS_MAX) return inOrder
  const state = pair.state.item(0)
  try {
    const costs = few.map(one =>
      many.map(other => {
        const [left, right] = swapped ? [other, one] : [one, other]
        const below: Pair = { x: o.x[left], y: o.y[right], state, place: null, governed: null }
        return changedLeaves(below, walk.brevity)
      }),
    )
    return cheapestColumns(few.length, many.length, (row, column) => costs[row]?.[column] ?? 0)
  } catch (error) {
    if (error instanceof OverBudget) return inOrder
    throw error
  }
}

/** How many leaves change between two values by position; a leaf that comes or goes counts, another type counts twice. */
function changedLeaves(root: Pair, budget: Budget): number {
  let changed = 0
  const stack = [root]
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    spend(budget, 1)
    const { x, y, state } = pair
    if (state.key === 'ignore' || x === y) continue
    if (x === undefined || y === undefined) changed += leavesOf(x ?? y ?? null, budget)
    else if (isScalar(x) && isScalar(y)) {
      const finding = compareScalars(x, y, state)
      if (finding.outcome === 'different') changed += finding.kind === 'type_changed' ? 2 : 1
    } else if (Array.isArray(x) && Array.isArray(y)) {
      if (state.key === 'structural' || state.key === 'order_insensitive') {
        if (!agree(x, y, state, budget)) changed += 1 + Math.abs(x.length - y.length)
      } else {
        for (let at = 0; at < Math.max(x.length, y.length); at += 1) stack.push(childOf(pair, at, x[at], y[at]))
      }
    } else if (isObject(x) && isObject(y)) {
      const golden = new Map(membersOf(x))
      const actual = new Map(membersOf(y))
      for (const name of new Set([...golden.keys(), ...actual.keys()])) {
        stack.push(childOf(pair, name, golden.get(name), actual.get(name)))
      }
    } else changed += leavesOf(x, budget) + leavesOf(y, budget)
  }
  return changed
}

function leavesOf(value: Json, budget: Budget): number {
  let leaves = 0
  const stack: Json[] = [value]
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    spend(budget, 1)
    const below = isScalar(one) ? [] : Array.isArray(one) ? one : isObject(one) ? membersOf(one).map(([, m]) => m) : []
    if (below.length === 0) leaves += 1
    for (const child of below) stack.push(child)
  }
  return leaves
}
