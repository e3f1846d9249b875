import { compareCodePoints } from './canonical.ts'
import { isObject, type Json, membersOf, NumberToken, parseJson, textOf } from './json.ts'
import { withoutIndexes, withoutStep } from './selector.ts'

/** What sort of value it is that the legacy gives anew at each capture. `value` is anything that is none of the others. */
export const VOLATILE_KINDS = {
  id: 'a UUID, ULID, ObjectId or nanoid, or a value of a member that is named like an id',
  timestamp: 'an instant: ISO 8601, RFC 1123, seconds or milliseconds since 1970, or as a locale writes it',
  token: 'a JWT, or hex or base64 of at least 64 random bits',
  counter: 'a whole number, or its text, that grew by at most 100',
  order: 'the same elements in another order',
  value: 'another value, or one that comes and goes',
} as const

export type VolatileKind = keyof typeof VOLATILE_KINDS

/** The place and both tokens of a noise: whole JSON texts, null for absence. */
export interface Volatile {
  readonly path: string
  readonly first: string | null
  readonly second: string | null
}

/**
 * The sort of value at a place where two captures differ. Both tokens have to be of it. It says what a person should look
 * for, and nothing is judged by it.
 *
 * The first that fits: the order of a list; an instant; a form of id or token that is not to be mistaken; the name of the
 * member; hex or base64; a number that grew; and last the part in which two longer texts differ, read alone.
 */
export function volatileKind({ path, first, second }: Volatile): VolatileKind {
  const [x, y] = [parsedToken(first), parsedToken(second)]
  if (x === undefined || y === undefined) return 'value'
  if (Array.isArray(x) && Array.isArray(y)) return sameElements(x, y) ? 'order' : 'value'
  const [a, b] = [scalarText(x), scalarText(y)]
  if (a === null || b === null || (typeof x === 'string') !== (typeof y === 'string')) return 'value'
  return kindOfTexts(a, b, lastNameOf(path)) ?? kindOfParts(a, b) ?? 'value'
}

function parsedToken(token: string | null): Json | undefined {
  if (token === null) return undefined
  const parsed = parseJson(token)
  return parsed.ok ? parsed.value : undefined
}

function sameElements(x: readonly Json[], y: readonly Json[]): boolean {
  const [left, right] = [x, y].map(list => list.map(one => sortedText(one, 0)).sort(compareCodePoints))
  return x.length === y.length && left?.every((one, at) => one === right?.[at]) === true
}

/** The text of a value with the members of its objects in one order; below 32 levels as they stand. */
function sortedText(value: Json, level: number): string {
  if (level > 32) return textOf(value)
  if (Array.isArray(value)) return `[${value.map(one => sortedText(one, level + 1)).join()}]`
  if (!isObject(value)) return textOf(value)
  const members = membersOf(value).map(([name, member]) => `${JSON.stringify(name)}:${sortedText(member, level + 1)}`)
  return `{${members.sort(compareCodePoints).join()}}`
}

/** A string, or the text of a number; null for all else. */
function scalarText(value: Json): string | null {
  if (typeof value === 'string') return value.length <= TEXT_MAX ? value : null
  return typeof value === 'number' || value instanceof NumberToken ? textOf(value) : null
}

const TEXT_MAX = 8_192

/** The last name on the way to a place: of a member, or of a header. */
function lastNameOf(path: string): string {
  const place = withoutIndexes(withoutStep(path)).replace(/(?:\[\*\])+$/, '')
  if (!place.startsWith('$')) return place.slice(place.indexOf('.') + 1)
  const found = /(?:\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\])$/.exec(place)
  return found?.[1] ?? found?.[2] ?? ''
}

function kindOfTexts(a: string, b: string, name: string): VolatileKind | null {
  const named = NAMED_ID.test(name)
  if (isInstant(a, b) || (!named && isEpoch(a, b))) return 'timestamp'
  const both = (test: (text: string) => boolean): boolean => test(a) && test(b)
  if (both(text => IDS.some(form => form.test(text)))) return 'id'
  if (both(text => JWT.test(text))) return 'token'
  if (named && both(isIdText)) return 'id'
  if (both(isRandom) || (NAMED_TOKEN.test(name) && both(text => OPAQUE.test(text)))) return 'token'
  if (both(text => NANOID.test(text) && isMixed(text))) return 'id'
  return grew(a, b) ? 'counter' : null
}

/** UUID; ULID; ObjectId; cuid; an id with its type before it, as `cus_9f86d081884c`. */
const IDS: readonly RegExp[] = [
  /^(?:urn:uuid:)?\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i,
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  /^[0-9a-f]{24}$/i,
  /^c[a-z0-9]{24}$/,
  /^(?=.*\d)[a-z]{2,8}_[0-9A-Za-z]{8,40}$/,
]
const NANOID = /^[A-Za-z0-9_-]{21}$/
/** `id`, `orderId`, `order_id`, `X-Request-Id`, `uuid`, `guid`; not `paid` or `valid`. */
const NAMED_ID = /^(?:id|uuid|guid|ulid|oid)$|(?:[a-z0-9](?:I[dD]|Uuid|UUID|Guid)|[_-](?:[iI][dD]|uuid|guid))$/
const NAMED_TOKEN = /token|secret|session|csrf|xsrf|nonce|signature|cursor|etag/i
/** What an id may look like in a member that is named so: one word, or a path that ends in one. */
const OPAQUE = /^[A-Za-z0-9_.:~+/=-]{1,512}$/

