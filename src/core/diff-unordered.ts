import { erase } from './diff-hash.ts'
import { pairLeftovers } from './diff-leftovers.ts'
import { type Matching, matchElements } from './diff-matching.ts'
import { agree, childOf, NOTHING, OverBudget, type Pair, type Task, tolerated, type Walk } from './diff-walk.ts'
import type { Json } from './json.ts'

/** Leftovers whose occurrences are counted; further ones are told as changed, missing or extra. */
const COUNTED_MAX = 100

/** Arrays as multisets, elements compared under the rules below the array and paired by an optimal assignment. */
export function compareMultisets(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  const state = pair.state.item(0)
  if (state.key === 'ignore') {
    if (x.length !== y.length) tolerated(walk, pair)
    return NOTHING
  }
  if (walk.listener === null) {
    walk.found ||= x.length !== y.length || !matchElements(x, y, state, walk.budget).perfect
    return NOTHING
  }
  try {
    const matching = matchElements(x, y, state, walk.budget)
    return matching.perfect ? reportSame(walk, pair, x, y, matching) : reportDifferent(walk, pair, x, y, matching)
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error
    walk.listener.overBudget(pair.place)
    return NOTHING
  }
}

function reportSame(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[], matching: Matching): Task[] {
  // A perfect matching is in place whenever the arrays agree by position.
  if (!matching.inPlace) tolerated(walk, pair)
  return x.map((left, at) => childOf(pair, at, left, y[matching.partners[at] ?? -1]))
}

function reportDifferent(
  walk: Walk,
  pair: Pair,
  x: readonly Json[],
  y: readonly Json[],
  matching: Matching,
): readonly Task[] {
  const counts = countOccurrences(walk, pair, x, y, matching)
  const rest = pairLeftovers(walk, pair, { x, y, golden: counts.golden, actual: counts.actual })
  const tasks = new Map<number, Task>(counts.tasks)
  for (const { at, task } of rest) if (at !== null) tasks.set(at, task)
  for (const [at, partner] of matching.partners.entries()) {
    if (partner !== -1) tasks.set(at, childOf(pair, at, x[at], y[partner]))
  }
  const ordered = [...tasks].sort(([a], [b]) => a - b).map(([, task]) => task)
  return [...ordered, ...counts.extra, ...rest.filter(({ at }) => at === null).map(({ task }) => task)]
}

interface Counts {
  /** Leftovers that agree with nothing on the other side. */
  readonly golden: number[]
  readonly actual: number[]
  readonly tasks: [number, Task][]
  readonly extra: Task[]
}

/** Tells apart what occurs another number of times and what does not occur on the other side at all. */
function countOccurrences(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[], matching: Matching): Counts {
  const state = pair.state.item(0)
  const counts: Counts = { golden: [], actual: [], tasks: [], extra: [] }
  const counted: Json[] = []
  const occurrences = (of: Json, among: readonly Json[]) =>
    among.filter(one => agree(of, one, state, walk.brevity)).length
  const count = (value: Json, at: number, others: readonly Json[], rest: number[]): Task | null => {
    // Within the bound of a number "the same element" has no meaning.
    if (counted.length >= COUNTED_MAX || erase(value, state, walk.brevity).tolerant) {
      rest.push(at)
      return null
    }
    if (occurrences(value, counted) > 0) return null
    if (occurrences(value, others) === 0) {
      rest.push(at)
      return null
    }
    const [legacy, candidate] = [occurrences(value, x), occurrences(value, y)]
    counted.push(value)
    return () => tellCount(walk, childOf(pair, at, value, value), legacy, candidate)
  }
  const leftX = leftOf(matching.partners)
  const leftY = leftOf(matching.owners)
  try {
    for (const at of leftX) {
      const task = count(x[at] ?? null, at, y, counts.golden)
      if (task !== null) counts.tasks.push([at, task])
    }
    for (const at of leftY) {
      const task = count(y[at] ?? null, at, x, counts.actual)
      if (task !== null) counts.extra.push(task)
    }
    return counts
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error
    return { golden: leftX, actual: leftY, tasks: [], extra: [] }
  }
}

function leftOf(partners: readonly number[]): number[] {
  return [...partners.keys()].filter(at => partners[at] === -1)
}

function tellCount(walk: Walk, pair: Pair, legacy: number, candidate: number): void {
  walk.found = true
  walk.listener?.difference({
    kind: 'count',
    place: pair.place,
    legacy,
    candidate,
    state: pair.state,
    hint: 'how often this element occurs on either side',
  })
}
