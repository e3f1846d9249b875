/**
 * `npm run sabotage [-- --only <text>]`: takes away each kind of rule, each seeded mutation and each place that gives a
 * reason, one at a time, in copies of the repository, and requires that a test fails each time.
 * Ends with `N caught, N survived`, and with exit code 1 when one survived.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { SABOTAGES } from './sabotage/all.ts'
import { type Sabotage, sabotaged } from './sabotage/sabotage.ts'

const ROOT = join(import.meta.dirname, '..')
const AT_ONCE = 2
const RUN_MS_MAX = 240_000
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', '.parity'])

interface Ran {
  /** Names of the tests that failed. */
  readonly failed: readonly string[]
  readonly passed: number
  readonly ms: number
}

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sabotage-'))
  cpSync(ROOT, copy, { recursive: true, filter: path => !LEFT_OUT.has(basename(path)) })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Runs test files in a copy until the first one fails. */
async function runTests(copy: string, tests: readonly string[], bail: boolean): Promise<Ran> {
  const began = performance.now()
  const output = join(copy, 'sabotage.json')
  rmSync(output, { force: true })
  const args = ['run', '--project', 'unit', '--reporter=json', `--outputFile=${output}`, ...(bail ? ['--bail=1'] : [])]
  const child = spawn(process.execPath, [join(copy, 'node_modules/vitest/vitest.mjs'), ...args, ...tests], {
    cwd: copy,
    stdio: 'ignore',
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
  })
  await new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()))
  const report: {
    numPassedTests: number
    testResults: { assertionResults: { status: string; fullName: string }[] }[]
  } = JSON.parse(readFileSync(output, 'utf8'))
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  return { failed, passed: report.numPassedTests, ms: performance.now() - began }
}

/** What ran with the edit made; the file is as before afterwards. */
async function trySabotage(copy: string, sabotage: Sabotage): Promise<Ran> {
  const file = join(copy, sabotage.file)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, sabotaged(text, sabotage))
  try {
    return await runTests(copy, sabotage.tests, true)
  } finally {
    writeFileSync(file, text)
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
  const chosen = SABOTAGES.filter(({ name }) => name.includes(values.only))
  if (chosen.length === 0) throw new Error(`no sabotage has \`${values.only}\` in its name`)
  for (const sabotage of chosen) sabotaged(readFileSync(join(ROOT, sabotage.file), 'utf8'), sabotage)

  const copies = Array.from({ length: AT_ONCE }, copyRepository)
  try {
    const [first = ''] = copies
    const before = await runTests(first, [...new Set(chosen.flatMap(({ tests }) => tests))], false)
    if (before.failed.length > 0)
      throw new Error(`tests fail before anything is taken away: ${before.failed.join('; ')}`)
    process.stdout.write(`${before.passed} tests pass before anything is taken away\n`)
    const survivors: string[] = []
    const queue = [...chosen]
    const work = async (copy: string): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { failed, ms } = await trySabotage(copy, next)
        if (failed.length === 0) survivors.push(next.name)
        const mark = failed.length === 0 ? 'SURVIVED' : 'caught  '
        const by = failed[0] === undefined ? next.tests.join(' ') : `by: ${failed[0]}`
        process.stdout.write(`${mark}  ${next.name.padEnd(64)}  ${(ms / 1000).toFixed(1).padStart(5)} s  ${by}\n`)
      }
    }
    await Promise.all(copies.map(work))
    process.stdout.write(`${chosen.length - survivors.length} caught, ${survivors.length} survived\n`)
    return survivors.length === 0 ? 0 : 1
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  }
}

process.exitCode = await main()
