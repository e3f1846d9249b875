import { describe, expect, test } from 'vitest'
import { rulesOf, told } from '../../test/observations.ts'
import { get, post } from '../../test/sequences.ts'
import { type ShopOptions, shop, startShop } from '../../test/shop.ts'
import { compare } from '../core/diff.ts'
import type { Case, FieldList, InputStep, Observation, Request } from '../model.ts'
import { type DriveOptions, openTarget } from './driver.ts'
import { fn, http, type Target } from './target.ts'

const { signal } = new AbortController()
const AUTHORIZED: FieldList = [
  ['Authorization', 'Bearer {{token}}'],
  ['Cookie', 'sid={{sid}}'],
]
const as = (step: InputStep): InputStep =>
  step.request === undefined ? step : { ...step, request: { ...step.request, headers: AUTHORIZED } }

/** Login, two orders, read, page by page, delete, read again. */
const STEPS: readonly InputStep[] = [
  post('/login', '{"user":"ana"}', { bind: { token: '$.token', sid: 'cookie.sid' } }),
  as(post('/orders', '{"item":"tea"}', { bind: { tea: '$.id' }, same: { 'header.location': '/orders/{{tea}}' } })),
  as(post('/orders', '{"item":"tea"}')),
  as(post('/orders', '{"item":"milk"}', { bind: { milk: '$.id' }, same: { 'header.location': '/orders/{{milk}}' } })),
  as(get('/orders/{{tea}}')),
  as(get('/orders', { bind: { next: '$.next', page: 'link.next' } })),
  as(get('/orders?after={{next}}')),
  as(get('{{page}}')),
  as({ request: { method: 'DELETE', path: '/orders/{{milk}}', headers: [] } }),
  as(get('/orders/{{milk}}')),
]

function caseOf(steps: readonly InputStep[]): Case {
  return { name: '001-happy-orders', bucket: 'happy', covers: [], steps, now: null, class: null, id: 'sha256:0' }
}

async function drive(target: Target, steps = STEPS, more: Partial<DriveOptions> = {}) {
  await using driver = await openTarget(target, { clock: null, tz: 'UTC', signal })
  return await driver.drive(caseOf(steps), { signal, timeoutMs: 5_000, ...more })
}

/** How a candidate compares with a legacy shop that gives other ids, tokens and cursors. */
async function judged(candidate: ShopOptions, steps = STEPS, legacy: ShopOptions = { mark: 'legacy-' }) {
  const golden = await drive(shop(legacy), steps)
  if (!golden.ok) throw new Error(golden.fault.message)
  const driven = await drive(shop(candidate), steps)
  return driven.ok
    ? compare(golden.observation, driven.observation, rulesOf('{}'), { steps })
    : compare(golden.observation, driven.seen, rulesOf('{}'), { steps, cut: driven.fault })
}

describe('a sequence that binds', () => {
  test('passes against a candidate with ids, tokens and cursors of its own, and says what it let stand for what', async () => {
    const { differences, faults, notes } = await judged({ mark: 'rewrite-' })
    expect(differences).toEqual([])
    expect(faults).toEqual([])
    expect(notes.map(({ id, path, detail }) => `${id} ${path} ${detail}`)).toContain(
      'builtin:binding steps[1]:$.id tea: "legacy-order-1"/"rewrite-order-1"',
    )
  })

  test('keeps the occurrence of a request that is repeated: 201, then 409', async () => {
    expect(told(await judged({ mark: 'rewrite-', wrong: 'created again' }))[0]).toBe('status steps[2]:status 409 → 201')
  })

  test.each([
    ['same id', 'value_changed steps[3]:$.id "legacy-order-2" → "rewrite-order-1"'],
    ['foreign id', 'value_changed steps[4]:$.id "legacy-order-1" → "rewrite-order-9"'],
    ['location', 'header_changed steps[1]:header.location "/orders/legacy-order-1" → "/orders/x"'],
  ] as const)('catches a candidate with the fault: %s', async (wrong, expected) => {
    expect(told(await judged({ mark: 'rewrite-', wrong }))).toContain(expected)
  })

  test('a number that becomes a word is another type', async () => {
    const { differences } = await judged({ mark: 'r-' }, STEPS, { mark: 'legacy-', firstId: 100 })
    expect(differences[0]).toMatchObject({
      kind: 'type_changed',
      path: 'steps[1]:$.id',
      legacy: '101',
      candidate: '"r-order-1"',
    })
  })
})

