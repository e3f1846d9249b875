import type { Container } from 'dockerode'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { LabFailure } from '../lab-failure.ts'
import { selfTest } from './egress.ts'
import { type Engine, openEngine } from './engine.ts'
import { hardened, TOOL_CONFINEMENT } from './hardening.ts'
import { ensureToolImage } from './images.ts'
import { labels } from './labels.ts'
import { createNetworks } from './networks.ts'
import { listObjects } from './objects.ts'
import { sessionId } from './session.ts'
import type { EgressRow } from './spec.ts'

const SESSION = `${sessionId()}-egress`
let engine: Engine
let toolImage: string

beforeAll(async () => {
  const signal = AbortSignal.timeout(110_000)
  engine = await openEngine({ signal })
  toolImage = (await ensureToolImage(engine, { signal, onLog: () => {} })).runId
})

afterAll(async () => {
  expect(await listObjects(engine.docker, { session: SESSION })).toEqual([])
})

const marked = (role: 'service' | 'network') => labels({ session: SESSION, lab: 'egress', key: '', role, keep: false })

async function network(options: Record<string, string>): Promise<string> {
  const made = await engine.docker.createNetwork({
    Name: `${SESSION}-${Math.random().toString(36).slice(2)}`,
    Internal: true,
    Labels: marked('network'),
    Options: options,
  })
  onTestFinished(() => made.remove())
  return made.id
}

/** A service, confined as every service of a lab, that does nothing. */
async function service(networkMode: string): Promise<Container> {
  const container = await engine.docker.createContainer({
    Image: toolImage,
    Entrypoint: ['/usr/local/bin/node'],
    Cmd: ['--eval', 'setInterval(() => {}, 1000)'],
    User: TOOL_CONFINEMENT.user,
    Labels: marked('service'),
    HostConfig: { ...hardened(TOOL_CONFINEMENT), Dns: [], NetworkMode: networkMode },
  })
  onTestFinished(() => container.remove({ force: true, v: true }))
  await container.start()
  return container
}

const tried = (containers: Readonly<Record<string, Container>>, env: NodeJS.ProcessEnv = {}) =>
  selfTest(engine, {
    services: Object.entries(containers).map(([name, { id }]) => ({ name, containerId: id })),
    toolImage,
    session: SESSION,
    signal: AbortSignal.timeout(60_000),
    env,
  })

/** The rows that say `open`, as the failure tells them. */
async function holes(container: Container): Promise<string> {
  const failure = await tried({ app: container }).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(failure instanceof LabFailure)) throw new Error(`no hole was found: ${failure}`)
  expect(failure.reason).toBe('lab-isolation')
  expect(failure.message).toContain('nothing is recorded from it')
  return failure.message
}

async function ours(): Promise<string> {
  const networks = await createNetworks(engine, {
    name: `${SESSION}-${Math.random().toString(36).slice(2)}`,
    labels: marked('network'),
    onCreated: id => onTestFinished(() => engine.docker.getNetwork(id).remove()),
  })
  return networks.inner
}

const proven = (rows: readonly EgressRow[]) => rows.filter(({ state }) => state === 'closed').map(row => row.probe)

test('finds every way closed on the network of a lab, and proves those of this machine by the control', async () => {
  // A bridge of another network, where this machine has an address too: up only while a container is on it.
  await service(await network({}))
  const { egress } = await tried({ app: await service(await ours()) })
  expect(egress.filter(({ state }) => state === 'open')).toEqual([])
  for (const probe of ['gateway', 'docker0', 'host address', 'other bridge', 'other gateways']) {
    expect(proven(egress)).toContain(probe)
  }
})

const LEAKY: readonly (readonly [name: string, mode: () => Promise<string>, ways: readonly string[]])[] = [
  [
    'the default bridge',
    async () => 'bridge',
    ['gateway: tcp', 'docker0: udp', 'other bridge: tcp', 'host address: tcp'],
  ],
  // The bridge of an internal network has an address of its own, and this machine answers there for all that it has.
  ['an internal network', () => network({}), ['gateway: tcp', 'gateway: udp', 'docker0: tcp', 'host address: udp']],
  ['the network of the host', async () => 'host', ['docker0: tcp', 'host address: udp', 'link-local, IPv6: udp']],
]

test.for(LEAKY)('finds the ways out of %s', async ([, mode, expected]) => {
  const told = await holes(await service(await mode()))
  for (const way of expected) expect(told).toContain(`  app: ${way} `)
})

test('finds every way closed where there is no network at all', async () => {
  const { egress } = await tried({ app: await service('none') })
  expect(egress.filter(({ state }) => state === 'open')).toEqual([])
  expect(proven(egress)).toContain('docker0')
})

test('names the one service of several that has a way out, and none of the closed', async () => {
  const failure = await tried({ app: await service(await ours()), db: await service('bridge') }).catch(String)
  expect(failure).toContain('  db: docker0: tcp')
  expect(failure).not.toContain('  app: ')
})
