import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAKE, makeProject, type Project } from './project.ts'

const SUITE = (
  feature: string,
  cases: readonly string[],
  more = '',
): string => `${FAKE}import { plan } from ${FAKE.split(' from ')[1]?.trim()}
plan('${feature}', { cases: ${JSON.stringify(cases)} })
describeParity('${feature}', { candidate: http('http://127.0.0.1:9') }${more})
`

describe('what is selected', () => {
  let project: Project
  beforeAll(() => {
    project = makeProject({
      files: {
        'parity/fx/fx.parity.ts': SUITE('fx', ['001-happy', '001-happy-longer', '010-error-diverged']),
        'parity/ok/ok.parity.ts': SUITE('ok', ['001-happy', '002-happy']),
        'unit.test.ts': `import { test } from 'vitest'\ntest('a unit test', () => {})\n`,
      },
    })
  })
  afterAll(() => project[Symbol.dispose]())

  test('is what -t leaves, with the line that the report prints, and the calibration is proven all the same', async () => {
    const { code, stderr } = await project.run(['run', '--project', 'parity', '-t', 'fx 010-error-diverged'])
    expect(project.states()).toEqual({ 'fx 010-error-diverged': 'DIVERGED' })
    expect(code).toBe(1)
    expect(stderr).toContain("rerun  npx vitest run --project parity -t 'fx 010-error-diverged'")
    expect(stderr).toMatch(/✓ calibration\s+control clean/)
    expect(project.report().features.map(each => [each.feature, each.calibration?.state])).toEqual([
      ['fx', 'ok'],
      ['ok', undefined],
    ])
  })

  test('is one test where the name of one begins another, once the pattern is anchored', async () => {
    await project.run(['run', '--project', 'parity', '-t', '^fx 001-happy$'])
    expect(project.states()).toEqual({ 'fx 001-happy': 'PARITY' })
  })

  test('is what the file filter leaves; exit code 0 when all is equal', async () => {
    const { code, stderr } = await project.run(['run', 'ok.parity'])
    expect(project.states()).toEqual({ 'ok 001-happy': 'PARITY', 'ok 002-happy': 'PARITY' })
    expect(stderr).toContain(' parity  2 PARITY of 2\n')
    expect(code).toBe(0)
  })

  test('is nothing with -t nothing: exit code 2, also with --passWithNoTests', async () => {
    for (const args of [[], ['--passWithNoTests']]) {
      const { code, stderr } = await project.run(['run', '--project', 'parity', '-t', 'nothing', ...args])
      expect(stderr).toContain('exit 2: nothing was selected')
      expect(code).toBe(2)
    }
  })

  test('is nothing when no file matches: exit code 2, also with --passWithNoTests', async () => {
    const { code, stderr } = await project.run(['run', '--project', 'parity', '--passWithNoTests', 'no-such-file'])
    expect(stderr).toContain('exit 2: nothing was selected')
    expect(code).toBe(2)
  })

  test('says nothing when only unit tests run', async () => {
    const { code, stdout, stderr } = await project.run(['run', '-t', 'a unit test', 'unit.test.ts'])
    expect(stdout + stderr).not.toContain('PARITY')
    expect(code).toBe(0)
  })

  test('is judged although -t was meant for the unit tests: nothing selected is no error when parity was not asked for', async () => {
    const { code } = await project.run(['run', '-t', 'a unit test'])
    expect(code).toBe(0)
  })
})

