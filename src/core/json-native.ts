import { arrayIndex, type Json, type NumberToken, numberOf } from './json-value.ts'

const QUOTE = 0x22
const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const UPPER_E = 0x45
const LOWER_E = 0x65

/** Decimals of up to 15 significant digits survive a double; a sign and a point may stand among these. */
const SAFE_UNITS_MAX = 15
/** JavaScript writes a number below 0.000001 with an exponent: a longer fraction is looked at. */
const SAFE_FRACTION_MAX = 6
/** The tree is walked by recursion; a deeper one is left to the hand-written parser. */
const DEPTH_MAX = 1000

/**
 * The value of a JSON text read by `JSON.parse`, without loss: the very tree that the hand-written parser makes.
 * Null where `JSON.parse` cannot give it, or the text is not JSON. Never throws.
 *
 * 1. A scan over the text keeps the numbers whose text is not `String(Number(text))`, with their rank among all numbers,
 *    and counts the colons outside strings, which are the members of all objects. A name that may spell an array index is
 *    one that JavaScript may move: null.
 * 2. A walk over the tree, in document order as no name moved, puts a `NumberToken` at each rank kept.
 * 3. A tree with fewer members than colons has lost those of a name that occurs twice: null.
 */
export function parseNative(text: string): Json | null {
  const scanned = scan(text)
  // Only names of their own are counted: one that every object inherits would hide a repeated name.
  if (scanned === null || inheritsNames()) return null
  const root: Json[] = []
  try {
    root.push(JSON.parse(text))
  } catch {
    return null
  }
  const walk: TreeWalk = { ...scanned, next: 0, numbers: 0, found: 0, deep: false }
  visitArray(walk, root, 0)
  if (walk.deep || walk.found !== walk.members || walk.next !== scanned.ranks.length) return null
  return root[0] ?? null
}

interface Scanned {
  readonly members: number
  /** Of each number at risk its rank among the numbers of the text, from 0, and its text. */
  readonly ranks: readonly number[]
  readonly tokens: readonly NumberToken[]
}

function scan(text: string): Scanned | null {
  const end = text.length
  const ranks: number[] = []
  const tokens: NumberToken[] = []
  let members = 0
  let numbers = 0
  let name = 0
  let at = 0
  while (at < end) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at += 1
      name = at
      for (;;) {
        const inside = text.charCodeAt(at)
        if (inside === QUOTE) break
        if (inside === BACKSLASH) at += 2
        else if (at < end) at += 1
        else return null
      }
      at += 1
    } else if (unit === COLON) {
      members += 1
      if (mayMove(text, name)) return null
      at += 1
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const stop = endOfNumber(text, at)
      if (stop < 0) {
        const token = numberOf(text.slice(at, -stop))
        if (typeof token !== 'number') {
          ranks.push(numbers)
          tokens.push(token)
        }
      }
      numbers += 1
      at = Math.abs(stop)
    } else at += 1
  }
  return { members, ranks, tokens }
}

/** Whether JavaScript may move the name that begins at `at`. */
function mayMove(text: string, at: number): boolean {
  const first = text.charCodeAt(at)
  // An escape may spell a digit.
  if (first === BACKSLASH) return true
  if (first < ZERO || first > NINE) return false
  const name = text.slice(at, text.indexOf('"', at))
  return name.includes('\\') || arrayIndex(name) >= 0
}

function inheritsNames(): boolean {
  for (const _ in {}) return true
  return false
}

/** Where the number that begins at `at` ends, and below 0 (as `-end`) when its text may not be that of its double. */
function endOfNumber(text: string, at: number): number {
  let next = at + 1
  let unit = text.charCodeAt(next)
  while (unit >= ZERO && unit <= NINE) unit = text.charCodeAt(++next)
  let safe = text.charCodeAt(at) !== MINUS || text.charCodeAt(at + 1) !== ZERO
  if (unit === DOT) {
    const dot = next
    unit = text.charCodeAt(++next)
    while (unit >= ZERO && unit <= NINE) unit = text.charCodeAt(++next)
    safe &&= text.charCodeAt(next - 1) !== ZERO && next - dot <= SAFE_FRACTION_MAX
  }
  if (unit === LOWER_E || unit === UPPER_E) {
    safe = false
    unit = text.charCodeAt(++next)
    while ((unit >= ZERO && unit <= NINE) || unit === MINUS || unit === PLUS) unit = text.charCodeAt(++next)
  }
  return safe && next - at <= SAFE_UNITS_MAX ? next : -next
}

interface TreeWalk extends Scanned {
  /** Index of the token to be put next. */
  next: number
  /** How many numbers and members were met. */
  numbers: number
  found: number
  /** Something lies too deep to be walked. */
  deep: boolean
}

function visitArray(walk: TreeWalk, array: Json[], depth: number): void {
  for (let at = 0; at < array.length; at += 1) {
    const value = array[at]
    if (typeof value === 'number') {
      const token = tokenHere(walk)
      if (token !== null) array[at] = token
    } else if (typeof value === 'object' && value !== null) visit(walk, value, depth + 1)
  }
}

function visitObject(walk: TreeWalk, object: Record<string, Json>, depth: number): void {
  for (const name in object) {
    walk.found += 1
    const value = object[name]
    if (typeof value === 'number') {
      const token = tokenHere(walk)
      if (token !== null) object[name] = token
    } else if (typeof value === 'object' && value !== null) visit(walk, value, depth + 1)
  }
}

function visit(walk: TreeWalk, value: object, depth: number): void {
  if (depth > DEPTH_MAX) walk.deep = true
  else if (Array.isArray(value)) visitArray(walk, value, depth)
  else visitObject(walk, value as Record<string, Json>, depth)
}

/** The token to stand in place of the number that was met, or null for the number itself. */
function tokenHere(walk: TreeWalk): NumberToken | null {
  const rank = walk.numbers
  walk.numbers += 1
  if (walk.ranks[walk.next] !== rank) return null
  walk.next += 1
  return walk.tokens[walk.next - 1] ?? null
}
