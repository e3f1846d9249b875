/** Exact decimals by BigInt: coefficient times a power of ten, trailing zeros taken off. */
interface Decimal {
  readonly coefficient: bigint
  readonly exponent: bigint
}

const SPAN_MAX = 20_000n

function decimalOf(text: string): Decimal {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (found === null) throw new RangeError(`not a number: ${text}`)
  const [, sign, whole = '', fraction = '', power = '0'] = found
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return { coefficient: 0n, exponent: 0n }
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - kept.length)
  return { coefficient: BigInt(`${sign}${kept}`), exponent }
}

export function sameDecimal(a: string, b: string): boolean {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  return x.coefficient === y.coefficient && x.exponent === y.exponent
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
/** Power of ten of the leading digit. */
const leading = (of: Decimal): bigint => of.exponent + BigInt(magnitude(of.coefficient).toString().length)

const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)

function aligned(x: Decimal, y: Decimal): readonly [bigint, bigint, bigint] | null {
  const low = lower(x.exponent, y.exponent)
  if (x.exponent - low > SPAN_MAX || y.exponent - low > SPAN_MAX) return null
  return [x.coefficient * 10n ** (x.exponent - low), y.coefficient * 10n ** (y.exponent - low), low]
}

/** Whether |a − b| ≤ eps; null when too far apart to be told here. */
export function withinDecimal(a: string, b: string, eps: string): boolean | null {
  const [x, y, bound] = [decimalOf(a), decimalOf(b), decimalOf(eps)]
  if (sameDecimal(a, b)) return true
  if (bound.coefficient === 0n) return false
  const pair = aligned(x, y)
  if (pair === null) {
    const top = -lower(-leading(x), -leading(y))
    const gap = leading(bound) - top
    return gap > 2n ? true : gap < -2n ? false : null
  }
  const distance: Decimal = { coefficient: magnitude(pair[0] - pair[1]), exponent: pair[2] }
  const gap = leading(bound) - leading(distance)
  if (gap > 1n) return true
  if (gap < -1n) return false
  const last = aligned(distance, bound)
  return last === null ? null : last[0] <= last[1]
}

/** The same number in another spelling: zeros after the point, an exponent, another letter, the point moved. */
export function respelled(text: string, choice: number): string {
  const { coefficient, exponent } = decimalOf(text)
  if (coefficient === 0n || exponent > 60n || exponent < -60n) return text.includes('e') ? text.replace('e', 'E') : text
  const sign = coefficient < 0n || text.startsWith('-') ? '-' : ''
  const digits = magnitude(coefficient).toString()
  const power = Number(exponent)
  const plain =
    power >= 0
      ? digits + '0'.repeat(power)
      : `${digits.padStart(1 - power, '0').slice(0, power)}.${digits.padStart(1 - power, '0').slice(power)}`
  const forms = [
    `${sign}${plain}`,
    `${sign}${plain}${plain.includes('.') ? '0' : '.0'}`,
    `${sign}${plain}${plain.includes('.') ? '000' : '.00'}`,
    `${sign}${plain}e0`,
    `${sign}${digits}e${power}`,
    `${sign}${digits}0E${power - 1}`,
    `${sign}${digits}.000e+${power}`.replace('+-', '-'),
  ]
  return forms[choice % forms.length] ?? text
}
