import { afterAll, describe, type RunnerTestCase, type TestContext, TestRunner, test } from 'vitest'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import type { Verdict } from '../model.ts'
import type { FeatureOptions, OpenSuite } from '../pipeline/suite.ts'
import { asTarget, type Target } from '../replay/target.ts'
import { isAllowed } from '../report/fold.ts'
import { causeOf, SAME_CAUSE_MIN } from '../report/terminal.ts'
import type { CalibrationResult, GateName, GateResult } from '../run/events.ts'
import { gateText, ParityFinding, ParityGateFailure, ParityUnverifiable, pointAt } from './divergence.ts'
import { errorOf } from './matcher.ts'
import { type OpenedSuite, stateOf, suiteKey, workerState } from './state.ts'

/** Registers, at collection, one test for each case of the feature, and the tests of `factory` beside them. */
export type DescribeParity = (
  feature: string,
  options: FeatureOptions,
  factory?: (context: { readonly candidate: Target }) => void,
) => void

const OPTION_NAMES = ['candidate', 'candidateId', 'reset', 'against', 'timeoutMs', 'concurrency']
/** A case has bounds of its own in the pipeline; this one only ends what those do not see. */
const CASE_TIMEOUT_MS = 600_000

/** Returns `describeParity` over a way to open suites; the public one is over the files of the project. */
export function makeDescribeParity(open: OpenSuite): DescribeParity & { only: DescribeParity; skip: DescribeParity } {
  const registerAs = (mode: 'run' | 'only' | 'skip'): DescribeParity =>
    function described(feature, options, factory) {
      const site = new Error('call site')
      Error.captureStackTrace(site, described)
      register({ open, mode, feature, options, factory, site })
    }
  return Object.assign(registerAs('run'), { only: registerAs('only'), skip: registerAs('skip') })
}

interface Registration {
  readonly open: OpenSuite
  readonly mode: 'run' | 'only' | 'skip'
  readonly feature: string
  readonly options: FeatureOptions
  readonly factory: Parameters<DescribeParity>[2]
  readonly site: Error
}

function register({ open, mode, feature, options, factory, site }: Registration): void {
  const { provided, suites } = workerState()
  if (provided === null) {
    throw new ParityError(
      'PARITY_RUNNER_MISSING',
      `describeParity('${feature}') runs in a project that is not the parity project`,
      'add parity() to `plugins` of vitest.config.ts, and name the file <feature>.parity.ts',
    )
  }
  refuseBadOptions(feature, options)
  const file = TestRunner.getCurrentSuite().file
  if (file === undefined) throw new Error('describeParity was called outside the collection of a file')
  const key = suiteKey(file.filepath, feature)
  if (suites.has(key)) {
    throw new ParityError(
      'PARITY_FEATURE_TWICE',
      `describeParity('${feature}') stands twice in ${file.name}`,
      'keep one of them, or move the other one into a file of its own',
    )
  }
  const { root, dirs, asOf, candidateId, labs } = provided
  const suite = pointing(site, () => open({ root, dirs, feature, options, asOf, candidateId, labs }))
  const opened: OpenedSuite = {
    suite,
    record: { context: suite.context, gates: [] },
    checked: false,
    askedLive: false,
    causes: new Map(),
  }
  suites.set(key, opened)
  file.meta.paritySuites = [...(file.meta.paritySuites ?? []), opened.record]
  // not as options: tests inherit those, and `only` would win over a `.skip` of their own
  const block = mode === 'only' ? describe.only : mode === 'skip' ? describe.skip : describe
  block(feature, { meta: { parityFeature: feature } }, () => {
    afterAll(() => finish(opened, key))
    // what a live case shows is what its calibration is made of
    const last = suite.context.against === 'live' ? 'calibration' : null
    for (const gate of suite.context.gates) if (gate !== last) registerGate(opened, gate, site)
    const limit = limiter(options.concurrency ?? 1)
    for (const name of suite.cases) {
      const concurrent = (options.concurrency ?? 1) > 1
      test(name, { timeout: CASE_TIMEOUT_MS, concurrent }, ({ task, signal }) =>
        limit(() => runCase(opened, { name, signal, site, task: task as RunnerTestCase })),
      )
    }
    factory?.({ candidate: options.candidate })
    if (last !== null) registerGate(opened, last, site)
  })
}

/** Lets an error about the files of a feature point at the line that asked for them, not into this package. */
function pointing<T>(site: Error, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof ParityError) pointAt(error, site)
    throw error
  }
}

interface CaseRun {
  readonly name: string
  readonly signal: AbortSignal
  readonly site: Error
  readonly task: RunnerTestCase
}

