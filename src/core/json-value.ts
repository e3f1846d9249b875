/**
 * Any JSON value without loss. What JavaScript holds losslessly is native, so that a tree made by `JSON.parse` is the
 * same tree; a number that is not is a `NumberToken`, an object that is not is a `MemberList`.
 */
export type Json = null | boolean | string | number | NumberToken | readonly Json[] | JsonObject | MemberList

/** A plain object as `JSON.parse` makes: it may own a member `__proto__`, and `constructor` is a name like any other. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** A number whose text is not `String(Number(text))`: `10.00`, `1e400`, `-0`, `12345678901234567890`. */
export class NumberToken {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * An object that a plain one cannot hold in document order: a name occurs twice, or an integer-like name stands where
 * JavaScript would move it (`{"b":1,"2":1}`).
 */
export class MemberList {
  readonly members: readonly (readonly [string, Json])[]
  constructor(members: readonly (readonly [string, Json])[]) {
    this.members = members
  }
}

/** Whether a value is a JSON object, in either form. */
export function isObject(value: Json): value is JsonObject | MemberList {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberToken)
}

/** The members of an object in document order, duplicates included. */
export function membersOf(value: JsonObject | MemberList): readonly (readonly [string, Json])[] {
  return value instanceof MemberList ? value.members : Object.entries(value)
}

/** A JSON number text as the value that keeps it: native where `String(Number(text))` is the text, else a token. */
export function numberOf(text: string): number | NumberToken {
  const native = Number(text)
  return String(native) === text ? native : new NumberToken(text)
}

/** The array index that a name spells, or -1. Array indexes end at 2^32 - 2; JavaScript moves only these to the front. */
export function arrayIndex(name: string): number {
  const unit = name.charCodeAt(0)
  if (!(unit >= 0x30 && unit <= 0x39) || name.length > 10) return -1
  const index = Number(name)
  return String(index) === name && index < 4_294_967_295 ? index : -1
}

interface Printing {
  readonly names: readonly string[] | null
  readonly values: readonly Json[]
  next: number
}

/**
 * A value as compact JSON text, members in document order and numbers as received; lone surrogates are escaped.
 * Iterative: any depth.
 */
export function textOf(value: Json): string {
  return beginningOf(value, Number.POSITIVE_INFINITY).text
}

/** The text of a value as `textOf` has it, up to some unit after the first `unitsMin`, and the length of the whole. */
export function beginningOf(value: Json, unitsMin: number): { readonly text: string; readonly length: number } {
  const open: Printing[] = []
  let out = ''
  let beyond = 0
  const put = (text: string): void => {
    if (out.length < unitsMin) out += text
    else beyond += text.length
  }
  let current: Json | undefined = value
  for (;;) {
    const printing = current === undefined ? null : containerOf(current)
    if (printing !== null) {
      put(printing.names === null ? '[' : '{')
      open.push(printing)
    } else if (current !== undefined) {
      if (out.length < unitsMin) put(scalarText(current))
      else beyond += scalarLength(current)
    }
    const top = open.at(-1)
    if (top === undefined) return { text: out, length: out.length + beyond }
    current = top.values[top.next]
    if (current === undefined) {
      put(top.names === null ? ']' : '}')
      open.pop()
      continue
    }
    if (top.next > 0) put(',')
    if (top.names !== null) {
      if (out.length < unitsMin) put(`${JSON.stringify(top.names[top.next])}:`)
      else beyond += scalarLength(top.names[top.next] ?? '') + 1
    }
    top.next += 1
  }
}

const PLAIN = /^[ !#-[\]-~]*$/

function scalarLength(value: Json): number {
  return typeof value === 'string' && PLAIN.test(value) ? value.length + 2 : scalarText(value).length
}

function containerOf(value: Json): Printing | null {
  if (Array.isArray(value)) return { names: null, values: value, next: 0 }
  if (!isObject(value)) return null
  if (value instanceof MemberList) {
    return { names: value.members.map(([name]) => name), values: value.members.map(([, member]) => member), next: 0 }
  }
  return { names: Object.keys(value), values: Object.values(value), next: 0 }
}

function scalarText(value: Json): string {
  if (value instanceof NumberToken) return value.text
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
