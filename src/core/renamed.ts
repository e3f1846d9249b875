import type { Bound } from './bindings.ts'
import { objectOf } from './edits.ts'
import { boundText } from './filled.ts'
import { isObject, type Json, membersOf, NumberToken } from './json.ts'
import type { MatchState } from './matcher.ts'
import { UNCOVERED } from './scalars.ts'
import { normalisedPath } from './selector.ts'

/** What a member of one name is called on either side. */
export interface Renaming {
  readonly member: string
  readonly name: string
  /** Counts from 0. */
  readonly step: number
  readonly legacy: Bound
  readonly candidate: Bound
}

/** Levels of a document that are renamed; what lies deeper stays as it is. */
const DEPTH_MAX = 1000

export interface Renamed {
  readonly value: Json
  /** What was renamed where, in document order. */
  readonly places: readonly { readonly path: string; readonly renaming: Renaming }[]
}

/**
 * A document of the candidate in the names of the legacy, so that elements can be matched: each member that holds a bound value
 * of the candidate, and that no rule governs, holds the legacy's in its place.
 */
export function renamed(document: Json, root: MatchState, renamings: readonly Renaming[]): Renamed {
  const places: Renamed['places'][number][] = []
  const visit = (value: Json, state: MatchState, path: readonly (string | number)[]): Json => {
    if (path.length > DEPTH_MAX) return value
    if (Array.isArray(value)) return value.map((item, at) => visit(item, state.item(at), [...path, at]))
    if (isObject(value)) {
      return objectOf(
        membersOf(value).map(([name, member]) => [name, visit(member, state.child(name), [...path, name])] as const),
      )
    }
    const last = path.at(-1)
    if (state.rule !== null || value === null) return value
    const renaming = renamings.find(one => one.member === last && isSame(value, one.candidate))
    if (renaming === undefined) return value
    places.push({ path: normalisedPath(path), renaming })
    return renaming.legacy
  }
  return { value: visit(document, root, []), places }
}

/** What the candidate showed where a renamed document holds `value`, under a member of that name. */
export function received(
  value: Json | undefined,
  member: string | number | undefined,
  renamings: readonly Renaming[],
): Json | undefined {
  if (value === undefined || value === null) return value
  const back = renamings.map(one => ({ ...one, legacy: one.candidate, candidate: one.legacy }))
  if (isObject(value) || Array.isArray(value)) return renamed(value, UNCOVERED, back).value
  return back.find(one => one.member === member && isSame(value, one.candidate))?.legacy ?? value
}

function isSame(value: Json, bound: Bound): boolean {
  if (typeof value === 'string' || typeof bound === 'string') return value === bound
  const isNumber = typeof value === 'number' || value instanceof NumberToken
  return isNumber && typeof bound !== 'boolean' && boundText(value) === boundText(bound)
}
