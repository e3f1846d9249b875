import type { ContainerInspectInfo } from 'dockerode'
import { expect, test } from 'vitest'
import { LabFailure } from '../lab-failure.ts'
import type { SelfSeen } from '../tools/self-probe.ts'
import { demandAll, seenByEngine, seenFromInside } from './assertions.ts'

const confinement = { user: '1000:1000', limits: { memoryMb: 64, cpus: 0.5, pids: 32 }, tmpfs: { '/tmp': 16 } }

function inspected(o: { readonly host?: object; readonly networks?: object; readonly ports?: object } = {}) {
  const info = {
    Config: { User: '1000:1000' },
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: null,
      Privileged: false,
      SecurityOpt: ['no-new-privileges:true'],
      PidMode: '',
      IpcMode: 'private',
      Devices: [],
      Memory: 67108864,
      MemorySwap: 67108864,
      NanoCpus: 500000000,
      PidsLimit: 32,
      ...o.host,
    },
    NetworkSettings: { Networks: o.networks ?? { 'a-inner': { NetworkID: 'n1' } }, Ports: o.ports ?? {} },
    Mounts: [] as { Type: string; Destination: string }[],
  }
  return info as unknown as ContainerInspectInfo & { Mounts: { Type: string; Destination: string }[] }
}

const byEngine = (info: ContainerInspectInfo) =>
  seenByEngine(info, { service: 'app', confinement, network: 'n1' })
    .filter(({ holds }) => !holds)
    .map(({ what, expected, seen }) => `${what}: ${expected} / ${seen}`)

const SEEN: SelfSeen = {
  uids: '1000\t1000\t1000\t1000',
  capabilities: '0000000000000000',
  noNewPrivileges: '1',
  seccomp: '2',
  root: 'ro,relatime',
  write: 'EROFS',
  writable: ['/dev/mqueue', '/dev/shm', '/tmp'],
  memoryBytes: '67108864',
  pids: '32',
  unread: [],
}
const fromInside = (change: Partial<SelfSeen>) =>
  seenFromInside({ ...SEEN, ...change }, { service: 'app', confinement })
    .filter(({ holds }) => !holds)
    .map(({ what, expected, seen }) => `${what}: ${expected} / ${seen}`)

test('finds nothing wrong with what is confined as it has to be', () => {
  expect(byEngine(inspected())).toEqual([])
  expect(fromInside({})).toEqual([])
})

test.each([
  ['ReadonlyRootfs', false, 'root: read-only / writable'],
  ['CapDrop', ['NET_RAW'], 'capabilities dropped: ALL / NET_RAW'],
  ['CapAdd', ['SYS_ADMIN', 'NET_ADMIN'], 'capabilities added: none / NET_ADMIN, SYS_ADMIN'],
  ['Privileged', true, 'privileged: no / yes'],
  ['SecurityOpt', null, 'security options: no-new-privileges:true / none'],
  [
    'SecurityOpt',
    ['no-new-privileges:true', 'seccomp=unconfined'],
    'security options: no-new-privileges:true / no-new-privileges:true, seccomp=unconfined',
  ],
  ['PidMode', 'host', 'processes shared with: nobody / host'],
  ['IpcMode', 'host', 'shared memory: private / host'],
  ['Devices', [{ PathOnHost: '/dev/sda' }], 'devices: none / /dev/sda'],
  ['Memory', 0, 'memory: 64 MB / no bound'],
  ['MemorySwap', -1, 'memory and swap: 64 MB / no bound'],
  ['NanoCpus', 0, 'processors: 0.5 / 0'],
  ['PidsLimit', null, 'processes at most: 32 / 0'],
])('sees %s %j as the engine says it', (key, value, row) => {
  expect(byEngine(inspected({ host: { [key]: value } }))).toEqual([row])
})

test('sees a second network, a missing one, a published port and a folder of the host', () => {
  const two = { 'a-inner': { NetworkID: 'n1' }, bridge: { NetworkID: 'b7' } }
  expect(byEngine(inspected({ networks: two }))).toEqual(['networks: inner / b7, inner'])
  expect(byEngine(inspected({ networks: {} }))).toEqual(['networks: inner / none'])
  const ports = { '80/tcp': [{ HostIp: '0.0.0.0', HostPort: '80' }], '81/tcp': null }
  expect(byEngine(inspected({ ports }))).toEqual(['published ports: none / 80/tcp'])
  const mounted = inspected()
  mounted.Mounts.push({ Type: 'bind', Destination: '/host' }, { Type: 'volume', Destination: '/data' })
  expect(byEngine(mounted)).toEqual(['folders of the host: none / /data, /host'])
})

test.each([
  [{ uids: '0 0 0 0' }, 'user: 1000 1000 1000 1000 / 0 0 0 0'],
  [{ capabilities: '00000000a80425fb' }, 'capabilities it could have: 0000000000000000 / 00000000a80425fb'],
  [{ noNewPrivileges: '0' }, 'no new privileges: 1 / 0'],
  [{ seccomp: '0' }, 'system calls filtered: 2 / 0'],
  [{ root: 'rw,relatime' }, 'root: ro / rw'],
  [{ write: 'written' }, 'a file in its root: EROFS / written'],
  [{ writable: ['/data', '/tmp'] }, 'writable places: /tmp / /data, /tmp'],
  [{ writable: null }, 'writable places: /tmp / what cannot be read'],
  [{ memoryBytes: 'max' }, 'memory: 64 MB / no bound'],
  [{ pids: 'max' }, 'processes at most: 32 / max'],
  [{ uids: null }, 'user: 1000 1000 1000 1000 / not read'],
] as const)('sees %j from inside', (change, row) => {
  expect(fromInside(change)).toEqual([row])
})

test('does not ask from inside for a bound that the engine hides', () => {
  expect(fromInside({ memoryBytes: null, pids: null })).toEqual([])
})

test('names every assertion that does not hold, under the reason lab-isolation', () => {
  const rows = seenFromInside({ ...SEEN, uids: '0 0 0 0', root: 'rw' }, { service: 'app', confinement })
  expect(() => demandAll('shop', rows)).toThrow(LabFailure)
  expect(() => demandAll('shop', rows)).toThrow(
    expect.objectContaining({
      reason: 'lab-isolation',
      message: [
        'lab shop is not confined as it has to be:',
        '  app: user: expected 1000 1000 1000 1000, seen from inside: 0 0 0 0',
        '  app: root: expected ro, seen from inside: rw',
      ].join('\n'),
    }),
  )
  expect(() => demandAll('shop', seenFromInside(SEEN, { service: 'app', confinement }))).not.toThrow()
})
