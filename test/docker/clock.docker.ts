import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { startLab } from '../../src/lab/process-driver.ts'
import { inlineLab, server } from '../inline-lab.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})

const SAYS = 'while :; do date -u +%FT%TZ; sleep 0.2; done'
const dated = (more: object = {}) => ({
  image: { tag: 'docker.io/library/debian:bookworm', digest: null },
  build: { debian: { suite: 'bookworm', variant: 'minbase', packages: ['libfaketime'] } },
  command: ['sh', '-c', SAYS],
  ready: { exec: ['true'], timeoutMs: 20_000 },
  reset: 'none',
  ...more,
})

test('lets the wall clock stand still where the image has libfaketime, and waits go on', {
  timeout: 600_000,
}, async () => {
  const lab = await inlineLab(engine, {
    dated: dated(),
    free: dated({ env: { LD_PRELOAD: '' } }),
    app: { command: server('1') },
  })
  onTestFinished(() => lab[Symbol.dispose]())
  await using running = await startLab(lab, { signal: new AbortController().signal })
  const saidBy = (service: string) =>
    running
      .logs()
      .split('\n')
      .filter(line => line.startsWith(`${service} | `))
      .map(line => line.slice(service.length + 3))
  await expect.poll(() => saidBy('dated').length, { timeout: 10_000 }).toBeGreaterThan(3)
  expect(new Set(saidBy('dated'))).toEqual(new Set(['2026-01-02T03:04:05Z']))
  expect(saidBy('free').filter(line => line.startsWith('2026-01-02T03:04'))).toEqual([])
  await running.reset({ clock: '2031-02-03T04:05:06Z' })
  await expect.poll(() => saidBy('dated').length, { timeout: 10_000 }).toBeGreaterThan(3)
  expect(new Set(saidBy('dated'))).toEqual(new Set(['2031-02-03T04:05:06Z']))
})
