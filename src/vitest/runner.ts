import { relative } from 'node:path'
import {
  type CancelReason,
  inject,
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  type RunnerTestSuite,
  type SerializedConfig,
  type TestAnnotation,
  type TestContext,
  TestRunner,
  type TestTryOptions,
} from 'vitest'
import { worstOf } from '../core/verdict.ts'
import type { Basis, Reason, Verdict } from '../model.ts'
import { isAboutVerdict, ParityDivergence, unverifiableText } from './divergence.ts'
import { errorOf, isAllowedVerdict } from './matcher.ts'
import { skipWith } from './register.ts'
import { widenPattern } from './selection.ts'
import {
  type CaseMark,
  errorLine,
  featureOfFile,
  type ParityProvided,
  placeOf,
  stateOf,
  type TestState,
  unjudged,
  workerState,
} from './state.ts'

/** How often a worker says that it is alive. */
const HEARTBEAT_MS = 1_000
/** After a test ended, how long a comparison that it did not await may still take. */
const PENDING_MS = 30_000
// taken before a test can install fake timers
const { setInterval, clearInterval, setTimeout, clearTimeout } = globalThis

/**
 * Runs the files of the parity project so that every test ends in exactly one verdict, which travels on `task.meta.parity`:
 * the first undecided DIVERGED of the test, else its first DIVERGED, else its first UNVERIFIABLE, else PARITY. Neither a caught error,
 * nor a forgotten await, nor `.fails`, nor a retry turns it.
 */
export default class ParityRunner extends TestRunner {
  readonly #provided: ParityProvided
  #heartbeat: NodeJS.Timeout | null = null

  constructor(config: SerializedConfig) {
    config.snapshotOptions.updateSnapshot = 'none' // -u and the key `u` of watch mode never touch this project
    if (config.testNamePattern !== undefined) config.testNamePattern = widenPattern(config.testNamePattern)
    super(config)
    this.#provided = inject('parity')
    workerState().provided = this.#provided
  }

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file)
    file.meta.parityPid = process.pid
    this.#beat(file)
    this.#stopHeartbeat()
    this.#heartbeat = setInterval(() => this.#beat(file), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Called for every test as it is created, before Vitest turns filters into modes: what the source says is still to be seen. */
  override extendTaskContext(context: TestContext): TestContext {
    const test = context.task as RunnerTestCase
    if (test.meta.parityGate === undefined) test.meta.parityCase = markOf(test, this.config.root)
    return super.extendTaskContext(context)
  }

  onBeforeRunFiles(files: RunnerTestFile[]): void {
    for (const file of files) markSelected(file)
    this.#placeAnnotations()
  }

  /** Vitest looks for the place of an annotation in the stack, where the file of the user does not stand; without one GitHub shows nothing. */
  #placeAnnotations(): void {
    const self = this as {
      onTestAnnotate?: (test: RunnerTestCase, annotation: TestAnnotation) => Promise<TestAnnotation>
    }
    const send = self.onTestAnnotate
    if (send === undefined) return
    self.onTestAnnotate = (test, annotation) => {
      const place = placeOf(stateOf(test).site)
      return send(
        test,
        annotation.location !== undefined || place === null ? annotation : { ...annotation, location: place },
      )
    }
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    if (test.type === 'test') delete test.fails // a divergence is never inverted
    await super.onBeforeRunTask(test)
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions): void {
    stateOf(test).ended = false
    super.onBeforeTryTask(test, options)
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const state = stateOf(test)
    let thrown: unknown[] = []
    try {
      await workerState().current.run(state, () => TestRunner.getTestFn(test)())
    } catch (error) {
      thrown = Array.isArray(error) ? error : [error]
    }
    thrown.push(...(await this.#pending(state)))
    if (test.meta.parityGate !== undefined) {
      if (thrown.length > 0) throw single(thrown)
      return
    }
    await this.#conclude(state, thrown)
  }

  /** A hook can still fail, or compare, after the test has its verdict. */
  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options)
    if (test.meta.parityGate !== undefined) return
    const state = stateOf(test)
    const foreign = (await this.#pending(state)).find(error => !isAboutVerdict(error))
    state.ended = true
    const { verdicts } = state
    const failed = test.result?.state === 'fail'
    const known = verdicts.some(each => each.state !== 'PARITY') || (test.meta.parityFindings ?? []).length > 0
    if (foreign !== undefined) verdicts.push(this.#verdictOfForeign(test, foreign))
    else if (failed && !known) {
      const message = errorLine(test.result?.errors?.[0] ?? 'a hook failed', this.config.root)
      verdicts.push(this.#unjudged(test, 'test-error', message))
    }
    const before = test.meta.parity
    const verdict = standingVerdict(verdicts)
    test.meta.parity = verdict
    if (failed || verdict === before || isAllowedVerdict(verdict)) return
    const error = errorOf(verdict, state.site)
    if (error !== null) throw failing(test, error)
  }

  override cancel(reason: CancelReason): void {
    workerState().cancelled = true
    super.cancel(reason)
    for (const { suite } of workerState().suites.values()) void suite.close().catch(() => {})
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    this.#stopHeartbeat()
    const { suites } = workerState()
    // a suite that was skipped as a whole has not removed itself, and the worker may run the file again
    for (const file of files)
      for (const key of suites.keys()) if (key.startsWith(`${file.filepath}\0`)) suites.delete(key)
    super.onAfterRunFiles(files)
  }

  async #conclude(state: TestState, thrown: readonly unknown[]): Promise<void> {
    const { test, verdicts } = state
    const foreign = thrown.filter(error => !isAboutVerdict(error))
    if (foreign.length > 0) verdicts.push(this.#verdictOfForeign(test, foreign[0]))
    else if (verdicts.length === 0) {
      verdicts.push(this.#unjudged(test, 'no-assertion', 'the test ended without a comparison'))
    }
    const verdict = standingVerdict(verdicts)
    test.meta.parity = verdict
    if (verdict.state === 'UNVERIFIABLE') {
      const skipped = foreign.find(isSkip)
      if (skipped !== undefined) throw skipped
      if (isAllowedVerdict(verdict)) await skipWith(test.context, unverifiableText(verdict))
    }
    const errors = errorsToThrow(verdicts, verdict, thrown)
    if (errors.length > 0) throw failing(test, single(errors))
  }

  #verdictOfForeign(test: RunnerTestCase, error: unknown): Verdict {
    if (isSkip(error)) {
      const note = error instanceof Error && 'note' in error && typeof error.note === 'string' ? `: ${error.note}` : ''
      return this.#unjudged(test, 'not-run', `the test skipped itself${note}`)
    }
    if (isAbort(error)) return this.#unjudged(test, 'not-run', 'the run was interrupted while the case ran')
    return this.#unjudged(test, 'test-error', errorLine(error, this.config.root))
  }

  #unjudged(test: RunnerTestCase, reason: Reason, message: string): Verdict {
    const mark = test.meta.parityCase ?? markOf(test, this.config.root)
    const basis = basisOf(test.file, mark.feature)
    return unjudged({ feature: mark.feature, case: mark.case, basis, asOf: this.#provided.asOf, reason, message })
  }

  /** Waits for what the test began and did not await. Returns the errors of these comparisons. */
  async #pending(state: TestState): Promise<unknown[]> {
    const errors: unknown[] = []
    while (state.pending.size > 0) {
      const waited = [...state.pending]
      state.pending.clear()
      const settled = await within(Promise.allSettled(waited), PENDING_MS)
      if (settled === null) {
        errors.push(new Error(`a comparison that the test did not await took longer than ${PENDING_MS} ms`))
        return errors
      }
      for (const each of settled) if (each.status === 'rejected') errors.push(each.reason)
    }
    return errors
  }

  #beat(file: RunnerTestFile): void {
    const send = (this as { onTaskUpdate?: (packs: unknown[], events: unknown[]) => Promise<void> }).onTaskUpdate
    void send?.([[file.id, file.result, file.meta]], [])?.catch(() => {})
  }

  #stopHeartbeat(): void {
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat)
    this.#heartbeat = null
  }
}

