/** A service that attacks its container, on the network of a lab and on those that leak. docs/isolation.md has its table. */
import { networkInterfaces } from 'node:os'
import type { HostConfig } from 'dockerode'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { selfTest } from '../../../src/lab/container/egress.ts'
import { type Listener, listenEverywhere } from '../../../src/lab/container/egress-listener.ts'
import { bridgeGateway } from '../../../src/lab/container/egress-targets.ts'
import { type Engine, openEngine } from '../../../src/lab/container/engine.ts'
import { execute } from '../../../src/lab/container/exec.ts'
import { hardened, TOOL_CONFINEMENT } from '../../../src/lab/container/hardening.ts'
import { ensureImage, ensureToolImage } from '../../../src/lab/container/images.ts'
import { labels } from '../../../src/lab/container/labels.ts'
import { listObjects } from '../../../src/lab/container/objects.ts'
import { sessionId } from '../../../src/lab/container/session.ts'
import type { ContainerLab } from '../../../src/lab/container/spec.ts'
import { loadLab } from '../../../src/lab/lab-file.ts'
import { startLab } from '../../../src/lab/process-driver.ts'

const PORT = 47813
const TOKEN = 'cafe0123cafe0123'
const quiet = { signal: AbortSignal.timeout(600_000), onLog: () => {} }

let engine: Engine
let lab: ContainerLab
let image: string
let toolImage: string
let bridge: string

beforeAll(async () => {
  engine = await openEngine(quiet)
  const loaded = await loadLab(`${import.meta.dirname}/lab`)
  if (loaded.driver !== 'container') throw new Error('not a lab of containers')
  lab = loaded
  bridge = (await bridgeGateway(engine)) ?? ''
  const [service] = lab.services
  if (service === undefined) throw new Error('it has no service')
  toolImage = (await ensureToolImage(engine, quiet)).runId
  image = (await ensureImage(engine, { ...quiet, lab, service })).runId
}, 300_000)

afterAll(async () => {
  expect((await listObjects(engine.docker, { session: sessionId() })).map(({ name }) => name)).toEqual([])
})

/** What the attack got and what was held, each with what it saw. */
interface Loot {
  readonly got: readonly string[]
  readonly held: readonly string[]
  readonly broken: readonly string[]
}

function lootOf(text: string, arrived: string): Loot {
  const lines = text.split('\n').filter(line => line.includes('\t'))
  const named = lines.map(line => {
    const [state = '', name = '', seen = ''] = line.split('\t')
    const reached = state === 'held' && arrived.includes(`${TOKEN} ${name}\n`)
    return { state: reached ? 'got' : state, told: `${name}: ${reached ? 'arrived' : seen}` }
  })
  const of = (wanted: string): string[] => named.filter(({ state }) => state === wanted).map(({ told }) => told)
  return { got: of('got'), held: of('held'), broken: of('broken') }
}

/** One address of each kind that this machine has, all of which lead to the listener. */
function query(listener: Listener, gate: string, more: readonly string[] = []): string {
  const all = Object.entries(networkInterfaces()).flatMap(([link, each]) =>
    (each ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ link, address })),
  )
  const machine = all.filter(({ link }) => !link.startsWith('br-')).map(({ address }) => address)
  const targets = [...new Set([bridge, ...machine, ...more])].map(host => `${host}:${listener.port}`)
  return `targets=${[...targets, '203.0.113.1:80', '169.254.169.254:80'].join(',')}&gate=${gate}&token=${TOKEN}&name=deb.debian.org`
}

async function listener(): Promise<Listener> {
  const listening = await listenEverywhere()
  onTestFinished(() => listening.close())
  return listening
}

interface Attack {
  readonly id: string
  run(): Promise<Loot>
}

/** The same service outside of a lab, confined as in one unless `host` says otherwise. */
async function attackOn(networkMode: string, host: HostConfig = {}, user = TOOL_CONFINEMENT.user): Promise<Attack> {
  const container = await engine.docker.createContainer({
    Image: image,
    Entrypoint: ['/usr/bin/perl'],
    Cmd: ['/app/attack.pl', String(PORT), '127.0.0.1'],
    User: user,
    Labels: labels({ session: sessionId(), lab: 'attack', key: '', role: 'service', keep: false }),
    HostConfig: {
      ...hardened({ ...TOOL_CONFINEMENT, limits: { memoryMb: 128, cpus: 1, pids: 128 }, tmpfs: { '/tmp': 8 } }),
      // A name server as the engine gives it: what holds here holds by the network.
      Dns: [],
      ...host,
      NetworkMode: networkMode,
    },
  })
  onTestFinished(() => container.remove({ force: true, v: true }))
  await container.start()
  const run = async (): Promise<Loot> => {
    const listening = await listener()
    const ask = `use IO::Socket::INET; my $s; for (1 .. 50) {
      last if $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => ${PORT}); select undef, undef, undef, 0.1 }
      print $s "GET /attack?${query(listening, '')} HTTP/1.1\\r\\n\\r\\n"; print while <$s>;`
    const { output } = await execute(container, {
      command: ['/usr/bin/perl', '-e', ask.replaceAll('\n', ' ')],
      timeoutMs: 90_000,
    })
    return lootOf(output, listening.arrived())
  }
  return { id: container.id, run }
}

