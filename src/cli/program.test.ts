import { describe, expect, test } from 'vitest'
import { ParityError } from '../errors.ts'
import type { Arguments, Command, Terminal } from './command.ts'
import { runProgram } from './program.ts'

/** A terminal that keeps what was printed. */
function terminal(env: Terminal['env'] = {}) {
  const printed = { out: '', err: '' }
  const standIn: Terminal = {
    cwd: '/nowhere',
    env,
    signal: new AbortController().signal,
    out: text => {
      printed.out += `${text}\n`
    },
    err: text => {
      printed.err += `${text}\n`
    },
  }
  return { printed, standIn }
}

let received: Arguments | null = null
const greet: Command = {
  name: 'greet',
  summary: 'Greet somebody',
  positionals: ['<name>', '[surname]'],
  options: { reason: { type: 'string', value: '<text>', summary: 'why' }, loud: { type: 'boolean', summary: 'shout' } },
  example: 'npx vitest-parity greet ana',
  run: async args => {
    received = args
    return 1
  },
}
const fall: Command = {
  ...greet,
  name: 'fall',
  positionals: [],
  run: async () => {
    throw new ParityError('PARITY_CLI_ARGUMENT', 'it fell', 'stand up')
  },
}
const crash: Command = {
  ...greet,
  name: 'crash',
  positionals: [],
  run: async () => {
    throw new TypeError('x is not a function')
  },
}

async function run(words: readonly string[], env: Terminal['env'] = {}) {
  received = null
  const { printed, standIn } = terminal(env)
  return { code: await runProgram([greet, fall, crash], words, standIn), ...printed }
}

describe('what a command line means', () => {
  test('positionals, options in both forms and flags reach the command, and its exit code is returned', async () => {
    expect(await run(['greet', 'ana', '--reason=--because', '--loud', '--json'])).toEqual({ code: 1, out: '', err: '' })
    expect(received).toEqual({
      positionals: ['ana'],
      values: { reason: '--because' },
      flags: new Set(['loud', 'json']),
      json: true,
    })
  })

  test.each([
    [['gret', 'ana'], 'PARITY_CLI_COMMAND', 'unknown command "gret"', 'did you mean npx vitest-parity greet?'],
    [['qqqqqqqqq'], 'PARITY_CLI_COMMAND', 'unknown command "qqqqqqqqq"', 'use one of greet, fall, crash'],
    [['greet', 'ana', '--reson', 'x'], 'PARITY_CLI_OPTION', 'greet: unknown option --reson', 'did you mean --reason?'],
    [['greet', 'ana', '--reason'], 'PARITY_CLI_OPTION', 'greet: --reason needs a value', /^write --reason "…"/],
    [['greet', 'ana', '--reason', '--loud'], 'PARITY_CLI_OPTION', 'greet: --reason needs a value', /^write/],
    [
      ['greet', 'ana', '--loud=yes'],
      'PARITY_CLI_OPTION',
      'greet: --loud takes no value, and got "yes"',
      'write --loud alone',
    ],
    [['greet'], 'PARITY_CLI_ARGUMENT', 'greet: <name> is missing', 'for example: npx vitest-parity greet ana'],
    [['greet', 'a', 'b', 'c'], 'PARITY_CLI_ARGUMENT', 'greet: one argument too many: "c"', /^for example/],
  ])('%j is refused with what to type instead', async (words, code, message, fix) => {
    const asText = await run(words)
    expect(asText.code).toBe(2)
    expect(asText.out).toBe('')
    expect(asText.err).toMatch(`vitest-parity: ${message}\nFix: `)
    const asJson = await run([...words, '--json'])
    if (words.at(-1) === '--reason') return
    expect(JSON.parse(asJson.out).error).toEqual({
      code,
      message,
      fix: typeof fix === 'string' ? fix : expect.stringMatching(fix),
    })
  })

  test('an option named like a member of every object is unknown', async () => {
    expect((await run(['greet', 'ana', '--constructor'])).err).toContain('unknown option --constructor')
  })
})

describe('what goes wrong in a command', () => {
  test('a known error is its message and fix, without a stack', async () => {
    expect(await run(['fall'])).toEqual({ code: 2, out: '', err: 'vitest-parity: it fell\nFix: stand up\n' })
  })

  test('a foreign error says how to see its stack, and the variable shows it', async () => {
    expect((await run(['crash'])).err).toBe(
      'vitest-parity: x is not a function\nFix: run it again with PARITY_DEBUG=1 and report what it prints\n',
    )
    expect((await run(['crash'], { PARITY_DEBUG: '1' })).err).toContain('program.test.ts')
  })

  test('what a legacy printed keeps its lines and commands no terminal', async () => {
    const { printed, standIn } = terminal()
    const run = () => Promise.reject(new Error('the legacy printed\n  \u001b]0;x\u0007 and \u202e more'))
    expect(await runProgram([{ ...crash, run }], ['crash'], standIn)).toBe(2)
    expect(printed.err).toContain('the legacy printed\n  \\u{1b}]0;x\\u{7} and \\u{202e} more\nFix: ')
  })
})

describe('help', () => {
  test('without a command it lists them and is a usage error', async () => {
    expect(await run([])).toEqual({
      code: 2,
      err: '',
      out: `Usage: npx vitest-parity <command> [options]

  greet  Greet somebody
  fall   Greet somebody
  crash  Greet somebody

Exit codes: 0 all well, 1 findings, 2 usage or environment.
Help on one: npx vitest-parity <command> --help
`,
    })
    expect((await run(['--help'])).code).toBe(0)
  })

  test.each([[['greet', '--help']], [['help', 'greet']]])('%j shows the options and an example', async words => {
    expect(await run(words)).toEqual({
      code: 0,
      err: '',
      out: `Usage: npx vitest-parity greet <name> [surname] [options]

Greet somebody

  --reason <text>  why
  --loud           shout
  --json           print the result as one JSON document
  --help           print this

Example: npx vitest-parity greet ana
`,
    })
  })

  test('the version is that of package.json', async () => {
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
