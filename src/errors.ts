/**
 * Every error a user can meet, by code. `docs/errors.md` documents each one and a test throws each one.
 * A difference is data and never one of these.
 */
export const ERROR_CODES = {
  PARITY_TARGET_UNWRAPPED: 'a bare function or URL was given where a target is expected',
  PARITY_CLI_COMMAND: 'a command that vitest-parity does not have',
  PARITY_CLI_OPTION: 'an unknown option, or an option without its value',
  PARITY_CLI_ARGUMENT: 'a missing argument, or one too many',
  PARITY_INIT_PROJECT: 'init was run outside a project, or in one that lacks vitest',
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
