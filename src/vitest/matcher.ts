import { expect, type RunnerTestCase, TestRunner } from 'vitest'
import { ParityError } from '../errors.ts'
import type { Verdict } from '../model.ts'
import type { CheckOptions, Subject } from '../pipeline/suite.ts'
import { isTarget, refuseUnwrapped } from '../replay/target.ts'
import { isAllowed, policyReason } from '../report/fold.ts'
import { ParityDivergence, ParityUnverifiable } from './divergence.ts'
import { type OpenedSuite, stateOf, suiteKey, type TestState, unjudged, workerState } from './state.ts'

export interface ParityAssertion {
  /**
   * Compares with the fixture of this name. Resolves to the verdict on PARITY and on a decided divergence.
   * Throws ParityDivergence on DIVERGED, and ParityUnverifiable where no comparison could be made.
   */
  toMatchFixture(name: string): Promise<Verdict>
  /** Compares with what the live lab answers to this input. */
  toMatchLegacy(input: unknown): Promise<Verdict>
}

export interface ExpectParity {
  /** A target is driven; anything else is an output that the test observed. */
  (actual: unknown): ParityAssertion
  /** The same, without ending the test at the first divergence. */
  soft(actual: unknown): ParityAssertion
}

/**
 * Judges what a test drives or observed against the legacy.
 * A comparison counts also when it was not awaited, when its error was caught, and when the test is tried again.
 */
export const expectParity: ExpectParity = Object.assign((actual: unknown) => assertion(actual, false), {
  soft: (actual: unknown) => assertion(actual, true),
})

function assertion(actual: unknown, soft: boolean): ParityAssertion {
  const self: ParityAssertion = {
    toMatchFixture: name => {
      const site = callSite(self.toMatchFixture)
      return begin({ site, soft, check: test => matchFixture(actual, name, test) })
    },
    toMatchLegacy: input => {
      const site = callSite(self.toMatchLegacy)
      return begin({ site, soft, check: test => matchLegacy(actual, input, test) })
    },
  }
  return self
}

function callSite(below: unknown): Error {
  const site = new Error('call site')
  if (typeof below === 'function') Error.captureStackTrace(site, below as (...args: never) => unknown)
  return site
}

interface Comparing {
  readonly site: Error
  readonly soft: boolean
  readonly check: (test: RunnerTestCase) => Promise<Verdict>
}

/** Every comparison goes through here: it is on the record of its test before anybody can lose its promise. */
function begin(comparing: Comparing): Promise<Verdict> {
  const state = currentState()
  state.site = comparing.site
  const promise = settle(state, comparing)
  state.pending.add(promise)
  promise.catch(() => {}) // the runner waits for it; a forgotten await is no unhandled rejection
  return promise
}

async function settle(state: TestState, { site, soft, check }: Comparing): Promise<Verdict> {
  countAssertion(state.test)
  const verdict = await check(state.test)
  state.verdicts.push(verdict)
  if (soft) return verdict
  const error = errorOf(verdict, site)
  if (error !== null) throw error
  return verdict
}

/** The error that a verdict is thrown as; null for PARITY and for a decided divergence. */
export function errorOf(verdict: Verdict, site: Error | null): Error | null {
  switch (verdict.state) {
    case 'PARITY':
      return null
    case 'DIVERGED':
      return verdict.decided === null ? new ParityDivergence(verdict, site) : null
    case 'UNVERIFIABLE':
      return new ParityUnverifiable(verdict, site)
    default:
      return verdict satisfies never
  }
}

/** True for an UNVERIFIABLE that the policy of the project lets pass as skipped. */
export function isAllowedVerdict(verdict: Verdict): boolean {
  const allow = workerState().provided?.allow ?? []
  return verdict.state === 'UNVERIFIABLE' && isAllowed(policyReason(verdict), allow)
}

/** So that `expect.hasAssertions()` and `expect.assertions(n)` see it. */
function countAssertion(test: RunnerTestCase): void {
  const local = (test.context as { readonly _local?: boolean })._local === true
  const counter = local ? test.context.expect : expect
  counter.setState({ assertionCalls: counter.getState().assertionCalls + 1 })
}

function currentState(): TestState {
  const entered = workerState().current.getStore()
  const test = TestRunner.getCurrentTest<RunnerTestCase>() // in a hook around the test
  const state = entered ?? (test === undefined ? undefined : stateOf(test))
  if (state !== undefined && !state.ended) return state
  throw new ParityError(
    'PARITY_TEST_MISSING',
    'expectParity was called outside a test, or after its test had ended',
    'call it within test(…) of a file of the parity project, and await it',
  )
}

function openedSuite(test: RunnerTestCase): OpenedSuite {
  const feature = test.meta.parityFeature
  const opened = feature === undefined ? undefined : workerState().suites.get(suiteKey(test.file.filepath, feature))
  if (opened !== undefined) return opened
  throw new ParityError(
    'PARITY_SUITE_MISSING',
    `the test \`${test.name}\` stands outside describeParity, so expectParity does not know its feature`,
    "move it into the third argument of describeParity('<feature>', { candidate }, () => { … })",
  )
}

function subjectOf(actual: unknown): Subject {
  refuseUnwrapped(actual)
  return isTarget(actual) ? { target: actual } : { observed: actual }
}

function checkOptions(actual: unknown, test: RunnerTestCase): CheckOptions & { readonly as: string } {
  return { subject: subjectOf(actual), as: test.meta.parityCase?.case ?? test.name, signal: test.context.signal }
}

async function matchFixture(actual: unknown, name: string, test: RunnerTestCase): Promise<Verdict> {
  const opened = openedSuite(test)
  const options = checkOptions(actual, test)
  opened.checked = true
  return opened.suite.check(name, options)
}

async function matchLegacy(actual: unknown, input: unknown, test: RunnerTestCase): Promise<Verdict> {
  const opened = openedSuite(test)
  const options = checkOptions(actual, test)
  if (opened.suite.checkLive !== undefined) {
    opened.checked = true
    opened.askedLive = true
    return opened.suite.checkLive(input, options)
  }
  const { feature, context } = opened.suite
  return unjudged({
    feature,
    case: options.as,
    basis: context.basis,
    asOf: context.basis.asOf,
    reason: 'environment',
    message:
      "no lab answers while this suite runs: write against: 'live' in describeParity, compare with a fixture, or record the input as a case",
  })
}
