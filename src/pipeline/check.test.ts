/** What a suite says of its gates, its candidate and its decisions, over a recorded project. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startHello } from '../../template/hello/parity/hello/candidate/server.ts'
import { http } from '../replay/target.ts'
import { openSuite } from './check.ts'
import { recordFeature } from './record.ts'
import type { FeatureOptions } from './suite.ts'

const CASE = '001-happy-plain'
const candidate = http(({ signal }) => startHello({ port: 0, signal }))
let root = ''

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'check-'))
  cpSync(join(import.meta.dirname, '../../template/hello'), root, { recursive: true })
  await recordFeature({ root, feature: 'hello', signal: new AbortController().signal })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function open(options: Partial<FeatureOptions> = {}, at = root) {
  const suite = openSuite({
    root: at,
    dirs: {},
    feature: 'hello',
    options: { candidate, ...options },
    asOf: '2026-11-30',
    candidateId: 'test',
  })
  return Object.assign(suite, { [Symbol.asyncDispose]: () => suite.close() })
}

describe('the calibration', () => {
  test('is called clean where rules cover all noise', async () => {
    await using suite = open()
    expect((await suite.calibration()).text).toMatch(
      /^control clean \(2 captures, 12 cases\) · seeded (\d+)\/\1 caught$/,
    )
  })

  test('is not called clean where a rule that covered noise is gone', async () => {
    const file = join(root, 'tolerance/hello.yaml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('  - $.servedAt\n', ''))
    try {
      await using suite = open()
      expect((await suite.calibration()).text).toMatch(/^control unstable in \d \(2 captures, 12 cases\)/)
    } finally {
      writeFileSync(file, text)
    }
  })
})

test('a candidate that names the folder of its checkout gives the same verdict in every folder', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'check copy ü '))
  cpSync(root, copy, { recursive: true })
  try {
    const ids: string[] = []
    for (const at of [root, copy]) {
      const broken = http(() => {
        throw new Error(`no ${at}/config.json in ${at}`)
      })
      await using suite = open({ candidate: broken }, at)
      const verdict = await suite.check(CASE)
      expect(verdict).toMatchObject({ reason: 'blocked', message: expect.stringContaining('no config.json in .') })
      ids.push(verdict.id)
    }
    expect(ids[1]).toBe(ids[0])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
})

describe('a candidate that cannot be reached', () => {
  test('is tried once more, and judged when it has come up', async () => {
    let starts = 0
    const late = http(({ signal }) => {
      starts += 1
      if (starts === 1) throw new Error('the port is still taken')
      return startHello({ port: 0, signal })
    })
    await using suite = open({ candidate: late })
    expect(await suite.gate('candidate')).toMatchObject({ state: 'ok', text: 'reachable (second try)' })
    expect(await suite.check(CASE)).toMatchObject({ state: 'PARITY' })
  })

  test('is not tried a third time: the gate fails once, and blocks what needs it', async () => {
    let starts = 0
    const broken = http(() => {
      starts += 1
      throw new Error('no such file: server.js')
    })
    await using suite = open({ candidate: broken })
    expect(await suite.check(CASE)).toMatchObject({ reason: 'blocked', cause: { gate: 'candidate' } })
    expect(await suite.check('002-happy-german')).toMatchObject({ reason: 'blocked', cause: { gate: 'candidate' } })
    expect(await suite.gate('candidate')).toMatchObject({
      state: 'failed',
      text: 'the candidate did not start: no such file: server.js (second try)',
    })
    expect(starts).toBe(2)
  })
})

describe('a reset', () => {
  test('that fails is the environment', async () => {
    const reset = () => Promise.reject(new Error(`no ${root}/seed.sql`))
    await using suite = open({ reset })
    expect(await suite.check(CASE)).toMatchObject({
      reason: 'environment',
      message: 'the reset of the candidate failed: no seed.sql',
    })
  })

  test('that does not end is given up at its bound', async () => {
    const begun = Promise.withResolvers<void>()
    await using suite = open({
      reset() {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    await suite.calibration()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const checked = suite.check(CASE)
      await begun.promise
      await vi.advanceTimersByTimeAsync(30_000)
      expect(await checked).toMatchObject({
        reason: 'environment',
        message: 'the reset of the candidate did not end within 30000 ms',
      })
      // it may still be at work: nothing after it is certain of its state
      expect(await suite.check('010-error-unknown-language')).toMatchObject({
        reason: 'blocked',
        cause: { gate: 'candidate', reason: 'environment' },
      })
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a stale decision stays said when a test by hand compares with the same fixture', async () => {
  const file = join(root, 'parity/hello/divergences.yaml')
  const entry = { id: 'D-001', case: CASE, path: '$.greeting', kind: 'value_changed', legacy: '"a"', candidate: '"b"' }
  writeFileSync(file, JSON.stringify([{ ...entry, reason: 'asked for', author: 'ana', approved_by: null }]))
  try {
    await using suite = open()
    expect((await suite.check(CASE)).state).toBe('PARITY')
    await suite.check(CASE, { as: 'by hand', subject: { target: candidate } })
    expect(suite.findings?.(CASE)).toEqual([
      `D-001: value_changed at $.greeting of ${CASE} no longer occurs: remove the entry`,
    ])
  } finally {
    rmSync(file)
  }
})
