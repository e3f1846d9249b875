import { expect, test } from 'vitest'
import { rowOf, type Tried } from './egress-row.ts'
import type { Escape } from './egress-targets.ts'

const ways = ['one', 'two'].map(id => ({ id, kind: 'tcp', host: '203.0.113.1', port: 80 }) as const)
const tested: Escape = { probe: 'internet address', target: 'tcp 203.0.113.1:80', ways, controlOn: 'bridge' }
const CLOSED = 'EHOSTUNREACH'
const THROUGH = 'connected'

function tried(one: string, two: string | null, token: string): Tried {
  const all = [['one', one] as const, ...(two === null ? [] : [['two', two] as const])]
  return { token, seen: new Map(all.map(([id, seen]) => [id, { id, seen, through: seen === THROUGH }])) }
}

interface Seen {
  readonly inside: readonly [one: string, two: string | null]
  readonly control: readonly [one: string, two: string]
  readonly arrived?: string
}

const row = ({ inside, control, arrived = '' }: Seen) =>
  rowOf('app', tested, { inside: tried(...inside, 'cafe'), controls: tried(...control, 'beef'), arrived })

test.each<[why: string, seen: Seen, state: string, told: string]>([
  ['nothing got out, and the control did', { inside: [CLOSED, CLOSED], control: [THROUGH, THROUGH] }, 'closed', CLOSED],
  ['one control of several shows it', { inside: [CLOSED, CLOSED], control: [CLOSED, THROUGH] }, 'closed', CLOSED],
  ['the control did not get out either', { inside: [CLOSED, CLOSED], control: [CLOSED, CLOSED] }, 'unproven', CLOSED],
  ['one way of several is a way out', { inside: [CLOSED, THROUGH], control: [THROUGH, THROUGH] }, 'open', THROUGH],
  ['it got out where the control did not', { inside: [THROUGH, CLOSED], control: [CLOSED, CLOSED] }, 'open', THROUGH],
  ['a way was not tried', { inside: [CLOSED, null], control: [THROUGH, THROUGH] }, 'open', CLOSED],
  [
    'it arrived, though nobody answered',
    { inside: [CLOSED, CLOSED], control: [THROUGH, THROUGH], arrived: 'x\ncafe two\n' },
    'open',
    'arrived, unanswered',
  ],
  [
    'what arrived was sent by another',
    { inside: [CLOSED, CLOSED], control: [THROUGH, THROUGH], arrived: 'beef two\n' },
    'closed',
    CLOSED,
  ],
])('%s', (_, seen, state, told) => {
  expect(row(seen)).toMatchObject({ service: 'app', probe: 'internet address', state, seen: told })
})

test('tells every way that a closed door was tried by, once', () => {
  const { seen, control } = row({ inside: [CLOSED, 'no answer in 2000 ms'], control: [THROUGH, THROUGH] })
  expect({ seen, control }).toEqual({ seen: 'EHOSTUNREACH, no answer in 2000 ms', control: THROUGH })
})

test('asks the control for other ways where it has others', () => {
  const own = { ...tested, controls: [{ ...ways[0], id: 'own' } as Escape['ways'][number]] }
  const controls = { token: '', seen: new Map([['own', { id: 'own', through: true, seen: THROUGH }]]) }
  expect(rowOf('app', own, { inside: tried(CLOSED, CLOSED, ''), controls, arrived: '' }).state).toBe('closed')
})
