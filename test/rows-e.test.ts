/** Rows E of the collected behaviours, each through the public path: what passes, and the mutant beside it that is caught. */
import { afterEach, describe, expect, test } from 'vitest'
import { clustersOf } from '../src/core/clusters.ts'
import type { Verdict } from '../src/model.ts'
import { type Desk, type DeskOptions, get, openDesk, post, type Service } from './desk.ts'

const opened: Desk[] = []
afterEach(() => {
  for (const desk of opened.splice(0)) desk[Symbol.dispose]()
})

const CASE = '001-happy-case'

/** A recorded desk with one case. */
async function recorded(o: Omit<DeskOptions, 'inputs'> & { readonly steps: readonly object[] }): Promise<Desk> {
  const { steps, ...more } = o
  const desk = openDesk({ ...more, inputs: { [CASE]: { steps } } })
  opened.push(desk)
  expect(await desk.record()).toMatchObject({ written: [CASE], incomplete: [] })
  return desk
}

const judged = async (desk: Desk, candidate: Service): Promise<Verdict | undefined> =>
  (await desk.judge(candidate))[CASE]
const paths = (verdict: Verdict | undefined): readonly string[] =>
  verdict?.state === 'DIVERGED' ? verdict.differences.map(({ path }) => path) : [`${verdict?.state}`]

describe('E1: a time of day that differs from run to run', () => {
  const steps = [get('/now')]
  const legacy: Service = (_, world) => [
    200,
    { ok: true, time: `05:45:${world.fresh().replaceAll(/\D/g, '').padEnd(2, '0').slice(0, 2)} PM` },
  ]

  test('passes under a rule at its place alone, and the use of the rule is counted', async () => {
    const desk = await recorded({ legacy, steps, tolerance: 'ignore: [$.time]\n' })
    const verdict = await judged(desk, () => [200, { ok: true, time: '06:00:00 AM' }])
    expect(verdict?.state).toBe('PARITY')
    expect(verdict?.ruleUses).toContainEqual({ rule: 'ignore $.time', id: null, selected: 1, hid: 1 })
    expect(paths(await judged(desk, () => [200, { ok: false, time: '06:00:00 AM' }]))).toEqual(['$.ok'])
  })
})

describe('E2: one instant as Java and as JavaScript write it', () => {
  const steps = [get('/at')]
  const at = (text: string): Service => {
    const made: Record<string, Service> = {
      java: () => [200, { ok: true, at: '2018-04-16T19:37:23.010+0000' }],
      script: () => [200, { ok: true, at: '2018-04-16T19:37:23.01Z' }],
      later: () => [200, { ok: true, at: '2018-04-16T19:37:23.02Z' }],
    }
    return made[text] ?? (() => [500, null])
  }

  test('is DIVERGED with a hint, and another instant is DIVERGED without one', async () => {
    const desk = await recorded({ legacy: at('java'), steps })
    expect(await judged(desk, at('script'))).toMatchObject({
      state: 'DIVERGED',
      differences: [{ path: '$.at', kind: 'value_changed', hint: 'same instant, different format' }],
    })
    const later = await judged(desk, at('later'))
    expect(paths(later)).toEqual(['$.at'])
    expect(later?.state === 'DIVERGED' && later.differences[0].hint).toBeUndefined()
  })

  test('passes under a declared rule', async () => {
    const desk = await recorded({ legacy: at('java'), steps, tolerance: 'structural: [$.at]\n' })
    expect((await judged(desk, at('script')))?.state).toBe('PARITY')
  })
})

describe('E4: a service that starts in this process', () => {
  const steps = [get('/hour')]
  const legacy: Service = () => [200, { ok: true, hour: new Date('2016-09-01T00:00:00Z').getHours() }]

  test('starts in the zone of the lab', async () => {
    const desk = await recorded({ legacy, steps, lab: 'tz: Asia/Tokyo\n' })
    expect((await judged(desk, legacy))?.state).toBe('PARITY')
    expect(paths(await judged(desk, () => [200, { ok: true, hour: 0 }]))).toEqual(['$.hour'])
  })
})

