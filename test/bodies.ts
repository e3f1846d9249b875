import { Buffer } from 'node:buffer'
import { expect } from 'vitest'
import { type Decoded, decodeBody } from '../src/core/bodies.ts'
import { compare } from '../src/core/diff.ts'
import { textOf } from '../src/core/json.ts'
import type { Observation } from '../src/model.ts'
import { response, rulesOf, told } from './observations.ts'

/** No rule, and no header compared. */
export const NONE = rulesOf('{}', [])

/** The document of a body. */
export function decode(type: string, body: string | Uint8Array): Decoded {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
  return decodeBody({ headers: [['Content-Type', type]], body: { bytes }, method: 'GET', status: 200 })
}

/** A response with a body. */
export function bodied(type: string, body: string | Uint8Array): Observation {
  return response({ headers: [['Content-Type', type]], body: { bytes: Buffer.from(body) } })
}

/** The kind of a document and what `$` is. */
export function shown(decoded: Decoded): string {
  return `${decoded.kind} ${textOf(decoded.value)}`
}

/** Each note on one line. */
export function notesOf(decoded: Decoded): string[] {
  return decoded.notes.map(({ id, detail }) => `${id} ${detail}`)
}

/** Differences both ways: the second must be the first with its sides swapped. */
export function between(golden: Observation, actual: Observation, rules = NONE): string[] {
  const there = compare(golden, actual, rules)
  const back = compare(actual, golden, rules)
  expect(back.differences.map(({ legacy, candidate }) => `${candidate} ${legacy}`).sort()).toEqual(
    there.differences.map(({ legacy, candidate }) => `${legacy} ${candidate}`).sort(),
  )
  expect(told(compare(golden, golden, rules))).toEqual([])
  return told(there)
}
