export { test } from 'vitest'
export { ParityError } from './errors.ts'
export type { Difference, Fault, Judged, Note, Reason, RuleUse, Verdict } from './model.ts'
export type { FeatureOptions } from './pipeline/suite.ts'
export {
  type CommandOptions,
  command,
  fn,
  http,
  type Served,
  type StartContext,
  type Target,
} from './replay/target.ts'
export { describeParity } from './vitest/describe.ts'
export { ParityDivergence, ParityUnverifiable } from './vitest/divergence.ts'
export { type ExpectParity, expectParity, type ParityAssertion } from './vitest/matcher.ts'
export type { DescribeParity } from './vitest/register.ts'
