/** The command line as a function: words in, exit code out. Nothing here ends the process. */
import { readFileSync } from 'node:fs'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import { LabFailure } from '../lab/lab-failure.ts'
import { escapeLines } from '../report/escape.ts'
import { COMMON_OPTIONS, parseArguments } from './arguments.ts'
import { type Command, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, printJson, type Terminal } from './command.ts'

/**
 * Runs the command that `words` name and returns the exit code: 0 all well, 1 findings, 2 usage or environment, 130 interrupted.
 * An error is printed as what failed and its fix; `PARITY_DEBUG=1` adds the stack.
 */
export async function runProgram(
  commands: readonly Command[],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    const [first, ...rest] = words
    if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
      const [named, ...action] = first === 'help' ? rest : []
      const asked = commandNamed(commands, named)
      terminal.out(helpOf(commands, asked === null ? null : actionOf(asked, action).command))
      return first === undefined ? EXIT_USAGE : EXIT_OK
    }
    if (first === '--version' || first === '-v') {
      terminal.out(ownVersion())
      return EXIT_OK
    }
    const named = commandNamed(commands, first)
    if (named === null) return EXIT_USAGE
    const { command, words: given } = actionOf(named, rest)
    if (command.actions !== undefined) {
      terminal.out(helpOf(commands, command))
      return rest.length === 0 ? EXIT_USAGE : EXIT_OK
    }
    const args = parseArguments(command, given)
    if (args.flags.has('help')) {
      terminal.out(helpOf(commands, command))
      return EXIT_OK
    }
    return await command.run(args, terminal)
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.err('vitest-parity: interrupted; what was started is stopped, and no golden is half written')
      return EXIT_INTERRUPTED
    }
    printError(error, words.includes('--json'), terminal)
    return EXIT_USAGE
  }
}

function commandNamed(commands: readonly Command[], name: string | undefined): Command | null {
  if (name === undefined) return null
  const found = commands.find(command => command.name === name)
  if (found !== undefined) return found
  const names = commands.map(command => command.name)
  const near = nearest(name, names)
  throw new ParityError(
    'PARITY_CLI_COMMAND',
    `unknown command ${JSON.stringify(name)}`,
    near === null ? `use one of ${names.join(', ')}` : `did you mean npx vitest-parity ${near}?`,
  )
}

/** The action of a command that `words` begin with, named as it is typed, and the words after it; without one the command itself. */
function actionOf(command: Command, words: readonly string[]): { command: Command; words: readonly string[] } {
  const [first, ...rest] = words
  if (command.actions === undefined || first === undefined || first === '--help' || first === '-h') {
    return { command, words }
  }
  const found = command.actions.find(action => action.name === first)
  if (found !== undefined) return { command: { ...found, name: `${command.name} ${found.name}` }, words: rest }
  const names = command.actions.map(action => action.name)
  const near = nearest(first, names)
  throw new ParityError(
    'PARITY_CLI_COMMAND',
    `${command.name}: unknown action ${JSON.stringify(first)}`,
    near === null ? `use one of ${names.join(', ')}` : `did you mean npx vitest-parity ${command.name} ${near}?`,
  )
}

/** The version in this package's own package.json. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const parsed: unknown = JSON.parse(text)
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown'
}

function helpOf(commands: readonly Command[], command: Command | null): string {
  if (command === null) {
    const width = Math.max(...commands.map(c => c.name.length))
    return [
      'Usage: npx vitest-parity <command> [options]',
      '',
      ...commands.map(c => `  ${c.name.padEnd(width)}  ${c.summary}`),
      '',
      'Exit codes: 0 all well, 1 findings, 2 usage or environment.',
      'Help on one: npx vitest-parity <command> --help',
    ].join('\n')
  }
  if (command.actions !== undefined) {
    const wide = Math.max(...command.actions.map(a => a.name.length))
    return [
      `Usage: npx vitest-parity ${command.name} <action> [options]`,
      '',
      command.summary,
      '',
      ...command.actions.map(a => `  ${a.name.padEnd(wide)}  ${a.summary}`),
      '',
      `Help on one: npx vitest-parity ${command.name} <action> --help`,
      `Example: ${command.example}`,
    ].join('\n')
  }
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(
    ([name, option]) => [`--${name}${option.value === undefined ? '' : ` ${option.value}`}`, option.summary] as const,
  )
  const width = Math.max(...options.map(([name]) => name.length))
  return [
    `Usage: npx vitest-parity ${[command.name, ...command.positionals].join(' ')} [options]`,
    '',
    command.summary,
    '',
    ...options.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `Example: ${command.example}`,
  ].join('\n')
}

/** An error as a user meets it: a code where it has one, what failed, and its fix. */
function facts(error: unknown): { code: string | null; message: string; fix: string } {
  if (error instanceof ParityError) {
    return { code: error.code, message: error.message.slice(0, -`\nFix: ${error.fix}`.length), fix: error.fix }
  }
  if (error instanceof LabFailure) return { code: error.reason, message: error.message, fix: error.remedy }
  const message = error instanceof Error ? error.message : String(error)
  return { code: null, message, fix: 'run it again with PARITY_DEBUG=1 and report what it prints' }
}

function printError(error: unknown, asJson: boolean, terminal: Terminal): void {
  const found = facts(error)
  const shown = { ...found, message: found.message.replaceAll(`${terminal.cwd}/`, '') }
  if (asJson) printJson(terminal, { error: shown })
  else terminal.err(escapeLines(`vitest-parity: ${shown.message}\nFix: ${shown.fix}`))
  if (terminal.env.PARITY_DEBUG !== undefined && error instanceof Error) terminal.err(error.stack ?? '')
}
