import type { HostConfig } from 'dockerode'
import type { WaitStrategy } from 'testcontainers'
import { LabFailure } from '../lab-failure.ts'
import { within } from '../supervise.ts'
import type { Engine } from './engine.ts'

/** A container to be made and started. */
export interface ContainerPlan {
  readonly name: string
  /** Id of an image that is here. */
  readonly image: string
  readonly labels: Readonly<Record<string, string>>
  /** Null: what the image says. */
  readonly entrypoint: readonly string[] | null
  readonly command: readonly string[] | null
  readonly user: string
  readonly workdir: string | null
  /** `NAME=value`. */
  readonly env: readonly string[]
  readonly hostConfig: HostConfig
  /** The network that it is on when it starts, and its names there. */
  readonly network: { readonly id: string; readonly aliases: readonly string[] }
  /** Joined before it starts, without a name. */
  readonly alsoOn: readonly string[]
  /** Ports that are published on a free port of 127.0.0.1. */
  readonly published: readonly number[]
}

const START_MS = 60_000

/** Readiness is judged by behaviour, elsewhere: the default strategy takes a dead container without ports for a ready one. */
const NO_WAIT: WaitStrategy = {
  waitUntilReady: async () => {},
  withStartupTimeout: () => NO_WAIT,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 0,
}

/**
 * Makes and starts a container, and resolves to its id. `onCreated` hears of it before it starts: a start that fails leaves it behind.
 *
 * Of testcontainers' ways only those are taken that do what they say: names on a network go to its endpoint, since
 * `withNetworkAliases` joins the default bridge too; ports are bound by hand, since `withExposedPorts` opens them to
 * everybody; and the host configuration is put in whole, since half of it has no method.
 */
export async function startContainer(
  engine: Engine,
  plan: ContainerPlan,
  onCreated: (id: string) => void,
): Promise<string> {
  const { GenericContainer, PullPolicy } = engine.testcontainers
  let isLate = false

  class LabContainer extends GenericContainer {
    constructor() {
      super(plan.image)
      Object.assign(this.hostConfig, plan.hostConfig, { PortBindings: bindingsOf(plan.published) })
      Object.assign(this.createOpts, {
        ...(plan.entrypoint === null ? {} : { Entrypoint: [...plan.entrypoint] }),
        ...(plan.command === null ? {} : { Cmd: [...plan.command] }),
        ...(plan.workdir === null ? {} : { WorkingDir: plan.workdir }),
        User: plan.user,
        Env: [...plan.env],
        ExposedPorts: Object.fromEntries(plan.published.map(port => [`${port}/tcp`, {}])),
        NetworkingConfig: { EndpointsConfig: { [plan.network.id]: { Aliases: [...plan.network.aliases] } } },
      })
      this.withName(plan.name)
        .withLabels(plan.labels)
        .withNetworkMode(plan.network.id)
        .withAutoCleanup(false)
        .withAutoRemove(false)
        .withPullPolicy(PullPolicy.neverPull())
        .withWaitStrategy(NO_WAIT)
    }

    protected override async containerCreated(id: string): Promise<void> {
      if (isLate) {
        // nobody waits for it, and nobody would take it away
        await engine.docker.getContainer(id).remove({ force: true, v: true })
        throw new Error(`${plan.name} came up late`)
      }
      onCreated(id)
      for (const network of plan.alsoOn) await engine.docker.getNetwork(network).connect({ Container: id })
    }
  }

  const started = await within(new LabContainer().start(), START_MS)
  if (started === null) {
    isLate = true
    const what = `the engine had not started ${plan.name} after ${START_MS} ms`
    throw new LabFailure('lab-boot', what, 'look at what else the engine does, then try again')
  }
  return started.getId()
}

function bindingsOf(ports: readonly number[]): Record<string, { HostIp: string; HostPort: string }[]> {
  return Object.fromEntries(ports.map(port => [`${port}/tcp`, [{ HostIp: '127.0.0.1', HostPort: '' }]]))
}
