import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calibrateFeature, refreshCalibration } from './calibrate.ts'
import { recordFeature } from './record.ts'

const { signal } = new AbortController()
let root = ''

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'calibrate-'))
  cpSync(join(import.meta.dirname, '../../template/hello'), root, { recursive: true })
  const input = join(root, 'parity/hello/inputs/001-happy-plain.json')
  const text = readFileSync(input, 'utf8')
  writeFileSync(input, text.replace('"steps"', '"now": "2028-02-29T00:00:00Z",\n  "steps"'))
  await recordFeature({ root, feature: 'hello', signal })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('catches every seeded mismatch, at every place, also of a case that runs at another instant', async () => {
  const { cases, seeded } = await calibrateFeature({ root, feature: 'hello', signal })
  expect(seeded.survivors).toEqual([])
  expect(seeded.caught).toBe(seeded.total)
  expect(seeded.total).toBeGreaterThan(100)
  expect(cases.map(each => each.uncovered.length)).toEqual(Array(12).fill(0))
})

test('finds noise that the rules no longer cover without the lab, and proposes the rule', async () => {
  const file = join(root, 'tolerance/hello.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('  - $.servedAt\n', ''))
  try {
    const { cases } = await calibrateFeature({ root, feature: 'hello', signal })
    const plain = cases.find(each => each.name === '001-happy-plain')
    expect(plain?.uncovered).toMatchObject([{ path: '$.servedAt', kind: 'timestamp' }])
    expect(plain?.proposals.map(({ rule }) => rule)).toEqual(['structural $.servedAt'])
    expect(cases.find(each => each.name === '003-happy-languages')?.uncovered).toEqual([])
  } finally {
    writeFileSync(file, text)
  }
})

describe('captured again from the lab', () => {
  const golden = (name: string): string => readFileSync(join(root, '__golden__/hello', `${name}.json`), 'utf8')
  const entries = (): Record<string, { captured: string }> =>
    JSON.parse(readFileSync(join(root, '__golden__/hello/calibration.json'), 'utf8')).fixtures

  test('the calibration of what still stands is of today, and no golden is written', async () => {
    const before = golden('001-happy-plain')
    const now = () => new Date('2031-05-06T00:00:00Z')
    const refreshed = await refreshCalibration({ root, feature: 'hello', signal, now })
    expect(refreshed).toEqual({ confirmed: 12, moved: [], unrecorded: [], incomplete: [] })
    expect(new Set(Object.values(entries()).map(({ captured }) => captured))).toEqual(new Set(['2031-05-06']))
    expect(golden('001-happy-plain')).toBe(before)
  })

  test('a legacy that shows something else is told, and neither its golden nor its calibration is touched', async () => {
    const server = join(root, 'labs/hello-legacy/server.cjs')
    const text = readFileSync(server, 'utf8')
    const before = golden('002-happy-german')
    writeFileSync(server, text.replaceAll('Hallo', 'Servus'))
    const input = join(root, 'parity/hello/inputs/004-happy-more.json')
    cpSync(join(root, 'parity/hello/inputs/001-happy-plain.json'), input)
    try {
      const refreshed = await refreshCalibration({ root, feature: 'hello', signal })
      expect(refreshed?.moved).toContain('002-happy-german')
      expect(refreshed?.moved).not.toContain('001-happy-plain')
      expect(refreshed?.unrecorded).toEqual(['004-happy-more'])
      expect(golden('002-happy-german')).toBe(before)
      expect(existsSync(join(root, '__golden__/hello/pending'))).toBe(false)
      expect(existsSync(join(root, '__golden__/hello/004-happy-more.json'))).toBe(false)
    } finally {
      writeFileSync(server, text)
      rmSync(input)
    }
  })

  test('there is nothing to capture for a feature that shares the goldens of another one, or has no lab', async () => {
    const contract = join(root, 'parity/hello/contract.yaml')
    const text = readFileSync(contract, 'utf8')
    writeFileSync(contract, text.replace(/^lab:.*\n/m, ''))
    try {
      expect(await refreshCalibration({ root, feature: 'hello', signal })).toBe(null)
    } finally {
      writeFileSync(contract, text)
    }
  })
})
