/** Live suites in the real Vitest, whose labs run in containers and are lent by the main process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { SESSION_LABEL } from '../../src/lab/container/labels.ts'
import { inlineLab, server } from '../inline-lab.ts'
import { get } from '../live-folder.ts'
import { makeProject, type Project, source } from '../project.ts'

const RUN_MS_MAX = 180_000
/** Answers as the legacy does: with the path that it was asked for. */
const SUITE = (feature: string, answer = 'request.url'): string => `import { createServer } from 'node:http'
import { describeParity, http } from 'vitest-parity'
describeParity('${feature}', { against: 'live', candidate: http(async () => {
  const server = createServer((request, response) => response.end(${answer}))
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: 'http://127.0.0.1:' + server.address().port, [Symbol.asyncDispose]: async () => void server.close() }
}) })`

let engine: Engine
let labFiles: Record<string, string>

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  using lab = await inlineLab(engine, { app: { command: server('request.url') } }, { id: 'lent' })
  labFiles = Object.fromEntries(
    ['lab.yaml', 'lab.lock.yaml'].map(name => [`labs/lent/${name}`, readFileSync(join(lab.dir, name), 'utf8')]),
  )
})
afterAll(async () => {
  expect(await leftOver()).toEqual([])
})

async function leftOver(): Promise<string[]> {
  const filters = JSON.stringify({ label: [`vitest-parity.lab=lent`] })
  const containers = await engine.docker.listContainers({ all: true, filters })
  const networks = await engine.docker.listNetworks({ filters })
  return [...containers.map(each => each.Names.join(' ')), ...networks.map(each => each.Name)]
}

function projectOf(name: string, features: readonly string[], files: Readonly<Record<string, string>> = {}): Project {
  const own = features.flatMap(feature => [
    [`parity/${feature}/contract.yaml`, `feature: ${feature}\nlab: lent\nrevision: inline-1\n`],
    [`parity/${feature}/inputs/001-happy-a.json`, JSON.stringify(get('/a'))],
    [`parity/${feature}/inputs/002-happy-b.json`, JSON.stringify(get('/b'))],
    [`parity/${feature}/${feature}.parity.ts`, SUITE(feature)],
    [`tolerance/${feature}.yaml`, '{}\n'],
  ])
  return makeProject({
    name,
    files: { ...labFiles, ...Object.fromEntries(own), ...files },
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
  })
}

/** Counts the gates that are made from now on: one for each lab that boots. The engine forgets events soon, so it is listened to. */
async function countBoots(): Promise<{ count(): number; end(): void }> {
  const stream = await engine.docker.getEvents({
    filters: { type: ['container'], event: ['create'], label: ['vitest-parity.lab=lent', 'vitest-parity.role=gate'] },
  })
  let text = ''
  stream.on('data', chunk => {
    text += String(chunk)
  })
  return {
    count: () => text.split('\n').filter(line => line.includes(SESSION_LABEL)).length,
    end: () => (stream as NodeJS.ReadableStream & { destroy(): void }).destroy(),
  }
}

describe('live suites on one lab of containers', () => {
  test(
    'boot it once for all, and once more as its control; nothing is left afterwards',
    async () => {
      using project = projectOf('broker', ['one', 'two', 'three'])
      const boots = await countBoots()
      const { code, stderr } = await project.run(['--project', 'parity'])
      expect(project.states(), stderr).toEqual({
        'one 001-happy-a': 'PARITY',
        'one 002-happy-b': 'PARITY',
        'two 001-happy-a': 'PARITY',
        'two 002-happy-b': 'PARITY',
        'three 001-happy-a': 'PARITY',
        'three 002-happy-b': 'PARITY',
      })
      expect(code).toBe(0)
      boots.end()
      expect(boots.count()).toBe(2)
      expect(await leftOver()).toEqual([])
      const [feature] = project.report().features
      const shown = feature?.gates.find(({ gate }) => gate === 'lab')?.evidence?.egress ?? []
      expect(shown.length).toBeGreaterThan(8)
      expect(shown.every(({ state }) => state !== 'open')).toBe(true)
      expect(stderr).toMatch(
        /lent answers, and once more as its control \(driver container · isolation internal · \d+ ways out closed/,
      )
    },
    RUN_MS_MAX,
  )

  test(
    'find a difference of the candidate, as against every legacy',
    async () => {
      const files = { 'parity/one/one.parity.ts': SUITE('one', "request.url === '/b' ? 'b' : request.url") }
      using project = projectOf('broker-differs', ['one'], files)
      const { code } = await project.run(['--project', 'parity'])
      expect(project.states()).toEqual({ 'one 001-happy-a': 'PARITY', 'one 002-happy-b': 'DIVERGED' })
      expect(code).toBe(1)
    },
    RUN_MS_MAX,
  )

  test(
    'say once why a lab does not boot; every case is blocked by it, and none is judged',
    async () => {
      const broken = (labFiles['labs/lent/lab.yaml'] ?? '')
        .replace('listen(3000)', 'listen(3001)')
        .replace('20000', '1500')
      using project = projectOf('broker-broken', ['one', 'two'], { 'labs/lent/lab.yaml': broken })
      const { code, stderr } = await project.run(['--project', 'parity'])
      expect(new Set(Object.values(project.states())), stderr).toEqual(new Set(['UNVERIFIABLE blocked']))
      expect(code).toBe(2)
      expect(stderr).toContain('was not ready within 1500 ms')
      expect(await leftOver()).toEqual([])
    },
    RUN_MS_MAX,
  )

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'are gone with their labs when the run gets %s',
    async signal => {
      using project = projectOf(`broker-${signal.toLowerCase()}`, ['one'])
      const run = project.start(['--project', 'parity'])
      await vi.waitUntil(async () => (await leftOver()).some(name => name.includes('-gate')), {
        timeout: 60_000,
        interval: 50,
      })
      run.child.kill(signal)
      await run.ended
      await vi.waitUntil(async () => (await leftOver()).length === 0, { timeout: 20_000, interval: 100 })
    },
    RUN_MS_MAX,
  )
})
