import { randomBytes } from 'node:crypto'
import type { Container } from 'dockerode'
import { LabFailure } from '../lab-failure.ts'
import { unlessAborted, within } from '../supervise.ts'
import type { EgressRequest, WaySeen } from '../tools/egress-probe.ts'
import { listenEverywhere } from './egress-listener.ts'
import { rowOf, type Tried } from './egress-row.ts'
import { bridgeGateway, type Escape, escapesOf, gatewaysOf } from './egress-targets.ts'
import type { Engine } from './engine.ts'
import { toolCommand } from './gate.ts'
import { hardened, TOOL_CONFINEMENT } from './hardening.ts'
import { labels } from './labels.ts'
import { printedBy } from './logs.ts'
import type { EgressRow } from './spec.ts'

/** Of all ways together. What is open answers at once, and the control, which has no more, shows that it is enough. */
const BUDGET_MS = 2000
/** Above the budget: the start of a container and of its program on a busy machine. */
const START_SLACK_MS = 20_000
const PEER_PORT = 8080

export interface SelfTestOptions {
  readonly services: readonly { readonly name: string; readonly containerId: string }[]
  /** Image id of the tools. */
  readonly toolImage: string
  readonly session: string
  readonly signal: AbortSignal
  /** Whose PARITY_EGRESS_ADDRESSES, _NAMES and _DNS say what else to try. Default: that of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>
}

/**
 * The rows of every service, in the order of `services` and of the table: each way out tried from inside, and from a
 * container that is not isolated. A way that the control does not get through either is `unproven`: it shows nothing.
 *
 * From inside means: from a container that shares the network of the service and runs as its user, whatever its image
 * holds. A way is open when anything answers, a refusal included, or when what was sent arrives at this machine or at the
 * other container.
 *
 * **Throws** LabFailure(`lab-isolation`) with what is open; LabFailure(`lab-boot`) when it cannot be tried; the reason of `signal`.
 */
export async function selfTest(engine: Engine, o: SelfTestOptions): Promise<{ readonly egress: readonly EgressRow[] }> {
  o.signal.throwIfAborted()
  await using crew = new Crew(engine, o)
  const listener = await listenEverywhere()
  try {
    const peer = await crew.startPeer()
    const gateways = await Promise.all(o.services.map(({ containerId }) => gatewaysOf(engine, containerId)))
    const escapes = escapesOf({
      gateways: [...new Set(gateways.flat())].sort(),
      bridge: await bridgeGateway(engine),
      hostPort: listener.port,
      peer: { host: peer.host, port: PEER_PORT },
      env: o.env ?? process.env,
    })
    const [controls, ...inside] = await settled([
      tryControls(crew, escapes),
      ...o.services.map(service => tryInside(engine, crew, service, escapes)),
    ])
    const arrived = `${listener.arrived()}${await printedBy(peer.container)}`
    const egress = o.services.flatMap(({ name }, index) =>
      escapes.map(each => rowOf(name, each, { controls, inside: inside[index], arrived })),
    )
    const open = egress.filter(({ state }) => state === 'open')
    if (open.length > 0) throw hole(open)
    return { egress }
  } finally {
    listener.close()
  }
}

/** Waits for all, so that nothing is made after a failure was told. */
async function settled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  const done = await Promise.allSettled(all)
  return done.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

function hole(open: readonly EgressRow[]): LabFailure {
  const lines = open.map(({ service, probe, target, seen }) => `  ${service}: ${probe}: ${target}: ${seen}`)
  const ways = open.length === 1 ? 'a way out' : `${open.length} ways out`
  const what = `the lab has ${ways}; nothing is recorded from it:\n${lines.join('\n')}`
  const remedy =
    'read docs/isolation.md on each of them: the engine does not close its networks, or a service was joined to another'
  return new LabFailure('lab-isolation', what, remedy)
}

async function tryControls(crew: Crew, escapes: readonly Escape[]): Promise<Tried> {
  const on = (where: Escape['controlOn']): Way[] =>
    escapes.filter(({ controlOn }) => controlOn === where).flatMap(({ ways, controls = ways }) => controls)
  const host = on('host')
  const user = TOOL_CONFINEMENT.user
  const tried = await settled([
    crew.tryAll({ from: 'the control', network: 'bridge', user, ways: on('bridge') }),
    ...(host.length === 0 ? [] : [crew.tryAll({ from: 'the control', network: 'host', user, ways: host })]),
  ])
  return { token: '', seen: new Map(tried.flatMap(({ seen }) => [...seen])) }
}

async function tryInside(
  engine: Engine,
  crew: Crew,
  { name, containerId }: SelfTestOptions['services'][number],
  escapes: readonly Escape[],
): Promise<Tried> {
  const { Config } = await engine.docker.getContainer(containerId).inspect()
  return crew.tryAll({
    from: name,
    network: `container:${containerId}`,
    user: Config.User === '' ? TOOL_CONFINEMENT.user : Config.User,
    ways: escapes.flatMap(({ ways }) => ways),
  })
}

type Way = EgressRequest['ways'][number]

/** The containers of one self-test; they are gone when it ends. */
class Crew {
  readonly #engine: Engine
  readonly #o: SelfTestOptions
  readonly #made: Container[] = []

