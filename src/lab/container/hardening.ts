import type { HostConfig } from 'dockerode'
import type { ContainerLab, ServiceSpec } from './spec.ts'

const MB = 1 << 20
/** Of a place that an image declares as a volume and lab.yaml gives no size. */
const VOLUME_MB = 64
const LOG_FILE_MB = 8

/** What a container is held to. */
export interface Confinement {
  /** `uid:gid`. */
  readonly user: string
  readonly limits: ServiceSpec['limits']
  /** Path → size in MB. */
  readonly tmpfs: Readonly<Record<string, number>>
}

export const TOOL_CONFINEMENT: Confinement = {
  user: '65534:65534',
  limits: { memoryMb: 128, cpus: 1, pids: 64 },
  tmpfs: {},
}

/**
 * The host configuration of every container that is started, but for its network: a root that nobody writes, no
 * capabilities and no way to new ones, and a bound on memory, processors, processes and log.
 */
export function hardened(o: Confinement): HostConfig {
  const memoryBytes = o.limits.memoryMb * MB
  return {
    ReadonlyRootfs: true,
    Tmpfs: Object.fromEntries(Object.entries(o.tmpfs).map(([path, sizeMb]) => [path, tmpfsOptions(o.user, sizeMb)])),
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    Memory: memoryBytes,
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(o.limits.cpus * 1e9),
    PidsLimit: o.limits.pids,
    // No bound on open files: one above that of the engine cannot be set, and what that is differs.
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    Init: true,
    IpcMode: 'private',
    // The name server of the engine knows the services, and has nobody to ask for other names. Where it would ask one on the
    // loopback of this machine, older engines do so from there, for containers on internal networks too (CVE-2024-29018).
    Dns: ['127.0.0.1'],
    DnsOptions: ['timeout:1', 'attempts:1'],
    LogConfig: { Type: 'json-file', Config: { 'max-size': `${LOG_FILE_MB}m`, 'max-file': '1' } },
  }
}

function tmpfsOptions(user: string, sizeMb: number): string {
  const [uid, gid] = user.split(':')
  return `rw,noexec,nosuid,nodev,size=${sizeMb}m,uid=${uid},gid=${gid ?? uid}`
}

/** A place that the image declares as a volume becomes memory: the engine would make it a folder of the host's disk. */
export function confinementOf(
  service: Pick<ServiceSpec, 'user' | 'limits' | 'tmpfs'>,
  volumes: readonly string[],
): Confinement {
  const declared = Object.fromEntries(volumes.map(path => [path, VOLUME_MB]))
  return { user: service.user, limits: service.limits, tmpfs: { ...declared, ...service.tmpfs } }
}

export interface Surroundings {
  readonly clock: string | null
  /** Path of libfaketime in the image; null where it has none. */
  readonly shim: string | null
  readonly secrets: ReadonlyMap<string, string>
}

/** All the variables that a service is given, beside those of its image; what lab.yaml says wins. */
export function environmentOf(
  lab: Pick<ContainerLab, 'tz' | 'locale'>,
  service: Pick<ServiceSpec, 'env' | 'secrets'>,
  o: Surroundings,
): string[] {
  const variables: Record<string, string> = {
    TZ: lab.tz,
    LANG: lab.locale,
    LC_ALL: lab.locale,
    ...(o.clock === null ? {} : { PARITY_CLOCK: o.clock }),
    ...(o.clock === null || o.shim === null ? {} : shimmed(o.clock, o.shim)),
    ...service.env,
  }
  for (const { name } of service.secrets) variables[name] = o.secrets.get(name) ?? ''
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`)
}

/** The wall clock stands still; what waits for a time to pass goes on. */
function shimmed(clock: string, shim: string): Record<string, string> {
  return {
    LD_PRELOAD: shim,
    FAKETIME: String(Math.floor(Date.parse(clock) / 1000)),
    FAKETIME_FMT: '%s',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
    NO_FAKE_STAT: '1',
  }
}
