import { type Bound, take } from '../core/bindings.ts'
import { fillStep } from '../core/filled.ts'
import type { Case, Fault, FieldList, InputStep, Request, StepObservation } from '../model.ts'
import type { Driven, DriveOptions } from './driver.ts'

export type Stepped =
  | { readonly ok: true; readonly seen: StepObservation }
  | { readonly ok: false; readonly fault: Fault }

/** How one kind of target answers one step, whose references are filled. */
export interface StepDriver {
  /** The authority of the side, as `http://127.0.0.1:3000`; null where there is none. */
  readonly origin: string | null
  drive(input: InputStep, step: number): Promise<Stepped>
}

/**
 * Drives the steps of a case in order: references filled with what this side bound before, credentials of the principal
 * added, the answer kept, its bindings taken. The first fault ends the case: what follows depends on it.
 */
export async function driveSequence(c: Case, o: DriveOptions, target: StepDriver): Promise<Driven> {
  const values = new Map<string, Bound>()
  const seen: StepObservation[] = []
  const principals = o.principals?.()
  // once more at the end: a credential may have stood in an answer before its login told it
  const concealed = (): StepObservation[] => (principals === undefined ? seen : seen.map(principals.conceal))
  const stop = (fault: Fault): Driven => ({ ok: false, fault, seen: concealed() })
  for (const [at, step] of c.steps.entries()) {
    const filled = fillStep(step, values, o.anyAuthority === true ? '*' : target.origin)
    if (!filled.ok) return stop(unbound(c, at, filled.message, at))
    let input = filled.step
    if (input.request !== undefined && o.sends !== undefined && !o.sends(input.request)) {
      return stop(notListed(input.request, at))
    }
    if (input.as !== undefined) {
      const send = (request: Request) => sendAside(request, at, o, target)
      const fields = await principals?.fieldsOf(input.as, { step: at, send })
      if (fields === undefined) return stop(unknownPrincipal(input.as, at))
      if (!fields.ok) return stop(fields.fault)
      input = calledBy(input, fields.fields)
    }
    const stepped = await target.drive(input, at)
    if (!stepped.ok) return stop(stepped.fault)
    const observed = principals?.conceal(stepped.seen) ?? stepped.seen
    if (step.given && hasFailed(observed)) return stop(givenFailed(c, at, observed))
    seen.push(observed)
    for (const [name, source] of Object.entries(step.bind ?? {})) {
      const bound = take(source, stepped.seen, input.request?.path ?? null)
      if (!bound.ok) return stop(unbound(c, at, `the binding \`${name}\` found no value: ${bound.message}`, at + 1))
      values.set(name, bound.value)
    }
  }
  return { ok: true, observation: concealed() }
}

/** A request that is no step: the login of a principal. It is subject to the same limits. */
function sendAside(request: Request, step: number, o: DriveOptions, target: StepDriver): Promise<Stepped> {
  if (o.sends !== undefined && !o.sends(request)) return Promise.resolve({ ok: false, fault: notListed(request, step) })
  return target.drive({ request }, step)
}

function calledBy(input: InputStep, fields: FieldList): InputStep {
  const { request } = input
  return request === undefined ? input : { ...input, request: { ...request, headers: [...request.headers, ...fields] } }
}

/** Whether a step did not do what it was to do: an error status, a throw, a program that exits non-zero. */
function hasFailed(seen: StepObservation): boolean {
  if (seen.kind === 'response') return seen.response.status >= 400 || seen.response.broken !== undefined
  return seen.kind === 'threw' || (seen.kind === 'command' && seen.exit !== 0)
}

function unbound(c: Case, step: number, message: string, from: number): Fault {
  const left = c.steps.length - from
  const folded = left === 0 ? '' : `; ${left === 1 ? '1 step was' : `${left} steps were`} not driven`
  return { reason: 'unbound', step, message: `${placeOf(c, step)}${message}${folded}` }
}

function placeOf(c: Case, step: number): string {
  return c.steps.length === 1 ? '' : `step ${step}: `
}

function notListed({ method, path }: Request, step: number): Fault {
  const message = `${method} ${path.split('?', 1)[0]} may change state, and the contract does not list it under sends:`
  return { reason: 'side-effects-not-allowed', step, message }
}

function unknownPrincipal(name: string, step: number): Fault {
  return { reason: 'environment', step, message: `the contract declares no principal ${name}` }
}

function givenFailed(c: Case, step: number, seen: StepObservation): Fault {
  const how =
    seen.kind === 'response'
      ? `answered ${seen.response.status}`
      : seen.kind === 'threw'
        ? `threw ${seen.threw.name}`
        : 'failed'
  const message = `${placeOf(c, step)}it builds the starting state ("given") and ${how}: nothing after it means anything`
  return { reason: 'environment', step, message }
}
