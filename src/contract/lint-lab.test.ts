import { describe, expect, test } from 'vitest'
import { sha256 } from '../core/canonical.ts'
import { compileTolerance } from '../core/tolerance.ts'
import type { Fidelity } from '../lab/rung.ts'
import { parseContract } from './contract.ts'
import { type Finding, isNote, type LintInput, lint } from './lint.ts'
import type { LintLab } from './lint-lab.ts'

const FIDELITY: Fidelity = {
  claim: 'x',
  driver: 'container',
  isolation: 'internal',
  needs: 'L3',
  rung: 'L3',
  boundaries: [
    { name: 'database', mode: 'ephemeral-real', service: 'db', version: null, reason: 'x', gaps: [] },
    { name: 'mail', mode: 'unavailable', service: null, version: null, reason: 'x', gaps: [] },
  ],
  gaps: ['x'],
}
const SOUND: LintLab = {
  file: 'labs/shop/lab.yaml',
  id: 'shop',
  fidelity: FIDELITY,
  services: ['app', 'db'],
  unpinned: [],
}

function found(rule: Finding['rule'], lab: LintLab | null, principals = ''): readonly Finding[] {
  const compiled = compileTolerance({ file: 't.yaml', text: 'exact: [$.a]\n' })
  if (!compiled.ok) throw new Error('the rules of the test do not compile')
  const text = `feature: orders\nlab: shop\nrevision: r1\noutputs: { o: [$.a] }\n${principals}`
  const id = sha256('x')
  const input: LintInput = {
    contract: parseContract(text, { file: 'contract.yaml', feature: 'orders' }),
    cases: [],
    fixtures: {
      id,
      names: [],
      manifest: null,
      read: () => ({ ok: false, fault: { reason: 'no-fixture', step: 0, message: '' } }),
    },
    ruleSet: compiled.rules,
    divergences: [],
    pending: [],
    labRevision: 'r1',
    lab,
  }
  return lint(input).filter(finding => finding.rule === rule)
}
const lab = (fidelity: Partial<Fidelity>, more: Partial<LintLab> = {}): LintLab => ({
  ...SOUND,
  ...more,
  fidelity: { ...FIDELITY, ...fidelity },
})

describe('a lab', () => {
  const ALL = ['lab-rung', 'lab-gaps', 'lab-boundaries', 'lab-unpinned', 'secret-shared'] as const

  test('that says all of itself has no finding, nor has one that is not looked at', () => {
    for (const rule of ALL) expect([...found(rule, SOUND), ...found(rule, null)]).toEqual([])
  })

  test.each<[Finding['rule'], LintLab, string]>([
    ['lab-rung', lab({ needs: 'L4' }), 'the claim needs L4, and the lab comes to L3'],
    ['lab-gaps', lab({ gaps: [] }), 'no gaps: it says of nothing that it is not shown'],
    ['lab-boundaries', lab({ boundaries: [] }), '2 services (app, db), and no boundary says'],
    ['lab-boundaries', lab({ boundaries: FIDELITY.boundaries.slice(1) }), '2 services (app, db)'],
    ['lab-unpinned', lab({}, { unpinned: ['app', 'db'] }), 'lab.lock.yaml does not hold the image of app, db'],
  ])('%s', (rule, given, message) => {
    const [finding, ...more] = found(rule, given)
    expect(more).toEqual([])
    expect(finding).toMatchObject({ file: 'labs/shop/lab.yaml', message: expect.stringContaining(message) })
  })

  test('that needs nothing, or less, is high enough; a single service needs no boundary', () => {
    expect(found('lab-rung', lab({ needs: null }))).toEqual([])
    expect(found('lab-rung', lab({ needs: 'L2' }))).toEqual([])
    expect(found('lab-boundaries', lab({ boundaries: [] }, { services: ['app'] }))).toEqual([])
  })

  test('is pinned where there is an engine, so that one which is not is a note', () => {
    expect(ALL.map(rule => isNote({ rule }))).toEqual([false, false, false, true, false])
  })
})

describe('secret-shared', () => {
  const login = (path: string): string =>
    `principals: { ana: { header: Cookie, value: "{{sid}}", login: { request: { method: GET, path: "${path}" }, bind: { sid: $.s } } } }\n`

  test.each<[string, string, string]>([
    [
      'a variable',
      'principals: { ana: { header: Authorization, env: LEGACY_ANA } }\n',
      'ana takes a credential from LEGACY_ANA',
    ],
    ['what a login sends', login('/in?k={{env.LEGACY_KEY}}'), 'ana takes a credential from LEGACY_KEY'],
  ])('names %s of the legacy', (_, principals, message) => {
    const [finding] = found('secret-shared', null, principals)
    expect(finding?.message).toContain(message)
    expect(finding?.fix).toMatch(/as PARITY_(ANA|KEY)$/)
  })

  test('leaves every other variable alone', () => {
    expect(found('secret-shared', null, 'principals: { ana: { header: X, env: PARITY_LEGACY_ANA } }\n')).toEqual([])
    expect(found('secret-shared', null, login('/in?k={{env.PARITY_KEY}}'))).toEqual([])
  })
})
