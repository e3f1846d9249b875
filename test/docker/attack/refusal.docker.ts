/** What becomes of a lab that has a way out, and of the ways where something stands to be reached. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openEngine } from '../../../src/lab/container/engine.ts'
import { listObjects } from '../../../src/lab/container/objects.ts'
import { sessionId } from '../../../src/lab/container/session.ts'
import { startLab } from '../../../src/lab/process-driver.ts'
import { recordFeature } from '../../../src/pipeline/record.ts'
import { inlineLab, server } from '../../inline-lab.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
const signal = AbortSignal.timeout(600_000)

afterEach(async () => {
  vi.unstubAllEnvs()
  expect((await listObjects(engine.docker, { session: sessionId() })).map(({ name }) => name)).toEqual([])
})

/** The name server of the engine answers connections from inside every lab: named as an address outside, it is a hole. */
const HOLE = '127.0.0.11:53'

test('records nothing from a lab that has a way out', async () => {
  const golden = mkdtempSync(join(tmpdir(), 'attack-golden-'))
  onTestFinished(() => rmSync(golden, { recursive: true, force: true }))
  vi.stubEnv('PARITY_EGRESS_ADDRESSES', HOLE)
  const recording = recordFeature({
    root: ROOT,
    dirs: { golden: relative(ROOT, golden) },
    feature: 'forex-sinatra',
    signal,
  })
  await expect(recording).rejects.toMatchObject({
    reason: 'lab-isolation',
    message: expect.stringContaining(`app: internet address: tcp ${HOLE}: connected`),
  })
  const all = readdirSync(golden, { recursive: true, withFileTypes: true })
  expect(all.filter(each => each.isFile())).toEqual([])
}, 300_000)

test('leaves nothing of a lab that has a way out', async () => {
  const lab = await inlineLab(engine, { app: { command: server('1') } })
  onTestFinished(() => lab[Symbol.dispose]())
  vi.stubEnv('PARITY_EGRESS_ADDRESSES', HOLE)
  await expect(startLab(lab, { signal })).rejects.toMatchObject({ reason: 'lab-isolation' })
})

// Where the world stands, that closed is proven of each way; to stand it up takes root.
test.runIf(process.getuid?.() === 0)('leaves no way unproven where there is something to reach', async () => {
  const world = (word: string): unknown =>
    execFileSync(process.execPath, [join(ROOT, 'scripts/egress-world.ts'), word], { stdio: 'inherit' })
  if (!existsSync('/sys/class/net/parity-world')) {
    world('up')
    onTestFinished(() => void world('down'))
  }
  const lab = await inlineLab(engine, { app: { command: server('1') } })
  onTestFinished(() => lab[Symbol.dispose]())
  vi.stubEnv('PARITY_EGRESS_ADDRESSES', '203.0.113.1:80')
  await using running = await startLab(lab, { signal })
  const rows = running.evidence?.egress ?? []
  expect(rows.map(({ probe }) => probe)).toEqual(
    expect.arrayContaining(['internet address', 'internet name', 'metadata']),
  )
  expect(rows.filter(({ state }) => state !== 'closed')).toEqual([])
})
