import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { emptyImage, makeObjects } from '../../../test/docker-objects.ts'
import { type Engine, openEngine } from './engine.ts'
import { labels } from './labels.ts'
import { listObjects, removeAll } from './objects.ts'
import { sweep, sweepSession } from './sweep.ts'

const ENDED = { 'vitest-parity.owner-pid': '1', 'vitest-parity.owner-born': 'never' }

let engine: Engine
let image: string
const sessions: string[] = []

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  image = await emptyImage(engine.docker)
})
afterEach(async () => {
  for (const session of sessions.splice(0)) {
    await removeAll(engine.docker, await listObjects(engine.docker, { session }), { timeoutMs: 10_000 })
  }
})
afterAll(async () => {
  await engine.docker.getImage(image).remove()
})

async function make(o: { readonly keep?: boolean; readonly labels?: Record<string, string> } = {}): Promise<string> {
  const session = `test-${randomBytes(6).toString('hex')}`
  sessions.push(session)
  const written = labels({
    session,
    lab: 'shop',
    key: o.keep === true ? session : '',
    role: 'service',
    service: 'app',
    keep: o.keep ?? false,
  })
  await makeObjects(engine.docker, { name: session, labels: { ...written, ...o.labels }, image })
  return session
}

async function kinds(session: string): Promise<string[]> {
  return (await listObjects(engine.docker, { session })).map(({ kind }) => kind)
}

test('removes each kind of object that an ended process left, and says which', async () => {
  const session = await make({ labels: ENDED })
  expect(await kinds(session)).toEqual(['volume', 'container', 'network'])
  const { removed, left } = await sweep(engine.docker)
  const names = removed.filter(({ marks }) => marks.session === session).map(({ name }) => name)
  expect(names).toEqual([`${session}-volume`, `${session}-container`, `${session}-network`])
  expect(left).toEqual([])
  expect(await kinds(session)).toEqual([])
})

test.each([
  ['a process that runs', {}],
  ['a process of another machine', { ...ENDED, 'vitest-parity.owner-host': 'elsewhere' }],
])('leaves alone what belongs to %s', async (_, written) => {
  const session = await make({ labels: written })
  await sweep(engine.docker)
  expect(await kinds(session)).toEqual(['volume', 'container', 'network'])
})

test('takes a process of the same number that started at another time for another one', async () => {
  const session = await make({ labels: { 'vitest-parity.owner-born': '1' } })
  await sweep(engine.docker)
  expect(await kinds(session)).toEqual([])
})

test('leaves a kept lab that booted whole, and removes one that did not', async () => {
  const whole = await make({ keep: true, labels: { ...ENDED, 'vitest-parity.role': 'kept' } })
  const half = await make({ keep: true, labels: ENDED })
  await sweep(engine.docker)
  expect([await kinds(whole), await kinds(half)]).toEqual([['volume', 'container', 'network'], []])
})

test('removes one session and nothing of another', async () => {
  const [one, other] = [await make(), await make()]
  const { removed } = await sweepSession(engine.docker, one)
  expect(removed).toHaveLength(3)
  expect([await kinds(one), await kinds(other)]).toEqual([[], ['volume', 'container', 'network']])
})

test('several sweeps at once remove each object once, and none of them fails', async () => {
  const session = await make({ labels: ENDED })
  const swept = await Promise.all([1, 2, 3, 4].map(() => sweep(engine.docker)))
  expect(swept.flatMap(({ left }) => left)).toEqual([])
  const names = swept.flatMap(({ removed }) => removed.filter(({ marks }) => marks.session === session))
  expect(names.map(({ name }) => name).sort()).toEqual([
    `${session}-container`,
    `${session}-network`,
    `${session}-volume`,
  ])
  expect(await kinds(session)).toEqual([])
})

test('says of what stays why the engine keeps it', async () => {
  const session = await make({ labels: ENDED })
  const stranger = await engine.docker.createContainer({
    name: `${session}-stranger`,
    Image: image,
    Cmd: ['/none'],
    HostConfig: { Binds: [`${session}-volume:/data`] },
  })
  try {
    const objects = await listObjects(engine.docker, { session })
    const { removed, left } = await removeAll(engine.docker, objects, { timeoutMs: 300 })
    expect(removed.map(({ kind }) => kind)).toEqual(['container', 'network'])
    expect(left.map(({ object }) => object.kind)).toEqual(['volume'])
    expect(left[0]?.why).toContain('volume is in use')
  } finally {
    await stranger.remove({ force: true })
  }
})
