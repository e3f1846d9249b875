import { matchElements } from './diff-matching.ts'
import { agree, childOf, differ, NOTHING, OverBudget, type Pair, type Task, type Walk } from './diff-walk.ts'
import type { Json } from './json.ts'
import { mayBePermuted } from './leaf-sum.ts'

/**
 * Arrays by position. They agree when every position does; the rest only makes the report short:
 * elements that are the same multiset in another order are one `order`, and where lengths differ, the common prefix and
 * suffix are set aside, so that an insertion at the head is one `extra`.
 */
export function compareOrdered(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  if (walk.listener === null) return judgeOrdered(walk, pair, x, y)
  try {
    return x.length === y.length ? reportSameLength(walk, pair, x, y) : reportOtherLength(walk, pair, x, y)
  } catch (error) {
    if (error instanceof OverBudget) return byPosition(pair, x, y)
    throw error
  }
}

function judgeOrdered(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  for (let at = Math.min(x.length, y.length); at < Math.max(x.length, y.length); at += 1) {
    if (pair.state.item(at).key === 'ignore') continue
    walk.found = true
    return NOTHING
  }
  return byPosition(pair, x, y)
}

/** The elements that are not identical, each against the one at its own place; none where there is none. */
export function byPosition(pair: Pair, x: readonly Json[], y: readonly Json[]): Task[] {
  const next: Task[] = []
  for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
    if (x[at] !== y[at]) next.push(childOf(pair, at, x[at], y[at]))
  }
  return next
}

function reportSameLength(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  const open: number[] = []
  for (let at = 0; at < x.length; at += 1) if (x[at] !== y[at]) open.push(at)
  const [first] = open
  if (first === undefined || open.length < 2) return byPosition(pair, x, y)
  const state = pair.state.item(first)
  if (open.some(at => pair.state.item(at) !== state)) return byPosition(pair, x, y)
  const pairs = open.map(at => [x[at] ?? null, y[at] ?? null] as const)
  if (!mayBePermuted(pairs, state)) return byPosition(pair, x, y)
  const moved = open.filter(at => !agree(x[at] ?? null, y[at] ?? null, state, walk.brevity))
  if (moved.length < 2) return byPosition(pair, x, y)
  const golden = moved.map(at => x[at] ?? null)
  const actual = moved.map(at => y[at] ?? null)
  if (!matchElements(golden, actual, state, walk.brevity).perfect) return byPosition(pair, x, y)
  const set = new Set(moved)
  const still = open.filter(at => !set.has(at)).map(at => childOf(pair, at, x[at], y[at]))
  return [() => differ(walk, pair, 'order'), ...still]
}

function reportOtherLength(walk: Walk, pair: Pair, x: readonly Json[], y: readonly Json[]): readonly Task[] {
  const shorter = Math.min(x.length, y.length)
  const state = pair.state.item(0)
  for (let at = 1; at < Math.max(x.length, y.length); at += 1) {
    // A rule names an index: what stands at another one cannot be set against it.
    if (pair.state.item(at) !== state) return byPosition(pair, x, y)
  }
  if (state.key === 'ignore') return byPosition(pair, x, y)
  const alike = (left: number, right: number) => agree(x[left] ?? null, y[right] ?? null, state, walk.brevity)
  let prefix = 0
  while (prefix < shorter && alike(prefix, prefix)) prefix += 1
  let suffix = 0
  while (suffix < shorter - prefix && alike(x.length - 1 - suffix, y.length - 1 - suffix)) suffix += 1
  const next: Task[] = []
  for (let at = 0; at < Math.max(x.length, y.length) - suffix; at += 1) {
    const left = at < x.length - suffix ? x[at] : undefined
    const right = at < y.length - suffix ? y[at] : undefined
    next.push(childOf(pair, at, left, right))
  }
  for (let back = suffix; back > 0; back -= 1) {
    next.push(childOf(pair, x.length - back, x[x.length - back], y[y.length - back]))
  }
  return next
}
