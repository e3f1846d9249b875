import { createHash } from 'node:crypto'
import type { Sha256 } from '../model.ts'

/** The hash of bytes, or of a text in UTF-8. */
export function sha256(data: string | Uint8Array): Sha256 {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`
}

/** Negative, zero or positive, as `a` sorts before, with or after `b` by code point: not by UTF-16 unit, not by locale. */
export function compareCodePoints(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length) {
    const left = a.codePointAt(at) ?? 0
    const right = b.codePointAt(at) ?? 0
    if (left !== right) return left - right
    at += left > 0xffff ? 2 : 1
  }
  return a.length - b.length
}

/**
 * One of our own records as compact JSON with keys sorted by code point; members that are undefined are left out. Equal
 * records give equal text. For plain values of moderate depth, never for what was received.
 *
 * **Throws** TypeError on what is no plain JSON value: that is a defect in the caller.
 */
export function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object') throw new TypeError(`a record cannot hold ${typeof value}`)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError('a record holds plain objects only')
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${members.join(',')}}`
}
