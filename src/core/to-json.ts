import { types } from 'node:util'
import { type Json, MemberList, NumberToken, numberOf } from './json-value.ts'
import { normalisedPath } from './selector.ts'

/** `path` is the normalised path of the value that JSON cannot hold, `what` names it, as `a Map`. */
export type SerialisedOutput =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly path: string; readonly what: string }

/** More are refused, so that an output that never ends is an answer and no hang. */
const VALUES_MAX = 10_000_000
const LEVELS_MAX = 100_000

interface Writing {
  readonly source: object
  /** Null for an array. */
  readonly names: readonly string[] | null
  readonly length: number
  next: number
  readonly items: Json[]
  readonly members: [string, Json][]
}

/**
 * What a function returned, as JSON. A member that is undefined is missing, a Date is its ISO text, a bigint a number
 * token, -0 keeps its sign, `toJSON` is honoured; tokens and member lists pass. Whatever JSON would drop or change in
 * silence (Map, Set, symbol, function, an undefined element, NaN, Infinity, a cycle, …) is not ok. Never throws. Iterative.
 */
export function toJson(value: unknown): SerialisedOutput {
  const open: Writing[] = []
  const ancestors = new Set<object>()
  const place = (): string => normalisedPath(open.map(writing => writing.names?.[writing.next - 1] ?? writing.next - 1))
  try {
    let current = value
    let key = ''
    for (let count = 0; count < VALUES_MAX; count += 1) {
      const shown = shownBy(current, key)
      if (shown.kind === 'unfit') return { ok: false, path: place(), what: shown.what }
      let done: Json
      if (shown.kind === 'scalar') done = shown.value
      else {
        if (ancestors.has(shown.source)) return { ok: false, path: place(), what: 'a cycle' }
        if (open.length === LEVELS_MAX) return { ok: false, path: '$', what: `nested deeper than ${LEVELS_MAX} levels` }
        ancestors.add(shown.source)
        open.push(writingOf(shown.source))
        done = null
      }
      let isDone = shown.kind === 'scalar'
      for (;;) {
        const top = open.at(-1)
        if (top === undefined) return { ok: true, value: done }
        if (isDone) give(top, done)
        const next = nextOf(top)
        if (next !== null) {
          current = next.value
          key = next.key
          break
        }
        ancestors.delete(top.source)
        open.pop()
        done = top.names === null ? top.items : Object.fromEntries(top.members)
        isDone = true
      }
    }
    return { ok: false, path: '$', what: `more than ${VALUES_MAX} values` }
  } catch {
    return { ok: false, path: place(), what: 'a value that throws when it is read' }
  }
}

function writingOf(source: object): Writing {
  if (Array.isArray(source)) return { source, names: null, length: source.length, next: 0, items: [], members: [] }
  const names = Object.keys(source)
  return { source, names, length: names.length, next: 0, items: [], members: [] }
}

function give(holder: Writing, value: Json): void {
  const name = holder.names?.[holder.next - 1]
  if (name === undefined) holder.items.push(value)
  else holder.members.push([name, value])
}

/** The next element or member; members that are undefined are passed over. */
function nextOf(holder: Writing): { readonly key: string; readonly value: unknown } | null {
  while (holder.next < holder.length) {
    const name = holder.names?.[holder.next]
    const key = name ?? String(holder.next)
    holder.next += 1
    const value: unknown = Reflect.get(holder.source, key)
    if (value !== undefined || name === undefined) return { key, value }
  }
  return null
}

type Shown =
  | { readonly kind: 'scalar'; readonly value: Json }
  | { readonly kind: 'container'; readonly source: object }
  | { readonly kind: 'unfit'; readonly what: string }

const unfit = (what: string): Shown => ({ kind: 'unfit', what })
const scalar = (value: Json): Shown => ({ kind: 'scalar', value })

function shownBy(given: unknown, key: string): Shown {
  if (types.isDate(given) && Number.isNaN(given.getTime())) return unfit('an invalid Date')
  let value = given
  if (typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function') {
    value = value.toJSON(key)
  }
  if (types.isBoxedPrimitive(value)) value = value.valueOf()
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return scalar(value)
    case 'number':
      if (!Number.isFinite(value)) return unfit(String(value))
      return scalar(Object.is(value, -0) ? new NumberToken('-0') : value)
    case 'bigint':
      return scalar(numberOf(String(value)))
    case 'undefined':
    case 'symbol':
    case 'function':
      return unfit(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`)
    case 'object':
      if (value === null || value instanceof NumberToken || value instanceof MemberList) return scalar(value)
      return shownByObject(value)
    default:
      return unfit('a value of no known type')
  }
}

/** Objects that keep their content where JSON does not look. */
const HIDING: readonly (readonly [string, (value: object) => boolean])[] = [
  ['a Map', types.isMap],
  ['a Set', types.isSet],
  ['a WeakMap', types.isWeakMap],
  ['a WeakSet', types.isWeakSet],
  ['a Promise', types.isPromise],
  ['a RegExp', types.isRegExp],
  ['an Error', types.isNativeError],
  ['an ArrayBuffer', types.isAnyArrayBuffer],
  ['a typed array or DataView', ArrayBuffer.isView],
]

function shownByObject(value: object): Shown {
  for (const [what, is] of HIDING) if (is(value)) return unfit(what)
  if (Array.isArray(value) || !types.isDate(value)) return { kind: 'container', source: value }
  return unfit('a Date without toJSON')
}
