/** The rows on whole runs of Vitest: many fixtures, the memory of each, and what starting up costs. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { readInputs } from '../src/contract/inputs.ts'
import { freeze } from '../src/golden/freeze.ts'
import type { FieldList, Observation } from '../src/model.ts'
import { ANSWER } from './answers.ts'
import { median } from './measure.ts'
import { type Row, ratioRow } from './rows.ts'

const REPO = fileURLToPath(new URL('..', import.meta.url))
const RUN_MS_MAX = 300_000

export async function* suiteRows(smoke: boolean): AsyncGenerator<Row> {
  using project = await makeProject(smoke ? [5, 20] : [1000, 5000])
  const rounds = smoke ? 1 : 3
  const many = `orders-${smoke ? 20 : 5000}`
  yield await startRow(project, smoke ? 1 : 9)
  yield await manyRow(project, many, rounds)
  yield await memoryRow(project, smoke)
}

async function manyRow(project: Project, feature: string, rounds: number): Promise<Row> {
  const ms: Record<'parity' | 'plain', number[]> = { parity: [], plain: [] }
  for (let round = 0; round < rounds; round += 1) {
    ms.plain.push((await project.run('plain', ['many'])).ms)
    ms.parity.push((await project.run('parity', [feature])).ms)
  }
  const ratio = median(ms.parity) / median(ms.plain)
  const name = '5,000 fixtures over HTTP, wall time against 5,000 trivial tests'
  return {
    ...ratioRow({ name, direction: 'at-most', bar: 3, ratios: { ratio } }),
    detail: `${seconds(median(ms.parity))} against ${seconds(median(ms.plain))}`,
  }
}

/** What each fixture adds to the peak of worker and main process together must not grow with their number. */
async function memoryRow(project: Project, smoke: boolean): Promise<Row> {
  const [few, many] = smoke ? [5, 20] : [1000, 5000]
  const peak = async (feature: string) => (await project.run('parity', [feature])).peakKb
  const [none, some, all] = [await peak('orders-1'), await peak(`orders-${few}`), await peak(`orders-${many}`)]
  const first = (some - none) / (few - 1)
  const later = (all - some) / (many - few)
  const ratio = later / first
  return {
    ...ratioRow({
      name: `memory per fixture, at ${many} against at ${few}`,
      direction: 'at-most',
      bar: 1.25,
      ratios: { ratio },
    }),
    detail: `${later.toFixed(0)} KB and ${first.toFixed(0)} KB each`,
  }
}

