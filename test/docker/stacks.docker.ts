/** The end-of-life stacks of labs/, booted for real. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compare } from '../../src/core/diff.ts'
import { loadLab } from '../../src/lab/lab-file.ts'
import { type RunningLab, startLab } from '../../src/lab/process-driver.ts'
import { readFeature } from '../../src/pipeline/feature.ts'
import { openTarget } from '../../src/replay/driver.ts'
import { http } from '../../src/replay/target.ts'
import { copiedProject } from '../copied-project.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const { signal } = new AbortController()
/** An image that is not here yet is built first. */
const BUILD_MS = 900_000

async function standing(name: string): Promise<RunningLab & { readonly url: string }> {
  const running = await startLab(await loadLab(join(ROOT, 'labs', name)), { signal })
  onTestFinished(() => running[Symbol.asyncDispose]())
  if (running.drive.kind !== 'http') throw new Error(`${name} is not asked over HTTP`)
  return Object.assign(running, { url: running.drive.url })
}

test('Express 3 on Node 0.10 answers every case in its container as it did as a process', {
  timeout: BUILD_MS,
}, async () => {
  const lab = await standing('forex-express3-container')
  const feature = readFeature({ root: ROOT, dirs: {}, feature: 'forex' })
  // started anew for each clock, as far as the driver sees
  const restarted = http(async () => ({ url: lab.url, async [Symbol.asyncDispose]() {} }))
  await using driver = await openTarget(restarted, { clock: lab.clock, tz: 'UTC', signal })
  const told: string[] = []
  for (const input of feature.cases.values()) {
    const clock = input.now ?? '2026-01-02T03:04:05Z'
    if (clock !== lab.clock) await lab.reset({ clock })
    const read = feature.fixtures.read(input.name)
    if (!read.ok) throw new Error(read.fault.message)
    const driven = await driver.drive(input, { signal, timeoutMs: 10_000 })
    if (!driven.ok) told.push(`${input.name}: ${driven.fault.message}`)
    else {
      const { differences } = compare(read.fixture.observation, driven.observation, feature.rules, {
        steps: input.steps,
      })
      told.push(...differences.map(({ path, candidate }) => `${input.name}: ${path} ${candidate}`))
    }
  }
  expect(told).toEqual([])
  expect(feature.cases.size).toBe(68)
})

test('JRuby 9.3 on Java 8 converts in decimals, at the clock of the lab', { timeout: BUILD_MS }, async () => {
  const { url } = await standing('forex-jruby')
  const health = await fetch(`${url}/health`)
  expect(await health.text()).toMatch(/^\{"runtime":"jruby 9\.3\.\d+\.0, java 1\.8\.0_\d+"\}$/)
  const body = new URLSearchParams({ from: 'usd', to: 'jpy', amount: '2' })
  const converted = await fetch(`${url}/convert`, { method: 'POST', body })
  // 314.5 goes to the even neighbour
  expect(await converted.json()).toEqual({
    from: 'USD',
    to: 'JPY',
    amount: '314.0',
    fee: '0.01',
    timestamp: '2026-01-02T03:04:05Z',
  })
})

test('Sinatra on Ruby 2.7 is compared with live, and differs where it was decided', { timeout: BUILD_MS }, async () => {
  using project = copiedProject({
    name: 'forex-sinatra-live',
    runMsMax: BUILD_MS,
    folders: ['parity/forex', 'parity/forex-sinatra', '__golden__/forex-sinatra', 'labs/forex-sinatra'],
    edits: [
      {
        file: 'parity/forex-sinatra/forex-sinatra.parity.ts',
        from: "describeParity('forex-sinatra', {",
        to: "describeParity('forex-sinatra', {\n  against: 'live',",
      },
    ],
  })
  const { code, stdout, stderr } = await project.run(['run', '--project', 'parity', 'parity/forex-sinatra/'])
  const { verdicts } = project.report()
  const apart = verdicts.filter(({ state }) => state !== 'PARITY')
  expect(
    apart.map(verdict => `${verdict.case} ${verdict.state === 'UNVERIFIABLE' ? verdict.reason : verdict.state}`),
    stdout + stderr,
  ).toEqual(['018-error-malformed-json DIVERGED', '042-edge-currency-object DIVERGED', '045-edge-bom DIVERGED'])
  expect(verdicts).toHaveLength(68)
  expect(code).toBe(0)
})
