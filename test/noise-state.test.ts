/** The legacy against itself over sequences: what bindings explain is no noise, and what is left is named by step and path. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROPOSAL_REFUSALS } from '../src/core/proposals.ts'
import { VOLATILE_KINDS } from '../src/core/volatile.ts'
import { type Desk, get, openDesk, post, type Service } from './desk.ts'

const CASE = '001-happy-order'
/** A login, two orders, their list page by page, and the second order by its id. */
const STEPS = [
  post('/login', { user: 'ana' }, { bind: { pass: '$.pass' } }),
  post('/orders', { item: 'tea', pass: '{{pass}}' }, { bind: { first: '$.id' } }),
  post('/orders', { item: 'rice', pass: '{{pass}}' }, { bind: { second: '$.id' } }),
  get('/orders', { bind: { next: '$.next' } }),
  get('/orders?after={{next}}'),
  get('/orders/{{second}}'),
]

/** Passes, ids and cursors are drawn anew by every instance. */
const LEGACY: Service = (asked, world) => {
  const { store } = world
  if (asked.path === '/login') {
    store.pass = world.fresh()
    return [200, { ok: true, pass: store.pass }]
  }
  if (asked.path === '/orders' && asked.method === 'POST') {
    const { item, pass } = JSON.parse(asked.body)
    if (pass !== store.pass) return [401, { ok: false }]
    const id = `o-${world.fresh()}`
    store.ids = store.ids === undefined ? id : `${store.ids} ${id}`
    store[id] = item
    return [201, { ok: true, id, item }]
  }
  const ids = (store.ids ?? '').split(' ')
  if (asked.path === '/orders') {
    store.cursor = world.fresh()
    return [200, { ok: true, page: [{ id: ids[0] }], next: store.cursor }]
  }
  if (asked.path === `/orders?after=${store.cursor}`) return [200, { ok: true, page: [{ id: ids[1] }], next: null }]
  const id = asked.path.slice('/orders/'.length)
  return store[id] === undefined ? [404, { ok: false }] : [200, { ok: true, id, item: store[id], shelf: 7 }]
}

/** The same, and the last answer has one field more that is drawn anew: no binding explains it. */
const UNSTABLE: Service = (asked, world) => {
  const { store } = world
  if (asked.path === '/login') {
    store.pass = world.fresh()
    return [200, { ok: true, pass: store.pass }]
  }
  if (asked.path === '/orders' && asked.method === 'POST') {
    const id = `o-${world.fresh()}`
    store.ids = store.ids === undefined ? id : `${store.ids} ${id}`
    return [201, { ok: true, id, item: JSON.parse(asked.body).item }]
  }
  const ids = (store.ids ?? '').split(' ')
  if (asked.path === '/orders') return [200, { ok: true, page: [{ id: ids[0] }], next: 'c' }]
  if (asked.path === '/orders?after=c') return [200, { ok: true, page: [{ id: ids[1] }], next: null }]
  return [
    200,
    {
      ok: true,
      id: asked.path.slice('/orders/'.length),
      item: 'rice',
      shelf: Number.parseInt(world.fresh().slice(0, 6), 16),
    },
  ]
}

const contract = 'sends: [POST /login, POST /orders]\n'
const inputs = { [CASE]: { steps: STEPS } }

