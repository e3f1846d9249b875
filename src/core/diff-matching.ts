import { type Erased, erase } from './diff-hash.ts'
import { startsWithActual } from './diff-leftovers.ts'
import { agree, type Budget, OverBudget, spend } from './diff-walk.ts'
import type { Json } from './json.ts'
import type { MatchState } from './matcher.ts'

export interface Matching {
  /** For each element of the golden the index of its partner, or -1. */
  readonly partners: readonly number[]
  /** For each element of the actual the index of its partner, or -1. */
  readonly owners: readonly number[]
  readonly perfect: boolean
  /** Every element is the partner of the one at its own position. */
  readonly inPlace: boolean
  /** A bound of a number is involved, so that another assignment of the same size may leave other elements over. */
  readonly tolerant: boolean
}

/** Pairs of elements that one matching may compare. */
const EDGES_MAX = 2_000_000

/**
 * An assignment of as many elements as can be paired, every pair agreeing under `state`; of greatest size, never greedy.
 * Elements whose erased forms differ cannot agree, so only elements of one form meet. Where no bound of a number is
 * involved agreement is an equivalence and the classes are counted; elsewhere paths are augmented. Throws OverBudget.
 *
 * **Source** augmenting paths: Berge 1957.
 */
export function matchElements(x: readonly Json[], y: readonly Json[], state: MatchState, budget: Budget): Matching {
  const known = new Map<number, boolean>()
  const meets = (left: number, right: number): boolean => {
    const key = left * y.length + right
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= EDGES_MAX) throw new OverBudget()
    const alike = agree(x[left] ?? null, y[right] ?? null, state, budget)
    known.set(key, alike)
    return alike
  }
  if (x.length === y.length && x.every((_, at) => meets(at, at))) {
    const indexes = [...x.keys()]
    return { partners: indexes, owners: indexes, perfect: true, inPlace: true, tolerant: false }
  }
  const partners = x.map(() => -1)
  const owners = y.map(() => -1)
  const buckets = bucketsOf(x, y, state, budget)
  for (const bucket of buckets) {
    if (bucket.tolerant) augmentEitherWay(bucket, x, y, { partners, owners, meets, budget })
    else {
      for (const [left, right] of pairClasses(bucket, x, y, state, budget)) {
        partners[left] = right
        owners[right] = left
      }
    }
  }
  const perfect = x.length === y.length && !partners.includes(-1)
  return { partners, owners, perfect, inPlace: false, tolerant: buckets.some(bucket => bucket.tolerant) }
}

interface Bucket {
  readonly golden: Member[]
  readonly actual: Member[]
  tolerant: boolean
}
interface Member extends Erased {
  readonly at: number
}

function bucketsOf(x: readonly Json[], y: readonly Json[], state: MatchState, budget: Budget): Bucket[] {
  const buckets = new Map<number, Bucket>()
  const add = (value: Json, at: number, side: 'golden' | 'actual') => {
    const erased = erase(value, state, budget)
    const bucket = buckets.get(erased.hash) ?? { golden: [], actual: [], tolerant: false }
    buckets.set(erased.hash, bucket)
    bucket[side].push({ ...erased, at })
    bucket.tolerant ||= erased.tolerant
  }
  for (const [at, value] of x.entries()) add(value, at, 'golden')
  for (const [at, value] of y.entries()) add(value, at, 'actual')
  return [...buckets.values()].filter(({ golden, actual }) => golden.length > 0 && actual.length > 0)
}

function pairClasses(
  bucket: Bucket,
  x: readonly Json[],
  y: readonly Json[],
  state: MatchState,
  budget: Budget,
): [number, number][] {
  const classes: { readonly of: Json; readonly golden: number[]; used: number }[] = []
  for (const { at } of bucket.golden) {
    const value = x[at] ?? null
    const known = classes.find(one => agree(one.of, value, state, budget))
    if (known === undefined) classes.push({ of: value, golden: [at], used: 0 })
    else known.golden.push(at)
  }
  const pairs: [number, number][] = []
  for (const { at } of bucket.actual) {
    const known = classes.find(one => one.used < one.golden.length && agree(one.of, y[at] ?? null, state, budget))
    const left = known?.golden[known.used]
    if (known === undefined || left === undefined) continue
    known.used += 1
    pairs.push([left, at])
  }
  return pairs
}

