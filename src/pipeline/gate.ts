import type { Outcome } from '../core/verdict.ts'
import type { Fault, Reason } from '../model.ts'
import type { GateResult } from '../run/events.ts'

/** What a gate shows: `ok`, or the fault that closes it; and whether its component was tried a second time. */
export function gateOf(gate: 'lab' | 'candidate', fault: Fault | null, tries: 1 | 2 = 1): GateResult {
  const text = fault?.message ?? 'reachable'
  const told = tries === 1 ? text : `${text} (second try)`
  if (fault === null) return { gate, state: 'ok', reason: null, text: told, remedy: null }
  return { gate, state: 'failed', reason: fault.reason, text: told, remedy: 'repair it, then run again' }
}

/** The outcome of a case that a failed gate stands in front of. */
export function blockedBy(gate: GateResult, reason: Reason): Outcome {
  const message = `the ${gate.gate} gate failed: ${gate.text}`
  return { fault: { reason: 'blocked', step: 0, message }, cause: { gate: gate.gate, reason } }
}
