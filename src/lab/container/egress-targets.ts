import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import type { Way } from '../tools/egress-probe.ts'
import type { Engine } from './engine.ts'

/** A way out by the name that the table has for it; where several stand for one, any that gets through decides. */
export interface Escape {
  readonly probe: string
  /** As the table shows it: without the port of a listener, which is another each time. */
  readonly target: string
  readonly ways: readonly Way[]
  /** What the control tries in their place; default: the same. */
  readonly controls?: readonly Way[]
  /** Where the control runs: on the default bridge, or, for what that does not have, in the network of the host. */
  readonly controlOn: 'bridge' | 'host'
}

/** The first is kept for documentation (RFC 5737), and stood up in tests; the second is a name server of the internet. */
const ADDRESSES = ['203.0.113.1:80', '1.1.1.1:443']
const ADDRESS_6 = '2606:4700:4700::1111'
const NAMES = ['deb.debian.org', 'example.com']
const METADATA = '169.254.169.254'
/** RFC 4291: every machine of a link. */
const ALL_NODES = 'ff02::1'
const MACHINE_ADDRESSES_MAX = 8
const BRIDGE_ADDRESSES_MAX = 16

export interface Surroundings {
  /** Of the networks of the services. */
  readonly gateways: readonly string[]
  /** Of the default bridge; null where the engine has none. */
  readonly bridge: string | null
  /** A port of this machine that listens at all of its addresses, for connections and datagrams. */
  readonly hostPort: number
  /** A container on the default bridge that listens likewise. */
  readonly peer: { readonly host: string; readonly port: number }
  readonly env: Readonly<NodeJS.ProcessEnv>
}

/** All that a lab must not reach, in the order of the table. */
export function escapesOf(o: Surroundings): readonly Escape[] {
  const names = listed(o.env.PARITY_EGRESS_NAMES) ?? NAMES
  const listener = (probe: string, hosts: readonly string[], target = hosts.join(' ')): Escape[] =>
    bothWays(probe, hosts, o.hostPort, target, 'bridge')
  const own = addressesOfMachine()
  const named = new Set([...o.gateways, o.bridge])
  const bridges = own.bridges.filter(host => !named.has(host)).slice(0, BRIDGE_ADDRESSES_MAX)
  return [
    ...internet(o.env, own.hasGlobal6),
    {
      probe: 'internet name',
      target: names.join(' '),
      ways: names.map(host => ({ id: `name:${host}`, kind: 'name', host })),
      controlOn: 'bridge',
    },
    {
      probe: 'metadata',
      target: `tcp ${METADATA}:80`,
      ways: [{ id: 'metadata', kind: 'tcp', host: METADATA, port: 80 }],
      controlOn: 'bridge',
    },
    ...gateways(o),
    ...(o.bridge === null ? [] : listener('docker0', [o.bridge])),
    ...own.machine
      .filter(host => !named.has(host))
      .slice(0, MACHINE_ADDRESSES_MAX)
      .flatMap(host => listener('host address', [host])),
    ...(bridges.length === 0 ? [] : listener('other gateways', bridges, 'what this machine is on other bridges')),
    ...bothWays('other bridge', [o.peer.host], o.peer.port, 'a container on the default bridge', 'bridge'),
    ...nameServers(o.env, names),
    ...own.six
      .slice(0, MACHINE_ADDRESSES_MAX)
      .flatMap(host => bothWays('host address, IPv6', [host], o.hostPort, host, 'host')),
    ...linkLocal(own.links, o.hostPort),
  ]
}

function listed(text: string | undefined): readonly string[] | null {
  const found = (text ?? '').split(',').map(each => each.trim())
  return found.some(each => each !== '') ? found.filter(each => each !== '') : null
}

/** A row for connections and one for datagrams: that one is closed says nothing of the other. */
function bothWays(
  probe: string,
  hosts: readonly string[],
  port: number,
  target: string,
  controlOn: Escape['controlOn'],
): Escape[] {
  return (['tcp', 'udp'] as const).map(kind => ({
    probe,
    target: `${kind} ${target}`,
    ways: hosts.map(host => ({ id: `${kind}:${host}`, kind, host, port })),
    controlOn,
  }))
}

function internet(env: Readonly<NodeJS.ProcessEnv>, hasGlobal6: boolean): Escape[] {
  const addresses = listed(env.PARITY_EGRESS_ADDRESSES) ?? ADDRESSES
  const ways = addresses.map((address): Way => {
    const [host = '', port = '80'] = address.split(':')
    return { id: `internet:${address}`, kind: 'tcp', host, port: Number(port) }
  })
  const six: Way = { id: 'internet6', kind: 'tcp', host: ADDRESS_6, port: 443 }
  return [
    { probe: 'internet address', target: `tcp ${addresses.join(' ')}`, ways, controlOn: 'bridge' },
    ...(hasGlobal6
      ? [{ probe: 'internet address, IPv6', target: `tcp [${ADDRESS_6}]:443`, ways: [six], controlOn: 'host' as const }]
      : []),
  ]
}

