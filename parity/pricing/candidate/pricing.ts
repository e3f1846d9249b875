/** The price of a cart: the rewrite of `labs/pricing-node010/pricing.js`. */

export interface Line {
  readonly sku: string
  readonly price: number
  /** BUG-1: some shops send text. */
  readonly quantity: number | string
  /** Percents, taken one after another. */
  readonly discounts?: readonly number[]
}

export interface Cart {
  readonly currency: string
  readonly lines: readonly Line[]
  readonly coupon?: string
  readonly taxPercent?: number
  readonly customer?: { readonly tier: string } | null
}

interface PricedLine {
  readonly sku: string
  readonly quantity: number | string
  readonly gross: number
  readonly net: number
}

interface PricedCart {
  readonly currency: string
  readonly lines: readonly PricedLine[]
  readonly count: number | string
  readonly subtotal: number
  readonly discount: number
  readonly total: number
  /** The part of the full price that is saved; null of nothing. */
  readonly saved: number | null
  readonly applied: readonly string[]
  readonly tax?: number
}

class PricingError extends Error {
  override readonly name = 'PricingError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const DIGITS = new Map([
  ['USD', 2],
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
])
const TIER_PERCENTS = new Map([
  ['gold', 5],
  ['silver', 2],
])
const COUPONS: ReadonlyMap<string, { readonly percent: number } | { readonly amount: number }> = new Map([
  ['SPRING', { percent: 10 }],
  ['TENOFF', { amount: 10 }],
])
const SUBTOTAL_MAX = 1e12
const HALF_SLACK = 1e-9

export function price(cart: Cart): PricedCart {
  const money = rounding(cart.currency)
  const lines = cart.lines.map((line, at) => priced(line, at + 1, money))
  const subtotal = money(sumOf(lines.map(({ net }) => net)))
  if (Math.abs(subtotal) > SUBTOTAL_MAX) {
    throw Object.assign(new RangeError(`the cart is worth more than ${SUBTOTAL_MAX}`), { code: 'E_LIMIT' })
  }
  const { discount, applied } = discounted(cart, subtotal, money)
  const net = money(subtotal - discount)
  const gross = sumOf(lines.map(line => line.gross))
  const tax = cart.taxPercent === undefined ? null : money((net * cart.taxPercent) / 100)
  return {
    currency: cart.currency,
    lines,
    count: countOf(lines),
    subtotal,
    discount,
    total: tax === null ? net : money(net + tax),
    saved: gross === 0 ? null : (gross - net) / gross,
    applied,
    ...(tax === null ? {} : { tax }),
  }
}

type Money = (value: number) => number

/** Rounds half-even to the minor unit; the slack makes a half of what doubles put just beside one. */
function rounding(currency: string): Money {
  const digits = DIGITS.get(currency)
  if (digits === undefined) throw new PricingError('E_CURRENCY', `no currency ${currency}`)
  const factor = 10 ** digits
  return value => {
    const scaled = value * factor
    const below = Math.floor(scaled)
    const isHalf = Math.abs(scaled - below - 0.5) < HALF_SLACK
    const even = below % 2 === 0 ? below : below + 1
    return (isHalf ? even : Math.round(scaled)) / factor
  }
}

function priced({ sku, price: each, quantity, discounts = [] }: Line, at: number, money: Money): PricedLine {
  if (typeof each !== 'number' || each < 0) throw new PricingError('E_PRICE', `line ${at}: price ${each}`)
  if (Number(quantity) % 1 !== 0) throw new PricingError('E_QUANTITY', `line ${at}: quantity ${quantity}`)
  const gross = money(each * Number(quantity))
  const net = discounts.reduce((left, percent) => {
    if (percent >= 0 && percent <= 100) return money(left - (left * percent) / 100)
    throw new PricingError('E_DISCOUNT', `${sku}: discount ${percent}`)
  }, gross)
  return { sku, quantity, gross, net }
}

function discounted(
  cart: Cart,
  subtotal: number,
  money: Money,
): { readonly discount: number; readonly applied: readonly string[] } {
  const applied: string[] = []
  let discount = 0
  const tierPercent = TIER_PERCENTS.get(cart.customer?.tier ?? '')
  if (tierPercent !== undefined) {
    discount = money((subtotal * tierPercent) / 100)
    applied.push(`tier:${cart.customer?.tier}`)
  }
  if (cart.coupon !== undefined) {
    const coupon = COUPONS.get(cart.coupon)
    if (coupon === undefined) throw new PricingError('E_COUPON', `no coupon ${cart.coupon}`)
    const left = subtotal - discount
    discount += 'percent' in coupon ? money((left * coupon.percent) / 100) : Math.min(coupon.amount, left)
    applied.push(`coupon:${cart.coupon}`)
  }
  return { discount: money(discount), applied }
}

/** BUG-1: from the first quantity that is text on, the count is text. */
function countOf(lines: readonly PricedLine[]): number | string {
  return lines.reduce<number | string>(
    (count, { quantity }) =>
      typeof count === 'number' && typeof quantity === 'number' ? count + quantity : `${count}${quantity}`,
    0,
  )
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
