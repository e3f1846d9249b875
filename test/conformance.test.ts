import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { settle } from '../scripts/conformance/deviations.ts'

const SCRIPT = join(import.meta.dirname, '../scripts/conformance.ts')

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Corpora with one JSONPath case that is right, and one for each of the given results of `$.b`, which are 2. */
function corpora(...results: readonly number[]): string {
  const root = mkdtempSync(join(tmpdir(), 'corpora-'))
  folders.push(root)
  const folder = join(root, 'conformance/jsonpath-cts')
  mkdirSync(folder, { recursive: true })
  const document = { a: 1, b: 2 }
  const tests = [
    { name: 'a name', selector: '$.a', document, result: [1], result_paths: ["$['a']"] },
    { name: 'a filter', selector: '$[?@==2]', document, result: [2], result_paths: ["$['b']"] },
    { name: 'no query', selector: '$[', invalid_selector: true },
    ...results.map(result => ({
      name: `b is ${result}`,
      selector: '$.b',
      document,
      result: [result],
      result_paths: ["$['b']"],
    })),
  ]
  writeFileSync(join(folder, 'cts.handed.json'), JSON.stringify({ tests }))
  return root
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = { CI: '' }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  return { status, lines: stdout.trimEnd().split('\n'), stderr }
}

/** A run of the one suite against pins of its own. */
function runSuite(root: string, ...args: readonly string[]) {
  return run([root, '--only', 'jsonpath-cts', '--pins', join(root, 'pins.json'), ...args])
}

test('a corpus that agrees with its pins passes, and its refusals are counted by name', () => {
  const root = corpora()
  expect(runSuite(root, '--pin').status).toBe(0)
  const { status, lines, stderr } = runSuite(root)
  expect(stderr).toBe('')
  expect(lines).toEqual([
    'jsonpath-cts: 3 handed, 3 asserted, 3 right, 0 wrong',
    'jsonpath-cts in rules: 3 handed, 3 asserted, 2 right, 0 wrong',
    '      1 refused: a filter',
    'conformance: 1 suites, 5 right, 0 wrong, 0 moved',
  ])
  expect(status).toBe(0)
}, 60_000)

test('a wrong case fails the run, is named, and cannot be pinned away', () => {
  const { status, lines } = runSuite(corpora(3), '--pin')
  expect(lines).toContain('  WRONG b is 3: $.b selects /b')
  expect(lines.at(-1)).toBe('conformance: 1 suites, 6 right, 1 wrong, 0 moved')
  expect(status).toBe(1)
}, 60_000)

test('a total that moved fails the run, and the line says from where to where', () => {
  const { status, lines } = runSuite(corpora(2))
  expect(lines).toContain('  moved: jsonpath-cts: handed was 0, is 4')
  expect(lines.at(-1)).toBe('conformance: 1 suites, 7 right, 0 wrong, 7 moved')
  expect(status).toBe(1)
}, 60_000)

test('a listed deviation is no wrong case, and one that agrees after all is', () => {
  const name = 'jcs documents'
  const listed = 'input/values.json'
  expect(settle({ name, results: [{ case: listed, state: 'wrong', what: 'told' }] }).results).toEqual([
    { case: listed, state: 'deviation', id: 'numbers-are-decimals' },
  ])
  expect(settle({ name, results: [{ case: listed, state: 'right' }] }).results).toEqual([
    { case: listed, state: 'wrong', what: 'listed as the deviation numbers-are-decimals, and agrees' },
  ])
  expect(settle({ name, results: [{ case: 'another', state: 'wrong', what: 'told' }] }).results).toMatchObject([
    { state: 'wrong' },
  ])
})

test('without its corpora it says so in one line, and fails only in CI', () => {
  const absent = join(tmpdir(), 'no-such-corpora')
  expect(run([absent])).toEqual({
    status: 0,
    lines: [`conformance: no corpora at ${absent}: nothing was asserted. Fix: npm run conformance -- <folder>`],
    stderr: '',
  })
  expect(run([absent], { CI: 'true' }).status).toBe(2)
}, 60_000)

test('an unknown suite and an unknown option are usage errors that name the way out', () => {
  const root = corpora()
  expect(run([root, '--only', 'jsonpath-ctx'])).toMatchObject({
    status: 2,
    lines: ['conformance: no suite "jsonpath-ctx". Fix: --only jsonpath-cts'],
  })
  const { status, lines } = run([root, '--onyl', 'x'])
  expect(lines[0]).toContain('Fix: npm run conformance -- <folder> [--only NAME]')
  expect(status).toBe(2)
}, 60_000)
