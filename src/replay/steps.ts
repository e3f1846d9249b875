import type { Json } from '../core/json.ts'
import { ParityError } from '../errors.ts'
import type { Case, InputStep, Request } from '../model.ts'

/** @throws ParityError PARITY_TARGET_KIND when the step holds no request */
export function requestOf(c: Case, step: number, input: InputStep): Request {
  if (input.request !== undefined) return input.request
  throw mismatch(c, step, 'an input, and the target is a service: it takes requests')
}

/** @throws ParityError PARITY_TARGET_KIND when the step holds no input */
export function inputOf(c: Case, step: number, input: InputStep, target: 'function' | 'program'): Json {
  if (input.input !== undefined) return input.input
  throw mismatch(c, step, `a request, and the target is a ${target}: it takes an input`)
}

function mismatch(c: Case, step: number, what: string): ParityError {
  return new ParityError(
    'PARITY_TARGET_KIND',
    `${c.name}: step ${step} holds ${what}`,
    'drive requests with http(), and inputs with fn() or command()',
  )
}
