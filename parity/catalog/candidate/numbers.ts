/** How PHP and MariaDB read numbers: what clients got used to. */

const NUMERIC = /^[ \t\n\r\v\f]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const LEADING = /^[ \t\n\r\v\f]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)/i
const WHOLE = /^[ \t\n\r\v\0]*([+-]?(?:0|[1-9]\d*))[ \t\n\r\v\0]*$/

/** The number as decimal text; null where PHP's is_numeric says no. */
export function numeric(value: unknown): string | null {
  if (typeof value === 'number') return String(Number(value.toPrecision(14)))
  return typeof value === 'string' && NUMERIC.test(value) ? value.trim() : null
}

/** The number that a text begins with, as MariaDB compares it; 0 where it begins with none. */
export function leadingNumber(text: string): number {
  return Number(LEADING.exec(text)?.[1] ?? 0)
}

/** What PHP's (int) makes of a parameter. */
export function wholePart(value: string | readonly string[] | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  return typeof value === 'string' ? Math.trunc(leadingNumber(value)) : 1
}

/** A whole number, of 64 bits at most; null where FILTER_VALIDATE_INT says no. */
export function whole(value: unknown): number | null {
  if (value === true) return 1
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const digits = WHOLE.exec(String(value))?.[1]
  if (digits === undefined) return null
  const count = Number(digits)
  return Math.abs(count) < 2 ** 63 ? count : null
}

const FLAGS: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  on: true,
  yes: true,
  '0': false,
  false: false,
  off: false,
  no: false,
  '': false,
}

/** Null where FILTER_VALIDATE_BOOLEAN says neither. */
export function flag(value: unknown): boolean | null {
  if (typeof value === 'object') return null
  return FLAGS[String(value).trim().toLowerCase()] ?? null
}

/** A FLOAT as MariaDB prints it: six digits. */
export function sixDigits(value: number | null): string | null {
  if (value === null) return null
  const rounded = Number(value.toPrecision(6))
  if (rounded === 0 || Math.abs(rounded) >= 1e-6) return String(rounded)
  return rounded.toFixed(12).replace(/0+$/, '')
}
