/** State: who puts it back, whether it is, and at which instant. Each with a lab that boots, and a rewrite beside it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSuite } from '../src/pipeline/check.ts'
import { recordFeature } from '../src/pipeline/record.ts'
import type { FeatureOptions, Suite } from '../src/pipeline/suite.ts'
import { http, type StartContext } from '../src/replay/target.ts'
import { INPUTS, type NotesOptions, type NotesProject, notesProject, seedNotes, startNotes } from './notes.ts'
import type { Project } from './project.ts'

const NAMES = Object.keys(INPUTS)
const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

const signal = new AbortController().signal
const recorded = async (o: NotesProject = {}): Promise<Project> => {
  const project = notesProject(o)
  await recordFeature({ root: project.root, feature: 'notes', signal })
  return project
}

let project: Project
beforeAll(async () => {
  project = await recorded()
})
afterAll(() => project[Symbol.dispose]())

function suiteOf(options: FeatureOptions, root = project.root): Suite {
  const suite = openSuite({ root, dirs: {}, feature: 'notes', options, asOf: '2026-12-01', candidateId: 'test' })
  opened.push(() => suite.close())
  return suite
}

async function statesOf(suite: Suite, names: readonly string[] = NAMES): Promise<Record<string, string>> {
  const states: Record<string, string> = {}
  for (const name of names) {
    const verdict = await suite.check(name)
    states[name] = verdict.state === 'UNVERIFIABLE' ? `${verdict.reason}: ${verdict.message}` : verdict.state
  }
  return states
}

const ALL = (state: string, names: readonly string[] = NAMES) => Object.fromEntries(names.map(name => [name, state]))

/** A rewrite that runs already, as one that is given by its URL. */
async function running(o: Partial<NotesOptions> = {}) {
  const notes = await startNotes({ clock: null, ...o })
  opened.push(() => notes[Symbol.asyncDispose]())
  return notes
}

describe('a candidate given by its URL', () => {
  test('is put back before each case by its reset, which gets the instant of the case', async () => {
    const notes = await running()
    const suite = suiteOf({ candidate: http(notes.url), reset: ({ clock }) => notes.reset(clock) })
    expect(await statesOf(suite)).toEqual(ALL('PARITY'))
    const resets = notes.seen.filter(each => each.startsWith('reset'))
    expect(resets).toEqual([
      ...Array(4).fill('reset at 2026-01-02T03:04:05Z'),
      'reset at 2028-02-29T00:00:00Z', // the one case with an instant of its own
    ])
  })

  test('whose reset leaves its clock alone is DIVERGED in the case with an instant of its own, and nowhere else', async () => {
    const notes = await running()
    const suite = suiteOf({ candidate: http(notes.url), reset: () => notes.reset('2026-01-02T03:04:05Z') })
    expect(await statesOf(suite)).toEqual({ ...ALL('PARITY'), '020-edge-leap-day': 'DIVERGED' })
  })

  test('is asked for the probe once after each reset, and twice at first', async () => {
    const notes = await running()
    const suite = suiteOf({ candidate: http(notes.url), reset: ({ clock }) => notes.reset(clock) })
    await statesOf(suite, ['010-error-unknown', '010-error-unknown', '010-error-unknown'])
    const reset = 'reset at 2026-01-02T03:04:05Z'
    expect(notes.seen).toEqual([
      ...[reset, 'GET /notes', 'GET /notes', 'GET /notes/99'],
      ...[reset, 'GET /notes', 'GET /notes/99'],
      ...[reset, 'GET /notes', 'GET /notes/99'],
    ])
  })

  test('runs one case at a time, also when they are asked for at once', async () => {
    const notes = await running()
    const suite = suiteOf({ candidate: http(notes.url), reset: ({ clock }) => notes.reset(clock) })
    const verdicts = await Promise.all(NAMES.map(name => suite.check(name)))
    expect(verdicts.map(({ state }) => state)).toEqual(NAMES.map(() => 'PARITY'))
  })
})