describe('E9: a rule reaches its own places', () => {
  const steps = [get('/items')]
  const headers = 'sends: []\nheaders: [x-date, x-candidate-id]\n'
  const legacy: Service = () => [
    200,
    { ok: true, items: [{ id: 1, idempotency_key: 'a' }] },
    { 'X-Date': '1', 'X-Candidate-Id': '1' },
  ]
  const tolerance = "ignore: ['$.items[*].id', header.x-date]\n"

  test('and not the places whose names begin or end alike', async () => {
    const desk = await recorded({ legacy, steps, tolerance, contract: headers })
    const ids = await judged(desk, () => [
      200,
      { ok: true, items: [{ id: 2, idempotency_key: 'a' }] },
      { 'X-Date': '2', 'X-Candidate-Id': '1' },
    ])
    expect(ids?.state).toBe('PARITY')
    const keys = await judged(desk, () => [
      200,
      { ok: true, items: [{ id: 2, idempotency_key: 'b' }] },
      { 'X-Date': '2', 'X-Candidate-Id': '2' },
    ])
    expect(paths(keys)).toEqual(['header.x-candidate-id', '$.items[0].idempotency_key'])
  })

  test('and one that would cover everything does not load', async () => {
    const desk = await recorded({ legacy, steps })
    desk.write('tolerance/desk.yaml', "ignore: ['$..*']\n")
    await expect(desk.judge(legacy)).rejects.toThrow('ignore over a whole body: $..*')
  })
})

/** Gives a pass that is drawn anew, and lets nobody in without it. */
const GUARDED: Service = (asked, world) => {
  if (asked.path === '/signin') {
    world.store.pass = world.fresh()
    return [200, { ok: true, pass: world.store.pass }, { ETag: `"${world.store.pass}"` }]
  }
  if (asked.headers['x-pass'] !== world.store.pass) return [401, { ok: false }]
  return [200, { ok: true, text: 'User Content.' }]
}
const pass = { request: { method: 'GET', path: '/content', headers: [['X-Pass', '{{pass}}']] } }

describe('E10: a login whose token is another on each side', () => {
  test('lets each side in with its own', async () => {
    const steps = [post('/signin', {}, { bind: { pass: '$.pass' } }), pass]
    const desk = await recorded({ legacy: GUARDED, steps, contract: 'sends: [POST /signin]\n' })
    expect((await judged(desk, GUARDED))?.state).toBe('PARITY')
    // one that takes no pass at all, its own neither
    const deaf: Service = asked => (asked.path === '/signin' ? [200, { ok: true, pass: 'p' }] : [401, { ok: false }])
    expect(paths(await judged(desk, deaf))).toEqual(['steps[1]:status', 'steps[1]:$.ok', 'steps[1]:$.text'])
  })
})

describe('E16: eight calls behind one signin', () => {
  const calls = Array.from({ length: 7 }, () => pass)
  const contract = 'sends: [POST /signin]\nheaders: [etag]\n'

  test('whose token nobody binds are one cause, and nothing is DIVERGED', async () => {
    const bound = [post('/signin', {}, { bind: { pass: '$.pass' } }), ...calls]
    const desk = await recorded({ legacy: GUARDED, steps: bound, contract, tolerance: 'ignore: [header.etag]\n' })
    expect((await judged(desk, GUARDED))?.state).toBe('PARITY')
    desk.write(
      `parity/desk/inputs/${CASE}.json`,
      JSON.stringify({ covers: ['outputs.all'], steps: [post('/signin', {}), ...calls] }),
    )
    const verdicts = await desk.judge(GUARDED)
    expect(Object.values(verdicts)).toMatchObject([
      {
        state: 'UNVERIFIABLE',
        reason: 'unbound',
        message: expect.stringContaining('the 7 steps from there depend on it'),
      },
    ])
  })

  test('whose signin gives no token are one cause at the signin', async () => {
    const steps = [post('/signin', {}, { bind: { pass: '$.pass' } }), ...calls]
    const desk = await recorded({ legacy: GUARDED, steps, contract, tolerance: 'ignore: [header.etag]\n' })
    const verdict = await judged(desk, asked => (asked.path === '/signin' ? [200, { ok: true }] : [401, { ok: false }]))
    expect(paths(verdict)).toEqual(['steps[0]:$.pass'])
    expect(verdict?.faults).toMatchObject([{ reason: 'unbound', step: 0 }])
    expect(clustersOf(verdict === undefined ? [] : [verdict])).toHaveLength(1)
  })
})

