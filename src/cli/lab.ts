/** `lab`: the container labs that are up: which, keep one, take it away, look into it. */

import { labLogs, labShell } from '../pipeline/lab-inside.ts'
import { type LabStarted, type LabUp, labDown, labSweep, labsUp, labUp } from '../pipeline/lab-lifecycle.ts'
import { escapeText } from '../report/escape.ts'
import { evidenceLines } from '../report/lab-lines.ts'
import { type Command, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, positional, printJson, type Terminal } from './command.ts'
import { mirror } from './lab-mirror.ts'
import { pin } from './lab-pin.ts'

type Removal = Awaited<ReturnType<typeof labSweep>>

/** The labs in a table, one a line; the services of each by name and state. */
export function labLines(labs: readonly LabUp[]): string[] {
  if (labs.length === 0) return ['no lab is up']
  const rows = labs.map(({ lab, standing, url, services, objects, ownerPid }) => [
    lab === '' ? '(no lab)' : lab,
    standing === 'in use' ? `in use by process ${ownerPid}` : standing,
    url ?? '–',
    services.map(({ service, state }) => `${service} ${state}`).join(', ') || `${objects} objects`,
  ])
  const table = [['lab', 'standing', 'url', 'services'], ...rows]
  const widths = [0, 1, 2].map(column => Math.max(...table.map(cells => cells[column]?.length ?? 0)))
  const lines = table.map(cells => cells.map((cell, at) => escapeText(cell).padEnd(widths[at] ?? 0)).join('  '))
  const due = labs.some(({ standing }) => standing === 'left behind')
  return due ? [...lines, 'Remove what was left behind: npx vitest-parity lab sweep'] : lines
}

function startedLines({ lab, url, attached, evidence }: LabStarted): string[] {
  return [
    `lab ${lab} ${attached ? 'stood already' : 'is up, and stays up'}: ${url}`,
    ...(evidence === null ? [] : evidenceLines(evidence)),
    `Take it away: npx vitest-parity lab down ${lab}`,
  ]
}

/** What was removed, by kind and name, then what stays and why. */
function removalLines({ removed, left }: Removal): string[] {
  return [
    ...removed.map(({ kind, name }) => `removed ${kind} ${name}`),
    ...left.map(({ object, why }) => `left    ${object.kind} ${object.name}: ${escapeText(why)}`),
    ...(left.length > 0 ? ['Fix: end what uses them, then: npx vitest-parity lab sweep'] : []),
  ]
}

function removalJson({ removed, left }: Removal) {
  return {
    removed: removed.map(({ kind, name, id }) => ({ kind, name, id })),
    left: left.map(({ object: { kind, name, id }, why }) => ({ kind, name, id, why })),
  }
}

const LAB = '<lab>'

const ls: Command = {
  name: 'ls',
  summary: 'List the labs that are up, and what is left of ended ones',
  positionals: [],
  options: {},
  example: 'npx vitest-parity lab ls',
  async run(args, terminal) {
    const labs = await labsUp(terminal.signal)
    if (args.json) printJson(terminal, { labs })
    else terminal.out(labLines(labs).join('\n'))
    return EXIT_OK
  },
}

const up: Command = {
  name: 'up',
  summary: 'Boot a lab and leave it up; one that stands unchanged is used as it is',
  positionals: [LAB],
  options: {},
  example: 'npx vitest-parity lab up forex-sinatra',
  async run(args, terminal) {
    const name = positional(args, 0, 'lab')
    const { cwd: root, signal } = terminal
    const started = await labUp({ root, name, signal, onLog: line => terminal.err(escapeText(line)) })
    if (args.json) printJson(terminal, started)
    else terminal.out(startedLines(started).join('\n'))
    return EXIT_OK
  },
}

const down: Command = {
  name: 'down',
  summary: 'Remove a lab that was left up',
  positionals: [LAB],
  options: {},
  example: 'npx vitest-parity lab down forex-sinatra',
  async run(args, terminal) {
    const name = positional(args, 0, 'lab')
    const removal = await labDown(name, terminal.signal)
    if (args.json) printJson(terminal, { lab: name, ...removalJson(removal), inUse: removal.inUse })
    else terminal.out(downLines(name, removal).join('\n'))
    return removal.left.length === 0 ? EXIT_OK : EXIT_FINDINGS
  },
}

function downLines(name: string, removal: Removal & { readonly inUse: number }): string[] {
  const { inUse } = removal
  const used = `lab ${name} is in use by a running process (${inUse} objects), and ends with it`
  const lines = [...removalLines(removal), ...(inUse > 0 ? [used] : [])]
  return lines.length === 0 ? [`lab ${name} is not up`] : lines
}

const logs: Command = {
  name: 'logs',
  summary: 'Print the last 200 lines of the services of a lab that is up',
  positionals: [LAB, '[service]'],
  options: {},
  example: 'npx vitest-parity lab logs catalog-php db',
  async run(args, terminal) {
    const lab = positional(args, 0, 'lab')
    const lines = await labLogs({ lab, service: args.positionals[1] ?? null, signal: terminal.signal })
    if (args.json) printJson(terminal, { lab, lines })
    else for (const { service, line } of lines) terminal.out(escapeText(`${service} | ${line}`))
    return EXIT_OK
  },
}

const shell: Command = {
  name: 'shell',
  summary: 'Open a shell in a service of a lab that is up, as the user that its program runs as',
  positionals: [LAB, '[service]'],
  options: {},
  example: 'npx vitest-parity lab shell catalog-php db',
  async run(args, terminal) {
    const lab = positional(args, 0, 'lab')
    const code = await labShell({ lab, service: args.positionals[1] ?? null, signal: terminal.signal })
    if (code === null) {
      terminal.err(
        'vitest-parity: the image of this service holds no shell\nFix: npx vitest-parity lab logs shows what it prints',
      )
      return EXIT_USAGE
    }
    return code
  },
}

const sweepCommand: Command = {
  name: 'sweep',
  summary: 'Remove what ended processes of this machine left on the engine; images stay',
  positionals: [],
  options: { all: { type: 'boolean', summary: 'labs that were left up, and what other machines made, too' } },
  example: 'npx vitest-parity lab sweep',
  async run(args, terminal) {
    const removal = await labSweep({ all: args.flags.has('all'), signal: terminal.signal })
    if (args.json) printJson(terminal, removalJson(removal))
    else terminal.out(removalLines(removal).join('\n') || 'nothing was left behind')
    return removal.left.length === 0 ? EXIT_OK : EXIT_FINDINGS
  },
}

export const lab: Command = {
  name: 'lab',
  summary: 'The container labs: list, keep, look into and remove those that are up; pin and mirror their images',
  positionals: ['<action>'],
  options: {},
  example: 'npx vitest-parity lab up forex-sinatra',
  actions: [ls, up, down, logs, shell, pin, mirror, sweepCommand],
  run: async (_, terminal: Terminal) => {
    terminal.err('vitest-parity: lab needs an action')
    return EXIT_USAGE
  },
}
