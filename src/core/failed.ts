import type { Case, Comparison, Fault, Observation, StepObservation } from '../model.ts'

/** What a case says of itself that tells whether it may fail. */
type Expecting = Pick<Case, 'bucket' | 'covers' | 'steps'>

/** Sections of the contract that a failure can be the point of. */
const FAILURES = /^(?:errors|edges|legacyBugs)\./

/**
 * The comparison, with the fault `both-failed` beside it where both sides failed equally and the case expects success:
 * two services that cannot reach the same database agree, and nothing was shown.
 *
 * A failure is a status of 500 or above, an error that was thrown, or an exit code that is not 0. Success is expected in
 * the bucket `happy`, and in `rule`, `edge` and `replay` where the case covers no `errors.*`, `edges.*` or `legacyBugs.*`.
 * A step that only builds the starting state does not count; where anything differs, the failures are not equal.
 */
export function withBothFailed(
  comparison: Comparison,
  o: { readonly legacy: Observation; readonly candidate: Observation; readonly case: Expecting },
): Comparison {
  if (comparison.differences.length > 0 || !expectsSuccess(o.case)) return comparison
  for (const [step, legacy] of o.legacy.entries()) {
    const candidate = o.candidate[step]
    if (candidate === undefined || o.case.steps[step]?.given === true) continue
    const [failure, same] = [failureOf(legacy), failureOf(candidate)]
    if (failure === null || same === null) continue
    const told = failure === same ? failure : `${failure}, and ${same}`
    const message = `the legacy and the candidate both failed (${told}) where the case expects success`
    const fault: Fault = { reason: 'both-failed', step, message }
    return { ...comparison, faults: [...comparison.faults, fault] }
  }
  return comparison
}

function expectsSuccess({ bucket, covers }: Expecting): boolean {
  if (bucket === 'happy') return true
  return bucket !== 'error' && !covers.some(section => FAILURES.test(section))
}

/** How a step failed, in a few words; null where it did not. */
function failureOf(step: StepObservation): string | null {
  switch (step.kind) {
    case 'response':
      return step.response.status >= 500 ? `status ${step.response.status}` : null
    case 'threw':
      return `threw ${step.threw.name}`
    case 'command':
      return step.exit === 0 ? null : `exit ${step.exit}`
    case 'output':
      return null
    default:
      return step satisfies never
  }
}