describe('a reset that silently does nothing', () => {
  const message =
    'after its reset the candidate no longer shows the seed state: the probe 001-happy-list differs from what it showed first, at $[3] (extra)'
  const gate = `blocked: the candidate gate failed: ${message}`

  test('is found by the probe, told once, and blocks the cases after it', async () => {
    const notes = await running({ clock: '2026-01-02T03:04:05Z' })
    const suite = suiteOf({ candidate: http(notes.url), reset: () => {} })
    expect(await statesOf(suite)).toEqual({
      '001-happy-list': 'PARITY',
      '002-happy-add': 'PARITY',
      '003-happy-add-other': `environment: ${message}`,
      '010-error-unknown': gate,
      '020-edge-leap-day': gate,
    })
    expect(await suite.check('010-error-unknown')).toMatchObject({
      cause: { gate: 'candidate', reason: 'environment' },
    })
  })

  test('is a false DIVERGED where no probe tells', async () => {
    const without = await recorded({ probe: null })
    opened.push(async () => without[Symbol.dispose]())
    const notes = await running({ clock: '2026-01-02T03:04:05Z' })
    const suite = suiteOf({ candidate: http(notes.url), reset: () => {} }, without.root)
    expect(await statesOf(suite, NAMES.slice(0, 4))).toEqual({
      '001-happy-list': 'PARITY',
      '002-happy-add': 'PARITY',
      '003-happy-add-other': 'DIVERGED',
      '010-error-unknown': 'PARITY',
    })
  })

  test('is found behind a fresh start that finds the data of the one before', async () => {
    const store = seedNotes() // outside of the service
    const suite = suiteOf({ candidate: http(({ clock }) => startNotes({ clock, store })) })
    expect(await statesOf(suite, NAMES.slice(1, 4))).toEqual({
      '002-happy-add': 'PARITY',
      '003-happy-add-other': `environment: ${message.replace('its reset', 'a fresh start')}`,
      '010-error-unknown': gate.replace('its reset', 'a fresh start'),
    })
  })
})

test('a seed that is not that of the legacy is a divergence of the case that shows it, and of no gate', async () => {
  const seed = (clock: string | null) => startNotes({ clock, store: [{ id: 1, text: 'oil' }, ...seedNotes().slice(1)] })
  const suite = suiteOf({ candidate: http(({ clock }) => seed(clock)) })
  expect(await statesOf(suite)).toEqual({
    ...ALL('PARITY'),
    '001-happy-list': 'DIVERGED',
    '002-happy-add': 'DIVERGED', // its second step shows the list
  })
})

test('what differs from itself at once says nothing of the state; what was added beside it does', async () => {
  let count = 0
  const list: NotesOptions['list'] = notes => notes.map(note => ({ ...note, served: ++count }))
  const notes = await running({ list, clock: '2026-01-02T03:04:05Z' })
  const steady = suiteOf({ candidate: http(notes.url), reset: ({ clock }) => notes.reset(clock) })
  expect(await statesOf(steady, ['003-happy-add-other', '010-error-unknown'])).toEqual({
    '003-happy-add-other': 'PARITY',
    '010-error-unknown': 'PARITY',
  })
  await steady.close()
  const idle = suiteOf({ candidate: http(notes.url), reset: () => {} })
  expect(await statesOf(idle, ['003-happy-add-other', '010-error-unknown'])).toMatchObject({
    '010-error-unknown': expect.stringContaining('at $[3] (extra)'),
  })
})

describe('a candidate that is started', () => {
  test('and has a reset is one instance at a time, so that the reset reaches the one that is driven', async () => {
    const started: (string | null)[] = []
    let alive = 0
    let current: Awaited<ReturnType<typeof startNotes>> | null = null
    const start = async ({ clock }: StartContext) => {
      started.push(clock)
      expect(++alive).toBe(1)
      const notes = await startNotes({ clock })
      current = notes
      const stop = async () => {
        alive--
        await notes[Symbol.asyncDispose]()
      }
      return { url: notes.url, [Symbol.asyncDispose]: stop }
    }
    const suite = suiteOf({ candidate: http(start), reset: ({ clock }) => current?.reset(clock) })
    expect(await statesOf(suite, [...NAMES, '002-happy-add'])).toEqual(ALL('PARITY'))
    expect(started).toEqual(['2026-01-02T03:04:05Z', '2028-02-29T00:00:00Z', '2026-01-02T03:04:05Z'])
  })

  test('and makes ids of another type is DIVERGED where the id stands', async () => {
    const suite = suiteOf({ candidate: http(({ clock }) => startNotes({ clock, idOf: String })) })
    const verdict = await suite.check('002-happy-add')
    expect(verdict).toMatchObject({
      state: 'DIVERGED',
      differences: expect.arrayContaining([
        expect.objectContaining({ kind: 'type_changed', path: 'steps[0]:$.id', legacy: '4', candidate: '"4"' }),
      ]),
    })
    // and the notes of the next case are the first ones again
    expect((await suite.check('001-happy-list')).state).toBe('PARITY')
  })
})

describe('who puts the state back', () => {
  test.each<[string, () => FeatureOptions, string]>([
    [
      'a fresh start',
      () => ({ candidate: http(({ clock }) => startNotes({ clock })) }),
      'a fresh start of the candidate',
    ],
    [
      'its own reset',
      () => ({ candidate: http(({ clock }) => startNotes({ clock })), reset: () => {} }),
      "the candidate's reset",
    ],
  ])('is said: %s', async (_what, options, owner) => {
    const suite = suiteOf(options())
    expect(suite.context.reset).toEqual({
      per: 'case',
      candidate: owner,
      legacy: 'the lab, by POST /reset',
      probe: '001-happy-list',
    })
    expect((await suite.gate('candidate')).text).toBe(`reachable · state: reset per case by ${owner}`)
  })

  test('is said of one that several workers reach', async () => {
    const notes = await running()
    const suite = suiteOf({ candidate: http(notes.url), reset: () => {} })
    const { text } = await suite.gate('candidate')
    expect(text).toBe("reachable · state: reset per case by the candidate's reset, one worker at a time")
  })
})

