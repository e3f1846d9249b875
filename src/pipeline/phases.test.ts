/** Single exchanges before sequences, and what of a sequence is blocked by one that failed. */
import { describe, expect, test } from 'vitest'
import { get, lineOf, openLiveFolder, serving } from '../../test/live-folder.ts'
import { parseJson } from '../core/json.ts'
import type { Outcome } from '../core/verdict.ts'
import type { Case, Difference, InputStep, Reason } from '../model.ts'
import { Exchanges, inPhases } from './phases.ts'

const list: InputStep = { request: { method: 'GET', path: '/list', headers: [] } }
const one: InputStep = { request: { method: 'GET', path: '/one', headers: [] } }

function caseOf(name: string, steps: readonly InputStep[], now: string | null = null): Case {
  return { name, bucket: 'happy', covers: [], steps, now, class: null, id: `sha256:${'0'.repeat(64)}` }
}

const failed = (reason: Reason, step = 0): Outcome => ({ fault: { reason, step, message: 'no answer' } })
const compared = (o: { differs?: string; fault?: Reason; step?: number } = {}): Outcome => {
  const difference: Difference = {
    kind: 'value_changed',
    path: o.differs ?? '',
    step: 0,
    pointer: '',
    rule: 'uncovered',
    legacy: '1',
    candidate: '2',
  }
  return {
    comparison: {
      differences: o.differs === undefined ? [] : [difference],
      moreDifferences: 0,
      faults: o.fault === undefined ? [] : [{ reason: o.fault, step: o.step ?? 0, message: 'no answer' }],
      notes: [],
      ruleUses: [],
    },
  }
}

const post = (text: string): InputStep => {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error(text)
  return { request: { method: 'POST', path: '/list', headers: [], body: { json: parsed.value } } }
}

describe('the order', () => {
  const cases = new Map([caseOf('1-flow', [list, one]), caseOf('2-list', [list])].map(each => [each.name, each]))
  const names = ['3-golden-alone', '2-list', '1-flow', '2-list']

  test('has sequences last, where the state is put back before each case', () => {
    expect(inPhases(names, { cases, reset: 'case' })).toEqual(['2-list', '3-golden-alone', '1-flow'])
  })

  test.each(['none', 'suite'] as const)(
    'is the recorded one with reset: %s: a later case may rely on an earlier one',
    reset => {
      expect(inPhases(names, { cases, reset })).toEqual(['1-flow', '2-list', '3-golden-alone'])
    },
  )
})

describe('a sequence that stops at what a single exchange asks', () => {
  const single = caseOf('020-list', [list])
  const flow = caseOf('030-flow', [one, list])

  test('is blocked by it, and keeps its own reason for the policy', () => {
    const exchanges = new Exchanges()
    exchanges.judged(single, failed('timeout'))
    expect(exchanges.judged(flow, compared({ fault: 'transport', step: 1 }))).toEqual({
      fault: {
        reason: 'blocked',
        step: 1,
        message: 'step 1 asks what 020-list asks, which is unverifiable (timeout); here: no answer',
      },
      cause: { gate: '020-list', reason: 'transport' },
    })
  })

  test('is blocked as well by one that differs, and told where', () => {
    const exchanges = new Exchanges()
    exchanges.judged(single, compared({ differs: '$.id' }))
    expect(exchanges.judged(flow, failed('unbound', 1))).toMatchObject({
      fault: { reason: 'blocked', message: expect.stringContaining('020-list asks, which differs at $.id; here:') },
    })
  })

  test.each<[string, InputStep]>([
    ['a number with its text', post('{"amount":10.0}')],
    ['octets', { request: { method: 'PUT', path: '/', headers: [], body: { bytes: new Uint8Array([0, 255]) } } }],
    ['a form', { request: { method: 'POST', path: '/', headers: [], body: { form: [['a', '1']] } } }],
    ['the input of a function', { input: { n: 1 } }],
  ])('is known by what it asks: %s', (_what, step) => {
    const exchanges = new Exchanges()
    exchanges.judged(caseOf('020-alone', [step]), failed('timeout'))
    const outcome = exchanges.judged(caseOf('030-flow', [one, step]), failed('timeout', 1))
    expect(outcome).toMatchObject({ cause: { gate: '020-alone' } })
  })

  test.each<[string, Case, Outcome, Case, Outcome]>([
    ['that diverged itself', single, failed('timeout'), flow, compared({ differs: '$.n', fault: 'timeout', step: 1 })],
    ['that agrees', single, failed('timeout'), flow, compared()],
    ['that stopped elsewhere', single, failed('timeout'), flow, failed('timeout', 0)],
    ['after an exchange that agrees', single, compared(), flow, failed('timeout', 1)],
    [
      'at another instant',
      caseOf('020-list', [list], '2027-01-01T00:00:00Z'),
      failed('timeout'),
      flow,
      failed('timeout', 1),
    ],
    [
      'as another principal',
      caseOf('020-list', [{ ...list, as: 'ann' }]),
      failed('timeout'),
      flow,
      failed('timeout', 1),
    ],
    ['after a sequence alone', caseOf('010-flow', [list, one]), failed('timeout'), flow, failed('timeout', 1)],
  ])('is not blocked: %s', (_why, before, shown, input, outcome) => {
    const exchanges = new Exchanges()
    exchanges.judged(before, shown)
    expect(exchanges.judged(input, outcome)).toBe(outcome)
  })
})

test('in a suite the cause fails once, and what stopped at it is blocked by its name', async () => {
  const steps = ['/a', '/b'].map(path => ({ request: { method: 'GET', path } }))
  const text = {
    legacy: 'json(response, { path: request.url })',
    contract: 'reset: case\n',
    inputs: { '001-happy-flow': { covers: [], steps }, '002-happy-a': get('/a'), '003-happy-b': get('/b') },
  }
  const candidate = serving(() => (request, response) => {
    if (request.url === '/b') return void response.destroy()
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ path: request.url }))
  })
  await using suite = openLiveFolder(text, { candidate })
  expect(suite.cases).toEqual(['002-happy-a', '003-happy-b', '001-happy-flow'])
  expect(lineOf(await suite.check('002-happy-a'))).toBe('PARITY')
  expect(await suite.check('003-happy-b')).toMatchObject({ reason: 'transport' })
  expect(await suite.check('001-happy-flow')).toMatchObject({
    reason: 'blocked',
    cause: { gate: '003-happy-b', reason: 'transport' },
  })
})
