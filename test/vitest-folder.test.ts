import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../src/core/canonical.ts'
import { makeProject, type Project, source } from './project.ts'

const FOLDERS = ['parity/forex', 'tolerance', '__golden__/forex', 'labs/forex-express3']
const CURRENCY = '010-error-unknown-currency'

/** The whole of forex as a user has it, in a folder of its own with blanks and other letters in its name. */
function forexProject(): Project {
  const project = makeProject({
    name: 'forex öre 円',
    files: {},
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
  })
  restore(project)
  return project
}

function restore(project: Project): void {
  for (const folder of FOLDERS) {
    rmSync(join(project.root, folder), { recursive: true, force: true })
    cpSync(source(folder), join(project.root, folder), {
      recursive: true,
      filter: path => !path.includes('node_modules'),
    })
  }
}

/** Names and bytes of everything below the folders of the feature. */
function content(project: Project): string {
  const files = FOLDERS.flatMap(folder =>
    readdirSync(join(project.root, folder), { recursive: true, withFileTypes: true })
      .filter(each => each.isFile())
      .map(each => join(each.parentPath, each.name)),
  )
  return sha256(
    files
      .sort()
      .map(file => `${file}\0${sha256(readFileSync(file))}\n`)
      .join(''),
  )
}

function edit(project: Project, path: string, change: (text: string) => string): void {
  const text = readFileSync(join(project.root, path), 'utf8')
  const changed = change(text)
  if (changed === text) throw new Error(`the edit of ${path} changes nothing`)
  project.write(path, changed)
}

/** What is not PARITY. */
function others(project: Project): Record<string, string> {
  return Object.fromEntries(Object.entries(project.states()).filter(([, state]) => state !== 'PARITY'))
}

describe('forex', () => {
  const project = forexProject()
  afterAll(() => project[Symbol.dispose]())
  beforeEach(() => restore(project))
  const run = () => project.run(['run', '--project', 'parity'])

  test('is equal in every case, and a run changes none of its files', async () => {
    const before = content(project)
    const { code, stderr } = await run()
    const { summary, features } = project.report()
    expect(others(project)).toEqual({})
    expect(summary.selected).toBeGreaterThanOrEqual(35)
    expect(summary.parity).toBe(summary.selected)
    expect(features[0]?.calibration).toMatchObject({ state: 'ok', captures: 2 })
    expect(features[0]?.calibration?.seeded.caught).toBe(features[0]?.calibration?.seeded.total)
    expect(stderr).toMatch(/ parity {2}forex {2}\(forex-express3 · node 0\.10\.48 · \d+ fixtures · rules [0-9a-f]{4}\)/)
    expect(code).toBe(0)
    expect(content(project)).toBe(before)
  }, 100_000)

  test('diverges in exactly the cases that one line of the candidate touches', async () => {
    edit(project, 'parity/forex/candidate/server.ts', text => text.replace("'E_LIMIT'", "'E_AMOUNT'"))
    const { code, stderr } = await run()
    const diverged = project.report().verdicts.filter(each => each.state !== 'PARITY')
    expect(diverged.length).toBeGreaterThan(0)
    for (const verdict of diverged) {
      expect(verdict.state === 'DIVERGED' && verdict.differences).toMatchObject([
        {
          kind: 'value_changed',
          path: '$.error.code',
          legacy: '"E_LIMIT"',
          candidate: '"E_AMOUNT"',
          rule: 'exact $.error.code',
        },
      ])
    }
    expect(stderr).toMatch(/\$\.error\.code {3}legacy "E_LIMIT" {3}candidate "E_AMOUNT" {3}exact\n/)
    expect(code).toBe(1)
  }, 100_000)

  test('is unverifiable in exactly the case whose golden was touched, or is gone', async () => {
    const golden = `__golden__/forex/${CURRENCY}.json`
    edit(project, golden, text => text.replace('"E_CCY"', '"E_CCZ"'))
    const touched = await run()
    expect(others(project)).toEqual({
      [`forex ${CURRENCY}`]: 'UNVERIFIABLE fixture-tampered',
      'forex unknown currency, by hand': 'UNVERIFIABLE fixture-tampered',
    })
    expect(touched.code).toBe(2)
    const fixes = project.report().verdicts.flatMap(each => (each.state === 'UNVERIFIABLE' ? [each.remedy] : []))
    expect(new Set(fixes).size).toBe(1) // the hand-written test names its fixture, not itself
    const { selected } = project.report().summary
    rmSync(join(project.root, golden))
    await run()
    expect(Object.keys(others(project))).toEqual([`forex ${CURRENCY}`, 'forex unknown currency, by hand'])
    expect(project.report().summary.selected).toBe(selected)
  }, 100_000)

  test('names file, line and column of a tolerance that it cannot read', async () => {
    edit(project, 'tolerance/forex.yaml', text => text.replace('exact:\n', 'exact:\n\t- $.tab\n'))
    const { code, stderr } = await run()
    expect(project.states()).toEqual({ 'forex parity/forex/forex.parity.ts': 'UNVERIFIABLE environment' })
    expect(stderr).toMatch(/tolerance\/forex\.yaml:\d+:\d+/)
    expect(code).toBe(2)
  }, 100_000)

  test.each([
    ['that nobody listens for', "http('http://127.0.0.1:9')"],
    ['that throws as it starts', "http(() => { throw new Error('no configuration') })"],
    ['that gives no address', "http(() => ({ url: 'nowhere' }))"],
  ])(
    'is blocked as a whole by a candidate %s, and says so once',
    async (_name, candidate) => {
      edit(project, 'parity/forex/forex.parity.ts', text => text.replace(/http\(\(\{.*$/m, `${candidate} },`))
      const { code, stderr } = await run()
      const { summary, features, verdicts } = project.report()
      expect(summary.unverifiable).toBe(summary.selected)
      expect(new Set(verdicts.map(each => each.state === 'UNVERIFIABLE' && each.reason))).toEqual(new Set(['blocked']))
      expect(features[0]?.gates).toMatchObject([{ gate: 'candidate', state: 'failed' }])
      expect(stderr).toMatch(/\? \d+ cases {2,}UNVERIFIABLE {2}blocked by candidate/)
      expect(code).toBe(2)
    },
    100_000,
  )

  test('J1: without any golden is unverifiable, not smaller', async () => {
    rmSync(join(project.root, '__golden__'), { recursive: true })
    const { code } = await run()
    expect(new Set(Object.values(project.states()))).toEqual(new Set(['UNVERIFIABLE no-fixture']))
    expect(code).toBe(2)
  }, 100_000)
})
