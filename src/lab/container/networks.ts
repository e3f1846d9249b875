import { LabFailure } from '../lab-failure.ts'
import type { Engine } from './engine.ts'

/** Ids of the two networks of a lab. */
export interface LabNetworks {
  /** What the services are on: nothing leads out of it, not even to this machine. */
  readonly inner: string
  /** What the gate is published from; nothing is masqueraded out of it. */
  readonly outer: string
}

const SECONDS_MAX = 20

/**
 * Makes the two networks of a lab. `onCreated` hears of each as soon as it is there.
 *
 * `Internal` alone leaves the bridge its address, through which every port of this machine that listens everywhere can be
 * reached: `inhibit_ipv4` takes the address away, and newer engines have `gateway_mode_ipv4` for it.
 */
export async function createNetworks(
  engine: Engine,
  o: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly onCreated: (id: string) => void
  },
): Promise<LabNetworks> {
  const create = async (part: 'inner' | 'outer', options: Record<string, string>): Promise<string> => {
    try {
      const network = await engine.docker.createNetwork({
        Name: `${o.name}-${part}`,
        Driver: 'bridge',
        Internal: part === 'inner',
        Labels: { ...o.labels },
        Options: options,
        abortSignal: AbortSignal.timeout(SECONDS_MAX * 1000),
      })
      o.onCreated(network.id)
      return network.id
    } catch (error) {
      throw networkFailure(error)
    }
  }
  const made = await Promise.allSettled([
    create('inner', {
      'com.docker.network.bridge.inhibit_ipv4': 'true',
      'com.docker.network.bridge.gateway_mode_ipv4': 'isolated',
    }),
    create('outer', {
      'com.docker.network.bridge.enable_ip_masquerade': 'false',
      'com.docker.network.bridge.host_binding_ipv4': '127.0.0.1',
    }),
  ])
  const [inner, outer] = made
  if (inner.status === 'rejected') throw inner.reason
  if (outer.status === 'rejected') throw outer.reason
  return { inner: inner.value, outer: outer.value }
}

function networkFailure(error: unknown): LabFailure {
  const text = error instanceof Error ? error.message : String(error)
  const remedy = /address pool/.test(text)
    ? 'remove networks that nobody needs (docker network ls), or give the engine more address pools (default-address-pools)'
    : 'read the words of the engine above; vitest-parity lab sweep removes what earlier runs left'
  return new LabFailure('lab-boot', `the engine made no network: ${text} (bound ${SECONDS_MAX} s)`, remedy, {
    cause: error,
  })
}
