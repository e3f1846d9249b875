import { Buffer } from 'node:buffer'
import { parseJson } from './json.ts'
import { BACKSLASH, beginsNumber, endOfNumber, endOfValue, QUOTE } from './json-octets.ts'
import { arrayIndex, type Json, MemberList, NumberToken, numberOf } from './json-value.ts'
import { mayBePermuted } from './leaf-sum.ts'
import type { MatchState } from './matcher.ts'

/** What is read next; `give-up`: whole trees are needed. */
export type Next = 'value' | 'name' | 'after' | 'give-up'

/** A container that is open on both sides. Frames are kept and used again. */
interface Frame {
  isArray: boolean
  startA: number
  startB: number
  /** Index of the element, or rank of the member, that is being read, and where its value begins. */
  at: number
  valueA: number
  valueB: number
  /** In `Lockstep.names`, where the names of this object begin. */
  names: number
  /** A name of it has an escape. */
  escaped: boolean
  /** The children that differ. */
  differing: Differing[] | null
}

/** A child that differs: its index or rank, its trees or sparse trees, and where it stands in the texts. */
interface Differing {
  readonly at: number
  readonly x: Json
  readonly y: Json
  readonly startA: number
  readonly endA: number
  readonly startB: number
  readonly endB: number
}

/** A walk over two texts. */
export interface Lockstep {
  readonly a: Buffer
  readonly b: Buffer
  /** Where reading stands in either text. */
  i: number
  j: number
  readonly root: MatchState
  readonly frames: Frame[]
  /** How many of the frames are open. */
  depth: number
  /** Start and end, in `a`, of the names of the open objects; what lies beyond `namesEnd` is of closed ones. */
  readonly names: number[]
  namesEnd: number
  /** Whether the string that was passed last has an escape. */
  escaped: boolean
  /** The trees that do not hold all that their text does. */
  readonly sparse: Set<Json>
  /** The two documents, once they are known to differ. */
  found: { readonly x: Json; readonly y: Json } | null
  /** Octets parsed and steps taken for what differs; beyond the most of it whole trees are quicker. */
  spent: number
  readonly spentMax: number
}

const SPENT_MIN = 4096
/** What a value that differs costs, beside its length, as much as so many octets. */
const DIFFERING_COST = 32

export function startLockstep(golden: Uint8Array, actual: Uint8Array, root: MatchState): Lockstep {
  return {
    a: Buffer.from(golden.buffer, golden.byteOffset, golden.length),
    b: Buffer.from(actual.buffer, actual.byteOffset, actual.length),
    i: 0,
    j: 0,
    root,
    frames: [],
    depth: 0,
    names: [],
    namesEnd: 0,
    escaped: false,
    sparse: new Set(),
    found: null,
    spent: 0,
    spentMax: Math.max(SPENT_MIN, (golden.length + actual.length) / 3),
  }
}

/** Opens a container of which both texts show the bracket. */
export function open(walk: Lockstep, isArray: boolean): void {
  const { i, j, depth, namesEnd } = walk
  walk.depth = depth + 1
  const frame = walk.frames[depth]
  if (frame === undefined) {
    const values = { at: 0, valueA: 0, valueB: 0, names: namesEnd, escaped: false, differing: null }
    walk.frames.push({ isArray, startA: i, startB: j, ...values })
    return
  }
  frame.isArray = isArray
  frame.startA = i
  frame.startB = j
  frame.at = 0
  frame.names = namesEnd
  frame.escaped = false
  frame.differing = null
}

export function top(walk: Lockstep): Frame | undefined {
  return walk.depth === 0 ? undefined : walk.frames[walk.depth - 1]
}

/** Closes the innermost container, both closing brackets behind; what differs in it becomes a child of its holder. */
export function close(walk: Lockstep): Next {
  const frame = top(walk)
  if (frame === undefined) return 'give-up'
  const { differing } = frame
  if (differing !== null) {
    if (!frame.isArray && repeatsName(walk, frame, differing)) return enlarge(walk, walk.depth - 1)
    const pair = frame.isArray ? sparseArrays(walk, frame, differing) : sparseObjects(walk, frame, differing)
    if (pair === null) return 'give-up'
    walk.sparse.add(pair.x).add(pair.y)
    leave(walk, walk.depth - 1)
    tell(walk, pair.x, pair.y)
  } else leave(walk, walk.depth - 1)
  return 'after'
}

