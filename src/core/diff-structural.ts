import { erase } from './diff-hash.ts'
import { pairLeftovers } from './diff-leftovers.ts'
import { byPosition } from './diff-ordered.ts'
import {
  agree,
  type Budget,
  childOf,
  differ,
  NOTHING,
  OverBudget,
  type Pair,
  type Task,
  tolerated,
  type Walk,
} from './diff-walk.ts'
import type { Json } from './json.ts'
import type { MatchState } from './matcher.ts'

/**
 * Arrays by shape: both are empty or neither is, and every element agrees, under the rules below the array, with some
 * element of the other side, both ways. Length and order do not count.
 */
export function compareShapes(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  if ((x.length === 0) !== (y.length === 0)) {
    differ(walk, pair, 'array_length')
    return NOTHING
  }
  const state = pair.state.item(0)
  if (state.key === 'ignore' || x.length === 0) {
    if (x.length !== y.length) tolerated(walk, pair)
    return walk.listener === null ? NOTHING : byPosition(pair, x, y)
  }
  try {
    const partners = partnersOf(x, y, state, walk.budget)
    if (walk.listener === null && partners.includes(-1)) {
      walk.found = true
      return NOTHING
    }
    const owners = partnersOf(y, x, state, walk.budget)
    walk.found ||= partners.includes(-1) || owners.includes(-1)
    if (walk.listener === null) return NOTHING
    return report(walk, pair, x, y, partners, owners)
  } catch (error) {
    if (!(error instanceof OverBudget) || walk.listener === null) throw error
    walk.listener.overBudget(pair.place)
    return NOTHING
  }
}

/** For each element the index of one on the other side that it agrees with, its own position first; or -1. */
function partnersOf(of: readonly Json[], among: readonly Json[], state: MatchState, budget: Budget): number[] {
  let shapes: Map<number, number[]> | null = null
  return of.map((value, at) => {
    const opposite = among[at]
    if (opposite !== undefined && agree(value, opposite, state, budget)) return at
    shapes ??= shapesOf(among, state, budget)
    const alike = shapes.get(erase(value, state, budget).hash) ?? []
    return alike.find(index => agree(value, among[index] ?? null, state, budget)) ?? -1
  })
}

/** Indexes by erased form; where agreement is transitive, one of each shape. */
function shapesOf(values: readonly Json[], state: MatchState, budget: Budget): Map<number, number[]> {
  const shapes = new Map<number, number[]>()
  for (const [at, value] of values.entries()) {
    const { hash, tolerant } = erase(value, state, budget)
    const known = shapes.get(hash)
    if (known === undefined) shapes.set(hash, [at])
    else if (tolerant || !known.some(index => agree(value, values[index] ?? null, state, budget))) known.push(at)
  }
  return shapes
}

function report(
  walk: Walk,
  pair: Pair,
  x: readonly Json[],
  y: readonly Json[],
  partners: readonly number[],
  owners: readonly number[],
): readonly Task[] {
  // An element whose partner stands elsewhere disagrees with the one at its own place.
  if (x.length !== y.length || partners.some((partner, at) => partner !== -1 && partner !== at)) tolerated(walk, pair)
  const golden = distinct(walk, pair, x, partners)
  const actual = distinct(walk, pair, y, owners)
  const rest = pairLeftovers(walk, pair, { x, y, golden, actual })
  const tasks = new Map(rest.flatMap(({ at, task }) => (at === null ? [] : [[at, task] as const])))
  for (const [at, partner] of partners.entries()) {
    if (partner !== -1) tasks.set(at, childOf(pair, at, x[at], y[partner]))
  }
  const ordered = [...tasks].sort(([a], [b]) => a - b).map(([, task]) => task)
  return [...ordered, ...rest.filter(({ at }) => at === null).map(({ task }) => task)]
}

/** The elements without a counterpart, one of each shape. */
function distinct(walk: Walk, pair: Pair, values: readonly Json[], partners: readonly number[]): number[] {
  const state = pair.state.item(0)
  const alone = [...partners.keys()].filter(at => partners[at] === -1)
  const kept: number[] = []
  try {
    for (const at of alone) {
      if (!kept.some(one => agree(values[at] ?? null, values[one] ?? null, state, walk.brevity))) kept.push(at)
    }
    return kept
  } catch (error) {
    if (error instanceof OverBudget) return alone
    throw error
  }
}
