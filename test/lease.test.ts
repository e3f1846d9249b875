/** One rewrite that runs already, and several workers and runs that would drive it at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFeature } from '../src/pipeline/record.ts'
import { INPUTS, type Notes, notesProject, startNotes, suiteByUrl } from './notes.ts'
import type { Project } from './project.ts'

const RUN = ['run', '--project', 'parity', '--maxWorkers=2']
const CASES = Object.keys(INPUTS).length
/** Which workers asked for a reset, in the order they first did, each as often as it came back after another. */
function turnsOf({ seen }: Notes): string[] {
  const workers = seen.flatMap(each => /^POST \/reset\?.*by=(\d+)$/.exec(each)?.[1] ?? [])
  return workers.filter((worker, at) => worker !== workers[at - 1])
}

let notes: Notes
let project: Project
/** While it is set, nothing is answered. */
let hold: Promise<void> | null = null
beforeAll(async () => {
  notes = await startNotes({ clock: null, before: () => hold ?? sleep(20) })
  const suite = suiteByUrl(notes.url)
  const suites = { 'parity/notes/notes.parity.ts': suite, 'parity/notes/again.parity.ts': suite }
  project = notesProject({ name: 'lease', suites })
  await recordFeature({ root: project.root, feature: 'notes', signal: new AbortController().signal })
})
afterAll(async () => {
  project[Symbol.dispose]()
  await notes[Symbol.asyncDispose]()
})

test('two workers of one run drive it one after the other, and two runs do as well', async () => {
  const ended = await Promise.all([project.run(RUN), project.run(RUN)])
  for (const { code, stdout, stderr } of ended) expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  const turns = turnsOf(notes)
  expect(turns).toHaveLength(4) // nobody came back after another one
  expect(new Set(turns).size).toBe(4)
  expect(notes.seen.filter(each => each.startsWith('POST /reset'))).toHaveLength(4 * CASES)
})

test('says that it is driven by one worker at a time', async () => {
  const { code, stderr } = await project.run([...RUN, 'notes.parity'])
  expect(stderr).toContain(
    "   state: reset per case by the candidate's reset · legacy: the lab, by POST /reset · probe: 001-happy-list\n",
  )
  expect(code).toBe(0)
  const { features } = project.report()
  expect(features[0]?.gates[0]?.text).toBe(
    "reachable · state: reset per case by the candidate's reset, one worker at a time",
  )
})

test('a run that is killed while it drives gives way to the next', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = notes.seen.length
  const killed = project.start([...RUN, 'notes.parity'])
  while (notes.seen.length === before) await sleep(20)
  hold = promise
  const next = project.start([...RUN, 'again.parity'])
  await sleep(1_500) // it waits by now
  expect(turnsOf({ ...notes, seen: notes.seen.slice(before) })).toHaveLength(1)
  process.kill(-(killed.child.pid ?? 0), 'SIGKILL')
  await killed.ended
  hold = null
  resolve()
  const { code, stdout, stderr } = await next.ended
  expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  expect(turnsOf({ ...notes, seen: notes.seen.slice(before) })).toHaveLength(2)
})

test('a sequence that -t selects runs all of its steps', async () => {
  const before = notes.seen.length
  const { code } = await project.run([...RUN, 'notes.parity', '-t', 'notes 003-happy-add-other'])
  expect(code).toBe(0)
  expect(project.states()).toEqual({ 'notes 003-happy-add-other': 'PARITY' })
  expect(notes.seen.slice(before).filter(each => !each.startsWith('POST /reset'))).toEqual([
    ...['GET /notes', 'GET /notes'], // the probe
    ...['POST /notes', 'GET /notes/4'],
  ])
})
