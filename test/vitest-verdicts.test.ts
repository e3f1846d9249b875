import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ended, FAKE, makeProject, type Project } from './project.ts'

const ODD = `${FAKE}import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { plan } from '@fake'
plan('odd', { cases: [] })
const bad = 'diverged'
describeParity('odd', { candidate: http('http://127.0.0.1:9') }, ({ candidate }) => {
  test('compares nothing', () => {})
  test('throws its own error', () => { throw new TypeError('undefined is not a function') })
  test('fails an assertion of its own after a parity', async () => { await expectParity('fine').toMatchFixture('a'); expect(1).toBe(2) })
  test('awaits nothing and differs', () => { void expectParity(bad).toMatchFixture('a') })
  test('awaits nothing and is equal', () => { void expectParity('fine').toMatchFixture('a') })
  test('catches the divergence', async () => { await expectParity(bad).toMatchFixture('a').catch(() => {}) })
  test('differs softly, then is equal', async () => { await expectParity.soft(bad).toMatchFixture('a'); await expectParity('fine').toMatchFixture('a') })
  test('differs softly, then is unverifiable', async () => { await expectParity.soft(bad).toMatchFixture('a'); await expectParity('stale').toMatchFixture('a') })
  test('differs softly, then skips itself', async ({ skip }) => { await expectParity.soft(bad).toMatchFixture('a'); skip('enough') })
  test('skips itself', ({ skip }) => { skip('enough') })
  test.fails('is expected to fail and differs', async () => { await expectParity(bad).toMatchFixture('a') })
  test.fails('is expected to fail and is equal', async () => { await expectParity('fine').toMatchFixture('a') })
  let tries = 0
  test('differs, and is equal when retried', { retry: 2 }, async () => { await expectParity(tries++ ? 'fine' : bad).toMatchFixture('a') })
  let breaks = 0
  test('breaks, and is equal when retried', { retry: 2 }, async () => { if (breaks++ === 0) throw new Error('flaky'); await expectParity('fine').toMatchFixture('a') })
  test('is repeated and differs once', { repeats: 1 }, async () => { await expectParity(tries++ % 2 ? 'fine' : bad).toMatchFixture('a') })
  test('times out', { timeout: 40 }, async () => { await new Promise(resolve => setTimeout(resolve, 400)) })
  test('counts its assertions', async () => { expect.assertions(2); await expectParity('fine').toMatchFixture('a'); await expectParity('fine').toMatchFixture('a') })
  test('counts them on its own expect', async ({ expect }) => { expect.hasAssertions(); await expectParity('fine').toMatchFixture('a') })
  test('is given a bare function', async () => { await expectParity(() => 1).toMatchFixture('a') })
  test('is given a bare URL', async () => { await expectParity('http://127.0.0.1:1/').toMatchFixture('a') })
  test('asks the legacy without a live lab', async () => { await expectParity(candidate).toMatchLegacy({}) })
  test('is decided', async () => { const verdict = await expectParity('decided').toMatchFixture('a'); expect(verdict.state).toBe('DIVERGED') })
  test('is decided, then differs', async () => { await expectParity('decided').toMatchFixture('a'); await expectParity.soft(bad).toMatchFixture('a') })
  test('resolves to its verdict', async () => { const verdict = await expectParity('fine').toMatchFixture('a'); expect(verdict).toMatchObject({ state: 'PARITY', case: 'resolves to its verdict' }) })
  test.skip('is skipped in its source', async () => { await expectParity('fine').toMatchFixture('a') })
  test.todo('is still to be written')
  describe('a hook before all throws', () => { beforeAll(() => { throw new Error('boot failed') }); test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('a hook before each throws', () => { beforeEach(() => { throw new Error('no data') }); test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('a hook after each throws', () => { afterEach(() => { throw new Error('no rest') }); test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('a hook after each differs softly', () => { afterEach(async () => { await expectParity.soft(bad).toMatchFixture('a') }); test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('a hook after each awaits nothing', () => { afterEach(() => { void expectParity(bad).toMatchFixture('a') }); test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('a hook before each compares', () => { beforeEach(async () => { await expectParity('fine').toMatchFixture('a') }); test('twice', { repeats: 1 }, () => {}) })
  describe.skip('is skipped as a suite', () => { test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe('nests', () => { test('within', async () => { await expectParity('fine').toMatchFixture('a') }) })
  describe.concurrent('at once', () => {
    for (const n of [1, 2, 3]) test('number ' + n, async () => { await new Promise(resolve => setTimeout(resolve, 40 - 10 * n)); await expectParity(n === 2 ? bad : 'fine').toMatchFixture('a') })
  })
})
`.replace("'@fake'", FAKE.split(' from ')[1]?.trim() ?? '')