/** What is closed to a service on its own network, the control shows open on the default one. */
function gateways(o: Surroundings): Escape[] {
  return o.gateways.flatMap(host =>
    bothWays('gateway', [host], o.hostPort, host, 'bridge').map(closed => ({
      ...closed,
      controls: closed.ways.map(way => ({
        ...way,
        id: `own-${way.id}`,
        ...(o.bridge === null ? {} : { host: o.bridge }),
      })),
    })),
  )
}

/** Name servers that others can reach, each asked directly, and the one that a container is given. */
function nameServers(env: Readonly<NodeJS.ProcessEnv>, names: readonly string[]): Escape[] {
  const far = [...new Set([...(listed(env.PARITY_EGRESS_DNS) ?? []), ...ofMachine()])].filter(
    host => !host.startsWith('127.') && host !== '::1',
  )
  return [...far, null].flatMap(server =>
    (['udp', 'tcp'] as const).map(transport => ({
      probe: 'dns',
      target: `${transport} ${server === null ? 'its own name server' : `${server}:53`}`,
      ways: names.map(name => ({
        id: `dns:${transport}:${server ?? 'own'}:${name}`,
        kind: 'dns' as const,
        transport,
        server,
        name,
      })),
      controlOn: 'bridge' as const,
    })),
  )
}

function ofMachine(): readonly string[] {
  try {
    return [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^nameserver\s+(\S+)/gm)].map(([, host = '']) => host)
  } catch {
    return []
  }
}

/** A bridge that has no IPv4 address may still have one of its link, under which it answers. */
function linkLocal(links: readonly string[], port: number): Escape[] {
  if (links.length === 0) return []
  const scoped = (kind: 'tcp' | 'udp', host: string): Way => ({
    id: `link:${kind}:${host}`,
    kind,
    host,
    port,
    scoped: true,
  })
  return [
    {
      probe: 'link-local, IPv6',
      target: 'tcp what this machine is on its links',
      ways: links.map(host => scoped('tcp', host)),
      controlOn: 'host',
    },
    { probe: 'link-local, IPv6', target: `udp ${ALL_NODES}`, ways: [scoped('udp', ALL_NODES)], controlOn: 'host' },
  ]
}

interface MachineAddresses {
  readonly machine: readonly string[]
  /** Of the bridges of other networks of containers. */
  readonly bridges: readonly string[]
  readonly six: readonly string[]
  readonly links: readonly string[]
  readonly hasGlobal6: boolean
}

function addressesOfMachine(): MachineAddresses {
  const all = Object.entries(networkInterfaces()).flatMap(([link, each]) =>
    (each ?? []).filter(({ internal }) => !internal).map(({ family, address }) => ({ link, family, address })),
  )
  const pick = (wanted: (each: (typeof all)[number]) => boolean): string[] =>
    [...new Set(all.filter(wanted).map(({ address }) => address))].sort()
  const isBridge = (link: string): boolean => /^br-[0-9a-f]{12}$/.test(link)
  const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address)
  const six = pick(({ link, family, address }) => family === 'IPv6' && !isLinkLocal(address) && !isBridge(link))
  return {
    machine: pick(({ link, family }) => family === 'IPv4' && !isBridge(link)),
    bridges: pick(({ link, family }) => family === 'IPv4' && isBridge(link)),
    six,
    // The other ends of containers' cables are many, and none of them is a way to this machine that its bridge is not.
    links: pick(({ link, family, address }) => family === 'IPv6' && isLinkLocal(address) && !link.startsWith('veth')),
    hasGlobal6: six.some(address => !/^f[cd]/i.test(address)),
  }
}

/** Gateway of the default bridge; null where the engine has none. */
export async function bridgeGateway(engine: Engine): Promise<string | null> {
  const bridge = await engine.docker
    .getNetwork('bridge')
    .inspect()
    .catch(() => null)
  const config = bridge?.IPAM?.Config?.[0]
  const address = config?.Gateway ?? firstOf(config?.Subnet ?? '')
  return address === '' ? null : address
}

/** The gateways that the engine knows for the networks of a container, sorted. */
export async function gatewaysOf(engine: Engine, containerId: string): Promise<readonly string[]> {
  const { NetworkSettings } = await engine.docker.getContainer(containerId).inspect()
  const ids = Object.values(NetworkSettings.Networks).map(({ NetworkID }) => NetworkID)
  const networks = await Promise.all(ids.map(id => engine.docker.getNetwork(id).inspect()))
  const found = networks.flatMap(network =>
    (network.IPAM?.Config ?? []).map(({ Gateway, Subnet }) => Gateway ?? firstOf(Subnet ?? '')),
  )
  return [...new Set(found.filter(each => each !== ''))].sort()
}

/** The first address of a network, which a bridge takes for itself. */
function firstOf(subnet: string): string {
  const [address = ''] = subnet.split('/')
  const parts = address.split('.')
  return parts.length === 4 ? [...parts.slice(0, 3), String(Number(parts[3]) + 1)].join('.') : ''
}
