import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { bornOf } from '../processes.ts'
import { labels, marksOf } from './labels.ts'
import { sessionId } from './session.ts'

test('says of every object what it is and which process made it', () => {
  const written = labels({ session: sessionId(), lab: 'shop', key: 'k', role: 'service', service: 'app', keep: false })
  expect(written).toMatchObject({
    'vitest-parity.session': sessionId(),
    'vitest-parity.lab': 'shop',
    'vitest-parity.key': 'k',
    'vitest-parity.role': 'service',
    'vitest-parity.service': 'app',
    'vitest-parity.owner-pid': String(process.pid),
    'vitest-parity.keep': 'false',
  })
  expect(written['vitest-parity.owner-host']?.startsWith(hostname())).toBe(true)
  expect(marksOf(written)).toEqual({
    session: sessionId(),
    lab: 'shop',
    key: 'k',
    role: 'service',
    service: 'app',
    keep: false,
    owner: { pid: process.pid, born: bornOf(process.pid), host: written['vitest-parity.owner-host'] },
  })
})

test('leaves the service out where there is none', () => {
  const written = labels({ session: 's', lab: 'shop', key: '', role: 'network', keep: true })
  expect(Object.keys(written)).not.toContain('vitest-parity.service')
  expect(marksOf(written)).toMatchObject({ role: 'network', service: '', keep: true })
})

test.each([
  ['without labels', null],
  ['with none of ours', { 'com.example.session': 's' }],
] as const)('knows nothing of an object %s', (_, written) => {
  expect(marksOf(written)).toBeNull()
})

test('takes an object whose owner cannot be read for one without a living owner', () => {
  expect(marksOf({ 'vitest-parity.session': 's', 'vitest-parity.owner-pid': '-7' })?.owner).toEqual({
    pid: 0,
    born: null,
    host: '',
  })
})
