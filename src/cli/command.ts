/** What a command is, and what it may touch: arguments in, lines out, an exit code back. */
import { ParityError } from '../errors.ts'

/** Everything a command reads from or writes to its surroundings, so that a test can stand in for a terminal. */
export interface Terminal {
  /** The folder of the project. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Result of the command: standard output, one call a line or block. */
  out(text: string): void
  /** Progress and errors: standard error. */
  err(text: string): void
  /** Replaces the live line on standard error; an empty text removes it. Absent where there is no TTY. */
  live?(text: string): void
}

export interface Option {
  readonly type: 'string' | 'boolean'
  /** What stands for the value in the help, as `<name>`. */
  readonly value?: string
  readonly summary: string
}

export interface Arguments {
  readonly positionals: readonly string[]
  /** Values of the string options given. */
  readonly values: Readonly<Record<string, string>>
  /** Names of the boolean options given. */
  readonly flags: ReadonlySet<string>
  readonly json: boolean
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** Positional arguments as the help shows them: `<feature>` is required, `[case]` is not, `[case...]` takes any number. */
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  /** A line that a user can type as it stands. */
  readonly example: string
  /** What its first argument may be, each a command of its own; then `run` is never called. */
  readonly actions?: readonly Command[]
  /** Returns the exit code: 0, or 1 for findings. Usage and environment throw a ParityError, which ends in 2. */
  readonly run: (args: Arguments, terminal: Terminal) => Promise<number>
}

export const EXIT_OK = 0
export const EXIT_FINDINGS = 1
export const EXIT_USAGE = 2
export const EXIT_INTERRUPTED = 130

/** Prints a result as one JSON document, keys in the order written. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(JSON.stringify(value, null, 2))
}

/** The positional argument at `index`, which the frame has already checked to be there. */
export function positional(args: Arguments, index: number, name: string): string {
  const value = args.positionals[index]
  if (value === undefined) {
    throw new ParityError('PARITY_CLI_ARGUMENT', `${name} is missing`, `name it: <${name}>`)
  }
  return value
}

/** The value of an option that the command cannot do without. */
export function required(args: Arguments, name: string, why: string): string {
  const value = args.values[name]
  if (value === undefined || value.trim() === '') {
    throw new ParityError('PARITY_CLI_ARGUMENT', `--${name} is missing: ${why}`, `add --${name} "…"`)
  }
  return value
}