describe('a legacy that draws its passes, ids and cursors anew', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = openDesk({ legacy: LEGACY, inputs, contract })
    const report = await desk.record()
    expect(report).toMatchObject({ written: [CASE], incomplete: [], uncovered: [], pending: [] })
  })
  afterAll(() => desk[Symbol.dispose]())

  test('is clean where the bindings of the input explain them: no noise is recorded, and no rule is needed', async () => {
    const { code, out } = await desk.run(['calibrate', 'desk'])
    expect(out).toContain(`✓ ${CASE}  2 captures · no noise`)
    expect(code).toBe(0)
  })

  test('changes nothing when it is recorded again', async () => {
    const again = await desk.record()
    expect({ ...again, noiseOnly: [], unchanged: [] }).toMatchObject({
      written: [],
      pending: [],
      uncovered: [],
      incomplete: [],
    })
  })

  test('agrees with a rewrite that draws its own, and not with one that answers with another order', async () => {
    expect((await desk.judge(LEGACY))[CASE]?.state).toBe('PARITY')
    const wrong = (
      await desk.judge((asked, world) => {
        const [status, body] = LEGACY(asked, world)
        return asked.path.startsWith('/orders/') ? [status, { ...(body as object), item: 'tea' }] : [status, body]
      })
    )[CASE]
    expect(wrong).toMatchObject({ state: 'DIVERGED', differences: [{ path: 'steps[5]:$.item' }] })
  })
})

describe('a field beside them that differs in the second capture', () => {
  let desk: Desk
  let recorded: Awaited<ReturnType<Desk['record']>>
  beforeAll(async () => {
    desk = openDesk({ legacy: UNSTABLE, inputs, contract })
    recorded = await desk.record()
  })
  afterAll(() => desk[Symbol.dispose]())

  test('is named by record, with step, path, kind and both tokens, and its rule is proposed, not written', async () => {
    const [only, ...more] = recorded.uncovered
    expect(more).toEqual([])
    expect(only?.places).toEqual([
      {
        path: 'steps[5]:$.shelf',
        kind: 'value',
        first: expect.stringMatching(/^\d+$/),
        second: expect.stringMatching(/^\d+$/),
      },
    ])
    expect(only?.proposals).toMatchObject([{ rule: 'structural $.shelf', path: 'steps[5]:$.shelf', kind: 'value' }])
    const { code, out } = await desk.run(['record', 'desk'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /unstable {3}001-happy-order {2}control-unstable: the legacy differs from itself at steps\[5\]:\$\.shelf \(value: \d+, then \d+\)\n/,
    )
    expect(out).toMatch(/\nProposed for tolerance\/desk\.yaml: structural \$\.shelf {2}steps\[5\]:\$\.shelf \(value: /)
  })

  test('is named by calibrate, in text and as JSON', async () => {
    const { code, out } = await desk.run(['calibrate', 'desk'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^✗ 001-happy-order {2}2 captures · control-unstable: uncovered steps\[5\]:\$\.shelf \(value: /m,
    )
    const json = JSON.parse((await desk.run(['calibrate', 'desk', '--json'])).out)
    expect(json.cases[0].uncovered).toMatchObject([{ path: 'steps[5]:$.shelf', kind: 'value' }])
    expect(json.cases[0].proposals).toMatchObject([{ rule: 'structural $.shelf', kind: 'value' }])
  })

  test('makes the case UNVERIFIABLE in a run, whatever the rewrite does', async () => {
    expect((await desk.judge(LEGACY))[CASE]).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'control-unstable',
      message: 'the legacy differs from itself at steps[5]:$.shelf (value); proposed: structural $.shelf',
    })
  })

  test('is covered by the proposed rule, without the lab', async () => {
    desk.write('tolerance/desk.yaml', 'structural: [$.shelf]\n')
    expect((await desk.run(['calibrate', 'desk'])).code).toBe(0)
    expect((await desk.judge(LEGACY))[CASE]?.state).toBe('PARITY')
    // the rule of another step does not
    desk.write('tolerance/desk.yaml', "structural: ['steps[4]:$.shelf']\n")
    expect((await desk.judge(LEGACY))[CASE]).toMatchObject({ reason: 'control-unstable' })
  })
})

test('docs/calibration.md has every kind of value and every code of a refusal, in their order', () => {
  const text = readFileSync(join(import.meta.dirname, '../docs/calibration.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, name, what]) => [name, what])
  expect(rows).toEqual([
    ...Object.entries(VOLATILE_KINDS),
    ...Object.entries(PROPOSAL_REFUSALS).map(([code, why]) => [code, why.replace(/^it /, '')]),
  ])
})