/** The values at which both texts stand differ: passes them, as trees. */
export function differ(walk: Lockstep): Next {
  const level = matchedAcross(walk)
  return level === null ? passValues(walk, walk.i, walk.j) : enlarge(walk, level)
}

/** Passes the container that is open at a level, or one around it whose elements are matched across, as whole trees. */
export function enlarge(walk: Lockstep, innermost: number): Next {
  const level = Math.min(innermost, matchedAcross(walk) ?? innermost)
  const frame = walk.frames[level]
  // The whole documents: these are parsed better elsewhere.
  if (frame === undefined || level === 0) return 'give-up'
  leave(walk, level)
  return passValues(walk, frame.startA, frame.startB)
}

function leave(walk: Lockstep, level: number): void {
  walk.depth = level
  walk.namesEnd = walk.frames[level]?.names ?? 0
}

/** Parses the values that begin there and goes on behind them. */
function passValues(walk: Lockstep, startA: number, startB: number): Next {
  const { a, b } = walk
  walk.i = endOfValue(a, startA)
  walk.j = endOfValue(b, startB)
  if (!spend(walk, walk.i - startA + walk.j - startB + DIFFERING_COST)) return 'give-up'
  const x = treeOf(a, startA, walk.i)
  const y = treeOf(b, startB, walk.j)
  if (x === undefined || y === undefined) return 'give-up'
  if (!sameScalars(x, y)) tell(walk, x, y)
  return 'after'
}

function spend(walk: Lockstep, octets: number): boolean {
  walk.spent += octets
  return walk.spent <= walk.spentMax
}

function treeOf(text: Buffer, start: number, end: number): Json | undefined {
  const octet = text[start]
  if (octet === QUOTE && isPlainString(text, start, end)) return text.toString('utf8', start + 1, end - 1)
  if (beginsNumber(octet) && endOfNumber(text, start) === end) return numberOf(text.toString('latin1', start, end))
  const parsed = parseJson(text.toString('utf8', start, end))
  return parsed.ok ? parsed.value : undefined
}

/** Whether a value that begins with a quote is a string without escapes. */
function isPlainString(text: Buffer, start: number, end: number): boolean {
  for (let at = start + 1; at < end - 1; at += 1) {
    const octet = text[at]
    if (octet === undefined || octet < 0x20 || octet === QUOTE || octet === BACKSLASH) return false
  }
  return end - start >= 2 && text[end - 1] === QUOTE
}

function sameScalars(x: Json, y: Json): boolean {
  return x === y || (x instanceof NumberToken && y instanceof NumberToken && x.text === y.text)
}

/** Keeps a pair of trees, behind which both texts stand, as the child of the innermost container. */
function tell(walk: Lockstep, x: Json, y: Json): void {
  const frame = top(walk)
  if (frame === undefined) {
    walk.found = { x, y }
    return
  }
  frame.differing ??= []
  const { at, valueA, valueB } = frame
  frame.differing.push({ at, x, y, startA: valueA, endA: walk.i, startB: valueB, endB: walk.j })
}

/** The level of the outermost open array whose elements a rule matches across positions; null when there is none. */
function matchedAcross(walk: Lockstep): number | null {
  let state = walk.root
  for (let level = 0; level < walk.depth; level += 1) {
    const frame = walk.frames[level]
    if (frame === undefined) return null
    if (frame.isArray && (state.key === 'structural' || state.key === 'order_insensitive')) return level
    if ((state.inert && state.key !== 'structural') || level === walk.depth - 1) return null
    state = childState(walk, state, frame)
  }
  return null
}

/** What governs the container that is open at a level. */
function stateAt(walk: Lockstep, level: number): MatchState {
  let state = walk.root
  for (let above = 0; above < level && !state.inert; above += 1) {
    const frame = walk.frames[above]
    if (frame !== undefined) state = childState(walk, state, frame)
  }
  return state
}

function childState(walk: Lockstep, state: MatchState, frame: Frame): MatchState {
  walk.spent += 1
  return frame.isArray ? state.item(frame.at) : state.child(nameAt(walk, frame, frame.at))
}

/** The name of a member of an open object by its rank. */
function nameAt({ a, names }: Lockstep, frame: Frame, rank: number): string {
  const start = names[frame.names + 2 * rank] ?? 0
  const end = names[frame.names + 2 * rank + 1] ?? 0
  if (!frame.escaped) return a.toString('utf8', start, end)
  const name: unknown = JSON.parse(a.toString('utf8', start - 1, end + 1))
  return typeof name === 'string' ? name : ''
}