/** Numbers its posts from a first one. */
const POSTS: Service = (asked, world) => {
  const { store } = world
  if (asked.method === 'POST') {
    store.last = String(Number(store.last ?? '6') + 1)
    return [201, { ok: true, id: Number(store.last) }, { Location: `/posts/${store.last}` }]
  }
  const id = Number(asked.path.slice('/posts/'.length))
  return id <= Number(store.last) ? [200, { ok: true, id }] : [404, { ok: false }]
}

describe('E11: a post that is 7 for the legacy and 12 for the rewrite', () => {
  const steps = [
    post('/posts', { a: 1 }, { bind: { one: '$.id' }, same: { 'header.location': '/posts/{{one}}' } }),
    post('/posts', { a: 2 }, { bind: { two: '$.id' }, same: { 'header.location': '/posts/{{two}}' } }),
    get('/posts/{{one}}'),
    get('/posts/{{two}}'),
  ]
  const contract = 'sends: [POST /posts]\n'
  const twelve: Service = (asked, world) => {
    world.store.last ??= '11'
    return POSTS(asked, world)
  }
  test('is one and the same in path, body and header', async () => {
    const desk = await recorded({ legacy: POSTS, steps, contract })
    expect((await judged(desk, POSTS))?.state).toBe('PARITY')
    const verdict = await judged(desk, twelve)
    expect(verdict?.state).toBe('PARITY')
    expect(verdict?.ruleUses.find(({ rule }) => rule === 'builtin:binding')?.hid).toBeGreaterThanOrEqual(6)
  })

  test('but two posts of the legacy are not one of the rewrite', async () => {
    const desk = await recorded({ legacy: POSTS, steps, contract })
    const one: Service = asked =>
      asked.method === 'POST' ? [201, { ok: true, id: 12 }, { Location: '/posts/12' }] : [200, { ok: true, id: 12 }]
    expect(paths(await judged(desk, one))).toContain('steps[1]:$.id')
  })

  test('and a post of another number than the one that was asked for is DIVERGED', async () => {
    const desk = await recorded({ legacy: POSTS, steps, contract })
    const wrong: Service = (asked, world) => {
      const answer = twelve(asked, world)
      return asked.path === '/posts/13' ? [200, { ok: true, id: 12 }] : answer
    }
    expect(paths(await judged(desk, wrong))).toEqual(['steps[3]:$.id'])
  })
})

describe('E17: headers that follow from the body', () => {
  const steps = [get('/a')]
  const legacy: Service = () => [200, { ok: true, list: [] }, { ETag: '"1"', Digest: 'sha-256=1', 'Content-MD5': '1' }]
  const changed: Service = () => [
    200,
    { ok: true, list: [{}] },
    { ETag: '"2"', Digest: 'sha-256=2', 'Content-MD5': '2' },
  ]
  const onlyTag: Service = () => [200, { ok: true, list: [] }, { ETag: '"2"', Digest: 'sha-256=1', 'Content-MD5': '1' }]

  test('are not compared unless the contract asks for them', async () => {
    const desk = await recorded({ legacy, steps })
    expect(paths(await judged(desk, changed))).toEqual(['$.list[0]'])
    expect((await judged(desk, onlyTag))?.state).toBe('PARITY')
  })

  test('are one cause with the body where it differs, and a cause of their own where it does not', async () => {
    const contract = 'sends: []\nheaders: [etag, digest, content-md5]\n'
    const desk = await recorded({ legacy, steps, contract })
    const causes = async (candidate: Service) => {
      const verdict = await judged(desk, candidate)
      return clustersOf(verdict === undefined ? [] : [verdict]).map(({ path, folded }) => `${path} and ${folded}`)
    }
    expect(await causes(changed)).toEqual(['$.list[*] and 3'])
    expect(await causes(onlyTag)).toEqual(['header.etag and 0'])
  })
})
