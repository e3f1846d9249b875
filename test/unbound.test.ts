/** Sequences in a recorded project, through the path that a suite takes: what is bound, what is not, and what was never recorded. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../src/core/canonical.ts'
import { compactJson, memberText } from '../src/core/json.ts'
import { calibrationText, manifestText, setId } from '../src/golden/manifest.ts'
import type { Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { recordFeature } from '../src/pipeline/record.ts'
import { http, type Served, type Target } from '../src/replay/target.ts'
import { startHello } from '../template/hello/parity/hello/candidate/server.ts'

const CASE = '040-rule-greets-its-own-request'
const get = (path: string) => ({ method: 'GET', path, headers: [] })
const STEPS = [
  { request: get('/hello/Ana'), bind: { id: '$.requestId' } },
  { request: get('/hello/{{id}}'), same: { '$.greeting': 'Hello, {{id}}!' } },
  { request: get('/hello/{{id}}?formal=1'), same: { '$.greeting': 'Good day, {{id}}.' } },
]

let recorded = ''
beforeAll(async () => {
  recorded = mkdtempSync(join(tmpdir(), 'unbound-'))
  cpSync(join(import.meta.dirname, '../template/hello'), recorded, { recursive: true })
  writeInput(recorded, STEPS)
  const report = await recordFeature({ root: recorded, feature: 'hello', signal: new AbortController().signal })
  expect(report.incomplete).toEqual([])
  expect(report.uncovered).toEqual([])
})
afterAll(() => rmSync(recorded, { recursive: true, force: true }))

function writeInput(root: string, steps: unknown): void {
  const text = JSON.stringify({ covers: ['rules.RULE-001'], steps })
  writeFileSync(join(root, `parity/hello/inputs/${CASE}.json`), text)
}

const candidate = http(({ signal }) => startHello({ port: 0, signal }))

/** The candidate with its answers changed on the way. */
function changed(change: (answer: Record<string, unknown>, path: string) => Record<string, unknown>): Target {
  return http(async ({ signal }): Promise<Served> => {
    const behind = await startHello({ port: 0, signal })
    const listener: RequestListener = async (request, response) => {
      const answer = await fetch(`${behind.url}${request.url}`)
      const body = (await answer.json()) as Record<string, unknown>
      response.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify(change(body, request.url ?? '')))
    }
    const server = createServer(listener)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
        await behind[Symbol.asyncDispose]()
      },
    }
  })
}