/** Objects with fewer children that differ are searched, not indexed. */
const SEARCHED_MAX = 8

/** Whether the name of a member that differs occurs more than once in its object. */
function repeatsName(walk: Lockstep, frame: Frame, differing: readonly Differing[]): boolean {
  const { a, names, namesEnd } = walk
  if (frame.escaped || differing.length > SEARCHED_MAX) {
    const seen = new Set<string>()
    const ranks = (namesEnd - frame.names) / 2
    for (let rank = 0; rank < ranks; rank += 1) seen.add(nameAt(walk, frame, rank))
    return seen.size < ranks
  }
  return differing.some(({ at }) => {
    const own = frame.names + 2 * at
    const start = names[own] ?? 0
    const length = (names[own + 1] ?? 0) - start
    for (let other = frame.names; other < namesEnd; other += 2) {
      const from = names[other] ?? 0
      if (other === own || (names[other + 1] ?? 0) - from !== length) continue
      if (a.compare(a, start, start + length, from, from + length) === 0) return true
    }
    return false
  })
}

interface Trees {
  readonly x: Json
  readonly y: Json
}

function sparseObjects(walk: Lockstep, frame: Frame, differing: readonly Differing[]): Trees {
  const x: Record<string, Json> = {}
  const y: Record<string, Json> = {}
  for (const one of differing) {
    const name = nameAt(walk, frame, one.at)
    if (name === '__proto__' || arrayIndex(name) >= 0) return sparseLists(walk, frame, differing)
    x[name] = one.x
    y[name] = one.y
  }
  return { x, y }
}

/** Objects whose names JavaScript would move. */
function sparseLists(walk: Lockstep, frame: Frame, differing: readonly Differing[]): Trees {
  const named = differing.map(({ at, x, y }) => ({ name: nameAt(walk, frame, at), x, y }))
  return {
    x: new MemberList(named.map(({ name, x }) => [name, x])),
    y: new MemberList(named.map(({ name, y }) => [name, y])),
  }
}

/** Arrays with null in place of what does not differ; elements that may be each other's are whole. Null: give up. */
function sparseArrays(walk: Lockstep, frame: Frame, differing: readonly Differing[]): Trees | null {
  const length = frame.at + 1
  const x: Json[] = new Array(length).fill(null)
  const y: Json[] = new Array(length).fill(null)
  for (const one of differing) {
    x[one.at] = one.x
    y[one.at] = one.y
  }
  return mayMeet(walk, differing) && !makeWhole(walk, differing, x, y) ? null : { x, y }
}

/** Whether elements of the innermost container may be matched across positions. */
function mayMeet(walk: Lockstep, differing: readonly Differing[]): boolean {
  if (differing.length < 2) return false
  const array = stateAt(walk, walk.depth - 1)
  const state = array.item(differing[0]?.at ?? 0)
  if (differing.some(({ at }) => array.item(at) !== state)) return false
  return mayBePermuted(
    differing.map(({ x, y }) => [x, y] as const),
    state,
  )
}

/** Puts whole trees in place of sparse ones; false: give up. */
function makeWhole(walk: Lockstep, differing: readonly Differing[], x: Json[], y: Json[]): boolean {
  const lacking = differing.filter(one => walk.sparse.has(one.x))
  const octets = lacking.reduce((sum, one) => sum + one.endA - one.startA + one.endB - one.startB, 0)
  if (!spend(walk, octets)) return false
  const golden = wholeOf(
    walk.a,
    lacking.map(one => [one.startA, one.endA]),
  )
  const actual = wholeOf(
    walk.b,
    lacking.map(one => [one.startB, one.endB]),
  )
  for (const [rank, { at }] of lacking.entries()) {
    const [left, right] = [golden[rank], actual[rank]]
    if (left === undefined || right === undefined) return false
    x[at] = left
    y[at] = right
  }
  return true
}

/** The trees of several values of a text, parsed in one go. */
function wholeOf(text: Buffer, spans: readonly (readonly [start: number, end: number])[]): readonly Json[] {
  if (spans.length === 0) return []
  const comma = Buffer.from(',')
  const parts = spans.flatMap(([start, end]) => [text.subarray(start, end), comma])
  parts.pop()
  const list = Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')])
  const values = treeOf(list, 0, list.length)
  return Array.isArray(values) ? values : []
}
