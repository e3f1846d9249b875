import { type FormatClass, formatClass } from './formats.ts'
import { isObject, type Json, membersOf, NumberToken, textOf } from './json.ts'
import { numberText, typeOf } from './scalars.ts'

/** Values that stand nowhere in a document, and beyond the reach of every number in it. */
export interface Fresh {
  readonly text: string
  /** Null when a number of the document is too large to be exceeded by a short text. */
  readonly number: (eps: string) => Json | null
}

const DIGITS_MAX = 400

export function freshFor(document: Json): Fresh {
  const whole = textOf(document)
  let text = 'parity-mutant'
  while (whole.includes(text)) text += 'x'
  const most = greatestDigits(document)
  return {
    text,
    number(eps) {
      const digits = Math.max(most, digitsOf(eps)) + 2
      return digits > DIGITS_MAX ? null : numberValue(`1${'0'.repeat(digits)}`)
    },
  }
}

/** A JSON value of a number text. */
export function numberValue(text: string): Json {
  const native = Number(text)
  return String(native) === text ? native : new NumberToken(text)
}

/** Digits before the point of the largest number, at least 1. */
function greatestDigits(document: Json): number {
  let most = 1
  const stack: Json[] = [document]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (Array.isArray(value)) stack.push(...value)
    else if (isObject(value)) stack.push(...membersOf(value).map(([, member]) => member))
    else if (typeOf(value) === 'number') most = Math.max(most, digitsOf(numberText(value)))
  }
  return most
}

function digitsOf(text: string): number {
  const [mantissa = '', exponent = '0'] = text.replace('-', '').toLowerCase().split('e')
  return (mantissa.split('.')[0] ?? '').length + Math.max(0, Number(exponent))
}

/** The exact sum of two number texts; null when their exponents are far apart. */
export function addDecimals(a: string, b: string): string | null {
  const [left, right] = [scaled(a), scaled(b)]
  if (left === null || right === null) return null
  const scale = Math.max(left.scale, right.scale)
  const sum = left.digits * 10n ** BigInt(scale - left.scale) + right.digits * 10n ** BigInt(scale - right.scale)
  const magnitude = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0')
  const whole = magnitude.slice(0, magnitude.length - scale)
  const fraction = scale === 0 ? '' : `.${magnitude.slice(magnitude.length - scale)}`
  return `${sum < 0n ? '-' : ''}${whole}${fraction}`
}

/** A number text as `digits × 10^-scale`, with scale ≥ 0. */
function scaled(text: string): { readonly digits: bigint; readonly scale: number } | null {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  if (Math.abs(scale) > DIGITS_MAX || text.length > DIGITS_MAX) return null
  const digits = BigInt(`${whole}${fraction}`)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** A bound and just past it: by one unit two places below its last digit. */
export function justPast(eps: string): string | null {
  const parts = scaled(eps)
  return parts === null ? null : addDecimals(eps, `0.${'0'.repeat(parts.scale + 1)}1`)
}

/** The same value written with one more zero. */
export function rewritten(text: string): string {
  const [mantissa = '', ...exponent] = text.split(/(?=[eE])/)
  return `${mantissa}${mantissa.includes('.') ? '0' : '.0'}${exponent.join('')}`
}

const EXAMPLES: Readonly<Record<FormatClass, readonly string[]>> = {
  empty: [],
  'date-time': ['2001-02-03T04:05:06Z', '2002-03-04T05:06:07Z'],
  date: ['2001-02-03', '2002-03-04'],
  time: ['01:02:03', '02:03:04'],
  uuid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
  'e-mail': ['one@parity.invalid', 'two@parity.invalid'],
  uri: ['https://parity.invalid/1', 'https://parity.invalid/2'],
  none: ['parity-mutant', 'parity mutant'],
}

/** Another string of one format class; null for the empty string, which has no other. */
export function anotherOfClass(text: string): string | null {
  return EXAMPLES[formatClass(text)].find(example => example !== text) ?? null
}

/** A string of another format class, and not empty. */
export function ofAnotherClass(text: string): string {
  return formatClass(text) === 'none' ? '2001-02-03' : 'parity-mutant'
}
