import { type Json, type JsonObject, MemberList, NumberToken } from './json-value.ts'

/** Deeper values are not looked into: they are returned as they are. */
const DEPTH_MAX = 400

/**
 * A value equal to `y`, number text and member order included, in which every value that stands at the same place in `x`
 * and is the same there is that very object: `x` itself when nothing differs. So what is identical needs no comparing,
 * and what is not identical is, down to `DEPTH_MAX` levels, a difference in writing at least. Nothing is changed.
 */
export function sharedWith(x: Json, y: Json): Json {
  return share(x, y, 0)
}

function share(x: Json, y: Json, depth: number): Json {
  if (x === y) return x
  if (typeof x !== 'object' || x === null || typeof y !== 'object' || y === null || depth > DEPTH_MAX) return y
  if (isArray(x)) return isArray(y) ? shareArray(x, y, depth) : y
  if (isArray(y)) return y
  if (x instanceof NumberToken) return y instanceof NumberToken && x.text === y.text ? x : y
  if (y instanceof NumberToken) return y
  if (x instanceof MemberList) return y instanceof MemberList ? shareList(x, y, depth) : y
  return y instanceof MemberList ? y : shareObject(x, y, depth)
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function shareArray(x: readonly Json[], y: readonly Json[], depth: number): Json {
  const both = Math.min(x.length, y.length)
  // A copy of `y`, made once the two are known to differ.
  let copy: Json[] | null = null
  for (let at = 0; at < both; at += 1) {
    const left = x[at] as Json
    const right = y[at] as Json
    if (left === right) continue
    const shared = share(left, right, depth + 1)
    if (copy !== null) copy[at] = shared
    else if (shared !== left) {
      copy = y.slice()
      for (let before = 0; before < at; before += 1) copy[before] = x[before] as Json
      copy[at] = shared
    }
  }
  if (copy !== null) return copy
  if (x.length === y.length) return x
  copy = y.slice()
  for (let before = 0; before < both; before += 1) copy[before] = x[before] as Json
  return copy
}

function shareObject(x: JsonObject, y: JsonObject, depth: number): Json {
  const names = Object.keys(y)
  let copy: Record<string, Json> | null = null
  let rank = 0
  for (const name in x) {
    // Names that JavaScript inherits, or in another order: the rest goes by name.
    if (names[rank] !== name) return shareMembers(x, y, names, rank, copy ?? sharedSoFar(x, y, names, rank), depth)
    const left = x[name] as Json
    const right = y[name] as Json
    rank += 1
    if (left === right) continue
    const shared = share(left, right, depth + 1)
    if (copy !== null) copy[name] = shared
    else if (shared !== left) {
      copy = sharedSoFar(x, y, names, rank - 1)
      copy[name] = shared
    }
  }
  if (copy !== null) return copy
  return rank === names.length ? x : sharedSoFar(x, y, names, rank)
}

/** A copy of `y` with the first members, which are the same in `x`, from `x`. */
function sharedSoFar(x: JsonObject, y: JsonObject, names: readonly string[], count: number): Record<string, Json> {
  const copy: Record<string, Json> = { ...y }
  for (let rank = 0; rank < count; rank += 1) {
    const name = names[rank] as string
    copy[name] = x[name] as Json
  }
  return copy
}

function shareMembers(
  x: JsonObject,
  y: JsonObject,
  names: readonly string[],
  from: number,
  copy: Record<string, Json>,
  depth: number,
): Json {
  for (let rank = from; rank < names.length; rank += 1) {
    const name = names[rank] as string
    if (Object.hasOwn(x, name)) copy[name] = share(x[name] as Json, y[name] as Json, depth + 1)
  }
  return copy
}

function shareList(x: MemberList, y: MemberList, depth: number): Json {
  const sameNames =
    x.members.length === y.members.length && y.members.every(([name], at) => name === x.members[at]?.[0])
  if (!sameNames) return y
  const members = y.members.map(
    ([name, right], at) => [name, share(x.members[at]?.[1] as Json, right, depth + 1)] as const,
  )
  return members.every(([, member], at) => member === x.members[at]?.[1]) ? x : new MemberList(members)
}
