import type { Fault, InputStep } from '../model.ts'
import { LIMITS, type Limits } from './findings.ts'
import type { Matcher } from './matcher.ts'
import { EXACT } from './scalars.ts'
import type { Rule, RuleSet } from './tolerance.ts'

/** What a comparison is made under. */
export interface Terms {
  readonly matcher: Matcher
  readonly rules: readonly Rule[]
  readonly headers: readonly string[] | 'all'
  readonly limits: Limits
  /** The steps of the input. Default: none is known, so that nothing is given or bound. */
  readonly steps?: readonly InputStep[]
  /** Why the candidate showed no more steps than it did: those it lacks are no differences. Default: it was not cut. */
  readonly cut?: Fault
}

/** What is known of a case beside its two observations. */
export type CaseTerms = Pick<Terms, 'steps' | 'cut'>

/** The terms of a set of rules. */
export function termsOf({ matcher, rules, headers }: RuleSet, limits: Limits = LIMITS): Terms {
  return { matcher, rules, headers, limits }
}

/** Terms under which nothing is tolerated but the framing of a response: every header, every number text, every order. */
export const STRICT: Terms = {
  matcher: { body: () => EXACT, scalar: () => EXACT },
  rules: [],
  headers: 'all',
  limits: { reportedMax: 10_000, tokenMax: Number.POSITIVE_INFINITY },
}
