import type { Fault, Observation } from '../model.ts'
import { documentOf, type StepDocument } from './documents.ts'
import { isObject, type Json, membersOf, textOf } from './json.ts'
import { type Noise, observationOf } from './noise.ts'

/**
 * Why a control says nothing of a fixture: in some step it answered empty where the fixture has content. Null where it
 * did not. A candidate that answers empty too would agree with such a control, and that is no PARITY.
 *
 * Empty is no body, and a document that holds nothing: `[]`, `{}`, null, an empty text, lines without a letter.
 */
export function degradedControl(fixture: Observation, control: Observation): Fault | null {
  const hollow = hollowAt(fixture, control)
  return hollow === null ? null : faultAt(hollow.step, hollow.kind)
}

/** The first step where `answered` holds nothing and `wanted` does, and of what kind that is; null where there is none. */
export function hollowAt(
  wanted: Observation,
  answered: Observation,
): { readonly step: number; readonly kind: string } | null {
  for (const [step, observed] of wanted.entries()) {
    const other = answered[step]
    if (other === undefined) continue
    const read = { json: false, crossed: false }
    const full = documentOf(observed, read)
    if (isHollow(documentOf(other, read)) && !isHollow(full)) return { step, kind: full.kind }
  }
  return null
}

function faultAt(step: number, kind: string): Fault {
  return { reason: 'control-degraded', step, message: `the control answered empty where the fixture has ${kind}` }
}

function isHollow({ kind, value, fault }: StepDocument): boolean {
  if (fault !== null) return false
  return kind === 'empty' || (kind !== 'binary' && holdsNothing(kind === 'text' ? linesOf(value) : value))
}

function linesOf(value: Json): Json {
  const lines = isObject(value) ? membersOf(value)[0]?.[1] : undefined
  return Array.isArray(lines) ? lines.filter(line => typeof line !== 'string' || line.trim() !== '') : value
}

function holdsNothing(value: Json): boolean {
  if (value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && membersOf(value).length === 0
}

/**
 * The same, of a control of which only the recorded noise is kept: the second capture is built again from the golden.
 * Noise at the whole body that ends in `empty` is a capture without a body.
 */
export function degradedNoise(golden: Observation, noise: readonly Noise[]): Fault | null {
  for (const { step, path, pointer, first, second } of noise) {
    const observed = golden[step]
    if (observed === undefined || pointer !== '' || !path.endsWith('$') || second === null) continue
    const document = documentOf(observed, { json: false, crossed: false })
    const gone = second === '"empty"' && first === JSON.stringify(document.kind) && textOf(document.value) !== first
    if (!isHollow(document) && (gone || EMPTY_TOKENS.has(second))) return faultAt(step, document.kind)
  }
  return degradedControl(golden, observationOf(golden, noise, 'second'))
}

const EMPTY_TOKENS: ReadonlySet<string> = new Set(['null', '[]', '{}', '""'])
