import { describe, expect, test } from 'vitest'
import type { Fidelity } from '../lab/rung.ts'
import type { GateResult, RunEvent, StoredEvent } from '../run/events.ts'
import { fold } from './fold.ts'
import { jsonReport } from './json.ts'
import { ReportSchema } from './schema.ts'
import { terminalText } from './terminal.ts'

const LAB: Fidelity = {
  claim: 'the list and its totals',
  driver: 'container',
  isolation: 'internal',
  needs: 'L4',
  rung: 'L3',
  boundaries: [
    { name: 'database', mode: 'ephemeral-real', service: 'db', version: 'MariaDB 10.5', reason: 'it is', gaps: ['x'] },
    { name: 'mail', mode: 'unavailable', service: null, version: null, reason: 'none is sent', gaps: [] },
  ],
  gaps: ['one table', 'database: x'],
}
const BASIS = {
  fixtureSet: null,
  calibration: null,
  ruleSet: null,
  decisions: null,
  contract: null,
  adapter: { comparator: 'c', candidate: 'k' },
  asOf: '2026-01-02',
}
const RUN = { id: 'r', node: 'v24', vitest: '5', asOf: '2026-01-02', shard: null, explicit: true, allow: [] }
const BOOTED: GateResult = { gate: 'lab', state: 'ok', reason: null, text: 'shop answers', remedy: null }
const FAILED: GateResult = {
  gate: 'lab',
  state: 'failed',
  reason: 'lab-boot',
  text: 'it ended',
  remedy: 'read the log',
}

function reportOf(o: { fidelity?: Fidelity; live?: boolean; fixtures?: number; gate?: GateResult }) {
  const { fidelity, live = false, fixtures = 3, gate } = o
  const context = {
    feature: 'shop',
    lab: 'shop-lab',
    labDetail: null,
    fixtures: live ? 0 : fixtures,
    basis: BASIS,
    gates: [],
    ...(fidelity === undefined ? {} : { fidelity }),
    ...(live ? { against: 'live' as const } : {}),
  }
  const events: RunEvent[] = [
    { type: 'run-started', run: RUN },
    { type: 'suite', file: 'shop.parity.ts', context },
    ...(gate === undefined ? [] : [{ type: 'gate' as const, feature: 'shop', result: gate }]),
    { type: 'run-ended', reason: 'finished', vitestFailed: false },
  ]
  return fold(events.map((event, index): StoredEvent => ({ id: index + 1, at: '2026-01-02T00:00:00Z', ...event })))
}

const shown = (o: Parameters<typeof reportOf>[0]): string => terminalText(reportOf(o), { color: false })
const inJson = (o: Parameters<typeof reportOf>[0]) => {
  const report = jsonReport(reportOf(o))
  expect(ReportSchema.safeParse(report).error?.issues).toBeUndefined()
  return report.features[0]?.fidelity
}

describe('what a lab claims and how near it comes', () => {
  test('stands below the head of its feature, with its boundaries and gaps, and what is wanting', () => {
    expect(shown({ fidelity: LAB })).toContain(`
   claim: the list and its totals · recorded at L3 · isolation: internal
   boundaries: database ephemeral-real (MariaDB 10.5) · mail unavailable
   not shown: one table · database: x
   ! the claim needs L4, and L3 is what ran
`)
  })

  test('says no more than there is', () => {
    const plain: Fidelity = { ...LAB, driver: 'process', isolation: 'none', needs: null, boundaries: [], gaps: [] }
    const text = shown({ fidelity: plain })
    expect(text).toContain('\n   claim: the list and its totals · recorded at L3 · isolation: none\n')
    expect(text).not.toMatch(/boundaries|not shown|the claim needs/)
    expect(shown({})).not.toContain('claim')
    expect(inJson({})).toBeNull()
  })

  test.each([
    ['a recorded suite', {}, 'L3', 'the claim needs L4, and L3 is what ran'],
    ['one that has no recording', { fixtures: 0 }, null, 'the claim needs L4, and no lab ran'],
    ['a live suite', { live: true, gate: BOOTED }, 'L3', 'the claim needs L4, and L3 is what ran'],
    ['a live suite whose lab failed', { live: true, gate: FAILED }, null, 'the claim needs L4, and no lab ran'],
    ['a claim that is met', { fidelity: { ...LAB, needs: 'L3' } }, 'L3', null],
    ['a claim that is more than met', { fidelity: { ...LAB, needs: 'L2' } }, 'L3', null],
    ['a claim that needs nothing', { fidelity: { ...LAB, needs: null }, fixtures: 0 }, null, null],
  ] as const)('is in the JSON report of %s', (_, o, rung, shortfall) => {
    expect(inJson({ fidelity: LAB, ...o })).toMatchObject({ rung, shortfall, gaps: ['one table', 'database: x'] })
  })

  test('is reached, not recorded, where the lab answers', () => {
    expect(shown({ fidelity: LAB, live: true, gate: BOOTED })).toContain('totals · reached L3 · isolation: internal')
    expect(shown({ fidelity: LAB, live: true, gate: FAILED })).toContain('totals · no lab ran · isolation: internal')
  })

  test('changes no verdict and no exit code', () => {
    const { summary } = reportOf({ fidelity: LAB })
    expect(summary).toEqual(reportOf({ fidelity: { ...LAB, needs: null } }).summary)
  })

  test('shows nothing of a terminal that lab.yaml may hold', () => {
    expect(shown({ fidelity: { ...LAB, claim: '\u001b[2J', gaps: ['\u001b[2J'] } })).not.toContain('\u001b')
  })
})
