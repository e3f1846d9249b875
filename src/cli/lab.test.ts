import { expect, test } from 'vitest'
import type { LabUp } from '../pipeline/lab-lifecycle.ts'
import { COMMANDS } from './commands.ts'
import { labLines } from './lab.ts'
import { runProgram } from './program.ts'

async function run(...words: string[]) {
  const printed = { out: '', err: '' }
  const code = await runProgram(COMMANDS, words, {
    cwd: `${import.meta.dirname}/../..`,
    env: {},
    signal: new AbortController().signal,
    out: text => {
      printed.out += `${text}\n`
    },
    err: text => {
      printed.err += `${text}\n`
    },
  })
  return { code, ...printed }
}

const UP: LabUp = {
  lab: 'catalog-php',
  standing: 'kept',
  session: 'a1',
  ownerPid: 7,
  url: 'http://127.0.0.1:4000',
  services: [
    { service: 'db', state: 'running', container: 'c-db' },
    { service: 'app', state: 'running', container: 'c-app' },
  ],
  objects: 6,
}

test('the labs that are up stand in a table, and what was left behind has its remedy', () => {
  const labs: LabUp[] = [
    UP,
    { ...UP, lab: 'forex-sinatra', standing: 'in use', url: null, services: [] },
    { ...UP, lab: '', standing: 'left behind', url: null, services: [], objects: 2 },
  ]
  expect(labLines(labs).join('\n')).toMatchInlineSnapshot(`
    "lab            standing             url                    services
    catalog-php    kept                 http://127.0.0.1:4000  db running, app running
    forex-sinatra  in use by process 7  –                      6 objects
    (no lab)       left behind          –                      2 objects
    Remove what was left behind: npx vitest-parity lab sweep"
  `)
  expect(labLines([])).toEqual(['no lab is up'])
})

test('without an action the actions are listed, and that is a wrong use', async () => {
  const { code, out } = await run('lab')
  expect(code).toBe(2)
  expect(out).toContain('Usage: npx vitest-parity lab <action> [options]')
  for (const action of ['ls', 'up', 'down', 'logs', 'shell', 'sweep'])
    expect(out).toMatch(new RegExp(`^  ${action} `, 'm'))
})

test('help on an action shows what it takes', async () => {
  const asked = await run('lab', 'sweep', '--help')
  expect(asked).toMatchObject({ code: 0, err: '' })
  expect(asked.out).toContain('Usage: npx vitest-parity lab sweep [options]')
  expect(asked.out).toContain('--all')
  expect((await run('help', 'lab', 'sweep')).out).toBe(asked.out)
})

test.each([
  [['lab', 'dwon'], 'lab: unknown action "dwon"', 'did you mean npx vitest-parity lab down?'],
  [['lab', 'up'], 'lab up: <lab> is missing', 'for example: npx vitest-parity lab up forex-sinatra'],
  [['lab', 'sweep', '--al'], 'lab sweep: unknown option --al', 'did you mean --all?'],
  [['lab', 'up', 'forex-sinatr'], 'there is no lab "forex-sinatr"', 'did you mean forex-sinatra?'],
  [['lab', 'up', 'forex-express3'], 'lab forex-express3 is a process', 'name a lab with driver: container'],
])('%j is refused with its fix', async (words, what, fix) => {
  const { code, err } = await run(...words)
  expect(code).toBe(2)
  expect(err).toContain(what)
  expect(err).toContain(`Fix: ${fix}`)
})