describe('a lab', () => {
  test('whose reset does nothing freezes no case that comes after one, and the field is named', async () => {
    const project = notesProject({ labReset: 'none' })
    opened.push(async () => project[Symbol.dispose]())
    const { incomplete, written } = await recordFeature({ root: project.root, feature: 'notes', signal })
    const left = (last: string) => ({
      reason: 'control-unstable',
      step: 0,
      message: `after the reset the legacy no longer shows the seed state: $[3] (extra) of the probe 001-happy-list; what ran before the reset was ${last}`,
    })
    // The first is captured before anything is added, and a second time after it.
    expect(incomplete).toEqual([
      { name: '001-happy-list', fault: left('010-error-unknown') },
      { name: '002-happy-add', fault: left('001-happy-list') },
      { name: '003-happy-add-other', fault: left('002-happy-add') },
      { name: '010-error-unknown', fault: left('003-happy-add-other') },
    ])
    expect(written).toEqual(['020-edge-leap-day']) // a lab of its own, at its own instant
  })

  test('whose answers differ from themselves at once is recorded all the same, rules or none', async () => {
    const app = readFileSync(join(project.root, 'labs/notes-legacy/app.cjs'), 'utf8')
    const unsteady = notesProject({
      app: app.replace('answer(200, notes)', 'answer(200, notes.map(note => ({ ...note, served: Math.random() })))'),
    })
    opened.push(async () => unsteady[Symbol.dispose]())
    const { incomplete, written } = await recordFeature({ root: unsteady.root, feature: 'notes', signal })
    expect(incomplete).toEqual([])
    expect(written).toEqual(NAMES)
  })
})

describe('a probe', () => {
  test.each([
    ['of no case', '001-happy-lost', 'there is no case 001-happy-lost', 'write 001-happy-list'],
    ['that changes the state', '002-happy-add', 'its step 0 is POST, which may change the state', 'name a case of GET'],
  ])('%s is refused where it stands', (_what, probe, message, fix) => {
    const wrong = notesProject({ probe })
    opened.push(async () => wrong[Symbol.dispose]())
    const open = () => suiteOf({ candidate: http(({ clock }) => startNotes({ clock })) }, wrong.root)
    expect(open).toThrow(`contract.yaml:6:8: `)
    expect(open).toThrow(message)
    expect(open).toThrow(fix)
  })

  test('where nothing is reset is refused', () => {
    const wrong = notesProject({ reset: 'none' })
    opened.push(async () => wrong[Symbol.dispose]())
    const open = () => suiteOf({ candidate: http(({ clock }) => startNotes({ clock })) }, wrong.root)
    expect(open).toThrow('contract.yaml:6:1: `probe` stands there, and nothing is reset')
  })
})

test('what a reference comes to on the candidate is held against sends: before it is sent', async () => {
  const request = (method: string, path: string) => ({ method, path, headers: [] })
  const add = { ...request('POST', '/notes'), body: { json: { text: 'tea' } } }
  const steps = [{ request: add, bind: { id: '$.id' } }, { request: request('DELETE', '/notes/{{id}}') }]
  const inputs = { ...INPUTS, '030-edge-delete': JSON.stringify({ covers: ['outputs.notes'], steps }) }
  const project = notesProject({ inputs })
  opened.push(async () => project[Symbol.dispose]())
  const contract = readFileSync(join(project.root, 'parity/notes/contract.yaml'), 'utf8')
  project.write('parity/notes/contract.yaml', contract.replace('[POST /notes]', '[POST /notes, DELETE /notes/4]'))
  const { incomplete } = await recordFeature({ root: project.root, feature: 'notes', signal })
  expect(incomplete).toEqual([])

  const other = await running({ idOf: count => count + 40 })
  const reset = ({ clock }: StartContext) => other.reset(clock)
  const verdict = await suiteOf({ candidate: http(other.url), reset }, project.root).check('030-edge-delete')
  expect(verdict).toMatchObject({ state: 'UNVERIFIABLE', reason: 'side-effects-not-allowed' })
  expect(other.seen.filter(each => each.startsWith('DELETE'))).toEqual([])

  const same = await startNotes({ clock: null })
  opened.push(() => same[Symbol.asyncDispose]())
  const suite = suiteOf({ candidate: http(same.url), reset: ({ clock }) => same.reset(clock) }, project.root)
  expect((await suite.check('030-edge-delete')).state).toBe('PARITY')
})