describe('a value that is missing', () => {
  test('on the candidate ends the case: the difference is told, what follows folds under one fault', async () => {
    const found = await judged({ mark: 'rewrite-', wrong: 'no id' })
    expect(told(found)).toEqual([
      'header_changed steps[1]:header.location "/orders/legacy-order-1" → "/orders/rewrite-order-1"',
      'missing steps[1]:$.id "legacy-order-1" → null',
    ])
    expect(found.faults).toEqual([
      {
        reason: 'unbound',
        step: 1,
        message:
          'step 1: the binding `tea` found no value: $.id selects nothing in its answer; 8 steps were not driven',
      },
    ])
  })

  test('a login that fails on one side only is told at the login', async () => {
    const found = await judged({ mark: 'rewrite-', wrong: 'login' })
    expect(told(found)[0]).toBe('status steps[0]:status 200 → 401')
    expect(new Set(found.differences.map(({ step }) => step))).toEqual(new Set([0]))
    expect(found.faults.map(({ reason, step }) => `${reason} ${step}`)).toEqual(['unbound 0'])
  })

  test('a binding that selects two places is unbound, with both', async () => {
    const steps = STEPS.with(1, as(post('/orders', '{"item":"tea"}', { bind: { tea: '$..id' } })))
    const driven = await drive(shop({ mark: 'r-', wrong: 'two ids' }), steps)
    expect(driven).toMatchObject({
      ok: false,
      fault: {
        reason: 'unbound',
        message:
          'step 1: the binding `tea` found no value: $..id selects 2 places in its answer ($.id, $.more[0].id): it must be one; 8 steps were not driven',
      },
    })
  })

  test('a cursor that has come to its end is unbound, and nothing is sent for it', async () => {
    await using served = await startShop({ mark: 'r-' })
    const steps = [
      ...STEPS.slice(0, 3),
      as(get('/orders', { bind: { next: '$.next' } })),
      as(get('/orders?after={{next}}')),
    ]
    const driven = await drive(http(served.url), steps)
    expect(driven.ok ? '' : driven.fault.message).toBe(
      'step 3: the binding `next` found no value: $.next selects null: it must be a string, a number or a boolean; 1 step was not driven',
    )
    expect(served.received).toHaveLength(4)
  })
})

describe('what may be sent', () => {
  test('is asked again once a request is filled: a link may lead anywhere', async () => {
    await using served = await startShop({ mark: 'r-' })
    const asked: string[] = []
    const sends = (request: Request): boolean => {
      asked.push(`${request.method} ${request.path}`)
      return request.method !== 'DELETE'
    }
    const driven = await drive(http(served.url), STEPS, { sends })
    expect(driven.ok ? null : driven.fault).toEqual({
      reason: 'side-effects-not-allowed',
      step: 8,
      message: 'DELETE /orders/r-order-2 may change state, and the contract does not list it under sends:',
    })
    expect(asked).toContain('GET /orders?after=r-cursor-1')
    expect(served.received).not.toContain('DELETE /orders/r-order-2')
  })
})

describe('a step that is given', () => {
  test('must succeed: if it does not, nothing after it is sent', async () => {
    await using served = await startShop({ mark: 'r-', wrong: 'login' })
    const steps = [post('/login', '{}', { given: true }), get('/orders')]
    const driven = await drive(http(served.url), steps)
    expect(driven.ok ? null : driven.fault).toEqual({
      reason: 'environment',
      step: 0,
      message: 'step 0: it builds the starting state ("given") and answered 401: nothing after it means anything',
    })
    expect(served.received).toEqual(['POST /login'])
  })
})

describe('a function', () => {
  test('takes what its earlier outputs bound, numbers as they are', async () => {
    const target = fn((input: { n: number }) => ({ id: input.n + 1 }))
    const steps: readonly InputStep[] = [
      { input: { n: 1 }, bind: { id: '$.id' } },
      { input: { n: '{{id}}' }, same: { '$.id': '{{id}}' } },
    ]
    expect(await drive(target, steps)).toEqual({
      ok: true,
      observation: [
        { kind: 'output', output: { id: 2 } },
        { kind: 'output', output: { id: 3 } },
      ],
    })
  })

  test('is called ten thousand times in one case, each with what the one before gave', async () => {
    const target = fn((input: { n: number }) => ({ id: input.n + 1 }))
    const steps: InputStep[] = [{ input: { n: 0 }, bind: { id: '$.id' } }]
    while (steps.length < 10_000) steps.push({ input: { n: '{{id}}' }, bind: { id: '$.id' } })
    const driven = await drive(target, steps)
    expect(driven.ok && driven.observation.at(-1)).toEqual({ kind: 'output', output: { id: 10_000 } })
    const observation: Observation = driven.ok ? driven.observation : []
    expect(compare(observation, observation, rulesOf('{}'), { steps }).differences).toEqual([])
    const last = { kind: 'output', output: { id: '10000' } } as const
    expect(told(compare(observation, observation.with(-1, last), rulesOf('{}'), { steps }))).toEqual([
      'type_changed steps[9999]:$.id 10000 → "10000"',
    ])
  })

  test('whose cursor never ends is asked as often as the steps say', async () => {
    let asked = 0
    const target = fn(() => {
      asked += 1
      return { next: `page-${asked}` }
    })
    const page: InputStep = { input: { after: '{{next}}' }, bind: { next: '$.next' } }
    expect((await drive(target, [{ input: {}, bind: { next: '$.next' } }, page, page])).ok).toBe(true)
    expect(asked).toBe(3)
  })
})
