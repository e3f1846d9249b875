import { canonicalText, compareCodePoints, sha256 } from '../core/canonical.ts'
import { textOf } from '../core/json.ts'
import type { Outcome } from '../core/verdict.ts'
import type { Body, Case, Fault, InputStep, Request } from '../model.ts'

/**
 * The names of the cases in the order in which they are judged: single exchanges, then sequences, each by code point, so
 * that what a sequence is made of was judged before it. Only where the state is put back before each case: without that
 * the order in which the legacy was recorded is part of what it showed.
 */
export function inPhases(
  names: Iterable<string>,
  o: { readonly cases: ReadonlyMap<string, Case>; readonly reset: 'none' | 'suite' | 'case' },
): readonly string[] {
  const phase = (name: string): number => ((o.cases.get(name)?.steps.length ?? 1) > 1 ? 1 : 0)
  const inOrder = [...new Set(names)].sort(compareCodePoints)
  return o.reset === 'case' ? inOrder.sort((a, b) => phase(a) - phase(b)) : inOrder
}

/** Remembers which single exchanges failed, and finds the sequences that stopped at one of them. */
export class Exchanges {
  /** The first case of each exchange that failed, and how. */
  readonly #failed = new Map<string, { readonly name: string; readonly how: string }>()

  /**
   * The outcome of a case that was driven; `blocked`, naming the cause, where
   *
   * 1. it is a sequence that could not be judged, and no difference was proven in it: a divergence is never blocked, and
   * 2. it stopped at a step that asks what a single exchange asks, at the same instant and as the same principal, and
   *    that exchange failed earlier in this run.
   *
   * The cause keeps the reason of the sequence: what a policy allows does not change with the order of cases.
   */
  judged(input: Case, outcome: Outcome): Outcome {
    const [only, ...more] = input.steps
    if (only === undefined) return outcome
    if (more.length === 0) {
      const how = howFailed(outcome)
      const key = keyOf(only, input)
      if (how !== null && !this.#failed.has(key)) this.#failed.set(key, { name: input.name, how })
      return outcome
    }
    const fault = faultOf(outcome)
    const step = fault === null ? undefined : input.steps[fault.step]
    const cause = step === undefined ? undefined : this.#failed.get(keyOf(step, input))
    if (fault === null || cause === undefined) return outcome
    const message = `step ${fault.step} asks what ${cause.name} asks, which ${cause.how}; here: ${fault.message}`
    return {
      fault: { reason: 'blocked', step: fault.step, message },
      cause: { gate: cause.name, reason: fault.reason },
    }
  }
}

function keyOf({ request, input, as }: InputStep, { now }: Case): string {
  const asked = request === undefined ? textOf(input ?? null) : textOfRequest(request)
  return canonicalText([as ?? null, now, asked])
}

function textOfRequest({ method, path, headers, body }: Request): string {
  return canonicalText([method, path, headers, body === undefined ? null : textOfBody(body)])
}

/** Numbers with their text: `10.0` asks something else than `10`. */
function textOfBody(body: Body): string {
  if ('json' in body) return `json ${textOf(body.json)}`
  if ('text' in body) return `text ${body.text}`
  if ('form' in body) return `form ${canonicalText(body.form)}`
  return sha256(body.bytes)
}

/** How a single exchange failed; null where it agrees. */
function howFailed(outcome: Outcome): string | null {
  const fault = faultOf(outcome)
  if (fault !== null) return `is unverifiable (${fault.reason})`
  if (!('comparison' in outcome)) return null
  const [first] = outcome.comparison.differences
  return first === undefined ? null : `differs at ${first.path}`
}

/** What stands in the way of a verdict; null where a difference is proven, where nothing does, and behind a gate. */
function faultOf(outcome: Outcome): Fault | null {
  if ('fault' in outcome) return outcome.cause === undefined ? outcome.fault : null
  const { differences, faults } = outcome.comparison
  return differences.length > 0 ? null : (faults[0] ?? null)
}
