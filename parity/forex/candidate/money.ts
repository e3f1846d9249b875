/** A fraction; `d` is positive. */
export interface Ratio {
  readonly n: bigint
  readonly d: bigint
}

interface Currency {
  /** Hundredths of a hundredth, for one dollar. */
  readonly perDollar: bigint
  /** Digits of the minor unit. */
  readonly places: number
}

const CURRENCIES: ReadonlyMap<string, Currency> = new Map([
  ['USD', { perDollar: 10_000n, places: 2 }],
  ['EUR', { perDollar: 9_200n, places: 2 }],
  ['GBP', { perDollar: 7_500n, places: 2 }],
  ['JPY', { perDollar: 1_572_500n, places: 0 }],
  ['CHF', { perDollar: 8_845n, places: 2 }],
  ['SEK', { perDollar: 105_000n, places: 2 }],
])

const RATE_PLACES = 10

export interface Pair {
  readonly from: Currency
  readonly to: Currency
}

export function currency(code: string): Currency | undefined {
  return CURRENCIES.get(code)
}

export function codes(): string[] {
  return [...CURRENCIES.keys()]
}

export function rate({ from, to }: Pair): number {
  return Number(roundHalfEven({ n: to.perDollar, d: from.perDollar }, RATE_PLACES))
}

/** What `amount` is worth in the other currency, and the fee of half a percent in the first one, as decimal texts. */
export function convert(amount: number, { from, to }: Pair): { readonly amount: string; readonly fee: string } {
  const given = ratioOf(amount)
  const worth = { n: given.n * to.perDollar, d: given.d * from.perDollar }
  const fee = from === to ? { n: 0n, d: 1n } : { n: given.n, d: given.d * 200n }
  return { amount: roundHalfEven(worth, to.places), fee: roundHalfEven(fee, from.places) }
}

/** The shortest decimal that names this double, exactly; `value` is finite and not negative. */
function ratioOf(value: number): Ratio {
  const [, whole = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const n = BigInt(whole + fraction)
  const shift = Number(exponent) - fraction.length
  return shift >= 0 ? { n: n * 10n ** BigInt(shift), d: 1n } : { n, d: 10n ** BigInt(-shift) }
}

/** `n / d` with `places` decimals; a tie goes to the even neighbour. */
export function roundHalfEven({ n, d }: Ratio, places: number): string {
  const scaled = n * 10n ** BigInt(places)
  const twiceRest = (scaled % d) * 2n
  const floor = scaled / d
  const up = twiceRest > d || (twiceRest === d && floor % 2n === 1n)
  const digits = String(up ? floor + 1n : floor).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
