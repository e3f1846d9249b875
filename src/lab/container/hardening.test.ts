import { expect, test } from 'vitest'
import { confinementOf, environmentOf, hardened } from './hardening.ts'

const service = {
  user: '1000:1001',
  limits: { memoryMb: 64, cpus: 0.5, pids: 32 },
  tmpfs: { '/tmp': 16 },
  env: { SHOP: 'north' },
  secrets: [{ name: 'DB_PASSWORD', from: 'generated' }],
} as const
const lab = { tz: 'Europe/Paris', locale: 'C.UTF-8' }
const clock = '2026-01-02T03:04:05Z'

test('confines a container in every way at once', () => {
  expect(hardened(confinementOf(service, []))).toEqual({
    ReadonlyRootfs: true,
    Tmpfs: { '/tmp': 'rw,noexec,nosuid,nodev,size=16m,uid=1000,gid=1001' },
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    Memory: 67108864,
    MemorySwap: 67108864,
    NanoCpus: 500000000,
    PidsLimit: 32,
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    Init: true,
    IpcMode: 'private',
    Dns: ['127.0.0.1'],
    DnsOptions: ['timeout:1', 'attempts:1'],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '8m', 'max-file': '1' } },
  })
})

test('makes memory of what an image declares as a volume, in the size of lab.yaml where it says one', () => {
  expect(confinementOf(service, ['/tmp', '/var/lib/mysql']).tmpfs).toEqual({ '/tmp': 16, '/var/lib/mysql': 64 })
})

test('gives a service its own variables, its secrets and its surroundings, and nothing of this process', () => {
  const secrets = new Map([['DB_PASSWORD', 's3cret']])
  expect(environmentOf(lab, service, { clock, shim: null, secrets })).toEqual([
    'TZ=Europe/Paris',
    'LANG=C.UTF-8',
    'LC_ALL=C.UTF-8',
    'PARITY_CLOCK=2026-01-02T03:04:05Z',
    'SHOP=north',
    'DB_PASSWORD=s3cret',
  ])
})

test('lets the wall clock stand still where the image has the shim, and a lab without a clock run freely', () => {
  const at = { shim: '/usr/lib/faketime/libfaketime.so.1', secrets: new Map<string, string>() }
  const pinned = environmentOf(lab, { env: {}, secrets: [] }, { ...at, clock })
  // date -u -d 2026-01-02T03:04:05Z +%s
  expect(pinned).toContain('FAKETIME=1767323045')
  expect(pinned).toContain('LD_PRELOAD=/usr/lib/faketime/libfaketime.so.1')
  const free = environmentOf(lab, { env: {}, secrets: [] }, { ...at, clock: null })
  expect(free).toEqual(['TZ=Europe/Paris', 'LANG=C.UTF-8', 'LC_ALL=C.UTF-8'])
})

test('lets lab.yaml switch the shim off', () => {
  const at = { clock, shim: '/usr/lib/faketime/libfaketime.so.1', secrets: new Map<string, string>() }
  expect(environmentOf(lab, { env: { LD_PRELOAD: '' }, secrets: [] }, at)).toContain('LD_PRELOAD=')
})
