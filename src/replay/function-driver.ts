import { type Json, textOf, toJson } from '../core/json.ts'
import type { StepObservation, Thrown } from '../model.ts'
import { bounded } from './bounded.ts'
import type { Driver, OpenContext } from './driver.ts'
import { driveSequence } from './sequence.ts'
import { inputOf } from './steps.ts'
import { enterZone, surroundingsFault } from './surroundings.ts'
import type { StartContext } from './target.ts'

/** Calls a function with the input of every step, and observes what it returns or throws. */
export function functionDriver(call: (input: unknown, context: StartContext) => unknown, context: OpenContext): Driver {
  return {
    drive: (c, options) =>
      driveSequence(c, options, {
        origin: null,
        async drive(input, step) {
          const given = inputOf(c, step, input, 'function')
          const elsewhere = elsewhereIn(context)
          if (elsewhere !== null) return { ok: false, fault: { reason: 'environment', step, message: elsewhere } }
          const own = new AbortController()
          const signal = AbortSignal.any([context.signal, options.signal, own.signal])
          const start = { clock: c.now ?? context.clock, tz: context.tz, signal, services: context.services ?? {} }
          const outcome = outcomeOf(() => call(copyOf(given), start))
          const settled = await bounded(outcome, options).finally(() => own.abort())
          if (!settled.late) return { ok: true, seen: settled.value }
          const message = `the function did not settle within ${options.timeoutMs} ms`
          return { ok: false, fault: { reason: 'timeout', step, message } }
        },
      }),
    probe: () => Promise.resolve(null),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Why this process is no place to call it in; another feature may have changed its zone since. */
function elsewhereIn({ tz, locale }: OpenContext): string | null {
  if (locale === undefined) return null
  enterZone(tz)
  return surroundingsFault({ tz, locale })
}

/** What one call showed. */
async function outcomeOf(call: () => unknown): Promise<StepObservation> {
  try {
    return outputOf(await call())
  } catch (error) {
    return { kind: 'threw', threw: thrownOf(error) }
  }
}

/**
 * A function's output as an observation. A value without a JSON form is observed as such, never as a throw,
 * so that it can only ever be judged DIVERGED.
 */
export function outputOf(value: unknown): StepObservation {
  const json = toJson(value)
  if (json.ok) return { kind: 'output', output: json.value }
  return { kind: 'output', output: null, unserialisable: { path: json.path, what: json.what } }
}

/** Class, code and message of a thrown value; a value that is no Error has the name of its type. */
export function thrownOf(error: unknown): Thrown {
  if (typeof error !== 'object' || error === null) {
    return { name: typeof error, code: null, message: String(error) }
  }
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown }
  return {
    name: typeof name === 'string' && name !== '' ? name : 'Error',
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
    message: typeof message === 'string' ? message : '',
  }
}

/** A fresh copy that the function may change. Numbers become doubles: that is what a function can take. */
function copyOf(input: Json): unknown {
  return JSON.parse(textOf(input))
}