/** The verdict that stands for a test; what is decided or allowed never covers what is not. */
function standingVerdict(verdicts: readonly Verdict[]): Verdict {
  const diverged = verdicts.filter(each => each.state === 'DIVERGED')
  const failing = verdicts.find(each => each.state === 'UNVERIFIABLE' && !isAllowedVerdict(each))
  const verdict = diverged.find(each => each.decided === null) ?? diverged[0] ?? failing ?? worstOf(verdicts)
  if (verdict === null) throw new Error('a test ended without a verdict')
  return verdict
}

function errorsToThrow(verdicts: readonly Verdict[], standing: Verdict, thrown: readonly unknown[]): unknown[] {
  const errors = new Set(thrown)
  const spoken = new Set([...errors].map(error => (error as { verdict?: Verdict } | null)?.verdict))
  for (const verdict of verdicts) {
    // soft comparisons, caught errors and earlier attempts have thrown nothing here
    if (verdict.state !== 'DIVERGED' || spoken.has(verdict)) continue
    const error = errorOf(verdict, null)
    if (error !== null) errors.add(error)
  }
  if (errors.size === 0) {
    const error = errorOf(standing, null)
    if (error !== null) errors.add(error)
  }
  // the divergence is what is read first
  return [...errors].filter(error => !isSkip(error)).sort((a, b) => rank(a) - rank(b))
}

function rank(error: unknown): number {
  return error instanceof ParityDivergence ? 0 : 1
}

/** The error, for a test that it fails: ctx.skip() before it does not hide it. */
function failing(test: RunnerTestCase, error: unknown): unknown {
  if (test.result !== undefined && 'pending' in test.result) test.result.pending = false
  return error
}

function single(errors: readonly unknown[]): unknown {
  return errors.length === 1 ? errors[0] : errors
}

function isSkip(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'VITEST_PENDING'
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'TestRunAbortError'
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, ms, null)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function basisOf(file: RunnerTestFile, feature: string): Basis | null {
  return file.meta.paritySuites?.find(each => each.context.feature === feature)?.context.basis ?? null
}

/** The case that a test is: its name below the suite of its feature; outside of one, the file stands for the feature. */
function markOf(test: RunnerTestCase, root: string): CaseMark {
  const names = [test.name]
  const modes = [test.mode]
  for (
    let suite = test.suite;
    suite !== undefined && suite.type === 'suite' && !('filepath' in suite);
    suite = suite.suite
  ) {
    modes.push(suite.mode)
    names.unshift(suite.name)
  }
  const feature = test.meta.parityFeature
  if (feature !== undefined) names.splice(0, names.indexOf(feature) + 1)
  return {
    feature: feature ?? featureOfFile(relative(root, test.file.filepath)),
    case: names.join(' > '),
    skippedInSource: modes.includes('skip') || modes.includes('todo'),
    onlyInSource: modes.includes('only'),
  }
}

function markSelected(suite: RunnerTestSuite): void {
  for (const task of suite.tasks) {
    if (task.type === 'suite') markSelected(task)
    else if ((task.mode === 'run' || task.mode === 'queued') && task.meta.parityCase !== undefined) {
      task.meta.parityCase.selected = true
    }
  }
}
