import { describe, expect, test } from 'vitest'
import type { EgressRow } from '../lab/container/spec.ts'
import { egressLines, egressSummary, evidenceLines } from './lab-lines.ts'

const row = (o: Partial<EgressRow>): EgressRow => ({
  service: 'app',
  probe: 'internet address',
  target: '203.0.113.1:80',
  control: 'connected',
  seen: 'EHOSTUNREACH',
  state: 'closed',
  ...o,
})

describe('the egress table', () => {
  test('has a line for each way out, aligned, and a head', () => {
    const rows = [row({}), row({ service: 'database', probe: 'dns', target: '10.0.0.2:53', seen: 'ETIMEDOUT' })]
    expect(egressLines(rows)).toEqual([
      'service   way out           target          control    from inside',
      'app       internet address  203.0.113.1:80  connected  EHOSTUNREACH  closed',
      'database  dns               10.0.0.2:53     connected  ETIMEDOUT     closed',
    ])
  })

  test('is empty where nothing was tried', () => {
    expect(egressLines([])).toEqual([])
  })

  test('shows nothing of a terminal that a service may send', () => {
    expect(egressLines([row({ seen: '\u001b[2J' })]).join('')).not.toContain('\u001b')
  })
})

describe('its summary', () => {
  test('counts one way out alone', () => {
    expect(egressSummary([row({})])).toBe('1 way out closed')
  })

  test('names what is open and what is unproven apart: neither counts as closed', () => {
    const rows = [row({}), row({}), row({ state: 'open' }), row({ state: 'unproven' })]
    expect(egressSummary(rows)).toBe('2 ways out closed · 1 open · 1 unproven')
  })
})

test('the evidence of a lab names each image, the rung it came by, and what does not hold', () => {
  const lines = evidenceLines({
    engine: '20.10.24',
    images: [
      {
        service: 'app',
        tag: 'docker.io/library/node:0.10.48',
        id: `sha256:${'ab'.repeat(32)}`,
        digest: null,
        runId: `sha256:${'cd'.repeat(32)}`,
        sizeBytes: 1,
        steps: [
          { rung: 'upstream', tried: 'it', outcome: 'skipped', why: 'no digest', remedy: 'pin it' },
          { rung: 'recipe', tried: 'it', outcome: 'used', why: null, remedy: null },
        ],
      },
    ],
    assertions: [
      { service: 'app', what: 'no capabilities', seenBy: 'inside', expected: '0', seen: '0', holds: true },
      { service: 'app', what: 'read-only root', seenBy: 'inside', expected: 'ro', seen: 'rw', holds: false },
    ],
    egress: [row({})],
    bootMs: 1,
    selfTestMs: 1,
  })
  expect(lines).toEqual([
    'engine 20.10.24',
    'image  app  docker.io/library/node:0.10.48  abababababab  (recipe)',
    'hardening  1 of 2 hold',
    '  app: read-only root: expected ro, seen rw',
    'egress  1 way out closed',
    '  service  way out           target          control    from inside',
    '  app      internet address  203.0.113.1:80  connected  EHOSTUNREACH  closed',
  ])
})
