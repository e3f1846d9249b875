import { describe, expect, test } from 'vitest'
import { parity, parityProject } from '../src/vitest/plugin.ts'
import { describeParity, expectParity, http } from './fake-suite.ts'
import { FAKE, makeProject } from './project.ts'

const CANDIDATE = "{ candidate: http('http://127.0.0.1:9') }"

describe('a mistake is named with its fix', () => {
  test('describeParity outside the parity project', () => {
    expect(() => describeParity('fx', { candidate: http('http://127.0.0.1:9') })).toThrowError(
      expect.objectContaining({ code: 'PARITY_RUNNER_MISSING' }),
    )
  })

  test('expectParity outside describeParity', async () => {
    await expect(expectParity(1).toMatchFixture('a')).rejects.toMatchObject({ code: 'PARITY_SUITE_MISSING' })
  })

  test.each([
    [{ dirs: { goldn: 'x' } }, 'PARITY_OPTION_UNKNOWN', 'there is no option `goldn`\nFix: write `golden`'],
    [{ unverifiable: 'allow' }, 'PARITY_OPTION_INVALID', 'unverifiable cannot be "allow"'],
    [{ unverifiable: { allow: ['no-fixture'] } }, 'PARITY_OPTION_INVALID', 'cannot be "no-fixture"'],
    [{ asOf: '2026-13-40' }, 'PARITY_OPTION_INVALID', 'asOf cannot be "2026-13-40"'],
    [{ watchdogMs: 5 }, 'PARITY_OPTION_INVALID', 'watchdogMs cannot be 5'],
  ])('parity(%j)', (options, code, text) => {
    for (const make of [parity, parityProject]) {
      expect(() => make(options as never)).toThrowError(
        expect.objectContaining({ code, message: expect.stringContaining(text) }),
      )
    }
  })

  test('what a parity file gets wrong at import counts as unverifiable, under the name of the file', async () => {
    // PARITY_FEATURE_NAME, PARITY_OPTION_UNKNOWN, PARITY_OPTION_INVALID, PARITY_TARGET_UNWRAPPED, PARITY_FEATURE_TWICE, PARITY_TEST_MISSING
    const broken: Record<string, readonly [string, string]> = {
      name: [`describeParity('Forex!', ${CANDIDATE})`, '"Forex!" is no name of a feature'],
      option: [`describeParity('a', { candidat: 1, ...${CANDIDATE} })`, 'there is no option `candidat`'],
      bare: [
        `describeParity('a', { candidate: () => 1 })`,
        'a bare function `candidate` was given where a target is expected',
      ],
      twice: [
        `describeParity('a', ${CANDIDATE}); describeParity('a', ${CANDIDATE})`,
        "describeParity('a') stands twice in parity/x/twice.parity.ts",
      ],
      live: [`describeParity('a', { against: 'lab', ...${CANDIDATE} })`, 'against cannot be "lab"'],
      late: [`describeParity('a', { timeoutMs: 2 ** 31, ...${CANDIDATE} })`, 'timeoutMs cannot be 2147483648'],
      none: [`describeParity('a', { concurrency: 0, ...${CANDIDATE} })`, 'concurrency cannot be 0'],
      state: [`describeParity('a', { reset: 'case', ...${CANDIDATE} })`, 'reset cannot be "case"'],
      outside: [`expectParity(1).toMatchFixture('a')`, 'expectParity was called outside a test'],
    }
    using project = makeProject({
      files: Object.fromEntries(
        Object.entries(broken).map(([name, [text]]) => [`parity/x/${name}.parity.ts`, FAKE + text]),
      ),
      config: 'test: { isolate: false }',
    })
    const { code } = await project.run(['run', '--project', 'parity'])
    const { verdicts } = project.report()
    for (const [name, [, text]] of Object.entries(broken)) {
      const verdict = verdicts.find(each => each.feature === name)
      expect(verdict).toMatchObject({
        state: 'UNVERIFIABLE',
        reason: 'environment',
        message: expect.stringContaining(text),
      })
    }
    expect(verdicts).toHaveLength(9)
    expect(code).toBe(2)
  }, 100_000)
})
