/** From the words of a command line to the arguments of a command, refusing what the command does not know. */
import { parseArgs } from 'node:util'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import type { Arguments, Command, Option } from './command.ts'

/** Options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', summary: 'print the result as one JSON document' },
  help: { type: 'boolean', summary: 'print this' },
}

/**
 * The arguments of `command` in `words`, the words after its name.
 * **Throws** PARITY_CLI_OPTION for an unknown option or one without its value, PARITY_CLI_ARGUMENT for a missing or surplus argument.
 */
export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const known: Readonly<Record<string, Option>> = { ...command.options, ...COMMON_OPTIONS }
  const options = Object.fromEntries(Object.entries(known).map(([name, option]) => [name, { type: option.type }]))
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const positionals: string[] = []
  const values: Record<string, string> = {}
  const flags = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
    if (option === undefined) throw unknownOption(command, token.rawName, Object.keys(known))
    if (option.type === 'boolean') flags.add(token.name)
    else values[token.name] = optionValue(command, token)
    if (option.type === 'boolean' && token.value !== undefined) {
      throw new ParityError(
        'PARITY_CLI_OPTION',
        `${command.name}: ${token.rawName} takes no value, and got ${JSON.stringify(token.value)}`,
        `write ${token.rawName} alone`,
      )
    }
  }
  if (!flags.has('help')) checkPositionals(command, positionals)
  return { positionals, values, flags, json: flags.has('json') }
}

function optionValue(
  command: Command,
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string {
  const { value } = token
  if (value !== undefined && (token.inlineValue === true || !value.startsWith('--'))) return value
  throw new ParityError(
    'PARITY_CLI_OPTION',
    `${command.name}: ${token.rawName} needs a value`,
    `write ${token.rawName} "…" (a value that begins with -- goes after an equals sign)`,
  )
}

function unknownOption(command: Command, name: string, known: readonly string[]): ParityError {
  const near = nearest(name.replace(/^-+/, ''), known)
  return new ParityError(
    'PARITY_CLI_OPTION',
    `${command.name}: unknown option ${name}`,
    near === null ? `see npx vitest-parity ${command.name} --help` : `did you mean --${near}?`,
  )
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const needed = command.positionals.filter(name => name.startsWith('<'))
  const missing = needed[given.length]
  if (missing !== undefined) {
    throw new ParityError(
      'PARITY_CLI_ARGUMENT',
      `${command.name}: ${missing} is missing`,
      `for example: ${command.example}`,
    )
  }
  if (command.positionals.some(name => name.includes('...'))) return
  const surplus = given[command.positionals.length]
  if (surplus !== undefined) {
    throw new ParityError(
      'PARITY_CLI_ARGUMENT',
      `${command.name}: one argument too many: ${JSON.stringify(surplus)}`,
      `for example: ${command.example}`,
    )
  }
}
