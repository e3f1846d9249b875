import { describe, expect, test } from 'vitest'
import { responseStep, rulesOf } from '../../test/observations.ts'
import { get, post } from '../../test/sequences.ts'
import { shop } from '../../test/shop.ts'
import type { Case, FieldList, InputStep } from '../model.ts'
import { openTarget } from '../replay/driver.ts'
import { type Pair, proveComparator } from './prove.ts'

const { signal } = new AbortController()
const headers: FieldList = [['Authorization', 'Bearer {{token}}']]
const as = (step: InputStep): InputStep =>
  step.request === undefined ? step : { ...step, request: { ...step.request, headers } }
const steps: readonly InputStep[] = [
  post('/login', '{}', { bind: { token: '$.token' } }),
  as(post('/orders', '{"item":"tea"}', { bind: { tea: '$.id' }, same: { 'header.location': '/orders/{{tea}}' } })),
  as(post('/orders', '{"item":"milk"}', { bind: { milk: '$.id' } })),
  as(get('/orders', { bind: { next: 'link.next' } })),
  as(get('{{next}}')),
  as(get('/orders/{{tea}}')),
]

async function recorded(): Promise<Pair> {
  const input: Case = {
    name: '001-happy-x',
    bucket: 'happy',
    covers: [],
    steps,
    now: null,
    class: null,
    id: 'sha256:0',
  }
  await using driver = await openTarget(shop({ mark: 'legacy-' }), { clock: null, tz: 'UTC', signal })
  const driven = await driver.drive(input, { signal, timeoutMs: 5_000 })
  if (!driven.ok) throw new Error(driven.fault.message)
  return { input, fixture: { name: input.name, observation: driven.observation } }
}

describe('seeded mismatches of a sequence', () => {
  test.each(['{}', 'exact: [$.id]', 'structural: [$.id, $.item]'])(
    'are each caught where they stand, under %s, with the bindings followed',
    async tolerance => {
      const options = { signal, timeoutMs: 10_000, places: 'every' } as const
      const proof = await proveComparator([await recorded()], rulesOf(tolerance, ['location', 'link']), options)
      expect(proof.survivors).toEqual([])
      expect(proof.byMutation['bound twice']?.total ?? 0).toBe(tolerance === '{}' ? 1 : 0)
    },
  )

  test('neither a fragment of a bound location nor ids that follow each other make a sound suite fail', async () => {
    const bound = post('/p', '{}', { bind: { at: 'header.location', id: '$.id' } })
    const created = (id: number) =>
      responseStep({
        status: 201,
        headers: [
          ['Content-Type', 'application/json'],
          ['Location', `{self}/p/${id}#new`],
        ],
        body: { json: { id } },
      })
    const input: Case = {
      name: '001-happy-x',
      bucket: 'happy',
      covers: [],
      steps: [bound, { ...bound, bind: { next: '$.id' } }, get('{{at}}')],
      now: null,
      class: null,
      id: 'sha256:0',
    }
    const fixture = { name: input.name, observation: [created(7), created(8), created(7)] }
    const options = { signal, timeoutMs: 10_000, places: 'every' } as const
    expect((await proveComparator([{ input, fixture }], rulesOf('{}'), options)).survivors).toEqual([])
  })

  test('a step that is given has none', async () => {
    const pair = await recorded()
    const given = { ...pair, input: { ...pair.input, steps: steps.map(step => ({ ...step, given: true })) } }
    const proof = await proveComparator([given], rulesOf('{}'), { signal, timeoutMs: 10_000, places: 'every' })
    expect(proof.total).toBe(0)
  })

  test('of 10,000 steps are as many as of 30, and each takes no turn beyond its step', async () => {
    const proof = async (count: number) => {
      const step = get('/orders')
      const response = {
        status: 200,
        headers: [['Content-Type', 'application/json']] as FieldList,
        body: { json: [{ id: 1 }] },
      }
      const input: Case = { ...(await recorded()).input, steps: Array.from({ length: count }, () => step) }
      const observation = input.steps.map(() => ({ kind: 'response', method: 'GET', response }) as const)
      const pair = { input, fixture: { name: input.name, observation } }
      return proveComparator([pair], rulesOf('{}'), { signal, timeoutMs: 10_000, places: 'distinct' })
    }
    const [long, short] = [await proof(10_000), await proof(30)]
    expect(long.survivors).toEqual([])
    expect([long.total, long.byMutation]).toEqual([short.total, short.byMutation])
  }, 60_000)
})
