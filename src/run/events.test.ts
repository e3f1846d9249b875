import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newRunId, openEventLog } from './events.ts'

const NOW = new Date('2026-01-02T03:04:05.678Z')

test('a run id sorts by time and differs for two runs of one instant', () => {
  const ids = Array.from({ length: 100 }, () => newRunId(NOW))
  expect(new Set(ids).size).toBe(100)
  expect(ids[0]).toMatch(/^20260102T030405Z-[0-9a-f]{8}$/)
})

test('an event stands in the file, whole and numbered, before append returns', () => {
  const root = mkdtempSync(join(tmpdir(), 'parity-events-'))
  const log = openEventLog({ root, runId: 'r', now: () => NOW })
  const file = join(root, '.parity', 'runs', 'r', 'events.ndjson')
  log.append({ type: 'failure', where: 'a', message: 'line\nend' })
  expect(readFileSync(file, 'utf8')).toBe(
    '{"id":1,"at":"2026-01-02T03:04:05.678Z","type":"failure","where":"a","message":"line\\nend"}\n',
  )
  log.append({ type: 'run-ended', reason: 'finished', vitestFailed: false })
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .map(line => line && JSON.parse(line).id),
  ).toEqual([1, 2, ''])
  rmSync(root, { recursive: true })
})

test('a folder that cannot be made leaves the events in memory and says why', () => {
  const root = mkdtempSync(join(tmpdir(), 'parity-events-'))
  writeFileSync(join(root, '.parity'), '')
  const log = openEventLog({ root, runId: 'r', now: () => NOW })
  log.append({ type: 'failure', where: 'a', message: 'b' })
  expect(log.events).toHaveLength(1)
  expect(log.writeError()).toMatch(/^(ENOTDIR|EEXIST)$/)
  rmSync(root, { recursive: true })
})
