/** Documents to measure on: the same ones in every run. */

/** A source of numbers in [0, 1) that repeats itself for a seed. Source: mulberry32. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const WORDS = ['alpha', 'bravo', 'delta', 'golf', 'hotel', 'kilo', 'lima', 'oscar', 'tango', 'victor']
const CITIES = ['Lyon', 'Wien', 'Oslo', 'Kobe', 'Lima', 'Bern', 'Riga', 'Porto']
const STATES = ['NEW', 'PAID', 'SHIPPED', 'CANCELLED']
const TAGS = ['gift', 'b2b', 'vip', 'promo', 'retry', 'eu', 'fragile']

export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain }
export type Order = ReturnType<typeof orderAt>

function orderAt(random: () => number, at: number) {
  const one = <T>(of: readonly [T, ...T[]] | readonly T[]): T => of[Math.floor(random() * of.length)] ?? (of[0] as T)
  return {
    id: 100_000 + at,
    ref: `ORD-${((at * 7919) % 1_000_003).toString(36).padStart(5, '0')}`,
    status: one(STATES),
    customer: {
      name: `${one(WORDS)} ${one(WORDS)}`,
      zip: String(Math.floor(random() * 99_999)).padStart(5, '0'),
      city: one(CITIES),
    },
    price: Math.round(random() * 99_999) / 100,
    currency: 'EUR',
    qty: 1 + Math.floor(random() * 9),
    tags: [one(TAGS), one(TAGS)],
    note: random() < 0.5 ? null : one(WORDS),
    paid: random() < 0.7,
  }
}

/** A page of orders of about 200 bytes each: 50,000 are 10 MB. */
export function ordersOf(length: number): { total: number; page: number; items: Order[] } {
  const random = numbersFrom(1)
  return { total: length, page: 1, items: Array.from({ length }, (_, at) => orderAt(random, at)) }
}

/** The values in another order. */
export function shuffled<T>(values: readonly T[]): T[] {
  const random = numbersFrom(9)
  const keyed = values.map(value => ({ value, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value)
}

/** A copy in which that share of the leaves has another value. */
export function changed(document: Plain, share: number): Plain {
  const random = numbersFrom(5)
  const copy = (value: Plain): Plain => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]))
    }
    if (random() >= share) return value
    if (typeof value === 'number') return value + 1
    if (typeof value === 'string') return `${value}x`
    return typeof value === 'boolean' ? !value : 'set'
  }
  return copy(document)
}

/** The text of a document with the members of every object in the reverse order. */
export function reversedText(document: Plain): string {
  const reversed = (value: Plain): Plain => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    )
  }
  return JSON.stringify(reversed(document))
}
