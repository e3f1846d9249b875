/** `accept`: one waiting payload becomes the golden of its case, with a reason and a name. */
import { acceptFixture } from '../pipeline/accept.ts'
import { type Arguments, type Command, EXIT_OK, positional, printJson, required, type Terminal } from './command.ts'

/** CI systems set `CI`; an empty value or `false` says that this is none. */
export function isCi(env: Terminal['env']): boolean {
  return !['', 'false', '0', undefined].includes(env.CI)
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const feature = positional(args, 0, 'feature')
  const name = positional(args, 1, 'case')
  const accepted = await acceptFixture({
    root: terminal.cwd,
    feature,
    name,
    reason: required(args, 'reason', 'the golden moves, and somebody will ask why'),
    author: required(args, 'author', 'the golden moves, and somebody answers for it'),
    now: new Date(),
    ci: isCi(terminal.env),
  })
  if (args.json) printJson(terminal, { feature, case: name, ...accepted })
  else terminal.out(`${feature} ${name}: ${accepted.from ?? 'no golden'} → ${accepted.to}`)
  return EXIT_OK
}

export const accept: Command = {
  name: 'accept',
  summary: 'Make one waiting payload the golden of its case; never in CI',
  positionals: ['<feature>', '<case>'],
  options: {
    reason: { type: 'string', value: '<text>', summary: 'why the legacy behaves otherwise now' },
    author: { type: 'string', value: '<name>', summary: 'who says so' },
  },
  example: 'npx vitest-parity accept forex 001-happy-usd --reason "rate table of 2026" --author ana',
  run,
}
