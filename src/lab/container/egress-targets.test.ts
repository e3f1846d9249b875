import { expect, test } from 'vitest'
import { escapesOf } from './egress-targets.ts'

const surroundings = {
  gateways: ['172.30.0.1'],
  bridge: '172.17.0.1',
  hostPort: 40123,
  peer: { host: '172.17.0.9', port: 8080 },
  env: {},
}
const told = (env: NodeJS.ProcessEnv = {}): string[] =>
  escapesOf({ ...surroundings, env }).map(({ probe, target }) => `${probe}: ${target}`)

test('tries the internet, the metadata address, every way to this machine, another container and the name servers', () => {
  expect(told()).toEqual(
    expect.arrayContaining([
      'internet address: tcp 203.0.113.1:80 1.1.1.1:443',
      'internet name: deb.debian.org example.com',
      'metadata: tcp 169.254.169.254:80',
      'gateway: tcp 172.30.0.1',
      'gateway: udp 172.30.0.1',
      'docker0: tcp 172.17.0.1',
      'docker0: udp 172.17.0.1',
      'other bridge: tcp a container on the default bridge',
      'other bridge: udp a container on the default bridge',
      'dns: udp its own name server',
      'dns: tcp its own name server',
    ]),
  )
})

test('names nothing that is another at each boot: two boots tell the same', () => {
  expect(escapesOf({ ...surroundings, hostPort: 50999 }).map(({ target }) => target)).toEqual(
    escapesOf(surroundings).map(({ target }) => target),
  )
  expect(told().filter(row => row.includes('40123'))).toEqual([])
})

test('tries what the environment names in place of the addresses and names, and its name servers too', () => {
  const env = {
    PARITY_EGRESS_ADDRESSES: '198.51.100.7:8443, 198.51.100.8',
    PARITY_EGRESS_NAMES: 'shop.example',
    PARITY_EGRESS_DNS: '198.51.100.53',
  }
  expect(told(env)).toEqual(
    expect.arrayContaining([
      'internet address: tcp 198.51.100.7:8443 198.51.100.8',
      'internet name: shop.example',
      'dns: udp 198.51.100.53:53',
    ]),
  )
  const [internet] = escapesOf({ ...surroundings, env })
  expect(internet?.ways.map(way => 'port' in way && way.port)).toEqual([8443, 80])
})

test('lets the control try its own gateway, which it has, in place of that of the lab, which it cannot have', () => {
  const gateway = escapesOf(surroundings).find(({ probe }) => probe === 'gateway')
  const hosts = (ways: readonly object[] | undefined) => ways?.map(way => 'host' in way && way.host)
  expect(hosts(gateway?.ways)).toEqual(['172.30.0.1'])
  expect(hosts(gateway?.controls)).toEqual(['172.17.0.1'])
})

test('gives every way an id of its own', () => {
  const ids = escapesOf(surroundings).flatMap(({ ways, controls = [] }) => [...ways, ...controls].map(({ id }) => id))
  expect(ids.length).toBe(new Set(ids).size)
})
