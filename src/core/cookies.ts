import { yearOfCookieDate } from './cookie-date.ts'
import { formatClass } from './formats.ts'

export interface Cookie {
  readonly name: string
  readonly value: string
  /** Names in lower case, the last of a repeated name. */
  readonly attributes: ReadonlyMap<string, string>
}

/** A Set-Cookie value. **Source** RFC 6265 section 5.2. */
export function parseSetCookie(text: string): Cookie {
  const [pair = '', ...rest] = text.split(';')
  const [name, value] = halves(pair)
  const attributes = new Map<string, string>()
  for (const part of rest) {
    const [attribute, setting] = halves(part)
    if (attribute !== '') attributes.set(attribute.toLowerCase(), setting)
  }
  return { name, value, attributes }
}

function halves(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at === -1) return [text.trim(), '']
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

export type CookieFinding =
  | { readonly part: string; readonly legacy: string | null; readonly candidate: string | null }
  | { readonly part: string; readonly tolerated: true }

/**
 * What differs between two cookies of one name. The value and the expiry are compared by structure alone: the same
 * format class, and for an expiry whether it deletes the cookie. All other attributes are compared by value, in any order.
 */
export function compareCookies(golden: Cookie, actual: Cookie): CookieFinding[] {
  const findings: CookieFinding[] = []
  const compare = (part: string, legacy: string | null, candidate: string | null, alike: boolean) => {
    if (!alike) findings.push({ part, legacy, candidate })
    else if (legacy !== candidate) findings.push({ part, tolerated: true })
  }
  compare('', golden.value, actual.value, formatClass(golden.value) === formatClass(actual.value))
  for (const name of new Set([...golden.attributes.keys(), ...actual.attributes.keys()])) {
    const left = golden.attributes.get(name) ?? null
    const right = actual.attributes.get(name) ?? null
    compare(name, left, right, left !== null && right !== null && alike(name, left, right))
  }
  return findings
}

function alike(attribute: string, left: string, right: string): boolean {
  switch (attribute) {
    case 'expires':
      return expiryClass(left) === expiryClass(right)
    case 'domain':
      return left.replace(/^\./, '').toLowerCase() === right.replace(/^\./, '').toLowerCase()
    case 'samesite':
    case 'priority':
      return left.toLowerCase() === right.toLowerCase()
    case 'secure':
    case 'httponly':
    case 'partitioned':
      return true
    default:
      return left === right
  }
}

/** Servers delete a cookie by an expiry in or before 1970. */
function expiryClass(text: string): 'none' | 'deletes' | 'keeps' {
  const year = yearOfCookieDate(text)
  if (year === null) return 'none'
  return year <= 1970 ? 'deletes' : 'keeps'
}