/** The verdicts of all cases in a copy of the project after an edit. */
async function verdictsOf(o: { edit?: (root: string) => void; target?: Target }): Promise<Map<string, Verdict>> {
  const root = mkdtempSync(join(tmpdir(), 'unbound-'))
  cpSync(recorded, root, { recursive: true })
  o.edit?.(root)
  const options = { candidate: o.target ?? candidate }
  const suite = openSuite({ root, dirs: {}, feature: 'hello', options, asOf: '2026-11-30', candidateId: 'test' })
  try {
    const verdicts = new Map<string, Verdict>()
    for (const name of suite.cases) verdicts.set(name, await suite.check(name))
    return verdicts
  } finally {
    await suite.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const notParity = (verdicts: Map<string, Verdict>) =>
  [...verdicts.values()].filter(({ state }) => state !== 'PARITY').map(verdict => verdict.case)

test('a candidate whose ids are its own is PARITY, and says which values stood for which', async () => {
  const verdicts = await verdictsOf({})
  expect(notParity(verdicts)).toEqual([])
  expect(verdicts.get(CASE)?.notes.map(({ id, path }) => `${id} ${path}`)).toEqual([
    'builtin:binding steps[1]:$.greeting',
    'builtin:binding steps[2]:$.greeting',
  ])
})

test('removing one binding gives one cause: the case is unbound, before anything is sent, and no other is touched', async () => {
  const verdicts = await verdictsOf({
    edit: root => writeInput(root, [{ request: get('/hello/Ana') }, ...STEPS.slice(1)]),
  })
  expect(notParity(verdicts)).toEqual([CASE])
  expect(verdicts.get(CASE)).toMatchObject({
    state: 'UNVERIFIABLE',
    reason: 'unbound',
    message: 'step 1: {{id}} is bound by no earlier step; the 2 steps from there depend on it',
  })
})

test('a name that is misspelt is told with the nearest that is bound', async () => {
  const steps = [STEPS[0], { request: get('/hello/{{di}}') }, { request: get('/hello/{{id}}') }]
  const verdicts = await verdictsOf({ edit: root => writeInput(root, steps) })
  expect(verdicts.get(CASE)).toMatchObject({
    reason: 'unbound',
    message: 'step 1: {{di}} is bound by no earlier step (did you mean {{id}}?); the 2 steps from there depend on it',
    remedy: 'bind the name in an earlier step, or correct the path of the binding',
  })
})

test('and so it is refused when it is recorded: nothing of the case is frozen', async () => {
  const root = mkdtempSync(join(tmpdir(), 'unbound-'))
  cpSync(recorded, root, { recursive: true })
  writeInput(root, STEPS.slice(1))
  const report = await recordFeature({ root, feature: 'hello', names: [CASE], signal: new AbortController().signal })
  rmSync(root, { recursive: true, force: true })
  expect(report.incomplete).toEqual([
    { name: CASE, fault: { reason: 'unbound', step: 0, message: '{{id}} is bound by no earlier step' } },
  ])
})

test('a candidate that greets the request of the legacy, or another than its own, is DIVERGED', async () => {
  const target = changed((answer, path) =>
    /^\/hello\/.{36}$/.test(path) ? { ...answer, greeting: 'Hello, me!' } : answer,
  )
  expect((await verdictsOf({ target })).get(CASE)).toMatchObject({
    state: 'DIVERGED',
    differences: [{ kind: 'value_changed', path: 'steps[1]:$.greeting', candidate: '"Hello, me!"' }],
  })
})

test('a candidate that gives no id is DIVERGED where it should have been; the steps after it fold under that', async () => {
  const target = changed(({ requestId: _, ...answer }) => answer)
  const verdict = (await verdictsOf({ target })).get(CASE)
  expect(verdict).toMatchObject({ state: 'DIVERGED', differences: [{ kind: 'missing', path: 'steps[0]:$.requestId' }] })
  expect(verdict?.faults).toMatchObject([{ reason: 'unbound', step: 0 }])
})

test('where a rule lets it be missing, the case is unbound: what follows cannot be asked', async () => {
  const target = changed(({ requestId: _, ...answer }) => answer)
  const edit = (root: string) => {
    const file = join(root, 'tolerance/hello.yaml')
    const text = readFileSync(file, 'utf8').replace('  - $.requestId\n', '')
    writeFileSync(file, `${text}ignore:\n  - $.requestId\n`)
  }
  expect((await verdictsOf({ target, edit })).get(CASE)).toMatchObject({
    state: 'UNVERIFIABLE',
    reason: 'unbound',
    message:
      'step 0: the binding `id` found no value: $.requestId selects nothing in its answer; 2 steps were not driven',
  })
})

/** Drops the last answer of the golden, with every id that depends on it made anew. */
function withoutLastAnswer(root: string): void {
  const folder = join(root, '__golden__/hello')
  const golden = JSON.parse(readFileSync(join(folder, `${CASE}.json`), 'utf8'))
  const shorter = JSON.stringify({ ...golden, steps: golden.steps.slice(0, -1) })
  const id = sha256(compactJson(memberText(shorter, 'steps') ?? ''))
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const calibration = JSON.parse(readFileSync(join(folder, 'calibration.json'), 'utf8'))
  manifest.fixtures[CASE].id = id
  calibration.fixtures[id] = { ...calibration.fixtures[golden.id], noise: [] }
  expect(setId({})).not.toBe(manifest.set)
  writeFileSync(join(folder, `${CASE}.json`), JSON.stringify({ ...JSON.parse(shorter), id }))
  const { set: _, ...rest } = manifest
  writeFileSync(join(folder, 'manifest.json'), manifestText(rest))
  writeFileSync(join(folder, 'calibration.json'), calibrationText('hello', calibration.fixtures))
}

test('a step without a recorded answer is unmatched: the answer of another step is never taken', async () => {
  const verdicts = await verdictsOf({ edit: withoutLastAnswer })
  expect(notParity(verdicts)).toEqual([CASE])
  expect(verdicts.get(CASE)).toMatchObject({
    state: 'UNVERIFIABLE',
    reason: 'unmatched',
    message: 'step 2: GET /hello/{{id}} is sent for the 1st time, and the golden ends after 2 answers',
  })
})
