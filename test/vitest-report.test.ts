import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventSchema, ReportSchema } from '../src/report/schema.ts'
import { DEFAULT, FAKE, makeProject, type Project, source } from './project.ts'

const PLAN = FAKE.split(' from ')[1]?.trim()
const SUITE = (feature: string, cases: readonly string[], more = ''): string => `${FAKE}import { plan } from ${PLAN}
plan('${feature}', { cases: ${JSON.stringify(cases)} })
describeParity('${feature}', { candidate: http('http://127.0.0.1:9') }${more})
`
const CASES = ['001-happy', '002-happy-slow', '010-error-diverged', '020-edge-stale', '030-rule-slow']
const FOUR = Object.fromEntries(
  ['alpha', 'beta', 'gamma', 'delta'].map(name => [`parity/${name}/${name}.parity.ts`, SUITE(name, CASES)]),
)

/** The bytes of the sections that must not move. */
function sections(project: Project): string {
  const { verdicts, features, failures } = project.report()
  return JSON.stringify({ verdicts, features, failures }, null, 2)
}

describe('the report', () => {
  test('has the same verdicts byte for byte, whatever zone, language, workers, order or folder', async () => {
    using here = makeProject({ files: FOUR })
    using there = makeProject({ files: FOUR, name: 'ein anderer Ördner' })
    await here.run(['run', '--project', 'parity', '--maxWorkers=1'], { TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8' })
    const first = sections(here)
    await there.run(['run', '--sequence.shuffle', '--sequence.seed=7', '--maxWorkers=2', '--no-isolate'], {
      TZ: 'America/New_York',
    })
    expect(sections(there)).toBe(first)
    expect(here.report().verdicts).toHaveLength(20)
    expect(here.report().run.id).not.toBe(there.report().run.id)
  }, 100_000)

  test('closes its count when it is merged from shards', async () => {
    using project = makeProject({
      files: {
        ...FOUR,
        'parity/dies/dies.parity.ts': SUITE(
          'dies',
          ['001-happy-killed', '002-happy'],
          ", () => { test.skip('skipped', () => {}) }",
        ),
        'parity/throws/throws.parity.ts': 'throw new Error("broken")\n',
      },
    })
    for (const shard of ['1/3', '2/3', '3/3']) {
      await project.run(['run', '--project', 'parity', `--shard=${shard}`, '--reporter=blob'])
      const { summary } = project.report()
      expect(summary.parity + summary.diverged + summary.unverifiable).toBe(summary.selected)
    }
    const { code, stderr } = await project.run(['--merge-reports', '--project', 'parity'])
    const { summary } = project.report()
    expect(summary).toMatchObject({ selected: 24, parity: 12, diverged: 4, unverifiable: 8, exitCode: 1 })
    expect(project.states()).toMatchObject({
      'dies 001-happy-killed': 'UNVERIFIABLE worker-crashed',
      'dies skipped': 'UNVERIFIABLE not-run',
      'throws parity/throws/throws.parity.ts': 'UNVERIFIABLE test-error',
    })
    expect(stderr).toMatch(/✓ calibration\s+control clean/)
    expect(code).toBe(1)
  }, 100_000)

  test('is not mixed up by a second run in the same folder', async () => {
    using project = makeProject({ files: FOUR })
    await Promise.all([project.run(['run', '--project', 'parity']), project.run(['run', '--project', 'parity'])])
    const runs = project.events()
    expect(runs).toHaveLength(2)
    for (const events of runs) {
      expect(events.map(event => event.id)).toEqual(events.map((_, index) => index + 1))
      expect(events.filter(event => event.type === 'verdict')).toHaveLength(20)
      for (const event of events) EventSchema.parse(event)
    }
    expect(ReportSchema.parse(project.report()).verdicts).toHaveLength(20)
    expect(existsSync(join(project.root, '.parity', `report.json.${project.report().run.id}.tmp`))).toBe(false)
  }, 100_000)

  test('is only said to be missing where the folder cannot be written', async () => {
    using project = makeProject({ files: { 'parity/ok/ok.parity.ts': SUITE('ok', ['001-happy']) } })
    writeFileSync(join(project.root, '.parity'), 'a file, so that no folder can be made\n')
    const { code, stderr } = await project.run(['run', '--project', 'parity'])
    expect(stderr).toMatch(
      /1 PARITY of 1\n parity {2}the report could not be written to \.parity\/ \((EEXIST|ENOTDIR)\)/,
    )
    expect(code).toBe(0)
    chmodSync(join(project.root, '.parity'), 0o644)
  }, 100_000)

  test('stands beside those of --reporter=json and of coverage', async () => {
    using project = makeProject({
      files: {
        'parity/ok/ok.parity.ts': SUITE('ok', ['001-happy', '010-error-diverged']),
        'coverage.mjs': `export ${DEFAULT} {
          getProvider: () => ({ name: 'custom', initialize() {}, resolveOptions: () => ({ enabled: true, reportOnFailure: true }), clean() {}, onAfterSuiteRun() {},
            generateCoverage: () => ({}), reportCoverage() { console.log('coverage reported') } }),
          startCoverage() {}, takeCoverage: () => ({}), stopCoverage() {} }\n`,
      },
      config:
        "test: { coverage: { provider: 'custom', customProviderModule: './coverage.mjs', reportOnFailure: true } }",
    })
    const { code, stdout } = await project.run([
      'run',
      '--project',
      'parity',
      '--reporter=json',
      '--outputFile=out.json',
      '--coverage',
    ])
    const json = JSON.parse(readFileSync(join(project.root, 'out.json'), 'utf8'))
    expect(json).toMatchObject({ numTotalTests: 4, numPassedTests: 3, numFailedTests: 1 })
    const failed = json.testResults[0].assertionResults.find((each: { status: string }) => each.status === 'failed')
    expect(failed.failureMessages[0]).toContain('DIVERGED at $.error.code: legacy "E_CCY", candidate "UNKNOWN"')
    expect(failed.meta.parity.state).toBe('DIVERGED')
    expect(stdout).toContain('coverage reported')
    expect(project.report().summary).toMatchObject({ parity: 1, diverged: 1, selected: 2 })
    expect(code).toBe(1)
  }, 100_000)
})

describe('vitest -u', () => {
  const files = {
    'parity/ok/ok.parity.ts': SUITE('ok', ['001-happy']),
    'unit.test.ts': `import { expect, test } from 'vitest'\ntest('a unit test', () => { expect(1).toMatchInlineSnapshot('2') })\n`,
  }

  test('is refused with the parity project asked for, and without effect on it otherwise', async () => {
    using project = makeProject({ files })
    // PARITY_UPDATE_REFUSED
    for (const args of [
      ['-u', '--project', 'parity'],
      ['-u', 'ok.parity'],
      ['ok.parity', '-u'],
    ]) {
      const { code, stdout, stderr } = await project.run(['run', ...args])
      expect(stdout + stderr, args.join(' ')).toContain('vitest -u would accept whatever the candidate answers')
      expect(code, args.join(' ')).toBe(2)
    }
    const inert = await project.run(['run', '-u'])
    expect(readFileSync(join(project.root, 'unit.test.ts'), 'utf8')).toMatch(/toMatchInlineSnapshot\(.1.\)/)
    expect(project.states()).toEqual({ 'ok 001-happy': 'PARITY' })
    expect(inert.code).toBe(0)
  }, 100_000)
})

describe('a configuration', () => {
  test('with tests, setup and projects of its own keeps them', async () => {
    using project = makeProject({
      files: {
        'parity/ok/ok.parity.ts': SUITE('ok', ['001-happy']),
        'src/a.spec.ts': `import { test } from 'vitest'\ntest('a spec', () => {})\n`,
      },
      config: "test: { include: ['src/**/*.spec.ts'], retry: 3, fileParallelism: false }",
    })
    const { code, stdout } = await project.run(['run', '--reporter=verbose'])
    expect(stdout).toMatch(/\|unit\| src\/a\.spec\.ts > a spec/)
    expect(stdout).not.toMatch(/\|parity\| src\/a\.spec\.ts/)
    expect(project.states()).toEqual({ 'ok 001-happy': 'PARITY' })
    expect(code).toBe(0)
    project.write(
      'vitest.config.ts',
      `import { defineConfig } from 'vitest/config'
import { parityProject } from '${source('src/vitest/plugin.ts')}'
export ${DEFAULT} defineConfig({ test: { include: ['src/**/*.spec.ts'], projects: [{ extends: true, test: { name: 'specs' } }, parityProject({ include: ['parity/**/*.parity.ts'] })] } })\n`,
    )
    const explicit = await project.run(['run', '--reporter=verbose'])
    expect(explicit.stdout).toMatch(/\|specs\| src\/a\.spec\.ts > a spec/)
    expect(explicit.stdout).not.toMatch(/\|parity\| src\/a\.spec\.ts/)
    expect(explicit.stderr).toContain(' parity  1 PARITY of 1')
    expect(explicit.code).toBe(0)
  }, 100_000)

  test('with an option that does not exist, or a reason that cannot be allowed, is refused by name', async () => {
    using project = makeProject({ files: {}, parity: '{ unverifable: "fail" }' })
    const unknown = await project.run(['run'])
    expect(unknown.stderr).toContain('parity(): there is no option `unverifable`\nFix: write `unverifiable`')
    project.write(
      'vitest.config.ts',
      readFileSync(join(project.root, 'vitest.config.ts'), 'utf8').replace(
        'unverifable: "fail"',
        "unverifiable: { allow: ['test-error'] }",
      ),
    )
    const reason = await project.run(['run'])
    expect(reason.stderr).toContain('parity(): unverifiable.allow cannot be "test-error"')
    expect([unknown.code, reason.code]).not.toContain(0)
  }, 100_000)
})

describe('watch mode', () => {
  test('runs the suite again when its golden, its tolerance or its contract changes', async () => {
    using project = makeProject({
      files: {
        ...FOUR,
        '__golden__/alpha/001-happy.json': '{}\n',
        'tolerance/beta.yaml': 'exact: []\n',
        'parity/gamma/contract.yaml': 'feature: gamma\n',
      },
    })
    const running = project.start(['--project', 'parity', '--watch'])
    const round = async (change: () => void): Promise<string[]> => {
      const before = running.output().length
      change()
      await expect.poll(() => running.output().slice(before), { timeout: 20_000 }).toMatch(/ of \d+\n exit/)
      await new Promise(resolve => setTimeout(resolve, 300))
      return project.report().features.map(each => each.feature)
    }
    try {
      expect(await round(() => {})).toEqual(['alpha', 'beta', 'delta', 'gamma'])
      expect(await round(() => project.write('__golden__/alpha/001-happy.json', '{ }\n'))).toEqual(['alpha'])
      expect(await round(() => project.write('tolerance/beta.yaml', 'exact: [$.id]\n'))).toEqual(['beta'])
      expect(await round(() => project.write('parity/gamma/inputs/001-happy.json', '{}\n'))).toEqual(['gamma'])
    } finally {
      process.kill(-(running.child.pid ?? 0), 'SIGKILL')
      await running.ended
    }
  }, 100_000)

  test('does not hold the failure of one run against the next', async () => {
    const suite = (name: string): string =>
      `${FAKE}import { plan } from '${source('test/fake-suite.ts')}'\nplan('a', { cases: ['${name}'] })\ndescribeParity('a', { candidate: http('http://127.0.0.1:9') })\n`
    using project = makeProject({ files: { 'parity/a/a.parity.ts': suite('010-error-diverged') } })
    const running = project.start(['--project', 'parity', '--watch'])
    try {
      await running.seen(/ of 1\n exit 1/)
      await new Promise(resolve => setTimeout(resolve, 300))
      project.write('parity/a/a.parity.ts', suite('001-happy-usd'))
      await expect.poll(() => project.report().summary.parity, { timeout: 20_000 }).toBe(1)
      expect(project.report().summary).toMatchObject({ exitCode: 0, because: [] })
    } finally {
      process.kill(-(running.child.pid ?? 0), 'SIGKILL')
      await running.ended
    }
  }, 100_000)
})
