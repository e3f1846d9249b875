/** Principals where the legacy answers while the suite runs: each side has a login of its own, and nothing shows a credential. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { ENV, holders, INPUTS, KEY, MARK, PASSWORD, type VaultText, vaultCandidate, vaultProject } from './vault.ts'

const PLANTED = [PASSWORD, KEY, MARK]

beforeAll(() => void Object.assign(process.env, ENV))
afterAll(() => {
  for (const name of Object.keys(ENV)) delete process.env[name]
})

async function live(o: VaultText): Promise<readonly string[]> {
  const project = vaultProject(o)
  onTestFinished(() => project[Symbol.dispose]())
  const suite = openSuite({
    root: project.root,
    dirs: {},
    feature: 'vault',
    options: { candidate: vaultCandidate(o.candidate), against: 'live' },
    asOf: '2026-12-01',
    candidateId: 'vault 1',
  })
  const verdicts: Verdict[] = []
  try {
    for (const name of Object.keys(INPUTS)) verdicts.push(await suite.check(name))
  } finally {
    await suite.close()
  }
  const shown = JSON.stringify(verdicts)
  expect([...PLANTED.filter(one => shown.includes(one)), ...holders(project.root, PLANTED)]).toEqual([])
  return verdicts.map(verdict => {
    if (verdict.state === 'UNVERIFIABLE') return `${verdict.case} ${verdict.reason}: ${verdict.message}`
    return `${verdict.case} ${verdict.state}`
  })
}

test('each side, and the control, logs in for itself, and the two agree', async () => {
  expect(await live({})).toEqual(Object.keys(INPUTS).map(name => `${name} PARITY`))
})

test('a login that the legacy alone refuses is unverifiable, with its status', async () => {
  const refused = `if (url === '/login') return json(response, { error: body }, 401)`
  expect((await live({ legacy: refused })).slice(0, 1)).toEqual([
    expect.stringMatching(
      /^001-happy-twice environment: .*the login of alice at the legacy failed: POST \/login answered 401$/,
    ),
  ])
})

test('a legacy that dies once it knows who calls is told with the last lines it printed, and without a credential in them', async () => {
  const [first = ''] = await live({ legacy: `if (token) { console.error('dies of ' + token); process.exit(3) }` })
  expect(first).toContain('dies of {credential:alice}')
})
