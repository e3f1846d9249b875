/**
 * Exact comparison of JSON number texts, of any length and any exponent. Time follows the texts, never their values: linear
 * in the digits, somewhat more in the length of an exponent.
 */

interface Decimal {
  readonly negative: boolean
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string
  /** The value is `0.digits × 10^point`. */
  readonly point: bigint
}

/** Whether two JSON number texts have the same value; `-0` equals `0`. */
export function equalDecimals(a: string, b: string): boolean {
  if (a === b) return true
  const left = decimalOf(a)
  const right = decimalOf(b)
  if (left.digits !== right.digits) return false
  return left.digits === '' || (left.negative === right.negative && left.point === right.point)
}

/** The sign of a − b, exactly, for JSON number texts: -1, 0 or 1. */
export function compareDecimals(a: string, b: string): number {
  return signOfSum([decimalOf(a), negated(decimalOf(b))])
}

/** Whether |a − b| ≤ eps, exactly, for JSON number texts; false for a negative eps. */
export function withinDecimals(a: string, b: string, eps: string): boolean {
  const bound = decimalOf(eps)
  if (bound.negative && bound.digits !== '') return false
  const left = decimalOf(a)
  const right = negated(decimalOf(b))
  const order = signOfSum([left, right])
  if (order === 0) return true
  // |a − b| − eps
  return signOfSum(order > 0 ? [left, right, negated(bound)] : [negated(left), negated(right), negated(bound)]) <= 0
}

function negated(value: Decimal): Decimal {
  return { ...value, negative: !value.negative }
}

function decimalOf(text: string): Decimal {
  const negative = text.startsWith('-')
  const power = text.search(/[eE]/)
  const mantissa = text.slice(negative ? 1 : 0, power === -1 ? text.length : power)
  const dot = mantissa.indexOf('.')
  const all = dot === -1 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  let start = 0
  while (start < all.length && all.charAt(start) === '0') start += 1
  let end = all.length
  while (end > start && all.charAt(end - 1) === '0') end -= 1
  const exponent = power === -1 ? 0n : BigInt(text.slice(power + 1).replace('+', ''))
  return {
    negative,
    digits: all.slice(start, end),
    point: exponent + BigInt((dot === -1 ? mantissa.length : dot) - start),
  }
}

/**
 * The sign of the exact sum of at most three decimals: -1, 0 or 1.
 * Reads all of them digit by digit from the greatest place down. With `sum` the total so far in units of the current
 * place, what is still to come is less than three such units; so |sum| ≥ 3 decides, and `sum` stays small. Where no
 * decimal has a digit, a `sum` other than 0 grows tenfold and decides, and one of 0 allows a jump: gaps cost nothing.
 */
function signOfSum(values: readonly Decimal[]): number {
  const terms = values.filter(value => value.digits !== '')
  const top = terms.reduce<bigint | null>((max, { point }) => (max === null || point > max ? point : max), null)
  if (top === null) return 0
  const rows: Row[] = terms.map(({ negative, digits, point }) => ({
    sign: negative ? -1 : 1,
    digits,
    start: distance(top - point),
  }))
  const end = Math.max(...rows.map(row => row.start + row.digits.length))
  let sum = 0
  for (let place = 0; place < end && Math.abs(sum) < 3; place += 1) {
    if (sum === 0) place = nextPlace(rows, place)
    sum *= 10
    for (const { sign, digits, start } of rows) {
      if (place >= start && place < start + digits.length) sum += sign * (digits.charCodeAt(place - start) - 0x30)
    }
  }
  return Math.sign(sum)
}

interface Row {
  readonly sign: number
  readonly digits: string
  /** The place of its first digit, counted down from the greatest place of all rows. */
  readonly start: number
}

/** `place` where a row has a digit there, else the next place where one has; there is one. */
function nextPlace(rows: readonly Row[], place: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { start, digits } of rows) {
    if (place < start + digits.length) next = Math.min(next, Math.max(place, start))
  }
  return next
}

/**
 * A distance between leading places as a number. Beyond 2^52 it is cut: the greatest decimal then stands alone for
 * longer than any text, so it decides before the cut is reached, or cancels out and the others keep their order.
 */
function distance(places: bigint): number {
  const most = 2 ** 52
  return places > BigInt(most) ? most : Number(places)
}
