/** Rows F of the collected behaviours, each through the public path: what passes, and the mutant beside it that is caught. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { sha256 } from '../src/core/canonical.ts'
import { compactJson, memberText } from '../src/core/json.ts'
import { calibrationText, manifestText } from '../src/golden/manifest.ts'
import type { Verdict } from '../src/model.ts'
import { type Desk, type DeskOptions, get, openDesk, post, type Service } from './desk.ts'

const opened: Desk[] = []
afterEach(() => {
  for (const desk of opened.splice(0)) desk[Symbol.dispose]()
})

const CASE = '001-happy-case'

async function recorded(o: DeskOptions): Promise<Desk> {
  const desk = openDesk(o)
  opened.push(desk)
  const report = await desk.record()
  expect(report).toMatchObject({ incomplete: [], pending: [] })
  expect(report.written).toHaveLength(Object.keys(o.inputs).length)
  return desk
}

const paths = (verdict: Verdict | undefined): readonly string[] =>
  verdict?.state === 'DIVERGED' ? verdict.differences.map(({ path }) => path) : [`${verdict?.state}`]

/** Takes the last answer out of a golden, and makes every id that depends on it anew. */
function dropLastAnswer({ root, write }: Desk): void {
  const at = (name: string): string => join('__golden__/desk', name)
  const read = (name: string) => JSON.parse(readFileSync(join(root, at(name)), 'utf8'))
  const golden = read(`${CASE}.json`)
  const steps = golden.steps.slice(0, -1)
  const id = sha256(compactJson(memberText(JSON.stringify({ steps }), 'steps') ?? ''))
  write(at(`${CASE}.json`), JSON.stringify({ ...golden, steps, id }))
  const { set: _, ...manifest } = read('manifest.json')
  manifest.fixtures[CASE].id = id
  write(at('manifest.json'), manifestText(manifest))
  const { fixtures } = read('calibration.json')
  write(at('calibration.json'), calibrationText('desk', { ...fixtures, [id]: fixtures[golden.id] }))
}

describe('F1: one saved answer, and the request comes twice', () => {
  const legacy: Service = () => [200, { ok: true }]
  const inputs = { [CASE]: { steps: [get('/a'), get('/a')] } }

  test('is unmatched before anything is sent: the first answer is not taken again', async () => {
    const desk = await recorded({ legacy, inputs })
    expect((await desk.judge(legacy))[CASE]?.state).toBe('PARITY')
    dropLastAnswer(desk)
    const received: string[] = []
    const candidate: Service = ({ path }) => {
      received.push(path)
      return [200, { ok: true }]
    }
    expect((await desk.judge(candidate))[CASE]).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'unmatched',
      message: 'step 1: GET /a is sent for the 2nd time, and the golden ends after 1 answers',
    })
    expect(received).toEqual([])
  })
})

describe('F4: one request, created the first time and refused the second', () => {
  const legacy: Service = ({ body }, { store }) => {
    if (store[body] !== undefined) return [409, { ok: false, error: 'there already' }]
    store[body] = 'there'
    return [201, { ok: true }]
  }
  const inputs = { [CASE]: { steps: [post('/a', { n: 1 }), post('/a', { n: 1 })] } }
  const contract = 'sends: [POST /a]\n'

  test('keeps its two answers in their order', async () => {
    const desk = await recorded({ legacy, inputs, contract })
    expect((await desk.judge(legacy))[CASE]?.state).toBe('PARITY')
    const again = (await desk.judge(() => [201, { ok: true }]))[CASE]
    expect(paths(again)[0]).toBe('steps[1]:status')
    expect(again?.state === 'DIVERGED' && again.differences[0]).toMatchObject({ legacy: '409', candidate: '201' })
    const never = (await desk.judge(() => [409, { ok: false, error: 'there already' }]))[CASE]
    expect(paths(never)[0]).toBe('steps[0]:status')
  })

  test('is told by how often it came, where its second answer is missing', async () => {
    const desk = await recorded({ legacy, inputs, contract })
    dropLastAnswer(desk)
    expect((await desk.judge(legacy))[CASE]).toMatchObject({
      reason: 'unmatched',
      message: expect.stringContaining('POST /a is sent for the 2nd time'),
    })
  })
})

describe('F7: both sides fail alike', () => {
  const legacy: Service = () => [500, { ok: false, error: 'no database' }]
  const inputs = { '001-happy-case': { steps: [get('/a')] }, '010-error-case': { steps: [get('/a')] } }

  test('is no PARITY where the case expects success, and one where it expects the failure', async () => {
    const desk = await recorded({ legacy, inputs })
    const verdicts = await desk.judge(legacy)
    expect(verdicts['001-happy-case']).toMatchObject({ state: 'UNVERIFIABLE', reason: 'both-failed' })
    expect(verdicts['010-error-case']?.state).toBe('PARITY')
  })

  test('and failing otherwise is DIVERGED in both', async () => {
    const desk = await recorded({ legacy, inputs })
    const verdicts = await desk.judge(() => [500, { ok: false, error: 'no disk' }])
    expect(Object.values(verdicts).map(paths)).toEqual([['$.error'], ['$.error']])
  })
})

describe('F9: a side effect that the contract declares and nothing observed', () => {
  const legacy: Service = () => [200, { ok: true }]
  const inputs = { [CASE]: { steps: [get('/a')] } }

  test('is not covered by the PARITY of the response: its dimension did not run', async () => {
    const desk = await recorded({ legacy, inputs, contract: 'sends: []\nsideEffects: [mail]\n' })
    expect((await desk.judge(legacy))[CASE]).toMatchObject({
      state: 'PARITY',
      dimensions: { compared: ['response'], notRun: ['effects'] },
    })
  })

  test('and where none is declared, nothing is left out', async () => {
    const desk = await recorded({ legacy, inputs })
    expect((await desk.judge(legacy))[CASE]).toMatchObject({
      state: 'PARITY',
      dimensions: { compared: ['response'], notRun: [] },
    })
  })
})
