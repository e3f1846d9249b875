import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { calibrationText } from '../src/golden/manifest.ts'
import { type LintProject, lintProject } from './lint-project.ts'

const RULES = 'tolerance/hello.rules.yaml'
const TOLERANCE = 'tolerance/hello.yaml'
const CONTRACT = 'parity/hello/contract.yaml'
const GOLDEN = '__golden__/hello/010-error-unknown-language.json'
const CASE = '010-error-unknown-language'

let project: LintProject
beforeAll(async () => {
  project = await lintProject({ folder: 'services/greeting' })
})
afterAll(() => project[Symbol.dispose]())
beforeEach(() => project.reset())

interface Said {
  readonly rule: string
  readonly level: string
  readonly file: string | null
  readonly message: string
  readonly fix: string
}

/** What `lint --base main` says beyond what lint says alone. */
async function found(base = 'main'): Promise<{ readonly code: number; readonly said: readonly Said[] }> {
  const { code, out } = await project.run('lint', '--base', base, '--json')
  const alone = JSON.parse((await project.run('lint', '--json')).out).findings.map((each: Said) => JSON.stringify(each))
  const all: Said[] = JSON.parse(out).findings
  return { code, said: all.filter(each => !alone.includes(JSON.stringify(each))) }
}

async function rules(base?: string): Promise<string[]> {
  return (await found(base)).said.map(({ rule }) => rule)
}

function decide(subject: string, o: { approver?: string | null; supersedes?: string } = {}): void {
  const { approver = 'ben', supersedes } = o
  const more = supersedes === undefined ? '' : `\n  supersedes: ${supersedes}`
  project.write(
    RULES,
    `${project.read(RULES)}- id: N-001
  rule: ${subject}
  reason: agreed
  evidence: an agreement
  author: ana
  approved_by: ${approver}${more}\n`,
  )
}

const accepted = (name: string, from: string, to: string) =>
  `${JSON.stringify({ at: '2026-12-01T00:00:00.000Z', case: name, from, to, author: 'ana', reason: 'agreed' })}\n`

