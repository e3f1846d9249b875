import { compare } from '../core/diff.ts'
import { withBothFailed } from '../core/failed.ts'
import { toJson } from '../core/json.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { Outcome } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import type { Case, Observation } from '../model.ts'
import type { Driven } from '../replay/driver.ts'

/**
 * The comparison of what the legacy showed of a case with what the candidate showed, up to the step that had a fault; the
 * fault alone when that was the first.
 */
export function comparedWith(
  legacy: Observation,
  driven: Driven,
  o: { readonly input: Case; readonly rules: RuleSet },
): Outcome {
  const { steps } = o.input
  if (!driven.ok) {
    if (driven.seen.length === 0) return { fault: driven.fault }
    return { comparison: compare(legacy, driven.seen, o.rules, { steps, cut: driven.fault }) }
  }
  const candidate = driven.observation
  const comparison = compare(legacy, candidate, o.rules, { steps })
  return { comparison: withBothFailed(comparison, { legacy, candidate, case: o.input }) }
}

/**
 * What a test observed itself, as the observation of a function; a legacy that is a program is compared by its document.
 *
 * @throws ParityError PARITY_OUTPUT_UNFIT when the legacy showed an exchange, or several steps
 */
export function observedOutput(
  value: unknown,
  legacy: { readonly name: string; readonly observation: Observation },
): Observation {
  const [first, ...more] = legacy.observation
  if (first === undefined || more.length > 0 || first.kind === 'response') {
    throw new ParityError(
      'PARITY_OUTPUT_UNFIT',
      `${legacy.name} shows ${more.length > 0 ? 'several steps' : 'an exchange'}, and a plain output was given`,
      'give the target itself: await expectParity(candidate)…',
    )
  }
  const output = toJson(value)
  return [
    output.ok
      ? { kind: 'output', output: output.value }
      : { kind: 'output', output: null, unserialisable: { path: output.path, what: output.what } },
  ]
}

/** What a test observed itself, beside what the legacy answers now; nothing where that did not answer. */
export function outputBeside(value: unknown, legacy: Driven): Driven {
  if (!legacy.ok) return legacy
  return { ok: true, observation: observedOutput(value, { name: 'the lab', observation: legacy.observation }) }
}
