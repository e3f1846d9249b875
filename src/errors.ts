/**
 * Every error a user can meet, by code. `docs/errors.md` documents each one and a test throws each one.
 * A difference is data and never one of these.
 */
export const ERROR_CODES = {
  PARITY_TARGET_UNWRAPPED: 'a bare function or URL was given where a target is expected',
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