async function startRow(project: Project, rounds: number): Promise<Row> {
  const ms: Record<'parity' | 'plain', number[]> = { parity: [], plain: [] }
  for (let round = 0; round < rounds; round += 1) {
    ms.plain.push((await project.run('plain', ['one'])).ms)
    ms.parity.push((await project.run('parity', ['orders-1'])).ms)
  }
  const [plain, parity] = [median(ms.plain), median(ms.parity)]
  return {
    name: 'start-up: one fixture, wall time beyond one trivial test',
    bar: '< 150 ms',
    measured: `${(parity - plain).toFixed(0)} ms`,
    met: parity - plain < 150,
    detail: `${parity.toFixed(0)} ms against ${plain.toFixed(0)} ms`,
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

interface Ran {
  readonly ms: number
  /** Greatest resident memory of the main process and of the worker, added. */
  readonly peakKb: number
}
interface Project extends Disposable {
  run(kind: 'parity' | 'plain', filters: readonly string[]): Promise<Ran>
}

/**
 * A project that uses the package as it is published, compiled to JavaScript, and holds features of so many fixtures, one
 * with a single one, and the plain tests that they are measured against.
 */
async function makeProject(sizes: readonly number[]): Promise<Project> {
  const root = mkdtempSync(join(tmpdir(), 'parity-bench-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  await installInto(root)
  write('package.json', '{ "type": "module", "private": true }\n')
  write(
    'vitest.config.ts',
    `import { defineConfig } from 'vitest/config'
import { parity } from 'vitest-parity/plugin'
${PEAK}
export ${'default'} defineConfig({ plugins: [parity()] })\n`,
  )
  write('plain.config.ts', `import { defineConfig } from 'vitest/config'\nexport ${'default'} defineConfig({})\n`)
  write('test/one.test.ts', plainTests(1))
  write('test/many.test.ts', plainTests(sizes.at(-1) ?? 1))
  write('answer.json', ANSWER)
  for (const size of [1, ...sizes]) await writeFeature(root, write, size)
  return {
    run: (kind, filters) => {
      const parityArgs = kind === 'parity' ? ['--project', 'parity'] : ['--config', 'plain.config.ts']
      return runVitest(root, [...parityArgs, ...filters.map(one => (kind === 'parity' ? `${one}.parity` : one))])
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Leaves the peak of the process in a file when it ends. */
const PEAK = `import { appendFileSync } from 'node:fs'
process.on('exit', () => appendFileSync('peaks.txt', process.resourceUsage().maxRSS + '\\n'))`

function plainTests(count: number): string {
  const tests = Array.from({ length: count }, (_, at) => `test('case ${at}', () => {\n  expect(${at}).toBe(${at})\n})`)
  return `import { expect, test } from 'vitest'\n${tests.join('\n')}\n`
}

async function writeFeature(root: string, write: (path: string, text: string) => void, size: number): Promise<void> {
  const feature = `orders-${size}`
  write(`parity/${feature}/contract.yaml`, `feature: ${feature}\nrevision: orders-1\nreset: none\n`)
  write(`tolerance/${feature}.yaml`, 'structural: [$.requestId]\nnumeric_tolerance: {"$.items[*].price": 0.01}\n')
  write(`parity/${feature}/${feature}.parity.ts`, suiteText(feature))
  for (let at = 0; at < size; at += 1) {
    const name = `${String(at).padStart(5, '0')}-happy-page`
    const steps = [{ request: { method: 'GET', path: `/orders?page=${at}`, headers: [] } }]
    write(`parity/${feature}/inputs/${name}.json`, JSON.stringify({ covers: [], steps }))
  }
  await freeze({
    dir: join(root, '__golden__', feature),
    feature,
    revision: 'orders-1',
    lab: null,
    recorder: 'bench',
    maskRules: 'none',
    now: '2026-01-02T03:04:05Z',
    captures: readInputs(join(root, 'parity'), feature).map(({ name, id }) => {
      return { name, input: id, observation: observationOf(Number(name.slice(0, 5))), captures: 2, noise: [] }
    }),
    sameExceptNoise: () => false,
  })
}

/** Every page has an answer of its own. */
function observationOf(page: number): Observation {
  const body = { bytes: Buffer.from(ANSWER.replace('"page":1', `"page":${page}`), 'utf8') }
  const headers: FieldList = [['Content-Type', 'application/json']]
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers, body } }]
}

function suiteText(feature: string): string {
  return `import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { describeParity, http } from 'vitest-parity'
import { afterAll } from 'vitest'
${PEAK.replace("process.on('exit', () =>", 'afterAll(() =>')}
const text = readFileSync('answer.json', 'utf8')
describeParity('${feature}', {
  candidate: http(() => new Promise(resolve => {
    const server = createServer((request, response) => {
      const answer = Buffer.from(text.replace('"page":1', '"page":' + request.url.split('=')[1]))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      response.end(answer)
    })
    server.listen(0, '127.0.0.1', () => resolve({
      url: 'http://127.0.0.1:' + server.address().port,
      [Symbol.asyncDispose]: () => new Promise(done => { server.closeAllConnections(); server.close(done) }),
    }))
  })),
})
`
}

/** Puts this package, compiled, among the packages that it needs. */
async function installInto(root: string): Promise<void> {
  const own = join(root, 'node_modules', 'vitest-parity')
  mkdirSync(own, { recursive: true })
  for (const name of readdirSync(join(REPO, 'node_modules'))) {
    if (!name.startsWith('.') && name !== 'vitest-parity') {
      symlinkSync(join(REPO, 'node_modules', name), join(root, 'node_modules', name))
    }
  }
  writeFileSync(join(own, 'package.json'), readFileSync(join(REPO, 'package.json')))
  const compiler = join(REPO, 'node_modules/typescript/bin/tsc')
  const { code, output } = await spawned([compiler, '-p', 'tsconfig.build.json', '--outDir', join(own, 'dist')], REPO)
  if (code !== 0) throw new Error(`the package does not compile\n${output}`)
}

async function runVitest(root: string, args: readonly string[]): Promise<Ran> {
  rmSync(join(root, 'peaks.txt'), { force: true })
  const before = performance.now()
  const { code, output } = await spawned([join(REPO, 'node_modules/vitest/vitest.mjs'), 'run', ...args], root)
  const ms = performance.now() - before
  if (code !== 0) throw new Error(`vitest run ${args.join(' ')} ended with ${code}\n${output.slice(-2000)}`)
  let peakKb = 0
  try {
    for (const line of readFileSync(join(root, 'peaks.txt'), 'utf8').trim().split('\n')) peakKb += Number(line)
  } catch {
    // Plain runs leave none.
  }
  return { ms, peakKb }
}

function spawned(args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|TEST$|CI$|GITHUB_)/.test(name)),
  )
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...inherited, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MS_MAX,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve({ code, output }))
  })
}