describe('the exit code', () => {
  test('I5: is 2 for what is unverifiable or only skipped, 0 for what the policy allows, 2 when then nothing is compared', async () => {
    using project = makeProject({
      parity: "{ unverifiable: { allow: ['lab-image'] } }",
      files: {
        'parity/a/mixed.parity.ts': SUITE('mixed', ['001-happy', '002-happy-image']),
        'parity/a/stale.parity.ts': SUITE('stale', ['001-happy', '002-edge-stale']),
        'parity/a/image.parity.ts': SUITE('image', ['001-happy-image', '002-happy-image']),
        'parity/a/skipped.parity.ts': SUITE('skipped', ['001-happy']).replace(
          'describeParity(',
          'describeParity.skip(',
        ),
      },
    })
    const mixed = await project.run(['run', 'mixed', '--reporter=junit', '--reporter=github-actions'], {
      GITHUB_ACTIONS: 'true',
    })
    expect(mixed.code).toBe(0)
    expect(mixed.stderr).toContain(' parity  1 PARITY · 1 UNVERIFIABLE (1 allowed) of 2')
    expect(readFileSync(join(project.root, '.vitest/junit/output.xml'), 'utf8')).toContain(
      'UNVERIFIABLE lab-image: no binary for this platform',
    )
    expect(mixed.stdout).toMatch(/^::warning.*UNVERIFIABLE lab-image/m)
    expect((await project.run(['run', 'stale'])).code).toBe(2)
    const image = await project.run(['run', 'image'])
    expect([image.code, image.stderr.includes('exit 2: nothing was compared')]).toEqual([2, true])
    const skipped = await project.run(['run', 'skipped'])
    expect(project.states()).toEqual({ 'skipped 001-happy': 'UNVERIFIABLE not-run' })
    expect(skipped.code).toBe(2)
  }, 100_000)

  test('is 1 for a unit test that fails beside parity, and for a decision that no longer holds', async () => {
    using project = makeProject({
      files: {
        'parity/a/ok.parity.ts': SUITE('ok', ['001-happy']),
        'parity/a/old.parity.ts': SUITE('old', ['001-happy']).replace(
          /plan\('old', \{/,
          "plan('old', { findings: { '001-happy': ['divergences.yaml:3: D-001 no longer occurs'] },",
        ),
        'unit.test.ts': `import { test } from 'vitest'\ntest('a unit test', () => { throw new Error('no') })\n`,
      },
    })
    const beside = await project.run(['run', 'ok.parity', 'unit.test'])
    expect(project.report().failures).toEqual([{ where: 'unit unit.test.ts', message: '1 failed' }])
    expect(beside.code).toBe(1)
    const old = await project.run(['run', 'old.parity'])
    expect(project.states()).toEqual({ 'old 001-happy': 'PARITY' })
    expect(old.stderr).toContain('old 001-happy   divergences.yaml:3: D-001 no longer occurs')
    expect(old.code).toBe(1)
  }, 100_000)

  test('I13: is 2 when the candidate does not answer, and the cause is said once', async () => {
    using project = makeProject({
      files: {
        'parity/a/down.parity.ts': SUITE('down', ['001-happy', '002-happy', '003-happy']).replace(
          /plan\('down', \{/,
          "plan('down', { candidate: 'candidate-unreachable',",
        ),
        'parity/a/blind.parity.ts': SUITE('blind', ['001-happy']).replace(
          /plan\('blind', \{/,
          "plan('blind', { calibration: 'calibration-failed',",
        ),
      },
    })
    const down = await project.run(['run', 'down'])
    expect(down.code).toBe(2)
    expect(down.stderr.slice(down.stderr.indexOf(' parity  down'))).toMatchInlineSnapshot(`
      " parity  down  (down-express3 · node 0.10.48 · 3 fixtures · rules 4c1e)
         ✗ candidate     candidate-unreachable: connect ECONNREFUSED 127.0.0.1:9. Fix: start the candidate, or correct its address
         ✓ calibration   control clean (2 captures, 3 cases) · seeded 41/41 caught
         ? 3 cases       UNVERIFIABLE  blocked by candidate (candidate-unreachable)
       parity  0 PARITY · 3 UNVERIFIABLE of 3
       exit 2: 3 unverifiable; failed: candidate; nothing was compared
      "
    `)
    const blind = await project.run(['run', 'blind', '-t', 'blind 001'])
    expect(project.states()).toEqual({ 'blind 001-happy': 'PARITY' })
    expect(blind.stderr).toMatch(/✗ calibration\s+calibration-failed: exact \$\.id unseen\. Fix: a seeded mismatch/)
    expect(blind.code).toBe(2)
  }, 100_000)
})

describe('.only', () => {
  test('leaves what it marks, and a skipped test beside it is out of the count', async () => {
    using project = makeProject({
      files: {
        'parity/a/only.parity.ts': SUITE(
          'only',
          ['001-happy'],
          `, () => {
  test.only('this one', async () => { await expectParity('fine').toMatchFixture('a') })
  test.skip('not this one', () => {})
}`,
        ),
        'parity/a/suite.parity.ts':
          SUITE('left', ['001-happy']) +
          SUITE('taken', ['001-happy'], ", () => { test.skip('skipped within', () => {}) }")
            .replace(/^import.*$/gm, '')
            .replace('describeParity(', 'describeParity.only('),
      },
    })
    await project.run(['run', 'a/only'])
    expect(project.states()).toEqual({ 'only this one': 'PARITY' })
    await project.run(['run', 'a/suite'])
    expect(project.states()).toEqual({ 'taken 001-happy': 'PARITY', 'taken skipped within': 'UNVERIFIABLE not-run' })
  }, 100_000)
})
