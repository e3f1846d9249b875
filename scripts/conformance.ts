/**
 * `npm run conformance -- <corpora folder> [--only NAME]`: runs the comparison against suites that others wrote.
 * Prints the totals of each suite and holds them against `scripts/conformance/pins.json`. Exits 1 when a case is wrong,
 * or a total moved; 2 on a wrong argument, and in CI when the folder is not there. `--pin` writes the totals as they are;
 * `--pins FILE` pins elsewhere.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { nearest } from '../src/core/nearest.ts'
import { DEVIATIONS, settle } from './conformance/deviations.ts'
import { type Suite, type Table, type Totals, totalsOf } from './conformance/result.ts'
import { SUITES } from './conformance/suites.ts'

const root = join(import.meta.dirname, '..')
const WRONG_SHOWN = 20

/** Pinned totals: suite, then table, then total. */
type Pins = Readonly<Record<string, Readonly<Record<string, Totals>>>>

function main(): number {
  const options = argumentsOf()
  if (options === null) return 2
  const { values, positionals } = options
  const folder = resolve(positionals[0] ?? join(root, '../shared/corpora'))
  if (!existsSync(folder)) {
    console.log(`conformance: no corpora at ${folder}: nothing was asserted. Fix: npm run conformance -- <folder>`)
    return process.env.CI === 'true' ? 2 : 0
  }
  const { only } = values
  const suites = SUITES.filter(({ name }) => only === undefined || name === only)
  if (suites.length === 0) {
    const names = SUITES.map(({ name }) => name)
    const near = nearest(only ?? '', names)
    console.log(`conformance: no suite "${only}". Fix: --only ${near ?? `one of ${names.join(', ')}`}`)
    return 2
  }
  const pinsFile = values.pins ?? join(root, 'scripts/conformance/pins.json')
  const pins: Pins = existsSync(pinsFile) ? JSON.parse(readFileSync(pinsFile, 'utf8')) : {}
  const undocumented = undocumentedDeviations()
  let wrong = 0
  let moved = undocumented.length
  let right = 0
  let absent = 0
  const found: Record<string, Readonly<Record<string, Totals>>> = {}
  for (const suite of suites) {
    const place = join(folder, suite.folder)
    if (!existsSync(place)) {
      console.log(`${suite.name}: no corpus at ${place}`)
      absent += 1
      continue
    }
    const tables = tablesOf(suite, place).map(settle)
    const totals = Object.fromEntries(tables.map(table => [table.name, totalsOf(table)]))
    found[suite.name] = totals
    for (const table of tables) printTable(table)
    wrong += sum(totals, 'wrong')
    right += sum(totals, 'right')
    if (values.pin) continue
    const lines = movesBetween(pins[suite.name] ?? {}, totals)
    for (const line of lines) console.log(`  moved: ${line}`)
    moved += lines.length
  }
  for (const line of undocumented) console.log(line)
  if (values.pin) writeFileSync(pinsFile, `${JSON.stringify({ ...pins, ...found }, null, 2)}\n`)
  const counts = [`${right} right`, `${wrong} wrong`, `${moved} moved`]
  if (absent > 0) counts.push(`${absent} without a corpus`)
  console.log(`conformance: ${Object.keys(found).length} suites, ${counts.join(', ')}`)
  return wrong > 0 || moved > 0 || (absent > 0 && process.env.CI === 'true') ? 1 : 0
}

function argumentsOf() {
  try {
    return parseArgs({
      options: { only: { type: 'string' }, pins: { type: 'string' }, pin: { type: 'boolean' } },
      allowPositionals: true,
    })
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    console.log(`conformance: ${what}. Fix: npm run conformance -- <folder> [--only NAME] [--pins FILE] [--pin]`)
    return null
  }
}

/** The tables of a suite; one that throws, as no comparison may, is a wrong case. */
function tablesOf(suite: Suite, place: string): readonly Table[] {
  try {
    return suite.run(place)
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return [{ name: suite.name, results: [{ case: 'the suite', state: 'wrong', what }] }]
  }
}

function printTable(table: Table): void {
  const { name, results } = table
  const { handed, asserted, right, wrong, ...rest } = totalsOf(table)
  console.log(`${name}: ${handed} handed, ${asserted} asserted, ${right} right, ${wrong} wrong`)
  for (const [what, count] of Object.entries(rest)) console.log(`  ${String(count).padStart(5)} ${what}`)
  const failures = results.filter(result => result.state === 'wrong')
  for (const failure of failures.slice(0, WRONG_SHOWN)) console.log(`  WRONG ${failure.case}: ${failure.what}`)
  if (failures.length > WRONG_SHOWN) console.log(`  … and ${failures.length - WRONG_SHOWN} more`)
}

function sum(totals: Readonly<Record<string, Totals>>, name: string): number {
  return Object.values(totals).reduce((total, each) => total + (each[name] ?? 0), 0)
}

/** Each total that is another than the pinned one, as `table: total was 3, is 4`. */
function movesBetween(pinned: Readonly<Record<string, Totals>>, found: Readonly<Record<string, Totals>>): string[] {
  const lines: string[] = []
  for (const table of new Set([...Object.keys(pinned), ...Object.keys(found)])) {
    const [was, is] = [pinned[table] ?? {}, found[table] ?? {}]
    for (const total of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if ((was[total] ?? 0) !== (is[total] ?? 0)) {
        lines.push(`${table}: ${total} was ${was[total] ?? 0}, is ${is[total] ?? 0}`)
      }
    }
  }
  return lines
}

/** Reasons for deviations that the documentation does not give. */
function undocumentedDeviations(): string[] {
  const text = readFileSync(join(root, 'docs/conformance.md'), 'utf8')
  return DEVIATIONS.filter(({ id }) => !text.includes(`\`${id}\``)).map(
    ({ id }) => `docs/conformance.md does not give the reason \`${id}\``,
  )
}

process.exitCode = main()
