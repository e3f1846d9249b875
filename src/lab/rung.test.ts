import { describe, expect, test } from 'vitest'
import { loadProcessLab } from '../../test/lab-folder.ts'
import type { Boundary } from './container/spec.ts'
import { fidelityOf, rungReached } from './rung.ts'

const SERVED = {
  npm: {},
  env: {},
  command: ['a', 'b'],
  ready: { http: 'GET /', status: 200, timeoutMs: 1 },
  reset: 'none',
}
const CALLED = { npm: {}, env: {}, call: ['a', 'b'], reset: 'none' }
const DATABASE = ['ephemeral-real', 'db'] as const

function boundary(mode: Boundary['mode'], service: string | null): Boundary {
  return { name: mode, mode, service, version: null, reason: 'why', gaps: [] }
}

describe('the rung that a lab comes to', () => {
  test.each<[string, string, readonly string[], readonly (readonly [Boundary['mode'], string | null])[]]>([
    ['L1', 'a program that is called', ['called'], []],
    ['L2', 'a service', ['app'], []],
    ['L2', 'two services that nothing is said of', ['app', 'db'], []],
    ['L2', 'a database that is faked', ['app', 'db'], [['fake', 'db']]],
    ['L2', 'a virtual service alone: the other side of one legacy', ['app', 'mail'], [['virtual-service', 'mail']]],
    ['L3', 'a database of its kind', ['app', 'db'], [DATABASE]],
    ['L3', 'an emulator', ['app', 'queue'], [['emulator', 'queue']]],
    ['L3', 'a database beside what is not there', ['app', 'db'], [DATABASE, ['unavailable', null]]],
    [
      'L3',
      'two legacies with an edge that is faked',
      ['app', 'shop', 'db'],
      [DATABASE, ['virtual-service', null], ['fake', null]],
    ],
    ['L4', 'two legacies and their virtual edge', ['app', 'shop', 'mail'], [['virtual-service', 'mail']]],
    [
      'L4',
      'two legacies, a database, and their virtual edge',
      ['app', 'shop', 'db'],
      [DATABASE, ['virtual-service', null]],
    ],
    ['L5', 'the real provider', ['app'], [['real', null]]],
    ['L5', 'a program that is called and asks the real provider', ['called'], [['real', null]]],
  ])('is %s for %s', (rung, _, names, boundaries) => {
    const services = Object.fromEntries(names.map(name => [name, name === 'called' ? CALLED : SERVED]))
    const file = { services, boundaries: boundaries.map(([mode, service]) => boundary(mode, service)) }
    expect(rungReached(file as unknown as Parameters<typeof rungReached>[0])).toBe(rung)
  })
})

test('what a lab does not show is its own gaps, then those of its boundaries by name', async () => {
  const { file } = await loadProcessLab('labs/pricing-node010')
  const fx: Boundary = { ...boundary('fake', null), name: 'rates', gaps: ['one day'] }
  expect(fidelityOf({ ...file, needs: 'L3', boundaries: [fx] })).toEqual({
    claim: 'the price of one cart, computed in doubles on Node 0.10',
    driver: 'process',
    isolation: 'none',
    needs: 'L3',
    rung: 'L1',
    boundaries: [fx],
    gaps: ['one cart per process, so nothing that a long-lived process would keep is shown', 'rates: one day'],
  })
})
