import type { ContainerInspectInfo } from 'dockerode'
import { LabFailure } from '../lab-failure.ts'
import type { SelfSeen } from '../tools/self-probe.ts'
import type { Confinement } from './hardening.ts'
import type { Assertion } from './spec.ts'

const NO_CAPABILITIES = '0000000000000000'
const MB = 1 << 20
/** Shared memory and message queues are its own in every container; nothing in them can be executed. */
const ITS_OWN = new Set(['/dev/shm', '/dev/mqueue'])

type Row = readonly [what: string, expected: string, seen: string]

function rowsOf(service: string, seenBy: Assertion['seenBy'], rows: readonly Row[]): Assertion[] {
  return rows.map(([what, expected, seen]) => ({ service, what, seenBy, expected, seen, holds: expected === seen }))
}

function list(words: readonly string[] | null | undefined): string {
  return words === null || words === undefined || words.length === 0 ? 'none' : [...words].sort().join(', ')
}

/** `max` and the like are no number. */
function megabytes(bytes: number): string {
  return bytes > 0 ? `${bytes / MB} MB` : 'no bound'
}

/** What the engine says of a started service, beside what a lab promises. */
export function seenByEngine(
  info: ContainerInspectInfo,
  o: { readonly service: string; readonly confinement: Confinement; readonly network: string },
): Assertion[] {
  const { HostConfig: host, NetworkSettings } = info
  const { user, limits } = o.confinement
  const networks = Object.values(NetworkSettings.Networks).map(({ NetworkID }) =>
    NetworkID === o.network ? 'inner' : NetworkID,
  )
  const published = Object.entries(NetworkSettings.Ports ?? {}).filter(([, bindings]) => (bindings ?? []).length > 0)
  const disks = info.Mounts.filter(mount => mount.Type !== 'tmpfs').map(mount => mount.Destination)
  return rowsOf(o.service, 'engine', [
    ['user', user, info.Config.User],
    ['root', 'read-only', host.ReadonlyRootfs === true ? 'read-only' : 'writable'],
    ['capabilities dropped', 'ALL', list(host.CapDrop)],
    ['capabilities added', 'none', list(host.CapAdd)],
    ['privileged', 'no', host.Privileged === true ? 'yes' : 'no'],
    ['security options', 'no-new-privileges:true', list(host.SecurityOpt)],
    ['networks', 'inner', list(networks)],
    ['published ports', 'none', list(published.map(([port]) => port))],
    ['processes shared with', 'nobody', host.PidMode === '' || host.PidMode === undefined ? 'nobody' : host.PidMode],
    ['shared memory', 'private', host.IpcMode ?? ''],
    ['devices', 'none', list((host.Devices ?? []).map((device: { PathOnHost?: string }) => device.PathOnHost ?? '?'))],
    ['folders of the host', 'none', list(disks)],
    ['memory', `${limits.memoryMb} MB`, megabytes(host.Memory ?? 0)],
    ['memory and swap', `${limits.memoryMb} MB`, megabytes(host.MemorySwap ?? 0)],
    ['processors', String(limits.cpus), String((host.NanoCpus ?? 0) / 1e9)],
    ['processes at most', String(limits.pids), String(host.PidsLimit ?? 0)],
  ])
}

/** What a container that shares the processes of a service sees of it, beside what a lab promises. */
export function seenFromInside(
  seen: SelfSeen,
  o: { readonly service: string; readonly confinement: Confinement },
): Assertion[] {
  const { user, limits, tmpfs } = o.confinement
  const uid = user.split(':')[0] ?? user
  const memory = seen.memoryBytes === null ? null : megabytes(Number(seen.memoryBytes))
  const writable = (seen.writable ?? ['what cannot be read']).filter(path => !ITS_OWN.has(path))
  return rowsOf(o.service, 'inside', [
    ['user', [uid, uid, uid, uid].join(' '), seen.uids?.replaceAll(/\s+/g, ' ') ?? 'not read'],
    ['capabilities it could have', NO_CAPABILITIES, seen.capabilities ?? 'not read'],
    ['no new privileges', '1', seen.noNewPrivileges ?? 'not read'],
    ['system calls filtered', '2', seen.seccomp ?? 'not read'],
    ['root', 'ro', seen.root?.split(',').find(option => option === 'ro' || option === 'rw') ?? 'not read'],
    ['a file in its root', 'EROFS', seen.write],
    ['writable places', list(Object.keys(tmpfs)), list(writable)],
    // Not every engine shows a container its own bounds; what the engine says of them is checked in any case.
    ...(memory === null ? [] : [['memory', `${limits.memoryMb} MB`, memory] as const]),
    ...(seen.pids === null ? [] : [['processes at most', String(limits.pids), seen.pids] as const]),
  ])
}

/** **Throws** LabFailure (`lab-isolation`) that lists every assertion which does not hold. */
export function demandAll(lab: string, assertions: readonly Assertion[]): void {
  const broken = assertions.filter(assertion => !assertion.holds)
  if (broken.length === 0) return
  const lines = broken.map(
    ({ service, what, seenBy, expected, seen }) =>
      `  ${service}: ${what}: expected ${expected}, seen ${seenBy === 'engine' ? 'by the engine' : 'from inside'}: ${seen}`,
  )
  throw new LabFailure(
    'lab-isolation',
    `lab ${lab} is not confined as it has to be:\n${lines.join('\n')}`,
    'use an engine that keeps these bounds (vitest-parity doctor names the one that answers); nothing was recorded from this lab',
  )
}
