import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFeature } from './record.ts'
import { replayAgainstLab } from './self-replay.ts'

const { signal } = new AbortController()
const asOf = '2026-12-01'
let root = ''

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'self-replay-'))
  cpSync(join(import.meta.dirname, '../../template/hello'), root, { recursive: true })
  const input = join(root, 'parity/hello/inputs/001-happy-plain.json')
  const text = readFileSync(input, 'utf8')
  writeFileSync(input, text.replace('"steps"', '"now": "2028-02-29T00:00:00Z",\n  "steps"'))
  await recordFeature({ root, feature: 'hello', signal })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('a lab agrees with what was recorded from it, in every case and at every instant', async () => {
  const verdicts = await replayAgainstLab({ root, feature: 'hello', asOf, signal })
  expect(verdicts.map(({ state }) => state)).toEqual(Array(12).fill('PARITY'))
})

test('a lab that answers otherwise than what was recorded from it is DIVERGED, where it does', async () => {
  const server = join(root, 'labs/hello-legacy/server.cjs')
  writeFileSync(server, readFileSync(server, 'utf8').replaceAll('Hallo', 'Servus'))
  const verdicts = await replayAgainstLab({ root, feature: 'hello', asOf, signal })
  const states = Object.fromEntries(verdicts.map(verdict => [verdict.case, verdict.state]))
  expect(states['002-happy-german']).toBe('DIVERGED')
  expect(states['001-happy-plain']).toBe('PARITY')
})
