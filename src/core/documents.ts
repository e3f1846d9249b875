import type { Fault, StepObservation, Thrown } from '../model.ts'
import { type Decoded, type DocumentKind, decodeBody, decodeStdout, isJsonType, type Representation } from './bodies.ts'
import { isObject, type Json, membersOf } from './json.ts'
import { parseMediaType } from './media-type.ts'

/** What a step showed, as the document that `$` reads. */
export interface StepDocument {
  readonly kind: DocumentKind
  readonly value: Json
  readonly notes: readonly Representation[]
  /** The body does not decode. */
  readonly fault: Omit<Fault, 'step'> | null
  /** The step ended in an error: thrown, or printed as `{threw}` by a program that failed. */
  readonly threw: boolean
  /** The step failed without saying how: a program that exits non-zero and prints no `{threw}`. */
  readonly failed: boolean
  /** Where an output has no JSON form, and what stands there. */
  readonly unserialisable: { readonly path: string; readonly what: string } | null
}

export interface Reading {
  /** Read a body without a JSON media type as JSON. */
  readonly json: boolean
  /** The other side is of another sort: what a program printed stands for an output or an error. */
  readonly crossed: boolean
}

/**
 * The document of a step. A response: its body, decoded. An output: itself. An error: `{threw: {name, code, message}}`.
 * A program: what it printed; set against another sort, one that exits non-zero with `{threw}` on its standard output threw that.
 */
export function documentOf(step: StepObservation, { json, crossed }: Reading): StepDocument {
  switch (step.kind) {
    case 'response': {
      const { headers, body, status } = step.response
      return plain(decodeBody({ headers, body, method: step.method, status, json }))
    }
    case 'output':
      return { ...jsonDocument(step.output), unserialisable: step.unserialisable ?? null }
    case 'threw':
      return { ...jsonDocument(thrownDocument(step.threw)), threw: true }
    case 'command': {
      const stdout = decodeStdout(step.stdout)
      if (!crossed) return plain(stdout)
      const threw = step.exit === 0 ? null : thrownBy(stdout.value)
      const value = threw ?? stdout.value
      return { ...plain({ ...stdout, value }), threw: threw !== null, failed: step.exit !== 0 && threw === null }
    }
    default:
      return step satisfies never
  }
}

/** Whether a body was stored as JSON under another type: that settles how it is read. */
export function isStoredAsJson(step: StepObservation | undefined): boolean {
  if (step?.kind !== 'response' || step.response.body === undefined || !('json' in step.response.body)) return false
  const type = step.response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return !isJsonType(parseMediaType(type)?.essence ?? null)
}

function plain(decoded: Decoded): StepDocument {
  const { kind, value, notes, fault = null } = decoded
  return { kind, value, notes, fault, threw: false, failed: false, unserialisable: null }
}

function jsonDocument(value: Json): StepDocument {
  return plain({ kind: 'json', value, notes: [], mediaType: null })
}

function thrownDocument({ name, code, message }: Thrown): Json {
  return { threw: { name, code, message } }
}

/** A printed `{threw: {…}}` with a code of null where none is given; null for anything else. */
function thrownBy(value: Json): Json | null {
  if (!isObject(value)) return null
  const [only, ...others] = membersOf(value)
  if (only === undefined || only[0] !== 'threw' || others.length > 0 || !isObject(only[1])) return null
  const { name = null, code = null, message = null, ...more } = Object.fromEntries(membersOf(only[1]))
  return { threw: { name, code, message, ...more } }
}
