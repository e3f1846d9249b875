import { equalDecimals } from './decimal.ts'
import { type Budget, spend } from './diff-walk.ts'
import { formatClass } from './formats.ts'
import { type Json, membersOf } from './json.ts'
import type { MatchState } from './matcher.ts'
import { numberText, typeOf } from './scalars.ts'

/** A value without what its rules let vary: values that agree have equal hashes. */
export interface Erased {
  readonly hash: number
  /** Whether it holds a number under a bound: only then can agreement fail to be transitive. */
  readonly tolerant: boolean
  /** Sum of those numbers, and of their bounds: the sums of values that agree are no further apart. */
  readonly sum: number
  readonly reach: number
  /** Sum of their magnitudes: how far rounding may have moved `sum`. */
  readonly scale: number
}

const DEPTH_MAX = 32
const PREFIX_MAX = 64

/** The erased form of a value under a state. Below 32 levels everything counts as alike. */
export function erase(value: Json, state: MatchState, budget: Budget): Erased {
  const total: Total = { tolerant: false, sum: 0, reach: 0, scale: 0, budget }
  const hash = hashOf(value, state, total, 0)
  const { tolerant, sum, reach, scale } = total
  return { hash, tolerant, sum, reach, scale }
}

interface Total {
  tolerant: boolean
  sum: number
  reach: number
  scale: number
  readonly budget: Budget
}

function hashOf(value: Json, state: MatchState, total: Total, depth: number): number {
  spend(total.budget, 1)
  if (state.key === 'ignore') return 1
  if (depth > DEPTH_MAX) {
    // Bounds may lie below, unseen.
    total.tolerant ||= !state.inert
    return 1
  }
  const type = typeOf(value)
  if (type === 'number') return numberHash(value, state, total)
  if (typeof value === 'string') return state.key === 'structural' ? textHash(formatClass(value)) : textHash(value)
  if (typeof value === 'boolean') return state.key === 'structural' ? 5 : value ? 6 : 7
  if (value === null || typeof value !== 'object') return 2
  if (Array.isArray(value)) return arrayHash(value, state, total, depth)
  let hash = 13
  for (const [name, member] of membersOf(value as Parameters<typeof membersOf>[0])) {
    const below = state.child(name)
    if (below.key !== 'ignore') hash = (hash + mix(textHash(name), hashOf(member, below, total, depth + 1))) | 0
  }
  return mix(19, hash)
}

function arrayHash(value: readonly Json[], state: MatchState, total: Total, depth: number): number {
  if (state.key === 'structural') {
    if (!state.inert)
      total.tolerant ||= value.some((element, at) => isTolerant(element, state.item(at), total, depth + 1))
    return value.length === 0 ? 23 : 29
  }
  let hash = 11
  for (const [at, element] of value.entries()) {
    const below = state.item(at)
    if (below.key === 'ignore') continue
    const one = hashOf(element, below, total, depth + 1)
    hash = state.key === 'order_insensitive' ? (hash + mix(17, one)) | 0 : mix(hash, mix(at, one))
  }
  return mix(31, hash)
}

/** Whether an element of an array of shapes, which adds nothing to a sum, holds a number under a bound. */
function isTolerant(value: Json, state: MatchState, total: Total, depth: number): boolean {
  const own: Total = { tolerant: false, sum: 0, reach: 0, scale: 0, budget: total.budget }
  hashOf(value, state, own, depth)
  return own.tolerant
}

function numberHash(value: Json, state: MatchState, total: Total): number {
  if (state.key === 'structural') return 3
  const native = Number(numberText(value))
  const eps = state.rule?.eps ?? '0'
  if (state.key !== 'numeric_tolerance' || equalDecimals(eps, '0')) return textHash(String(native === 0 ? 0 : native))
  total.tolerant = true
  total.sum += native
  total.reach += Number(eps)
  total.scale += Math.abs(native)
  return 3
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