describe('lint --base', () => {
  test('finds nothing on a branch that changed nothing, committed or not', async () => {
    expect(await found()).toEqual({ code: 0, said: [] })
    const { out } = await project.run('lint', '--base', 'main')
    expect(out).toMatch(/^0 findings.* in hello against [0-9a-f]{12}\n$/)
  })

  test('lets what is tightened pass', async () => {
    project.edit(TOLERANCE, '  - $.servedAt\n', '')
    project.edit(TOLERANCE, '$.width: 0.000001', '$.width: 0.0000001')
    project.edit(CONTRACT, 'tier: standard', 'tier: heavy')
    expect(await rules()).toEqual([])
  })

  test.each([
    [
      'an added rule',
      () => project.edit(TOLERANCE, '  - $.servedAt\n', '  - $.servedAt\n  - $.width.x\n'),
      'structural $.width.x',
    ],
    [
      'a looser key',
      () => {
        project.edit(TOLERANCE, '  - $.greeting\n', '')
        project.edit(TOLERANCE, 'structural:\n', 'structural:\n  - $.greeting\n')
      },
      'structural $.greeting',
    ],
    [
      'a wider path',
      () => project.edit(TOLERANCE, '  - $.requestId\n', '  - $..requestId\n'),
      'structural $..requestId',
    ],
  ])(
    'fails for %s, until a decision of the branch names it and another person approved it',
    async (_, change, subject) => {
      change()
      const { code, said } = await found()
      expect(code).toBe(1)
      expect(said).toMatchObject([{ rule: 'rule-loosened', level: 'error' }])
      expect(said[0]?.message).toContain(`\`${subject}\` is added, and no decision of this branch says so`)

      decide(subject, { approver: null })
      expect((await found()).said.map(({ message }) => message).join()).toContain(
        'N-001 decides so, but nobody has approved it',
      )
      project.edit(RULES, '  author: ana\n  approved_by: null', '  author: ana\n  approved_by: ben')
      expect(await rules()).toEqual([])
    },
  )

  test('refuses an approver who is the author under capitals', async () => {
    project.edit(TOLERANCE, '$.requestId\n', '$.requestId\n  - $.width.x\n')
    decide('structural $.width.x', { approver: '" ANA "' })
    const { code, said } = await found()
    expect(code).toBe(1)
    expect(said).toEqual([])
    expect((await project.run('lint')).out).toContain('ana wrote N-001 and cannot approve it')
  })

  test('asks for a new decision where a bound grows: the old one decided the old bound', async () => {
    project.edit(TOLERANCE, '$.width: 0.000001', '$.width: 0.5')
    const { said } = await found()
    expect(said).toMatchObject([
      {
        rule: 'rule-loosened',
        message:
          '`numeric_tolerance $.width` has the bound 0.5 in place of 0.000001, and no decision of this branch says so',
      },
    ])
    expect(said[0]?.fix).toContain('add a decision that supersedes R-003')
    decide('numeric_tolerance $.width', { supersedes: 'R-003' })
    expect(await rules()).toEqual([])
  })

  test('does not take an old decision that is approved now for one of this branch', async () => {
    project.edit(TOLERANCE, '$.width: 0.000001', '$.width: 0.5')
    project.write(RULES, project.read(RULES).replaceAll('approved_by: null', 'approved_by: ben'))
    expect(await rules()).toEqual(['rule-loosened'])
  })

  test('fails for an exact rule that is gone, until `without …` is decided', async () => {
    project.edit(TOLERANCE, '  - $.language\n', '')
    expect(await rules()).toEqual(['rule-removed'])
    decide('without exact $.language')
    expect(await rules()).toEqual([])
  })

  test.each([
    ['the tier', 'tier', () => project.edit(CONTRACT, 'tier: standard', 'tier: trivial')],
    ['the reset', 'reset', () => project.edit(CONTRACT, 'reset: none', 'reset: suite')],
    [
      'the compared headers',
      'headers',
      () => project.edit(CONTRACT, 'reset: none', 'reset: none\nheaders: [content-type]'),
    ],
    [
      'how an output is proved',
      'checkable',
      () => project.edit(CONTRACT, 'reset: none', 'reset: none\ncheckable: { hello: elsewhere }'),
    ],
    [
      'a section',
      'legacyBugs',
      () => project.edit(CONTRACT, '\nlegacyBugs:\n  BUG-1: a repeated lang parameter takes the last one', ''),
    ],
    ['a field', 'outputs', () => project.edit(CONTRACT, ", '$.formal', '$.requestId']", ", '$.requestId']")],
  ])('fails for a contract that changes %s, until that is decided', async (_, key, change) => {
    change()
    expect(await rules()).toContain('contract-loosened')
    decide(`contract ${key}`)
    expect(await rules()).not.toContain('contract-loosened')
  })

  test('notes a request that may be sent now', async () => {
    project.edit(CONTRACT, 'sends: []', 'sends: [POST /hello]')
    const { said } = await found()
    expect(said.filter(({ rule }) => rule === 'sends-added')).toMatchObject([{ level: 'note' }])
  })

  test('fails for a golden that was edited by hand', async () => {
    project.edit(GOLDEN, '"status": 4', '"status": 5')
    expect(await found()).toMatchObject({ code: 1, said: [{ rule: 'golden-changed', file: GOLDEN }] })
  })

  test('fails for a golden that holds together and was not accepted, and takes the line that names it and its id', async () => {
    const manifest = JSON.parse(project.read('__golden__/hello/manifest.json'))
    const old = manifest.fixtures[CASE].id
    project.remove('__golden__/hello')
    project.edit('labs/hello-legacy/server.cjs', 'no greeting in ', 'no greeting for ')
    expect((await project.run('record', 'hello')).code).toBe(0)
    const now = JSON.parse(project.read('__golden__/hello/manifest.json')).fixtures[CASE].id
    expect(now).not.toBe(old)
    const said = (await found()).said.filter(({ file }) => file === GOLDEN)
    expect(said).toMatchObject([{ rule: 'golden-changed' }])
    expect(said[0]?.message).toContain(`it was ${old.slice(0, 19)} and is ${now.slice(0, 19)}`)

    project.write('__golden__/hello/accepted.ndjson', accepted(CASE, now, old))
    expect((await found()).said.filter(({ file }) => file === GOLDEN)).toHaveLength(1)
    project.write('__golden__/hello/accepted.ndjson', accepted(CASE, old, now))
    expect((await found()).said.filter(({ file }) => file === GOLDEN)).toEqual([])
  })

  test('takes what accept wrote', async () => {
    project.edit('labs/hello-legacy/server.cjs', 'no greeting in ', 'no greeting for ')
    await project.run('record', 'hello', CASE)
    expect((await project.run('accept', 'hello', CASE, '--reason', 'the legacy moved', '--author', 'ana')).code).toBe(0)
    expect(await rules()).toEqual([])
  })

  test('fails for a case that is gone, once, until that is decided', async () => {
    project.remove(`parity/hello/inputs/${CASE}.json`)
    project.remove(GOLDEN)
    const manifest = JSON.parse(project.read('__golden__/hello/manifest.json'))
    delete manifest.fixtures[CASE]
    project.write('__golden__/hello/manifest.json', JSON.stringify(manifest))
    const { said } = await found()
    const gone = said.filter(({ rule }) => rule === 'case-removed')
    expect(gone).toHaveLength(1)
    expect(gone[0]?.message).toContain(`the input and the golden of ${CASE} are gone`)
    decide(`case ${CASE}`)
    expect(await rules()).not.toContain('case-removed')
  })

  test('fails for a golden that is kept longer than before', async () => {
    const manifest = JSON.parse(project.read('__golden__/hello/manifest.json'))
    manifest.fixtures[CASE].retention = 'pii'
    project.write('__golden__/hello/manifest.json', JSON.stringify(manifest))
    const { said } = await found()
    expect(said).toMatchObject([{ rule: 'entry-changed', file: '__golden__/hello/manifest.json' }])
    expect(said[0]?.message).toContain(`${CASE}: \`retention\` went from none to pii`)
  })

  test('fails for a calibration that says less, or what no rule covers, of a golden that stayed', async () => {
    const file = '__golden__/hello/calibration.json'
    const text = project.read(file)
    const id = JSON.parse(project.read('__golden__/hello/manifest.json')).fixtures[CASE].id
    const changed = (change: (noise: { path: string }[]) => unknown[]) => {
      const calibration = JSON.parse(text)
      calibration.fixtures[id].noise = change(calibration.fixtures[id].noise)
      project.write(file, calibrationText('hello', calibration.fixtures))
    }
    changed(noise => noise.slice(1))
    expect((await found()).said.filter(each => each.file === file)).toMatchObject([{ rule: 'calibration-changed' }])
    const forged = { step: 0, path: '$.error.code', pointer: '/error/code', first: '"a"', second: '"b"' }
    changed(noise => [...noise, forged])
    const { said } = await found()
    expect(said.filter(each => each.file === file)).toMatchObject([{ rule: 'calibration-changed' }])
    decide(`case ${CASE}`)
    expect(await rules()).not.toContain('calibration-changed')
  })

  test('fails for a decided divergence that nobody approved', async () => {
    const entry = (approver: string) => `- id: D-1
  case: ${CASE}
  path: $.error.code
  kind: value_changed
  legacy: '"a"'
  candidate: '"b"'
  reason: agreed
  author: ana
  approved_by: ${approver}\n`
    project.write('parity/hello/divergences.yaml', entry('null'))
    expect(await rules()).toEqual(['divergence-added'])
    project.write('parity/hello/divergences.yaml', entry('ben'))
    expect(await rules()).toEqual([])
  })

  test('fails for a decision that was rewritten, and lets one be approved', async () => {
    project.edit(RULES, 'reason: generated per request', 'reason: whatever')
    expect(await rules()).toEqual(['history-changed'])
    project.reset()
    project.edit(RULES, 'approved_by: null', 'approved_by: ben')
    expect(await rules()).toEqual([])
  })

  test('wants every rule of a new feature approved, and a decision for one that is gone', async () => {
    project.git('mv', 'parity/hello', 'parity/hallo')
    project.git('mv', TOLERANCE, 'tolerance/hallo.yaml')
    project.git('mv', RULES, 'tolerance/hallo.rules.yaml')
    project.git('mv', '__golden__/hello', '__golden__/hallo')
    project.edit('parity/hallo/contract.yaml', 'feature: hello', 'feature: hallo')
    const said = (await found()).said
    expect(said.filter(({ rule }) => rule === 'rule-loosened')).toHaveLength(3)
    expect(said.filter(({ rule }) => rule === 'feature-removed').map(({ message }) => message)).toEqual([
      'the feature hello is gone, and no decision of this branch says so',
    ])
    project.write(RULES, '')
    decide('feature hello')
    expect(await rules()).not.toContain('feature-removed')
  })

  test('says of a base that cannot be read that it is the base', async () => {
    project.edit(CONTRACT, 'tier: standard', 'teir: standard')
    project.git('commit', '--quiet', '--all', '--message=broken')
    project.git('branch', 'broken')
    project.edit(CONTRACT, 'teir: standard', 'tier: standard')
    const { code, said } = await found('broken')
    expect(code).toBe(1)
    expect(said).toMatchObject([
      {
        rule: 'PARITY_CONTRACT_INVALID',
        message: expect.stringMatching(/^at the base, [0-9a-f]{12}: parity\/hello\/contract\.yaml:/),
      },
    ])
  })

  test('holds the branch against where it left its base, not against what came there since', async () => {
    project.edit(TOLERANCE, '  - $.servedAt\n', '')
    project.git('commit', '--quiet', '--all', '--message=stricter')
    project.git('branch', '--force', 'later')
    project.reset()
    expect(await rules('later')).toEqual([])
  })
})
