import { flag, numeric, whole } from './numbers.ts'

export type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string | readonly string[]>>
type Errors = Record<string, string>

/** An answer that is an error. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.body = { error: { code, message, ...more } }
  }
}

/** The parameters of a query; `name[]` gives a list. Of a name that occurs twice the last counts. */
export function parseQuery(text: string): Query {
  const query: Record<string, string | readonly string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const list = /^(\w+)\[\w*\]$/.exec(name)?.[1]
    if (list === undefined) query[name] = value
    else query[list] = [...[query[list] ?? []].flat(), value]
  }
  return query
}

/** The fields of a form, which only POST may bring, or of a JSON body. */
export function readFields(o: { method: string; type: string; body: Buffer }): Fields {
  if (o.method === 'POST' && o.type.startsWith('application/x-www-form-urlencoded') && o.body.length > 0) {
    return formFields(o.body.toString())
  }
  const value = parseJson(o.body)
  if (typeof value !== 'object' || value === null) throw new Refusal(400, 'bad_json', 'expected an object')
  return Array.isArray(value) ? Object.fromEntries(value.entries()) : (value as Fields)
}

function parseJson(body: Buffer): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new Refusal(400, 'bad_json', 'Malformed UTF-8 characters, possibly incorrectly encoded')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'bad_json', 'Syntax error')
  }
}

function formFields(text: string): Fields {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const [, outer, inner] = /^(\w+)\[(\w*)\]$/.exec(name) ?? []
    if (outer === undefined || inner === undefined) {
      fields[name] = value
      continue
    }
    const members = { ...(fields[outer] as Fields | undefined) }
    members[inner === '' ? nextIndex(members) : inner] = value
    fields[outer] = members
  }
  return fields
}

function nextIndex(members: Fields): string {
  return String(
    Object.keys(members).reduce((next, key) => (/^\d+$/.test(key) ? Math.max(next, Number(key) + 1) : next), 0),
  )
}

/** What PHP makes of objects: one without members is a list, and so is one whose names count from 0. */
export function asPhpArray(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, asPhpArray(member)] as const)
  const counts = members.every(([name], at) => name === String(at))
  return counts ? members.map(([, member]) => member) : Object.fromEntries(members)
}

export interface ProductFields {
  readonly sku?: string
  readonly name?: string
  readonly category?: string
  readonly description?: string
  readonly price?: string
  readonly stock?: number
  readonly weight?: string | null
  readonly active?: number
  readonly released?: string | null
  readonly attributes?: string
}

const OPTIONAL: ProductFields = { description: '', stock: 0, weight: null, active: 1, released: null, attributes: '[]' }

/** The columns that a body gives; what is null counts as not given. */
export function readProduct(fields: Fields, o: { readonly partial: boolean }): ProductFields {
  const errors: Errors = {}
  const row: Record<string, unknown> = o.partial ? {} : { ...OPTIONAL }
  for (const name of ['sku', 'name', 'category', 'price']) {
    if (!o.partial && (fields[name] ?? null) === null) errors[name] = 'is required'
  }
  for (const [name, read] of Object.entries(READERS)) {
    const value = fields[name] ?? null
    if (value !== null) row[name] = read(value, fault => (errors[name] = fault))
  }
  if (Object.keys(errors).length > 0) throw new Refusal(422, 'invalid', 'the product is not valid', { fields: errors })
  return row
}

const STOCK_MAX = 4_294_967_295

type Read = (value: unknown, refuse: (fault: string) => void) => unknown

const READERS: Readonly<Record<keyof ProductFields, Read>> = {
  sku: text(20),
  name: text(80),
  category: text(40),
  price: amount(99999.99),
  description: value => (typeof value === 'string' ? value : JSON.stringify(asPhpArray(value))),
  stock(value, refuse) {
    const stock = readCount(value, refuse)
    if (stock !== null && stock > STOCK_MAX) refuse(`at most ${STOCK_MAX}`)
    return stock
  },
  weight: amount(9999999),
  active(value, refuse) {
    const active = flag(value)
    if (active === null) refuse('must be true or false')
    return active === true ? 1 : 0
  },
  released(value, refuse) {
    const day = typeof value === 'string' ? /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(value) : null
    if (day === null) return refuse('must be YYYY-MM-DD')
    return new Date(Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]))).toISOString().slice(0, 10)
  },
  attributes(value, refuse) {
    if (typeof value !== 'object') refuse('must be an object')
    return JSON.stringify(asPhpArray(value))
  },
}

/** Lengths are counted in bytes, as they always were. */
function text(max: number): Read {
  return (value, refuse) => {
    if (typeof value !== 'string') return refuse('must be text')
    const trimmed = value.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '')
    if (trimmed === '') refuse('must not be empty')
    if (Buffer.byteLength(trimmed) > max) refuse(`at most ${max} characters`)
    return trimmed
  }
}

function amount(max: number): Read {
  return (value, refuse) => {
    const number = numeric(value)
    if (number === null) return refuse('must be a number')
    if (Number(number) < 0) refuse('must not be negative')
    else if (Number(number) > max) refuse(`at most ${max}`)
    return number
  }
}

export function readCount(value: unknown, refuse: (fault: string) => void): number | null {
  const count = whole(value)
  if (count === null) refuse('must be a whole number')
  else if (count < 0) refuse('must not be negative')
  return count
}