describe('a test of a parity file ends in exactly one verdict', () => {
  let project: Project
  let ended: Ended
  beforeAll(async () => {
    project = makeProject({
      name: 'ödd and spaces',
      files: {
        'parity/odd/odd.parity.ts': ODD,
        'parity/odd/loose.parity.ts': `${FAKE}test('stands outside', async () => { await expectParity(1).toMatchFixture('a') })\n`,
        'parity/odd/throws.parity.ts': 'throw new Error("no such module")\n',
        'parity/odd/empty.parity.ts': 'export {}\n',
      },
    })
    ended = await project.run(['run', '--project', 'parity'])
  }, 100_000)
  afterAll(() => project[Symbol.dispose]())

  test('whatever it does', () => {
    expect(project.states()).toEqual({
      'empty parity/odd/empty.parity.ts': 'UNVERIFIABLE test-error',
      'loose stands outside': 'UNVERIFIABLE test-error',
      'odd a hook after each awaits nothing > within': 'DIVERGED',
      'odd a hook after each differs softly > within': 'DIVERGED',
      'odd a hook after each throws > within': 'UNVERIFIABLE test-error',
      'odd a hook before all throws > within': 'UNVERIFIABLE test-error',
      'odd a hook before each compares > twice': 'PARITY',
      'odd a hook before each throws > within': 'UNVERIFIABLE test-error',
      'odd asks the legacy without a live lab': 'UNVERIFIABLE environment',
      'odd at once > number 1': 'PARITY',
      'odd at once > number 2': 'DIVERGED',
      'odd at once > number 3': 'PARITY',
      'odd awaits nothing and differs': 'DIVERGED',
      'odd awaits nothing and is equal': 'PARITY',
      'odd breaks, and is equal when retried': 'UNVERIFIABLE test-error',
      'odd catches the divergence': 'DIVERGED',
      'odd compares nothing': 'UNVERIFIABLE no-assertion',
      'odd counts its assertions': 'PARITY',
      'odd counts them on its own expect': 'PARITY',
      'odd differs softly, then is equal': 'DIVERGED',
      'odd differs softly, then is unverifiable': 'DIVERGED',
      'odd differs softly, then skips itself': 'DIVERGED',
      'odd differs, and is equal when retried': 'DIVERGED',
      'odd fails an assertion of its own after a parity': 'UNVERIFIABLE test-error',
      'odd is decided': 'DIVERGED',
      'odd is decided, then differs': 'DIVERGED',
      'odd is expected to fail and differs': 'DIVERGED',
      'odd is expected to fail and is equal': 'PARITY',
      'odd is given a bare URL': 'UNVERIFIABLE test-error',
      'odd is given a bare function': 'UNVERIFIABLE test-error',
      'odd is repeated and differs once': 'DIVERGED',
      'odd is skipped as a suite > within': 'UNVERIFIABLE not-run',
      'odd is skipped in its source': 'UNVERIFIABLE not-run',
      'odd is still to be written': 'UNVERIFIABLE not-run',
      'odd nests > within': 'PARITY',
      'odd resolves to its verdict': 'PARITY',
      'odd skips itself': 'UNVERIFIABLE not-run',
      'odd throws its own error': 'UNVERIFIABLE test-error',
      'odd times out': 'UNVERIFIABLE test-error',
      'throws parity/odd/throws.parity.ts': 'UNVERIFIABLE test-error',
    })
  })

  test('I1: and the count closes', () => {
    const { summary, verdicts } = project.report()
    expect(summary.parity + summary.diverged + summary.unverifiable).toBe(summary.selected)
    expect(verdicts).toHaveLength(summary.selected)
    expect(summary.decided).toBe(1)
    expect(summary.exitCode).toBe(1)
    expect(ended.code).toBe(1)
  })

  test('with the message of what went wrong, the same on every machine', () => {
    const messages = Object.fromEntries(
      project.report().verdicts.flatMap(each => (each.state === 'UNVERIFIABLE' ? [[each.case, each.message]] : [])),
    )
    expect(messages).toMatchObject({
      'throws its own error': 'TypeError: undefined is not a function',
      'a hook before all throws > within': 'Error: boot failed',
      'skips itself': 'the test skipped itself: enough',
      'parity/odd/throws.parity.ts': 'Error: no such module',
      'is given a bare function': 'ParityError: a bare function was given where a target is expected',
    })
    expect(JSON.stringify(project.report().verdicts)).not.toContain(project.root)
  })

  test('I10: and a divergence that was caught, soft or not awaited fails its test in Vitest too', () => {
    for (const name of [
      'catches the divergence',
      'awaits nothing and differs',
      'differs softly, then skips itself',
      'is expected to fail and differs',
    ]) {
      expect(ended.stdout + ended.stderr).toContain(`> odd > ${name}`)
    }
    expect(ended.stderr).toContain(
      'ParityDivergence: odd catches the divergence DIVERGED at $.error.code: legacy "E_CCY", candidate "UNKNOWN"',
    )
  })
})

test('a comparison that is begun after its test has ended fails the run, and no other test takes it', async () => {
  using project = makeProject({
    files: {
      'parity/late/late.parity.ts': `${FAKE}import { plan } from '@fake'
plan('late', { cases: [] })
describeParity('late', { candidate: http('http://127.0.0.1:9') }, () => {
  test('ends', async () => { setTimeout(() => { void expectParity('diverged').toMatchFixture('a') }, 50); await expectParity('fine').toMatchFixture('a') })
  test('waits', async () => { await new Promise(resolve => setTimeout(resolve, 400)); await expectParity('fine').toMatchFixture('a') })
})
`.replace("'@fake'", FAKE.split(' from ')[1]?.trim() ?? ''),
    },
  })
  const { code } = await project.run(['run', '--project', 'parity'])
  expect(project.states()).toEqual({ 'late ends': 'PARITY', 'late waits': 'PARITY' })
  expect(project.report().failures).toEqual([
    { where: 'unhandled', message: expect.stringContaining('expectParity was called outside a test') },
  ])
  expect(code).toBe(1)
}, 100_000)