  constructor(engine: Engine, o: SelfTestOptions) {
    this.#engine = engine
    this.#o = o
  }

  /** Something on another bridge that would answer. */
  async startPeer(): Promise<{ readonly container: Container; readonly host: string }> {
    const user = TOOL_CONFINEMENT.user
    const container = await this.#start({
      from: 'its other container',
      network: 'bridge',
      user,
      args: [`listen:${PEER_PORT}`],
    })
    const { NetworkSettings } = await container.inspect()
    return { container, host: NetworkSettings.Networks.bridge?.IPAddress ?? '' }
  }

  async tryAll(o: {
    readonly from: string
    readonly network: string
    readonly user: string
    readonly ways: readonly Way[]
  }): Promise<Tried> {
    const ways = [...new Map(o.ways.map(way => [way.id, way])).values()]
    const token = randomBytes(8).toString('hex')
    const request: EgressRequest = { ways, budgetMs: BUDGET_MS, token }
    const container = await this.#start({ ...o, args: [JSON.stringify(request)] })
    const waiting: Promise<{ StatusCode: number }> = container.wait()
    const boundMs = BUDGET_MS + START_SLACK_MS
    const ended = await unlessAborted(within(waiting, boundMs), this.#o.signal)
    const printed = await printedBy(container)
    if (ended?.StatusCode !== 0) {
      throw untried(o.from, ended === null ? `had not ended after ${boundMs} ms` : `failed: ${printed}`)
    }
    const lines = printed.split('\n').filter(line => line.startsWith('{'))
    const seen = lines.map((line): WaySeen => JSON.parse(line))
    return { token, seen: new Map(seen.map(each => [each.id, each])) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#made.map(each => each.remove({ force: true, v: true }).catch(() => {})))
  }

  async #start(o: {
    readonly from: string
    readonly network: string
    readonly user: string
    readonly args: readonly string[]
  }): Promise<Container> {
    const [program = '', ...words] = toolCommand('egress-probe', o.args)
    const shares = o.network.startsWith('container:')
    try {
      const container = await this.#engine.docker.createContainer({
        Image: this.#o.toolImage,
        Entrypoint: [program],
        Cmd: words,
        User: o.user,
        WorkingDir: '/',
        Labels: labels({ session: this.#o.session, lab: '', key: '', role: 'probe', keep: false }),
        HostConfig: {
          ...hardened({ ...TOOL_CONFINEMENT, user: o.user }),
          Init: false,
          // Those of the service hold in its network; the control has what the engine gives to everybody.
          Dns: [],
          DnsOptions: shares ? [] : ['timeout:1', 'attempts:1'],
          NetworkMode: o.network,
        },
      })
      this.#made.push(container)
      await container.start()
      return container
    } catch (error) {
      throw untried(o.from, `did not start: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function untried(from: string, how: string): LabFailure {
  return new LabFailure(
    'lab-boot',
    `the egress self-test of ${from} ${how}`,
    'read the words above, and start the lab again',
  )
}