interface Assignment {
  readonly partners: number[]
  readonly owners: number[]
  readonly budget: Budget
  meets(left: number, right: number): boolean
}

/** Starts on the side that `startsWithActual` names, so that either direction of a comparison leaves the same over. */
function augmentEitherWay(bucket: Bucket, x: readonly Json[], y: readonly Json[], o: Assignment): void {
  const [golden, actual] = [bucket.golden.map(({ at }) => at), bucket.actual.map(({ at }) => at)]
  if (!startsWithActual({ x, y, golden, actual })) {
    augment(bucket, o)
    return
  }
  const swapped: Assignment = {
    partners: o.owners,
    owners: o.partners,
    budget: o.budget,
    meets: (left, right) => o.meets(right, left),
  }
  augment({ golden: bucket.actual, actual: bucket.golden, tolerant: true }, swapped)
}

/** Grows the assignment by one shortest augmenting path for each element of the golden that has one. */
function augment(bucket: Bucket, o: Assignment): void {
  const golden = bucket.golden.toSorted((a, b) => a.sum - b.sum || a.at - b.at)
  const actual = bucket.actual.toSorted((a, b) => a.sum - b.sum || a.at - b.at)
  const all = [...golden, ...actual]
  // Sums are doubles: a little slack keeps the window from cutting what exact decimals allow.
  const reach = maxOf(all.map(member => member.reach)) * (1 + 1e-9) + maxOf(all.map(member => member.scale)) * 1e-9
  const byIndex = new Map(golden.map(member => [member.at, member]))
  for (const free of golden) {
    const from = new Map<number, number>()
    const queue = [free]
    for (let head = 0; head < queue.length; head += 1) {
      const left = queue[head]
      if (left === undefined) break
      const end = step(left, nearest(left, actual, reach), { from, queue, byIndex }, o)
      if (end === null) continue
      follow(end, from, o)
      break
    }
  }
}

interface Search {
  /** For each visited element of the actual the element of the golden it was reached from. */
  readonly from: Map<number, number>
  readonly queue: Member[]
  readonly byIndex: ReadonlyMap<number, Member>
}

/** Visits the reachable partners of one element; the first free one ends the path. */
function step(left: Member, candidates: Iterable<number>, search: Search, o: Assignment): number | null {
  const { from, queue, byIndex } = search
  for (const right of candidates) {
    spend(o.budget, 1)
    if (from.has(right) || !o.meets(left.at, right)) continue
    from.set(right, left.at)
    const owner = byIndex.get(o.owners[right] ?? -1)
    if (owner === undefined) return right
    queue.push(owner)
  }
  return null
}

function follow(end: number, from: ReadonlyMap<number, number>, o: Assignment): void {
  for (let right = end; right !== -1; ) {
    const left = from.get(right) ?? -1
    const before = o.partners[left] ?? -1
    o.partners[left] = right
    o.owners[right] = left
    right = before
  }
}

function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

/** Indexes of the elements whose sums lie within reach, nearest first as they are sorted. */
function* nearest(of: Member, sorted: readonly Member[], reach: number): Generator<number> {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.sum ?? 0) < of.sum) low = middle + 1
    else high = middle
  }
  // Sums beyond the range of doubles have no distance: they are all within reach.
  const within = (other: Member | undefined): other is Member =>
    other !== undefined && !(Math.abs(other.sum - of.sum) > reach)
  for (let up = low, down = low - 1; ; ) {
    const above = sorted[up]
    const below = sorted[down]
    const goUp = within(above)
    const goDown = within(below)
    if (!goUp && !goDown) return
    if (goUp) yield above.at
    if (goDown) yield below.at
    up += goUp ? 1 : sorted.length
    down -= goDown ? 1 : sorted.length
  }
}
