import { Buffer } from 'node:buffer'
import type { Body, Response, StepObservation } from '../model.ts'
import type { DocumentKind } from './bodies.ts'
import { applyCodings } from './codings.ts'
import { childAt } from './edits.ts'
import { isObject, type Json, membersOf } from './json.ts'
import { parseMediaType } from './media-type.ts'
import { formFields, type Known, partOctets, writeParts, writeText } from './written.ts'

/**
 * A step that shows another document of the same kind; null when no step of its sort can show it. With `known`, what was
 * written before is not written again.
 */
export function withDocument(
  step: StepObservation,
  kind: DocumentKind,
  value: Json,
  known?: Known,
): StepObservation | null {
  switch (step.kind) {
    case 'response': {
      const body = bodyOf(step.response, kind, value, known)
      return body === null ? null : { ...step, response: { ...step.response, body } }
    }
    case 'output':
      return { kind: 'output', output: value }
    case 'threw':
      return thrownStep(value)
    case 'command': {
      const text = kind === 'json' || kind === 'text' ? writeText(kind, value, '', known) : null
      return text === null || text === '' ? null : { ...step, stdout: Buffer.from(text, 'utf8') }
    }
    default:
      return step satisfies never
  }
}

/** The body that holds a document of a response, by its headers; the octets of parts are those that the response has. */
function bodyOf(response: Response, kind: DocumentKind, value: Json, known?: Known): Body | null {
  if (kind === 'json') return { json: value }
  if (kind === 'form') {
    const form = formFields(value)
    return form === null || form.length === 0 ? null : { form }
  }
  const values = (wanted: string) =>
    response.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, field]) => field)
  const type = parseMediaType(values('content-type').at(-1) ?? '')
  if (kind === 'multipart') {
    const octets = type === null ? null : writeParts(value, type, known?.octets ?? partOctets(response))
    const bytes = octets === null ? null : applyCodings(octets, values('content-encoding'))
    return bytes === null ? null : { bytes }
  }
  const text = writeText(kind, value, type?.essence ?? '', known)
  return text === null || text === '' ? null : { text }
}

function thrownStep(value: Json): StepObservation | null {
  const threw = childAt(value, 'threw')
  if (!isObject(value) || membersOf(value).length !== 1 || threw === undefined || !isObject(threw)) return null
  const { name, code, message, ...more } = Object.fromEntries(membersOf(threw))
  const whole = membersOf(threw).length === 3 && Object.keys(more).length === 0
  if (!whole || typeof name !== 'string' || typeof message !== 'string') return null
  if (code !== null && typeof code !== 'string') return null
  return { kind: 'threw', threw: { name, code, message } }
}
