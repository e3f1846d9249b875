/**
 * What the runner, the matcher and `describeParity` share within one worker, and what travels to the main process on task meta.
 * Vitest gives runner and test file different instances of a module, so the state hangs on globalThis.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import type { RunnerTestCase } from 'vitest'
import { judge } from '../core/verdict.ts'
import type { AllowableReason, Basis, Reason, Verdict } from '../model.ts'
import type { Dirs, Suite } from '../pipeline/suite.ts'
import { withoutFolder } from '../report/escape.ts'
import type { CalibrationResult, GateName, GateResult, SuiteContext } from '../run/events.ts'

export const PROJECT_NAME = 'parity'

/** What the plugin hands to the workers. */
export interface ParityProvided {
  /** The folder that the files of the features are looked up from. */
  readonly root: string
  readonly dirs: Dirs
  readonly allow: readonly AllowableReason[]
  readonly asOf: string
  /** Identity of the checked-out candidate. */
  readonly candidateId: string
  readonly watchdogMs: number
  /** Where the labs of the run are lent; null before a run begins. */
  readonly labs: string | null
}

/** On `file.meta`: one suite of the file, with the gates that were evaluated. */
export interface SuiteRecord {
  readonly context: SuiteContext
  readonly gates: (GateResult | CalibrationResult)[]
}

/** On `test.meta`, from registration on: which case the test is, and how its source marks it. */
export interface CaseMark {
  readonly feature: string
  readonly case: string
  /** `.skip` or `.todo`, its own or of a suite around it. */
  readonly skippedInSource: boolean
  /** `.only`, its own or of a suite around it. */
  readonly onlyInSource: boolean
  /** Set once the runner knows that the test is selected. */
  selected?: true
}

/** On `test.meta` of a test that shows a gate: it carries no verdict. */
export interface GateMark {
  readonly feature: string
  readonly gate: GateName
}

declare module 'vitest' {
  interface TaskMeta {
    parity?: Verdict
    parityCase?: CaseMark
    parityGate?: GateMark
    parityFeature?: string
    /** What fails the run beside the verdict: stale decisions. */
    parityFindings?: readonly string[]
    paritySuites?: SuiteRecord[]
    /** On a file: process id of the worker, for the watchdog. */
    parityPid?: number
  }
  interface ProvidedContext {
    parity: ParityProvided
  }
}

/** A suite as a file opened it. */
export interface OpenedSuite {
  readonly suite: Suite
  readonly record: SuiteRecord
  /** True once a case was checked: from then on the gates are worth showing. */
  checked: boolean
  /** True once a case was compared with the live lab. */
  askedLive: boolean
  /** How many cases each cause has made unverifiable so far. */
  readonly causes: Map<string, number>
}

/** What happened in one test, over all its attempts. */
export interface TestState {
  readonly test: RunnerTestCase
  /** In the order they were made; never emptied, so that a retry cannot turn a verdict. */
  readonly verdicts: Verdict[]
  /** Comparisons that were begun and not yet waited for. */
  readonly pending: Set<Promise<unknown>>
  /** Where the file of the user asked for it: what reporters point at. */
  site: Error | null
  /** True once its hooks are over: what is compared from then on would count for nothing. */
  ended: boolean
}

interface WorkerState {
  readonly current: AsyncLocalStorage<TestState>
  readonly tests: WeakMap<object, TestState>
  /** By `suiteKey`. */
  readonly suites: Map<string, OpenedSuite>
  /** Set by the runner: without it nothing of this works. */
  provided: ParityProvided | null
  /** True once the run was interrupted: nothing new is begun. */
  cancelled: boolean
}

const KEY = Symbol.for('vitest-parity')

export function workerState(): WorkerState {
  const host = globalThis as { [KEY]?: WorkerState }
  host[KEY] ??= {
    current: new AsyncLocalStorage(),
    tests: new WeakMap(),
    suites: new Map(),
    provided: null,
    cancelled: false,
  }
  return host[KEY]
}

export function suiteKey(file: string, feature: string): string {
  return `${file}\0${feature}`
}

export function stateOf(test: RunnerTestCase): TestState {
  const { tests } = workerState()
  const known = tests.get(test)
  if (known !== undefined) return known
  const fresh: TestState = { test, verdicts: [], pending: new Set(), site: null, ended: false }
  tests.set(test, fresh)
  return fresh
}

const NO_BASIS: Basis = {
  fixtureSet: null,
  calibration: null,
  ruleSet: null,
  decisions: null,
  contract: null,
  adapter: { comparator: 'none', candidate: 'unknown' },
  asOf: '',
}

/** The verdict on a case that was not compared: always UNVERIFIABLE. */
export function unjudged(o: {
  readonly feature: string
  readonly case: string
  readonly basis: Basis | null
  readonly asOf: string
  readonly reason: Reason
  readonly message: string
}): Verdict {
  return judge({
    feature: o.feature,
    case: o.case,
    fixture: null,
    basis: o.basis ?? { ...NO_BASIS, asOf: o.asOf },
    dimensions: { compared: [], notRun: [] },
    outcome: { fault: { reason: o.reason, step: 0, message: o.message } },
  })
}

/** The message of an error in one line that is the same on every machine: no folder of this checkout in it. */
export function errorLine(error: unknown, root: string): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
  const name = typeof error === 'object' && error !== null && 'name' in error ? `${String(error.name)}: ` : ''
  const [first = '', ...more] = stripAnsi(message).trim().split('\n')
  const next = more.map(each => each.trim()).find(each => each !== '')
  const line = first.endsWith(':') && next !== undefined ? `${first} ${next}` : first
  return withoutFolder(`${name}${line}`, root)
}

function stripAnsi(text: string): string {
  return text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '')
}

/** `parity/forex/forex.parity.ts` → `forex`. */
export function featureOfFile(path: string): string {
  const name = path.replaceAll('\\', '/').split('/').at(-1) ?? path
  return name.split('.')[0] ?? name
}

/** Place of the first frame below an error; null when it has none. */
export function placeOf(site: Error | null): { file: string; line: number; column: number } | null {
  const frame = site?.stack?.split('\n').find(line => /^\s+at /.test(line))
  const [, file, line, column] = /^\s+at (?:.* \()?(.+):(\d+):(\d+)\)?$/.exec(frame ?? '') ?? []
  if (file === undefined) return null
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line), column: Number(column) }
}
