import { within } from '../supervise.ts'
import type { SelfSeen } from '../tools/self-probe.ts'
import type { Engine } from './engine.ts'
import { toolCommand } from './gate.ts'
import { hardened, TOOL_CONFINEMENT } from './hardening.ts'
import { printedBy } from './logs.ts'

const TIMEOUT_MS = 15_000

/**
 * What a service is allowed, seen by a short-lived container that shares its processes and its network and runs as the
 * same user: it sees what the service sees, whatever the image of the service holds.
 */
export async function lookInside(
  engine: Engine,
  o: {
    readonly service: string
    readonly containerId: string
    readonly toolImage: string
    readonly user: string
    readonly labels: Readonly<Record<string, string>>
  },
): Promise<SelfSeen> {
  const [program, ...words] = toolCommand('self-probe', [])
  const beside = `container:${o.containerId}`
  const container = await engine.docker.createContainer({
    Image: o.toolImage,
    ...(program === undefined ? {} : { Entrypoint: [program] }),
    Cmd: words,
    User: o.user,
    WorkingDir: '/',
    Labels: { ...o.labels },
    HostConfig: {
      ...hardened({ ...TOOL_CONFINEMENT, user: o.user }),
      Init: false,
      // Those of the service hold in its network.
      Dns: [],
      DnsOptions: [],
      NetworkMode: beside,
      PidMode: beside,
    },
  })
  try {
    await container.start()
    const ended = await within<{ StatusCode: number }>(container.wait(), TIMEOUT_MS)
    const printed = await printedBy(container)
    if (ended === null) throw new Error(`the look inside ${o.service} had not ended after ${TIMEOUT_MS} ms`)
    if (ended.StatusCode !== 0) throw new Error(`the look inside ${o.service} failed: ${printed}`)
    return JSON.parse(printed)
  } finally {
    await container.remove({ force: true, v: true }).catch(() => {})
  }
}
