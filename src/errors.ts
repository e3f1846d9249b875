/**
 * Every error a user can meet, by code. `docs/errors.md` documents each one and a test throws each one.
 * A difference is data and never one of these.
 */
export const ERROR_CODES = {
  PARITY_TARGET_UNWRAPPED: 'a bare function or URL was given where a target is expected',
  PARITY_TARGET_INVALID: 'a target, or an option of one, is not what http, fn or command take',
  PARITY_TARGET_KIND: 'a case holds a request where the target takes an input, or the reverse',
  PARITY_TARGET_DISPOSE: 'a started candidate did not stop within the bound',
  PARITY_CONTRACT_INVALID: 'contract.yaml is missing, or not what its schema allows',
  PARITY_INPUT_INVALID: 'an input is not JSON, or not what an input may hold',
  PARITY_GOLDEN_DUPLICATE: 'a name occurs twice in manifest.json or calibration.json',
  PARITY_GOLDEN_INVALID: 'manifest.json, calibration.json or a pending payload is not what it should be',
  PARITY_GOLDEN_WRITE: 'the folder of the goldens cannot be written',
  PARITY_ACCEPT_REFUSED: 'accept was run in CI, without reason or author, or for a case without a pending payload',
  PARITY_RECORD_SECRET: 'a recording holds what looks like a secret',
  PARITY_LAB_MISSING: 'there is no lab.yaml where the lab should be',
  PARITY_LAB_INVALID: 'lab.yaml or lab.lock.yaml is not what its schema allows',
  PARITY_LAB_UNPINNED: 'package.json, package-lock.json and the npm map of a lab do not pin the same versions',
  PARITY_CLI_COMMAND: 'a command that vitest-parity does not have',
  PARITY_CLI_OPTION: 'an unknown option, or an option without its value',
  PARITY_CLI_ARGUMENT: 'a missing argument, or one too many',
  PARITY_INIT_PROJECT: 'init was run outside a project, or in one that lacks vitest',
  PARITY_RUNNER_MISSING: 'describeParity runs outside the parity project',
  PARITY_FEATURE_NAME: 'a feature has a name that is not lower-case letters, digits and hyphens',
  PARITY_FEATURE_TWICE: 'one file describes a feature twice',
  PARITY_OPTION_UNKNOWN: 'an option that describeParity or parity() does not have',
  PARITY_OPTION_INVALID: 'an option of describeParity or parity() has a value that it cannot have',
  PARITY_TEST_MISSING: 'expectParity was called outside a test',
  PARITY_SUITE_MISSING: 'expectParity was called outside describeParity',
  PARITY_UPDATE_REFUSED: 'vitest -u was asked for with the parity project selected',
  PARITY_CASE_UNKNOWN: 'a feature has neither input nor golden of that name',
  PARITY_FEATURE_UNKNOWN: 'there is no folder of that name under parity/',
  PARITY_FEATURE_CONCURRENCY: 'cases may not run at once where each needs the first state',
  PARITY_FEATURE_RESET: 'the contract resets the state, and nothing can put that of the candidate back',
  PARITY_FEATURE_LIVE: 'a suite is to run against a live lab, and its contract names none',
  PARITY_TOLERANCE_INVALID: 'a tolerance file, or its file of decisions, is not what it should be',
  PARITY_OUTPUT_UNFIT: 'an output was given where the legacy shows an exchange, or several steps',
  PARITY_RECORD_CASE: 'record was asked for a case that the feature does not have',
  PARITY_RECORD_SHARED: 'record was asked for a feature whose goldens are those of another one',
  PARITY_RECORD_REVISION: 'contract and lab pin different revisions of the legacy',
  PARITY_DIVERGENCES_INVALID: 'divergences.yaml is not what it should be',
  PARITY_LINT_BASE: 'the base that lint --base names cannot be read',
} as const
export type ErrorCode = keyof typeof ERROR_CODES

/**
 * An error with its code, its place and its repair.
 * The message reads: what failed, where, expected and received; then `Fix: …`.
 */
export class ParityError extends Error {
  override readonly name = 'ParityError'
  readonly code: ErrorCode
  /** The exact command or edit that repairs it. */
  readonly fix: string

  constructor(code: ErrorCode, what: string, fix: string, options?: { readonly cause?: unknown }) {
    super(`${what}\nFix: ${fix}`, options)
    this.code = code
    this.fix = fix
  }
}
