import type { Outcome } from '../core/verdict.ts'
import type { Fault, Reason } from '../model.ts'
import type { GateResult } from '../run/events.ts'

/** What a gate shows: `ok`, or the fault that closes it. */
export function gateOf(gate: 'lab' | 'candidate', fault: Fault | null): GateResult {
  if (fault === null) return { gate, state: 'ok', reason: null, text: 'reachable', remedy: null }
  return { gate, state: 'failed', reason: fault.reason, text: fault.message, remedy: 'repair it, then run again' }
}

/** The outcome of a case that a failed gate stands in front of. */
export function blockedBy(gate: GateResult, reason: Reason): Outcome {
  const message = `the ${gate.gate} gate failed: ${gate.text}`
  return { fault: { reason: 'blocked', step: 0, message }, cause: { gate: gate.gate, reason } }
}
