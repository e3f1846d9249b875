import { parseNative } from './json-native.ts'
import { arrayIndex, type Json, MemberList, type NumberToken, numberOf } from './json-value.ts'

export { compactJson, memberText, prettyJson } from './json-text.ts'
export {
  beginningOf,
  isObject,
  type Json,
  type JsonObject,
  MemberList,
  membersOf,
  NumberToken,
  textOf,
} from './json-value.ts'
export { toJson } from './to-json.ts'

/** Line and column count from 1, the offset from 0; all in UTF-16 units. The message holds at most one unit of the text. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false
      readonly message: string
      readonly offset: number
      readonly line: number
      readonly column: number
    }

/**
 * The value of a JSON text, lossless: number text, member order and duplicate names are kept. Never throws.
 * Strict RFC 8259, and iterative: any depth that fits in memory. A byte order mark is refused; the caller then has text.
 * A lone surrogate, escaped or not, is part of its string (RFC 8259 section 8.2 leaves it open).
 * Read by `JSON.parse` where that loses nothing, else, and for the place of an error, by hand: `parseByHand`.
 *
 * Source: RFC 8259 sections 2 to 7.
 */
export function parseJson(text: string): ParsedJson {
  const value = parseNative(text)
  return value === null ? parseByHand(text) : { ok: true, value }
}

/** What `parseJson` returns, read unit by unit. */
export function parseByHand(text: string): ParsedJson {
  const cursor: Cursor = { text, at: 0, wanted: null }
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return failure(text, 0, 'a byte order mark stands before the JSON text')
  const value = readDocument(cursor)
  if (value !== undefined) return { ok: true, value }
  return failure(text, cursor.at, `expected ${cursor.wanted ?? 'a value'}, received ${unitAt(text, cursor.at)}`)
}

const BYTE_ORDER_MARK = 0xfeff
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const ARRAY_OPEN = 0x5b
const BACKSLASH = 0x5c
const ARRAY_CLOSE = 0x5d
const OBJECT_OPEN = 0x7b
const OBJECT_CLOSE = 0x7d

/** Where reading stands. `undefined` from a reader means failure: `at` is the place, `wanted` what was expected there. */
interface Cursor {
  readonly text: string
  at: number
  wanted: string | null
}

interface OpenArray {
  readonly items: Json[]
}
interface OpenObject {
  readonly items: null
  readonly plain: Record<string, Json>
  /** Set once a plain object cannot hold the members in document order. */
  members: (readonly [string, Json])[] | null
  name: string
  /** Whether a name that is not integer-like was seen, and the greatest integer-like one. */
  named: boolean
  greatest: number
}

function fail(cursor: Cursor, wanted: string): undefined {
  cursor.wanted = wanted
  return undefined
}

function readDocument(cursor: Cursor): Json | undefined {
  const open: (OpenArray | OpenObject)[] = []
  for (;;) {
    let value = readValue(cursor, open)
    if (value === undefined) return undefined
    // A container was opened and is not empty: its first element comes next.
    if (value === OPENED) continue
    // The value is complete: give it to what holds it, and close all that ends here.
    for (;;) {
      const holder = open.at(-1)
      skipSpace(cursor)
      if (holder === undefined) return cursor.at === cursor.text.length ? value : fail(cursor, 'the end')
      addTo(holder, value)
      const unit = cursor.text.charCodeAt(cursor.at)
      if (unit === COMMA) {
        cursor.at += 1
        if (holder.items === null && !readName(cursor, holder)) return undefined
        break
      }
      const close = holder.items === null ? OBJECT_CLOSE : ARRAY_CLOSE
      if (unit !== close) return fail(cursor, `"," or "${String.fromCharCode(close)}"`)
      cursor.at += 1
      open.pop()
      value = holder.items ?? (holder.members === null ? holder.plain : new MemberList(holder.members))
    }
  }
}

/** A sign that a container was opened, and that its first element follows. Never part of a tree. */
const OPENED: Json = []

function readValue(cursor: Cursor, open: (OpenArray | OpenObject)[]): Json | undefined {
  skipSpace(cursor)
  const unit = cursor.text.charCodeAt(cursor.at)
  if (unit === QUOTE) return readString(cursor)
  if (unit === MINUS || (unit >= ZERO && unit <= NINE)) return readNumber(cursor)
  if (unit === ARRAY_OPEN) {
    cursor.at += 1
    skipSpace(cursor)
    if (cursor.text.charCodeAt(cursor.at) === ARRAY_CLOSE) {
      cursor.at += 1
      return []
    }
    open.push({ items: [] })
    return OPENED
  }
  if (unit === OBJECT_OPEN) {
    cursor.at += 1
    skipSpace(cursor)
    if (cursor.text.charCodeAt(cursor.at) === OBJECT_CLOSE) {
      cursor.at += 1
      return {}
    }
    const object: OpenObject = { items: null, plain: {}, members: null, name: '', named: false, greatest: -1 }
    open.push(object)
    return readName(cursor, object) ? OPENED : undefined
  }
  return readLiteral(cursor)
}

