/**
 * A suite without files, for tests of the Vitest side: what a case comes to stands in its name or in its subject.
 * It goes through the same port as the real one.
 */
import { judge, remedyOf } from '../src/core/verdict.ts'
import type { Basis, Comparison, Difference, Reason, Verdict } from '../src/model.ts'
import type { CheckOptions, OpenSuite, Suite } from '../src/pipeline/suite.ts'
import type { CalibrationResult, GateResult } from '../src/run/events.ts'
import { makeDescribeParity } from '../src/vitest/register.ts'

export { test } from 'vitest'
export { fn, http } from '../src/replay/target.ts'
export { expectParity } from '../src/vitest/matcher.ts'

export interface Plan {
  readonly cases: readonly string[]
  /** Reason that the gate of the candidate fails for. */
  readonly candidate?: Reason
  /** Reason that the calibration fails for. */
  readonly calibration?: Reason
  readonly findings?: Readonly<Record<string, readonly string[]>>
}

const PLANS: Record<string, Plan> = {}

/** What the fake says of a feature; to be called before `describeParity`. */
export function plan(feature: string, what: Plan): void {
  PLANS[feature] = what
}

const DIFFERENCE: Difference = {
  kind: 'value_changed',
  step: 0,
  path: '$.error.code',
  pointer: '/error/code',
  legacy: '"E_CCY"',
  candidate: '"UNKNOWN"',
  rule: 'exact $.error.code',
}

const open: OpenSuite = ({ feature, options, asOf }): Suite => {
  const what = PLANS[feature] ?? { cases: ['001-happy-usd', '010-error-diverged', '020-edge-stale'] }
  const basis: Basis = {
    fixtureSet: `sha256:${'1'.repeat(64)}`,
    calibration: `sha256:${'2'.repeat(64)}`,
    ruleSet: `sha256:4c1e${'3'.repeat(60)}`,
    decisions: null,
    contract: `sha256:${'4'.repeat(64)}`,
    adapter: { comparator: 'fake', candidate: options.candidateId ?? 'fake' },
    asOf,
  }
  let closed = false
  return {
    feature,
    cases: what.cases,
    context: {
      feature,
      lab: `${feature}-express3`,
      labDetail: 'node 0.10.48',
      fixtures: what.cases.length,
      basis,
      gates: ['candidate', 'calibration'],
    },
    async check(name, checking = {}) {
      if (closed) throw new Error('the suite is closed')
      return verdictOf({ feature, name, basis, what, checking })
    },
    async calibration() {
      return calibrationOf(feature, what)
    },
    async gate(gate) {
      return gateOf({ feature, gate, reason: what.candidate ?? null })
    },
    findings: name => what.findings?.[name] ?? [],
    async close() {
      closed = true
      if (process.env.FAKE_CLOSED) process.stderr.write(`closed ${feature}\n`)
    },
  }
}

interface Asked {
  readonly feature: string
  readonly name: string
  readonly basis: Basis
  readonly what: Plan
  readonly checking: CheckOptions
}

async function verdictOf({ feature, name, basis, what, checking }: Asked): Promise<Verdict> {
  const base = {
    feature,
    case: checking.as ?? name,
    fixture: null,
    basis,
    dimensions: { compared: ['response'], notRun: [] },
  }
  const fault = (reason: Reason, message: string, cause?: { gate: string; reason: Reason }): Verdict =>
    judge({ ...base, outcome: { fault: { reason, step: 0, message }, ...(cause === undefined ? {} : { cause }) } })
  if (what.candidate !== undefined)
    return fault('blocked', 'the candidate does not answer', { gate: 'candidate', reason: what.candidate })
  const subject = checking.subject
  const said = subject !== undefined && 'observed' in subject ? String(subject.observed) : name
  if (said.includes('loop')) for (;;);
  if (said.includes('killed')) process.kill(process.pid, 'SIGKILL')
  if (said.includes('hangs')) await hang(checking.signal)
  if (said.includes('slow')) await new Promise(resolve => setTimeout(resolve, 50))
  if (said.includes('stale')) return fault('fixture-stale', 'the input changed since it was frozen')
  if (said.includes('image')) return fault('lab-image', 'no binary for this platform')
  const differences = /diverged|decided/.test(said) ? [DIFFERENCE] : []
  const comparison: Comparison = { differences, moreDifferences: 0, faults: [], notes: [], ruleUses: [] }
  return judge({ ...base, outcome: { comparison }, decided: said.includes('decided') ? 'D-001' : null })
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  process.stderr.write('hanging\n')
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

function gateOf(o: { feature: string; gate: 'lab' | 'candidate'; reason: Reason | null }): GateResult {
  if (o.reason === null) return { gate: o.gate, state: 'ok', reason: null, text: 'answers', remedy: null }
  const remedy = remedyOf(o.reason, o.feature, '')
  return { gate: o.gate, state: 'failed', reason: o.reason, text: 'connect ECONNREFUSED 127.0.0.1:9', remedy }
}

function calibrationOf(feature: string, { cases, calibration }: Plan): CalibrationResult {
  const counts = { captures: 2, cases: cases.length, seeded: { caught: 41, total: 41 }, unprovable: [] }
  if (calibration === undefined) {
    const text = `control clean (2 captures, ${cases.length} cases) · seeded 41/41 caught`
    return { gate: 'calibration', state: 'ok', reason: null, text, remedy: null, ...counts }
  }
  const remedy = remedyOf(calibration, feature, '')
  return { gate: 'calibration', state: 'failed', reason: calibration, text: 'exact $.id unseen', remedy, ...counts }
}

export const describeParity = makeDescribeParity(open)
