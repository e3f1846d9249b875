import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ErrorCode, ParityError } from '../src/errors.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { readFeature } from '../src/pipeline/feature.ts'
import { recordFeature } from '../src/pipeline/record.ts'
import { http } from '../src/replay/target.ts'

const repository = join(import.meta.dirname, '..')
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'errors-'))
  cpSync(join(repository, 'template/hello'), root, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string) => join(root, path)
const edit = (path: string, from: string, to: string) => {
  const text = readFileSync(at(path), 'utf8')
  expect(text).toContain(from)
  writeFileSync(at(path), text.replace(from, to))
}
const read = () => readFeature({ root, dirs: {}, feature: 'hello' })
const record = () => recordFeature({ root, feature: 'hello', signal: new AbortController().signal })
const open = (feature: string, from: string, concurrency = 1) =>
  openSuite({
    root: from,
    dirs: {},
    feature,
    options: { candidate: http('http://127.0.0.1:9'), concurrency },
    asOf: '2026-11-30',
    candidateId: 'test',
  })
const golden = (name: string, text: string) => {
  mkdirSync(at('__golden__/hello'), { recursive: true })
  writeFileSync(at(`__golden__/hello/${name}`), text)
}

test.each<[ErrorCode, () => unknown, string]>([
  [
    'PARITY_CONTRACT_INVALID',
    () => {
      edit('parity/hello/contract.yaml', 'tier: standard', 'teir: standard')
      return read()
    },
    'contract.yaml:4:1',
  ],
  [
    'PARITY_INPUT_INVALID',
    () => {
      edit('parity/hello/inputs/001-happy-plain.json', '"method": "GET", ', '')
      return read()
    },
    '001-happy-plain.json',
  ],
  [
    'PARITY_TOLERANCE_INVALID',
    () => {
      appendFileSync(at('tolerance/hello.yaml'), 'structrual:\n  - $.a\n')
      return read()
    },
    'tolerance/hello.yaml:15:1',
  ],
  [
    'PARITY_TOLERANCE_INVALID',
    () => {
      appendFileSync(at('tolerance/hello.rules.yaml'), '- id: R-001\n')
      return read()
    },
    'tolerance/hello.rules.yaml:',
  ],
  [
    'PARITY_DIVERGENCES_INVALID',
    () => {
      writeFileSync(at('parity/hello/divergences.yaml'), '- id: D-001\n  cas: 001-happy-plain\n')
      return read()
    },
    'parity/hello/divergences.yaml:2:3',
  ],
  [
    'PARITY_GOLDEN_INVALID',
    () => {
      golden('manifest.json', '{"format":2}')
      return read()
    },
    'manifest.json',
  ],
  [
    'PARITY_GOLDEN_DUPLICATE',
    () => {
      golden('manifest.json', '{"format":1,"format":1}')
      return read()
    },
    '"format" occurs twice',
  ],
  [
    'PARITY_FEATURE_CONCURRENCY',
    () => {
      edit('parity/hello/contract.yaml', 'reset: none', 'reset: case')
      return open('hello', root, 4)
    },
    'concurrency is 4',
  ],
  [
    'PARITY_FEATURE_RESET',
    () => {
      edit('parity/hello/contract.yaml', 'reset: none', 'reset: case')
      return open('hello', root)
    },
    'a candidate given by its URL cannot be started anew',
  ],
  [
    'PARITY_RECORD_REVISION',
    () => {
      edit('labs/hello-legacy/lab.yaml', 'revision: hello-1', 'revision: hello-2')
      return record()
    },
    'pins hello-1, the lab hello-legacy runs hello-2',
  ],
  [
    'PARITY_RECORD_SHARED',
    () => {
      edit('parity/hello/contract.yaml', 'sends: []', 'fixtures: other\nsends: []')
      cpSync(at('parity/hello'), at('parity/other'), { recursive: true })
      return record()
    },
    'hello shares the goldens of other',
  ],
  [
    'PARITY_OUTPUT_UNFIT',
    () => open('forex', repository).check('001-happy-usd', { subject: { observed: { amount: 1 } } }),
    '001-happy-usd shows an exchange',
  ],
])('%s', async (code, provoke, place) => {
  const error: unknown = await (async () => provoke())().then(
    () => null,
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(ParityError)
  if (!(error instanceof ParityError)) return
  expect([error.code, error.message.endsWith(`\nFix: ${error.fix}`)]).toEqual([code, true])
  expect(error.message).toContain(place)
})
