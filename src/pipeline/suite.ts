/**
 * What the test side asks of a feature. `openSuite` in `check.ts` makes the real one; the tests of the Vitest side make a fake.
 */
import type { Verdict } from '../model.ts'
import type { StartContext, Target } from '../replay/target.ts'
import type { CalibrationResult, GateResult, SuiteContext } from '../run/events.ts'

export interface FeatureOptions {
  readonly candidate: Target
  /** Default: git commit and dirty hash; `unknown` outside a checkout, which is refused by `gate`. */
  readonly candidateId?: string
  /** Brings the candidate back to its starting state between cases. Default: none. */
  readonly reset?: (context: StartContext) => void | PromiseLike<void>
  /** Default `recorded`: the goldens stand for the legacy. `live`: the lab of the contract boots, and answers itself. */
  readonly against?: 'recorded' | 'live'
  /** Per step. Default 10_000, at most 600_000. */
  readonly timeoutMs?: number
  /** Default 1; more is refused when the contract resets per case. */
  readonly concurrency?: number
}

export interface Dirs {
  /** Default `__golden__`. */
  readonly golden?: string
  /** Default `tolerance`. */
  readonly tolerance?: string
  /** Default `labs`. */
  readonly labs?: string
}

/** What is compared in place of the candidate of the suite: another target, or an output that the test observed itself. */
export type Subject = { readonly target: Target } | { readonly observed: unknown }

export interface CheckOptions {
  /** Default: the candidate of the suite. */
  readonly subject?: Subject
  /** The case that the verdict is for, when it is not the fixture of that name: a hand-written test is a case of its own. */
  readonly as?: string
  readonly signal?: AbortSignal
}

/** One feature, opened for one file. Everything is evaluated on first need and memoised; nothing throws for what a verdict can say. */
export interface Suite {
  readonly feature: string
  /** Names of the cases: the union of inputs, manifest and goldens, in the order in which they are judged (`inPhases`). */
  readonly cases: readonly string[]
  readonly context: SuiteContext
  /** The verdict of one case. A gate that fails makes it UNVERIFIABLE(blocked). */
  check(name: string, options?: CheckOptions): Promise<Verdict>
  /** The verdict of an input of the test's own, the live lab against the subject. Absent: the suite is not live. */
  checkLive?(input: unknown, options: CheckOptions & { readonly as: string }): Promise<Verdict>
  calibration(): Promise<CalibrationResult>
  gate(name: 'lab' | 'candidate'): Promise<GateResult>
  /** What fails the run for this case beside its verdict: stale entries of `divergences.yaml`. Known once the case was checked. */
  findings?(name: string): readonly string[]
  /** Aborts what still runs, and stops everything that was started. May be called again. */
  close(): Promise<void>
}

export interface OpenOptions {
  /** The folder that Vitest runs in. */
  readonly root: string
  readonly dirs: Dirs
  readonly feature: string
  readonly options: FeatureOptions
  /** UTC date, `YYYY-MM-DD`. */
  readonly asOf: string
  /** Identity of the checked-out candidate, when its options give none. */
  readonly candidateId: string
  /** Where the labs of the run are lent. Default: a suite boots its own. */
  readonly labs?: string | null
}

/** Reads the files of the feature; runs at collection, so it is synchronous. Throws ParityError on a file that is not what it should be. */
export type OpenSuite = (options: OpenOptions) => Suite
