import { beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { startLab } from '../../src/lab/process-driver.ts'
import { inlineLab, node } from '../inline-lab.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})

/** Counts what it was asked, and fails to start once a clock of 2030 is given. */
const COUNTS = `
  if ((process.env.PARITY_CLOCK || '').startsWith('2030')) process.exit(3)
  let n = 0
  require('http').createServer((request, response) => response.end(String(++n))).listen(3000)`

test('a lab whose reset failed counts as dead, and the next reset boots it anew', async () => {
  using lab = await inlineLab(engine, { app: { command: node(COUNTS), reset: 'none' } }, { id: 'broken-reset' })
  await using running = await startLab(lab, { signal: AbortSignal.timeout(110_000) })
  const ask = async (): Promise<string> => {
    if (running.drive.kind !== 'http') throw new Error('it is called')
    return (await fetch(running.drive.url)).text()
  }
  const before = Number(await ask())
  expect(running.crashed()).toBe(null)
  await expect(running.reset({ clock: '2030-01-01T00:00:00Z' })).rejects.toThrow(/exit code 3/)
  expect(running.crashed()).toMatch(/its last reset failed: |exit code 3/)
  await running.reset({ clock: '2026-01-02T03:04:05Z' })
  expect(running.crashed()).toBe(null)
  expect(running.clock).toBe('2026-01-02T03:04:05Z')
  expect(Number(await ask())).toBeLessThanOrEqual(before)
})

/** Resets itself with a program that takes its time. */
const TAKES_ITS_TIME = node('setTimeout(() => {}, 500)')

test('a lab that is being reset does not count as dead', async () => {
  using lab = await inlineLab(
    engine,
    { app: { command: node(COUNTS), reset: { exec: TAKES_ITS_TIME } } },
    { id: 'slow-reset' },
  )
  await using running = await startLab(lab, { signal: AbortSignal.timeout(110_000) })
  const seen = new Set<string | null>()
  const looking = setInterval(() => seen.add(running.crashed()), 10)
  await running.reset().finally(() => clearInterval(looking))
  expect([...seen]).toEqual([null])
})
