import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calibrateFeature } from './calibrate.ts'
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