function isIdText(text: string): boolean {
  return OPAQUE.test(text) && !/^-?\d+\.\d/.test(text)
}

const JWT = /^(?:Bearer )?eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/
const HEX = /^(?:0x)?[0-9a-f]{32,}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{22,}={0,2}$/
const RANDOM_BITS_MIN = 64

/** Hex, or base64 with letters of both cases and digits, whose letters are spread as random ones are. An ETag without its quotes. */
function isRandom(text: string): boolean {
  const bare = text.replace(/^(?:Bearer |Basic )/, '').replace(/^(?:W\/)?"(.*)"$/, '$1')
  if (HEX.test(bare)) return bitsOf(bare) >= RANDOM_BITS_MIN
  return BASE64.test(bare) && isMixed(bare) && bare.length !== 21 && bitsOf(bare) >= RANDOM_BITS_MIN
}

function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)
}

/** The bits that a text tells when its own letters are its alphabet: -n Σ p log2 p. **Source** Shannon 1948. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count * Math.log2(count / text.length)
  return bits
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*'
const DAY_NAME = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?'
const CLOCK = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?:\\s?[ap]\\.?m\\.?)?'
const ZONE = '(?:\\s?(?:Z|UTC|GMT)?(?:[+-]\\d\\d:?\\d\\d)?(?: \\([^()]{1,60}\\))?)'

/** Forms of an instant; two of one form are two instants. */
const INSTANTS: readonly RegExp[] = [
  // ISO 8601, RFC 3339
  /^[+-]?\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i,
  // RFC 1123, RFC 850, asctime, and what `new Date()` prints
  new RegExp(`^${DAY_NAME} \\d{1,2}[ -]${MONTH}[ -]\\d{2,4} ${CLOCK}${ZONE}$`, 'i'),
  new RegExp(`^${DAY_NAME} ${MONTH} +\\d{1,2} (?:${CLOCK} \\d{4}|\\d{4}(?: ${CLOCK}${ZONE})?)$`, 'i'),
  // as locales write it: Sep 1, 2016; 1 Sep 2016; 9/1/2016, 5:45:34 PM; 01.09.2016, 17:45
  new RegExp(`^(?:${DAY_NAME} )?${MONTH} \\d{1,2}, \\d{4}(?:(?:,| at)? ${CLOCK}${ZONE})?$`, 'i'),
  new RegExp(`^(?:${DAY_NAME} )?\\d{1,2}\\.? ${MONTH} \\d{4}(?:(?:,| at)? ${CLOCK}${ZONE})?$`, 'i'),
  new RegExp(
    `^(?:\\d{1,2}([./-])\\d{1,2}\\1\\d{4}|\\d{4}([./-])\\d{1,2}\\2\\d{1,2}|\\d{1,2}/\\d{1,2}/\\d\\d)(?:,? ${CLOCK}${ZONE})?$`,
    'i',
  ),
  // a time of day
  new RegExp(`^${CLOCK}${ZONE}$`, 'i'),
]

function isInstant(a: string, b: string): boolean {
  if (a.length > 80 || b.length > 80) return false
  return INSTANTS.some(form => form.test(a) && form.test(b))
}

function isEpoch(a: string, b: string): boolean {
  return EPOCHS.some(({ form, from, to, day }) => {
    if (!form.test(a) || !form.test(b)) return false
    const [x, y] = [Number(a), Number(b)]
    return Math.min(x, y) >= from && Math.max(x, y) < to && Math.abs(x - y) <= day
  })
}

/** Since 1970, from 2001 to 2100; two captures lie within one day. */
const EPOCHS = [
  { form: /^\d{10}(?:\.\d+)?$/, from: 1_000_000_000, to: 4_102_444_800, day: 86_400 },
  { form: /^\d{13}(?:\.\d+)?$/, from: 1_000_000_000_000, to: 4_102_444_800_000, day: 86_400_000 },
] as const

const STEP_MAX = 100

function grew(a: string, b: string): boolean {
  if (!/^\d{1,15}$/.test(a) || !/^\d{1,15}$/.test(b)) return false
  const step = Number(b) - Number(a)
  return step > 0 && step <= STEP_MAX
}

/** Two texts that are the same but for one part, which stands between signs or blanks: what that part is. */
function kindOfParts(a: string, b: string): VolatileKind | null {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  const room = Math.min(a.length, b.length) - start
  while (end < room && a.at(-1 - end) === b.at(-1 - end)) end += 1
  // whole words: what a longer number or id happens to share belongs to it
  while (start > 0 && WORD.test(a[start - 1] ?? '')) start -= 1
  while (end > 0 && WORD.test(a.at(-end) ?? '')) end -= 1
  if (start === 0 && end === 0) return null
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (/[/=]$/.test(a.slice(0, start)) && /^\d+$/.test(x) && /^\d+$/.test(y)) return 'id'
  return kindOfTexts(x, y, '')
}

const WORD = /[A-Za-z0-9_:.+-]/
