/** Reasons that a suite gives, each provoked in a copy of forex with its own candidate, in this process. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startForex } from '../parity/forex/candidate/server.ts'
import { sha256 } from '../src/core/canonical.ts'
import { compactJson, memberText } from '../src/core/json.ts'
import { setId } from '../src/golden/manifest.ts'
import type { Reason, Sha256, Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import type { FeatureOptions } from '../src/pipeline/suite.ts'
import { http } from '../src/replay/target.ts'
import { forexProject } from './forex.ts'
import type { Project } from './project.ts'

const CASE = '010-error-unknown-currency'
const GOLDEN = `__golden__/forex/${CASE}.json`
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})

interface Asked extends AsyncDisposable {
  readonly requests: string[]
  check(name: string): Promise<Verdict>
}

/** A suite over the project, with the candidate of forex and what reached it. */
function suiteOf(project: Project, options: Partial<FeatureOptions> = {}): Asked {
  const requests: string[] = []
  const candidate = http(async ({ clock, signal }) => {
    const served = await startForex({ now: clock, port: 0, signal })
    requests.push('started')
    return served
  })
  const suite = openSuite({
    root: project.root,
    dirs: {},
    feature: 'forex',
    options: { candidate, ...options },
    asOf: '2026-12-01',
    candidateId: 'test',
  })
  const asked: Asked = {
    requests,
    check: name => suite.check(name),
    async [Symbol.asyncDispose]() {
      await suite.close()
      project[Symbol.dispose]()
    },
  }
  opened.push(asked)
  return asked
}

function replace(project: Project, file: string, from: string, to: string): void {
  const text = readFileSync(join(project.root, file), 'utf8')
  expect(text).toContain(from)
  project.write(
    file,
    text.replace(from, () => to),
  )
}

/** Changes the payload of a golden and every id that stands for it, as one would who wants it to pass unseen. */
function forge(project: Project, from: string, to: string): void {
  replace(project, GOLDEN, from, to)
  const text = readFileSync(join(project.root, GOLDEN), 'utf8')
  const old = memberText(text, 'id') ?? ''
  const id = sha256(compactJson(memberText(text, 'steps') ?? ''))
  project.write(GOLDEN, text.replace(old, JSON.stringify(id)))
  const file = '__golden__/forex/manifest.json'
  replace(project, file, old, JSON.stringify(id))
  const manifest: { set: string; fixtures: Record<string, { id: Sha256 }> } = JSON.parse(
    readFileSync(join(project.root, file), 'utf8'),
  )
  const ids = Object.fromEntries(Object.entries(manifest.fixtures).map(([name, entry]) => [name, entry.id]))
  replace(project, file, manifest.set, setId(ids))
}

test.each<[Reason, string, (project: Project) => void, string, RegExp]>([
  [
    'fixture-stale',
    'a golden whose input is gone',
    project => rmSync(join(project.root, `parity/forex/inputs/${CASE}.json`)),
    CASE,
    /no input/,
  ],
  ['no-fixture', 'a case that nobody wrote', () => {}, '099-happy-unheard-of', /there is no case 099-happy-unheard-of/],
  [
    'fixture-tampered',
    'another format',
    project => replace(project, GOLDEN, '"format": 1', '"format": 2'),
    CASE,
    /expected format 1/,
  ],
  [
    'fixture-tampered',
    'a member of its own',
    project => replace(project, GOLDEN, '"format": 1', '"format": 1, "note": "x"'),
    CASE,
    /note/,
  ],
  [
    'corrupt-recording',
    'a step that is none, under ids that fit',
    project => forge(project, '"status": 422', '"status": "422"'),
    CASE,
    /status/,
  ],
  [
    'calibration-missing',
    'another payload, under ids that fit: nobody captured it',
    project => forge(project, 'unknown XXX', 'unknown XXY'),
    CASE,
    /no entry for this fixture/,
  ],
  [
    'side-effects-not-allowed',
    'a request that the contract does not list',
    project => replace(project, 'parity/forex/contract.yaml', '  - POST /convert\n', ''),
    CASE,
    /^POST \/convert is not listed under sends:$/,
  ],
])('%s: %s', async (reason, _what, edit, name, message) => {
  const project = forexProject('faults')
  edit(project)
  const suite = suiteOf(project)
  expect(await suite.check(name)).toMatchObject({
    state: 'UNVERIFIABLE',
    reason,
    message: expect.stringMatching(message),
  })
  // What stands in the way before the candidate is asked never reaches it.
  expect(suite.requests).toEqual([])
  if (reason !== 'side-effects-not-allowed') expect((await suite.check('001-happy-usd')).state).toBe('PARITY')
})

test('environment: a reset of the candidate that fails, for every case', async () => {
  const suite = suiteOf(forexProject('faults'), {
    reset() {
      throw new Error('the table is locked')
    },
  })
  for (const name of [CASE, '001-happy-usd']) {
    expect(await suite.check(name)).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'environment',
      message: 'the reset of the candidate failed: the table is locked',
    })
  }
})

test('a started candidate without a reset of its own is started anew for each case where the contract says so', async () => {
  const project = forexProject('faults')
  replace(project, 'parity/forex/contract.yaml', 'reset: none', 'reset: case')
  const suite = suiteOf(project)
  for (const name of [CASE, '001-happy-usd', '002-happy-rates']) expect((await suite.check(name)).state).toBe('PARITY')
  expect(suite.requests).toEqual(['started', 'started', 'started'])
})

test('calibration-failed: a golden with a header that no server can send, at once and without a stray error', async () => {
  const project = forexProject('faults')
  forge(project, '["X-Powered-By", "Express"]', '["X-Powered-By", "\\u0001"]')
  const suite = suiteOf(project)
  const verdict = await suite.check('001-happy-usd')
  expect(verdict).toMatchObject({
    state: 'UNVERIFIABLE',
    reason: 'blocked',
    cause: { gate: 'calibration', reason: 'calibration-failed' },
    message: expect.stringContaining('the control could not be driven: the connection to the control server broke'),
  })
}, 20_000)
