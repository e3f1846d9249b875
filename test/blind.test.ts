/** A comparison that went blind is found out by every run: forex under a copy of the sources with one line less. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forexProject } from './forex.ts'
import { DEFAULT, source } from './project.ts'

test.each<[string, string, string, string, RegExp]>([
  [
    'to numbers beyond their bound',
    'src/core/scalars.ts',
    "withinDecimals(x, y, state.rule?.eps ?? '0')",
    'true',
    /^seeded \d+\/\d+ caught; \S+: numeric_tolerance \$\.\w+: past the bound at \$\.\w+: it went unseen$/,
  ],
  [
    'to another status',
    'src/core/diff.ts',
    "compareScalar(o, 'status', x.response.status, y.response.status, 'status')",
    '',
    /^seeded \d+\/\d+ caught; \S+: status: changed at status: it went unseen$/,
  ],
  [
    'to the text of a number under exact',
    'src/core/scalars.ts',
    "return { outcome: 'different', kind: 'format_changed' }",
    'return SAME',
    /^seeded \d+\/\d+ caught; \S+: exact \$\.\w+: number text at \$\.\w+: it went unseen$/,
  ],
])('blind %s: calibration-failed, every case blocked by it, and exit code 2', async (_what, file, from, to, text) => {
  using project = forexProject('blind')
  cpSync(source('src'), join(project.root, 'src'), { recursive: true, filter: path => !path.endsWith('.test.ts') })
  project.write(
    'vitest.config.ts',
    `import { defineConfig } from 'vitest/config'
import { parity } from './src/vitest/plugin.ts'
const index = new URL('./src/index.ts', import.meta.url).pathname
export ${DEFAULT} defineConfig({ plugins: [parity()], resolve: { alias: [{ find: /^vitest-parity$/, replacement: index }] } })\n`,
  )
  const path = join(project.root, file)
  const whole = readFileSync(path, 'utf8')
  expect(whole.split(from)).toHaveLength(2)
  writeFileSync(
    path,
    whole.replace(from, () => to),
  )

  const { code, stderr } = await project.run(['run', '--project', 'parity'])
  const { verdicts, features, summary } = project.report()
  expect(features[0]?.calibration).toMatchObject({ state: 'failed', reason: 'calibration-failed' })
  expect(features[0]?.calibration?.text).toMatch(text)
  expect(summary).toMatchObject({ selected: 69, unverifiable: 69, parity: 0, diverged: 0 })
  for (const verdict of verdicts) {
    expect(verdict).toMatchObject({
      reason: 'blocked',
      cause: { gate: 'calibration', reason: 'calibration-failed' },
    })
  }
  expect(stderr).toMatch(/69 cases {2,}UNVERIFIABLE {2}blocked by calibration/)
  expect(code).toBe(2)
})
