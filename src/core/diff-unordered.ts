import { erase } from './diff-hash.ts'
import { fewestChanges, pairLeftovers } from './diff-leftovers.ts'
import { type Matching, matchElements } from './diff-matching.ts'
import { byPosition } from './diff-ordered.ts'
import { agree, childOf, NOTHING, OverBudget, type Pair, type Task, tolerated, type Walk } from './diff-walk.ts'
import type { Json } from './json.ts'
import type { MatchState } from './matcher.ts'

/** Leftovers whose occurrences are counted; further ones are told as changed, missing or extra. */
const EXAMINED_MAX = 1000

/** Arrays as multisets, elements compared under the rules below the array and paired by an optimal assignment. */
export function compareMultisets(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  const state = pair.state.item(0)
  if (state.key === 'ignore') {
    if (x.length !== y.length) tolerated(walk, pair)
    return walk.listener === null ? NOTHING : byPosition(pair, x, y)
  }
  if (walk.listener === null) {
    walk.found ||= x.length !== y.length || !matchElements(x, y, state, walk.budget).perfect
    return NOTHING
  }
  try {
    const matching = matchElements(x, y, state, walk.budget)
    if (matching.perfect) return reportSame(walk, pair, x, y, matching)
    return reportDifferent(walk, pair, x, y, matching.tolerant ? shortest(walk, pair, x, y, matching) : matching)
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

/** Where bounds leave a choice, the matching of the same size that has the least to tell. */
function shortest(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[], matching: Matching): Matching {
  const partners = fewestChanges(walk, pair, x, y)
  if (partners === null) return matching
  const owners = y.map((_, right) => partners.indexOf(right))
  return { ...matching, partners, owners }
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
  const leftX = leftOf(matching.partners)
  const leftY = leftOf(matching.owners)
  try {
    const [golden, actual] = [byForm(walk, x, state), byForm(walk, y, state)]
    const counted: Json[] = []
    let examined = 0
    const count = (value: Json, at: number, others: Forms, rest: number[]): Task | null => {
      const { hash, tolerant } = erase(value, state, walk.brevity)
      const alike = (among: readonly Json[]) => among.filter(one => agree(value, one, state, walk.brevity)).length
      examined += 1
      // Within the bound of a number "the same element" has no meaning.
      if (tolerant || examined > EXAMINED_MAX || alike(others.get(hash) ?? []) === 0) {
        rest.push(at)
        return null
      }
      if (alike(counted) > 0) return null
      counted.push(value)
      const [legacy, candidate] = [alike(golden.get(hash) ?? []), alike(actual.get(hash) ?? [])]
      return () => tellCount(walk, childOf(pair, at, value, value), legacy, candidate)
    }
    for (const at of leftX) {
      const task = count(x[at] ?? null, at, actual, counts.golden)
      if (task !== null) counts.tasks.push([at, task])
    }
    for (const at of leftY) {
      const task = count(y[at] ?? null, at, golden, counts.actual)
      if (task !== null) counts.extra.push(task)
    }
    return counts
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error
    return { golden: leftX, actual: leftY, tasks: [], extra: [] }
  }
}

type Forms = ReadonlyMap<number, readonly Json[]>

/** Elements by their erased form: only elements of one form can agree. */
function byForm(walk: Walk, values: readonly Json[], state: MatchState): Forms {
  const forms = new Map<number, Json[]>()
  for (const value of values) {
    const { hash } = erase(value, state, walk.brevity)
    const known = forms.get(hash)
    if (known === undefined) forms.set(hash, [value])
    else known.push(value)
  }
  return forms
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