async function runCase(opened: OpenedSuite, { name, signal, site, task }: CaseRun): Promise<void> {
  opened.checked = true
  opened.askedLive ||= opened.suite.context.against === 'live'
  const state = stateOf(task)
  state.site = site
  const verdict = await opened.suite.check(name, { signal })
  state.verdicts.push(verdict)
  const findings = opened.suite.findings?.(name) ?? []
  if (findings.length > 0) task.meta.parityFindings = findings
  const error = repeatsCause(opened, verdict) ? ParityUnverifiable.again(verdict) : errorOf(verdict, site)
  if (error !== null) throw error
  if (findings.length > 0) throw new ParityFinding(findings, site)
}

/** True for an UNVERIFIABLE whose cause has stood in full for others already: one cause, one report. */
function repeatsCause(opened: OpenedSuite, verdict: Verdict): verdict is Extract<Verdict, { state: 'UNVERIFIABLE' }> {
  if (verdict.state !== 'UNVERIFIABLE') return false
  const cause = causeOf(verdict)
  const before = opened.causes.get(cause) ?? 0
  opened.causes.set(cause, before + 1)
  return verdict.cause !== null || before + 1 >= SAME_CAUSE_MIN // a gate shows itself
}

/** The test named after a gate shows its result; the gate itself is evaluated on first need, whatever is selected. */
function registerGate(opened: OpenedSuite, gate: GateName, site: Error): void {
  const { feature } = opened.suite
  const meta = { parityGate: { feature, gate } }
  test(gate, { timeout: CASE_TIMEOUT_MS, concurrent: false, meta }, async context => {
    stateOf(context.task as RunnerTestCase).site = site
    const result = await evaluate(opened, gate)
    if (result.state === 'ok') return
    const allow = workerState().provided?.allow ?? []
    if (result.reason !== null && isAllowed(result.reason, allow)) await skipWith(context, gateText(result))
    throw new ParityGateFailure(feature, result, site)
  })
}

/** Skips with the reason where reporters see it: JUnit and GitHub leave the note of a skip out, annotations they print. */
export async function skipWith(context: TestContext, text: string): Promise<never> {
  await context.annotate(`UNVERIFIABLE ${text}`, 'warning')
  return context.skip(`UNVERIFIABLE ${text}`)
}

async function evaluate(opened: OpenedSuite, gate: GateName): Promise<GateResult | CalibrationResult> {
  const result = await (gate === 'calibration' ? opened.suite.calibration() : opened.suite.gate(gate))
  const { gates } = opened.record
  const at = gates.findIndex(each => each.gate === gate)
  if (at === -1) gates.push(result)
  else gates[at] = result // a live calibration has seen more cases since
  return result
}

/** Runs last in the suite: puts the gates that the cases went through on record, then stops what was started. */
async function finish(opened: OpenedSuite, key: string): Promise<void> {
  try {
    if (opened.checked && !workerState().cancelled) {
      const { gates } = opened.suite.context
      // no legacy is booted for a gate that no case went through
      for (const gate of gates) if (gate !== 'lab' || opened.askedLive) await evaluate(opened, gate)
    }
  } finally {
    workerState().suites.delete(key)
    await opened.suite.close()
  }
}

function refuseBadOptions(feature: string, options: FeatureOptions): void {
  if (!/^[a-z0-9-]+$/.test(feature)) {
    throw new ParityError(
      'PARITY_FEATURE_NAME',
      `describeParity: ${JSON.stringify(feature)} is no name of a feature`,
      'use lower-case letters, digits and hyphens: the name of the folder under parity/',
    )
  }
  for (const name of Object.keys(options ?? {})) {
    if (OPTION_NAMES.includes(name)) continue
    const near = nearest(name, OPTION_NAMES)
    throw new ParityError(
      'PARITY_OPTION_UNKNOWN',
      `describeParity('${feature}'): there is no option \`${name}\``,
      near === null ? `the options are ${OPTION_NAMES.join(', ')}` : `write \`${near}\``,
    )
  }
  asTarget(options?.candidate)
  const { against = 'recorded', timeoutMs = 1, concurrency = 1, reset } = options
  const refuse = (name: string, received: unknown, fix: string): never => {
    throw new ParityError(
      'PARITY_OPTION_INVALID',
      `describeParity('${feature}'): ${name} cannot be ${typeof received === 'number' ? received : JSON.stringify(received)}`,
      fix,
    )
  }
  if (against !== 'recorded' && against !== 'live') {
    refuse('against', against, "write 'recorded' (the goldens stand for the legacy) or 'live' (its lab answers)")
  }
  if (!(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= CASE_TIMEOUT_MS)) {
    refuse('timeoutMs', timeoutMs, `write a whole number of milliseconds from 1 to ${CASE_TIMEOUT_MS}`)
  }
  if (!(Number.isInteger(concurrency) && concurrency >= 1)) {
    refuse('concurrency', concurrency, 'write how many cases may run at once: 1 or more')
  }
  if (reset !== undefined && typeof reset !== 'function') {
    refuse('reset', reset, 'write a function that puts the candidate back to its first state')
  }
}

/** Runs at most `most` at a time, in the order they came. */
function limiter(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let free = most
  const waiting: (() => void)[] = []
  return async run => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
