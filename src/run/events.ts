/**
 * The events of a run, and the file they are appended to.
 * A report is a pure function of them (`report/fold.ts`), so whatever was on disk when a run was killed still has its report.
 */
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LabEvidence } from '../lab/container/spec.ts'
import type { Fidelity } from '../lab/rung.ts'
import type { AllowableReason, Basis, Reason, Verdict } from '../model.ts'

export type GateName = 'lab' | 'candidate' | 'calibration'

/** What a gate showed. It carries no verdict and stands outside the denominator. */
export interface GateResult {
  readonly gate: GateName
  readonly state: 'ok' | 'failed'
  /** Why it failed; null when it did not. */
  readonly reason: Reason | null
  /** One line: what was seen, or what went wrong. */
  readonly text: string
  /** How to repair it, in one line; null when it did not fail. */
  readonly remedy: string | null
  /** Of a lab in containers: its images, what holds of them, and the ways out that were tried. */
  readonly evidence?: LabEvidence
}

/** What the calibration of a suite showed: control-vs-control and seeded mismatches. */
export interface CalibrationResult extends GateResult {
  readonly gate: 'calibration'
  /** Captures of the legacy behind the fixtures; the fewest of any case. */
  readonly captures: number
  /** Cases with a calibration entry. */
  readonly cases: number
  readonly seeded: { readonly caught: number; readonly total: number }
  /** Places where no mutant can be built: `structural $.requestId at $.requestId: why`. */
  readonly unprovable: readonly string[]
}

/** Who puts the state of both sides back, and when. */
export interface ResetFacts {
  readonly per: 'none' | 'suite' | 'case'
  /** Null where nothing is put back. */
  readonly candidate: string | null
  /** Null also where no lab is known. */
  readonly legacy: string | null
  /** The case that shows whether it was put back; null for none. */
  readonly probe: string | null
}

/** What the header of a feature says, known before anything runs. */
export interface SuiteContext {
  readonly feature: string
  /** Name of the lab the fixtures come from; null when the contract names none. */
  readonly lab: string | null
  /** What the lab runs, as `node 0.10.48`; null when unknown. */
  readonly labDetail: string | null
  /** What its lab claims, and how near it comes. Absent: the contract names no lab, or there is none of that name. */
  readonly fidelity?: Fidelity
  readonly fixtures: number
  readonly basis: Basis
  /** The gates that apply to the suite, in the order they are shown. */
  readonly gates: readonly GateName[]
  /** Other features whose inputs or fixtures it reads; for watch mode. Default none. */
  readonly reads?: readonly string[]
  /** Default: nothing is known. */
  readonly reset?: ResetFacts
  /** Its cases are compared with a legacy that answers while they run. Absent: with the goldens. */
  readonly against?: 'live'
}

/** One selected test: `key` is unique in the run. */
export interface SelectedCase {
  readonly key: string
  readonly feature: string
  readonly case: string
  /** Name of the test as `-t` sees it, suites included. */
  readonly test: string
}

/** Everything about the run that may differ between two equal runs. */
export interface RunFacts {
  readonly id: string
  readonly node: string
  readonly vitest: string
  readonly asOf: string
  /** `2/3`, or null. */
  readonly shard: string | null
  /** True when parity was asked for by project or by file: then an empty selection is an error. */
  readonly explicit: boolean
  readonly allow: readonly AllowableReason[]
}

export type RunEvent =
  | { readonly type: 'run-started'; readonly run: RunFacts }
  | { readonly type: 'suite'; readonly file: string; readonly context: SuiteContext }
  | { readonly type: 'selected'; readonly file: string; readonly cases: readonly SelectedCase[] }
  | { readonly type: 'gate'; readonly feature: string; readonly result: GateResult | CalibrationResult }
  | { readonly type: 'verdict'; readonly key: string; readonly verdict: Verdict }
  /** Something failed that is no verdict: a stale decision, a test outside parity, an error that nobody caught. */
  | { readonly type: 'failure'; readonly where: string; readonly message: string }
  | { readonly type: 'run-ended'; readonly reason: 'finished' | 'interrupted'; readonly vitestFailed: boolean }

/** An event as it stands in the file: ids count from 1 without gaps; `at` is UTC. */
export type StoredEvent = RunEvent & { readonly id: number; readonly at: string }

export interface EventLog {
  readonly runId: string
  /** Every event so far, also when the file cannot be written. */
  readonly events: readonly StoredEvent[]
  append(event: RunEvent): void
  /** Why the file could not be written; null while it can. */
  writeError(): string | null
}

/** Sortable, and unique among runs that start in the same second. */
export function newRunId(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomBytes(4).toString('hex')}`
}

/**
 * Returns the event log of one run: `<root>/.parity/runs/<run id>/events.ndjson`, one line an event, each written whole before `append` returns.
 * It has one writer. A folder that cannot be written never stops a run: the events stay in memory and `writeError` says why.
 */
export function openEventLog(options: {
  readonly root: string
  readonly runId: string
  readonly now: () => Date
}): EventLog {
  const folder = join(options.root, '.parity', 'runs', options.runId)
  const file = join(folder, 'events.ndjson')
  const events: StoredEvent[] = []
  let failure: string | null = null
  const attempt = (write: () => void): void => {
    if (failure !== null) return
    try {
      write()
    } catch (error) {
      failure = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    }
  }
  attempt(() => mkdirSync(folder, { recursive: true }))
  return {
    runId: options.runId,
    events,
    append(event) {
      const stored: StoredEvent = { id: events.length + 1, at: options.now().toISOString(), ...event }
      events.push(stored)
      attempt(() => appendFileSync(file, `${JSON.stringify(stored)}\n`))
    },
    writeError: () => failure,
  }
}