/** Whether the self-test of a lab finds the hole too. */
const foundOut = (containerId: string): Promise<unknown> =>
  selfTest(engine, {
    services: [{ name: 'app', containerId }],
    toolImage,
    session: sessionId(),
    signal: quiet.signal,
    env: {},
  }).then(
    () => null,
    (error: unknown) => error,
  )

test('gets nothing in a lab', async () => {
  const running = await startLab(lab, { signal: quiet.signal })
  onTestFinished(() => running[Symbol.asyncDispose]())
  if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
  const objects = await listObjects(engine.docker, { session: sessionId() })
  const gate = objects.find(({ marks, kind }) => kind === 'container' && marks.role === 'gate')
  const { NetworkSettings } = await engine.docker.getContainer(gate?.id ?? '').inspect()
  const addressOn = (part: string, of: 'IPAddress' | 'Gateway'): string =>
    Object.entries(NetworkSettings.Networks).find(([name]) => name.endsWith(part))?.[1][of] ?? ''
  const inner = addressOn('-inner', 'IPAddress')
  expect(inner).not.toBe('')
  const others = [addressOn('-outer', 'IPAddress'), addressOn('-outer', 'Gateway'), inner.replace(/\d+$/, '1')]
  const listening = await listener()
  const asked = await fetch(`${running.drive.url}/attack?${query(listening, inner, others)}`, {
    signal: AbortSignal.timeout(90_000),
  })
  const loot = lootOf(await asked.text(), listening.arrived())
  expect({ got: loot.got, broken: loot.broken }).toEqual({ got: [], broken: [] })
  expect(loot.held).toEqual(
    expect.arrayContaining([
      'gate as a proxy: CONNECT: this service answered',
      'gate as a proxy: GET: this service answered',
      'other ports of the gate: open: 8080',
      'neighbours: nobody but the gate',
      'route through the gate: EPERM',
      'write to the root: EROFS',
      'run what it wrote: EACCES',
      'fill its memory disk: ENOSPC',
      'memory without end: killed by signal 9',
    ]),
  )
  expect(running.evidence?.egress.filter(({ state }) => state === 'open')).toEqual([])
})

test('gets nothing where there is no network', async () => {
  const attack = await attackOn('none')
  const { got, held, broken } = await attack.run()
  expect({ got, broken }).toEqual({ got: [], broken: [] })
  expect(held).toEqual(expect.arrayContaining([`tcp ${bridge}: ENETUNREACH`, 'mount: EPERM']))
})

async function leaky(): Promise<string> {
  const made = await engine.docker.createNetwork({
    Name: `attack-${sessionId()}`,
    Internal: true,
    Labels: labels({ session: sessionId(), lab: 'attack', key: '', role: 'network', keep: false }),
  })
  onTestFinished(() => made.remove())
  return made.id
}

test.for([
  ['the default bridge', () => Promise.resolve('bridge'), ['tcp 172.17.0.1: connected', 'neighbours: found others']],
  ['an internal network that has an address', leaky, ['tcp 172.17.0.1: connected', 'udp 172.17.0.1: answered']],
  ['the network of the host', () => Promise.resolve('host'), ['tcp 172.17.0.1: connected', 'name: resolved']],
] as const)('gets out of %s, and the self-test finds it out', async ([, mode, expected]) => {
  const attack = await attackOn(await mode())
  const loot = await attack.run()
  expect(loot.got).toEqual(expect.arrayContaining([...expected]))
  expect(loot.broken).toEqual([])
  expect(await foundOut(attack.id)).toMatchObject({ reason: 'lab-isolation' })
})

test('gets what it tries for where nothing is confined: the attacks work', async () => {
  const unconfined: HostConfig = {
    ReadonlyRootfs: false,
    CapDrop: [],
    // Not all of them: an engine that is itself confined cannot give what it has not.
    CapAdd: ['NET_ADMIN', 'SYS_ADMIN'],
    SecurityOpt: ['seccomp=unconfined'],
    Memory: 0,
    MemorySwap: 0,
    PidsLimit: 0,
    Tmpfs: { '/tmp': 'rw,exec,size=128m' },
  }
  const attack = await attackOn('bridge', unconfined, '0:0')
  const { got } = await attack.run()
  expect(got.map(each => each.split(':')[0])).toEqual(
    expect.arrayContaining([
      'raw socket',
      'packet socket',
      'route through the gate',
      'rights',
      'become root',
      'mount',
      'user namespace',
      'mount namespace',
      'enter a namespace',
      'device file',
      'swap',
      'bpf',
      'perf events',
      'kernel keys',
      'file by handle',
      'change of root',
      'write to the root',
      'run what it wrote',
      'fill its memory disk',
      'fork without end',
      'memory without end',
    ]),
  )
})
