import { formatClass } from './formats.ts'
import { isObject, type Json, MemberList, membersOf } from './json.ts'
import type { MatchState } from './matcher.ts'
import { isScalar, numberText, type Scalar, typeOf } from './scalars.ts'

/**
 * Whether elements may be the same ones in another order, each agreeing with another one under a state. False is a proof:
 * agreeing values have the same leaves at the same places, so the sums over all leaves of either side are equal.
 * What is identical on both sides of a pair counts in neither sum and is not visited, so that whatever stands in for it
 * gives the same answer.
 */
export function mayBePermuted(pairs: Iterable<readonly [x: Json, y: Json]>, state: MatchState): boolean {
  let sum = 0
  for (const [x, y] of pairs) {
    const difference = differenceOf(x, y, state, 1, 0)
    if (Number.isNaN(difference)) return true
    sum = (sum + difference) | 0
  }
  return sum === 0
}

/** Below so many levels nothing is proved. */
const DEPTH_MAX = 200
const PREFIX_MAX = 64

/** The sum over the leaves of `x` less that of `y`; NaN where they are too deep. */
function differenceOf(x: Json, y: Json, state: MatchState, place: number, depth: number): number {
  if (x === y || state.key === 'ignore') return 0
  if (depth > DEPTH_MAX) return Number.NaN
  let sum = 0
  if (Array.isArray(x) && Array.isArray(y) && state.key !== 'structural') {
    for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
      const [left, right] = [x[at], y[at]]
      if (left === right) continue
      sum += childDifference(left, right, state.item(at), elementPlace(state, place, at), depth)
    }
    return sum
  }
  if (isPlain(x) && isPlain(y)) {
    let common = 0
    for (const name in x) {
      const left = x[name]
      const own = left === y[name] || Object.hasOwn(y, name)
      if (own) common += 1
      const right = own ? y[name] : undefined
      if (left !== right) sum += childDifference(left, right, state.child(name), mix(place, textHash(name)), depth)
    }
    const others = Object.keys(y)
    if (others.length === common) return sum
    for (const name of others) {
      if (Object.hasOwn(x, name)) continue
      sum += childDifference(undefined, y[name], state.child(name), mix(place, textHash(name)), depth)
    }
    return sum
  }
  return sumOf(x, state, place, depth) - sumOf(y, state, place, depth)
}

function childDifference(
  x: Json | undefined,
  y: Json | undefined,
  state: MatchState,
  place: number,
  depth: number,
): number {
  if (x !== undefined && y !== undefined) return differenceOf(x, y, state, place, depth + 1)
  if (x !== undefined) return sumOf(x, state, place, depth + 1)
  return y === undefined ? 0 : -sumOf(y, state, place, depth + 1)
}

/** What is ignored may be absent, so it counts nothing, and neither does a container in which nothing is left. */
function sumOf(value: Json, state: MatchState, place: number, depth: number): number {
  if (state.key === 'ignore') return 0
  if (depth > DEPTH_MAX) return Number.NaN
  if (isScalar(value)) return mix(place, scalarHash(value, state))
  if (Array.isArray(value)) {
    if (state.key === 'structural') return mix(place, value.length === 0 ? 23 : 29)
    return value.reduce<number>((sum, element, at) => {
      return sum + sumOf(element, state.item(at), elementPlace(state, place, at), depth + 1)
    }, 0)
  }
  if (!isObject(value)) return 0
  return membersOf(value).reduce((sum, [name, member]) => {
    return sum + sumOf(member, state.child(name), mix(place, textHash(name)), depth + 1)
  }, 0)
}

function isPlain(value: Json): value is { readonly [name: string]: Json } {
  return isObject(value) && !(value instanceof MemberList)
}

/** Elements of a multiset all stand at one place. */
function elementPlace(state: MatchState, place: number, at: number): number {
  return mix(place, state.key === 'order_insensitive' ? -1 : at)
}

/** Equal for scalars that agree. */
function scalarHash(value: Scalar, state: MatchState): number {
  switch (typeOf(value)) {
    case 'number': {
      if (state.key === 'structural' || state.key === 'numeric_tolerance') return 3
      const native = typeof value === 'number' ? value : Number(numberText(value))
      return numberHash(native === 0 ? 0 : native)
    }
    case 'string':
      return textHash(state.key === 'structural' ? formatClass(String(value)) : String(value))
    case 'boolean':
      return state.key === 'structural' ? 5 : value === true ? 6 : 7
    default:
      return 2
  }
}

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

function numberHash(native: number): number {
  double[0] = native
  return mix(halves[0] ?? 0, halves[1] ?? 0)
}

function textHash(text: string): number {
  let hash = 0x811c9dc5 ^ text.length
  const end = Math.min(text.length, PREFIX_MAX)
  for (let at = 0; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash | 0
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) | 0
}