function readLiteral(cursor: Cursor): Json | undefined {
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const) {
    if (!cursor.text.startsWith(word, cursor.at)) continue
    cursor.at += word.length
    return value
  }
  return fail(cursor, 'a value')
}

/** Reads `"name" :` and keeps the name; false on failure. */
function readName(cursor: Cursor, holder: OpenObject): boolean {
  skipSpace(cursor)
  if (cursor.text.charCodeAt(cursor.at) !== QUOTE) {
    fail(cursor, 'a member name in double quotes')
    return false
  }
  const name = readString(cursor)
  if (name === undefined) return false
  skipSpace(cursor)
  if (cursor.text.charCodeAt(cursor.at) !== COLON) {
    fail(cursor, '":"')
    return false
  }
  cursor.at += 1
  holder.name = name
  return true
}

function addTo(holder: OpenArray | OpenObject, value: Json): void {
  if (holder.items !== null) holder.items.push(value)
  else addMember(holder, value)
}

function addMember(holder: OpenObject, value: Json): void {
  const { name, plain } = holder
  if (holder.members === null) {
    const index = arrayIndex(name)
    const moves = index >= 0 && (holder.named || index < holder.greatest)
    if (moves || Object.hasOwn(plain, name)) holder.members = Object.entries(plain)
    else if (index >= 0) holder.greatest = index
    else holder.named = true
  }
  if (holder.members !== null) holder.members.push([name, value])
  else if (name !== '__proto__') plain[name] = value
  else Object.defineProperty(plain, name, { value, enumerable: true, configurable: true, writable: true })
}

function readString(cursor: Cursor): string | undefined {
  const { text } = cursor
  const start = cursor.at
  let at = start + 1
  let escaped = false
  for (;;) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) break
    if (unit === BACKSLASH) {
      const length = escapeLength(text, at)
      cursor.at = at + 1
      if (length === 0) return fail(cursor, 'an escape: one of "\\/bfnrt, or u and four hex digits')
      escaped = true
      at += length
    } else if (unit >= 0x20) at += 1
    else {
      cursor.at = at
      return fail(cursor, at < text.length ? 'an escape for a control character' : 'a closing quote')
    }
  }
  cursor.at = at + 1
  return escaped ? decodeString(text.slice(start, at + 1)) : text.slice(start + 1, at)
}

/** The string that a whole and valid string token stands for. */
function decodeString(token: string): string {
  const value: unknown = JSON.parse(token)
  return typeof value === 'string' ? value : ''
}

const FOUR_HEX_DIGITS = /^[0-9A-Fa-f]{4}$/

function escapeLength(text: string, at: number): number {
  const letter = text.charAt(at + 1)
  if (letter === 'u') return FOUR_HEX_DIGITS.test(text.slice(at + 2, at + 6)) ? 6 : 0
  return letter !== '' && '"\\/bfnrt'.includes(letter) ? 2 : 0
}

function readNumber(cursor: Cursor): number | NumberToken | undefined {
  const { text } = cursor
  const start = cursor.at
  if (text.charCodeAt(cursor.at) === MINUS) cursor.at += 1
  if (text.charCodeAt(cursor.at) === ZERO) cursor.at += 1
  else if (!skipDigits(cursor)) return fail(cursor, 'a digit')
  if (text.charCodeAt(cursor.at) === DOT) {
    cursor.at += 1
    if (!skipDigits(cursor)) return fail(cursor, 'a digit')
  }
  if (text.charAt(cursor.at) === 'e' || text.charAt(cursor.at) === 'E') {
    cursor.at += 1
    if (text.charAt(cursor.at) === '+' || text.charAt(cursor.at) === '-') cursor.at += 1
    if (!skipDigits(cursor)) return fail(cursor, 'a digit')
  }
  return numberOf(text.slice(start, cursor.at))
}

/** Passes one digit or more; false when there is none. */
function skipDigits(cursor: Cursor): boolean {
  const start = cursor.at
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at)
    if (!(unit >= ZERO && unit <= NINE)) return cursor.at > start
    cursor.at += 1
  }
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at)
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
    cursor.at += 1
  }
}

function failure(text: string, offset: number, message: string): ParsedJson {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { ok: false, message, offset, line, column: offset - start + 1 }
}

function unitAt(text: string, at: number): string {
  if (at >= text.length) return 'the end'
  const unit = text.charCodeAt(at)
  return unit > 0x20 && unit < 0x7f ? `"${text.charAt(at)}"` : `U+${unit.toString(16).toUpperCase().padStart(4, '0')}`
}
