/**
 * `node scripts/judge-live.ts <feature>`: judges the suite of a feature against its lab in the place of its goldens.
 * The suite is the one under `parity/`, with `against: 'live'`, in a file beside it that is gone afterwards.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The text of a suite as a live one; null where it has no options to put the word into. */
function liveText(text: string): string | null {
  const live = text.replace(/(describeParity\(\s*'[^']+',\s*\{)/, "$1 against: 'live',")
  return live === text ? null : live
}

/** The exit code of the run. */
function judgeLive(feature: string): number {
  const live = liveText(readFileSync(join(root, `parity/${feature}/${feature}.parity.ts`), 'utf8'))
  if (live === null) throw new Error(`parity/${feature}/${feature}.parity.ts has no describeParity with options`)
  const file = `parity/${feature}/judged-live.parity.ts`
  writeFileSync(join(root, file), live)
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const done = spawnSync(process.execPath, [vitest, 'run', '--project', 'parity', file], {
      cwd: root,
      stdio: 'inherit',
    })
    return done.status ?? 2
  } finally {
    rmSync(join(root, file), { force: true })
  }
}

const feature = process.argv[2]
if (feature === undefined) console.error('Usage: node scripts/judge-live.ts <feature>')
process.exitCode = feature === undefined ? 2 : judgeLive(feature)
