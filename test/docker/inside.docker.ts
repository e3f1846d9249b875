/** A container that is not confined is found out from inside, whatever the engine was told. */
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { seenFromInside } from '../../src/lab/container/assertions.ts'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { hardened } from '../../src/lab/container/hardening.ts'
import { ensureToolImage } from '../../src/lab/container/images.ts'
import { lookInside } from '../../src/lab/container/inside.ts'
import { labels } from '../../src/lab/container/labels.ts'
import { sessionId } from '../../src/lab/container/session.ts'
import { node } from '../inline-lab.ts'

const confinement = { user: '65534:65534', limits: { memoryMb: 128, cpus: 1, pids: 64 }, tmpfs: { '/tmp': 4 } }

let engine: Engine
let image: string
beforeAll(async () => {
  const signal = AbortSignal.timeout(110_000)
  engine = await openEngine({ signal })
  image = (await ensureToolImage(engine, { signal, onLog: () => {} })).runId
})

/** What does not hold of a container of this host configuration that runs as `user`. */
async function broken(hostConfig: object, user = confinement.user): Promise<string[]> {
  const marks = labels({ session: sessionId(), lab: 'inside', key: '', role: 'probe', keep: false })
  const container = await engine.docker.createContainer({
    Image: image,
    Cmd: node('setInterval(() => {}, 1000)'),
    User: user,
    Labels: marks,
    HostConfig: { NetworkMode: 'none', ...hostConfig },
  })
  onTestFinished(() => container.remove({ force: true, v: true }))
  await container.start()
  const seen = await lookInside(engine, {
    service: 'app',
    containerId: container.id,
    toolImage: image,
    user,
    labels: marks,
  })
  return seenFromInside(seen, { service: 'app', confinement })
    .filter(({ holds }) => !holds)
    .map(({ what, seen: got }) => `${what}: ${got}`)
}

test('finds nothing in one that is confined', async () => {
  expect(await broken(hardened(confinement))).toEqual([])
})

test('finds in a plain container every way in which it is not', async () => {
  expect(await broken({})).toEqual([
    'capabilities it could have: 00000000a80425fb',
    'no new privileges: 0',
    'root: rw',
    'a file in its root: EACCES',
    'writable places: none',
    expect.stringMatching(/^memory: /),
    'processes at most: max',
  ])
})

test.each([
  ['a root that can be written', { ReadonlyRootfs: false }, ['root: rw', 'a file in its root: EACCES']],
  ['capabilities that were not dropped', { CapDrop: [] }, ['capabilities it could have: 00000000a80425fb']],
  ['one that was added', { CapAdd: ['NET_RAW'] }, ['capabilities it could have: 0000000000002000']],
  ['new privileges', { SecurityOpt: [] }, ['no new privileges: 0']],
  [
    'system calls that nobody filters',
    { SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] },
    ['system calls filtered: 0'],
  ],
  [
    'a place that is writable beside the declared ones',
    { Tmpfs: { '/tmp': 'rw', '/more': 'rw' } },
    ['writable places: /more, /tmp'],
  ],
  ['more processes', { PidsLimit: 65 }, ['processes at most: 65']],
])('finds %s', async (_, change, rows) => {
  expect(await broken({ ...hardened(confinement), ...change })).toEqual(rows)
})

test('finds one that runs as root', async () => {
  expect(await broken(hardened({ ...confinement, tmpfs: { '/tmp': 4 } }), '0:0')).toContain('user: 0 0 0 0')
})
