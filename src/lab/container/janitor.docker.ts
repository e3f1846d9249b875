import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { emptyImage } from '../../../test/docker-objects.ts'
import { eventually, isAlive } from '../../../test/lab-folder.ts'
import { type Engine, openEngine } from './engine.ts'
import { listObjects } from './objects.ts'
import { sweep, sweepSession } from './sweep.ts'

const WITHIN_MS = 10_000

let engine: Engine
let image: string
let folder: string

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  image = await emptyImage(engine.docker)
  folder = await mkdtemp(join(tmpdir(), 'janitor-'))
})
afterAll(async () => {
  await engine.docker.getImage(image).remove()
  await rm(folder, { recursive: true, force: true })
})

/** What is not of this machine no sweep of another run removes: then it was the janitor. */
const OUT_OF_REACH = `{ 'vitest-parity.owner-host': 'elsewhere' }`

/** Runs a program that makes one object of each kind under a janitor and then does `ending`. */
async function runParent(ending: string, more = OUT_OF_REACH) {
  const session = `test-${randomBytes(6).toString('hex')}`
  const program = join(folder, `${session}.mts`)
  const source = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
  await writeFile(
    program,
    `import { openEngine } from ${source('./engine.ts')}
     import { startJanitor } from ${source('./janitor.ts')}
     import { labels } from ${source('./labels.ts')}
     import { makeObjects } from ${source('../../../test/docker-objects.ts')}
     const [session, image] = process.argv.slice(2)
     const janitor = await startJanitor(session)
     const { docker } = await openEngine({ signal: AbortSignal.timeout(30_000) })
     const written = labels({ session, lab: 'shop', key: '', role: 'service', keep: false })
     await makeObjects(docker, { name: session, labels: { ...written, ...${more} }, image })
     console.log(janitor)
     ${ending}`,
  )
  const parent = spawn(process.execPath, ['--no-warnings', program, session, image], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(async () => {
    parent.kill('SIGKILL')
    await sweepSession(engine.docker, session)
  })
  const ended = new Promise<number | string | null>(resolve => {
    parent.once('exit', (code, signal) => resolve(code ?? signal))
  })
  const lines: string[] = []
  createInterface({ input: parent.stdout }).on('line', line => lines.push(line))
  expect(await eventually(() => lines.length > 0, 20_000)).toBe(true)
  return { parent, ended, session, janitor: Number(lines[0]) }
}

async function left(session: string): Promise<string[]> {
  return (await listObjects(engine.docker, { session })).map(({ kind }) => kind)
}

async function untilNothingIsLeft(session: string): Promise<string[]> {
  const until = performance.now() + WITHIN_MS
  while (performance.now() < until && (await left(session)).length > 0) await new Promise(r => setTimeout(r, 100))
  return left(session)
}

const WAITS = 'setInterval(() => {}, 1000)'

test.each([
  ['runs to its end', '', [], 0],
  ['throws', `throw new Error('enough')`, [], 1],
  ['calls process.exit', 'process.exit(5)', [], 5],
  ['is killed with kill -9', WAITS, ['SIGKILL'], 'SIGKILL'],
  ['gets SIGTERM', WAITS, ['SIGTERM'], 'SIGTERM'],
  ['aborts', 'process.abort()', [], 'SIGABRT'],
] as const)('nothing of a session is left when its process %s', async (_, ending, signals, expected) => {
  const { parent, ended, session } = await runParent(ending)
  for (const signal of signals) parent.kill(signal)
  expect(await ended).toBe(expected)
  expect(await untilNothingIsLeft(session)).toEqual([])
})

test('a Ctrl-C that reaches all processes, twice, ends the janitor only once its work is done', async () => {
  const { parent, ended, session, janitor } = await runParent(`process.on('SIGINT', () => {}); ${WAITS}`)
  for (const pid of [-(parent.pid ?? 0), janitor, -(parent.pid ?? 0), janitor]) process.kill(pid, 'SIGINT')
  expect(isAlive(janitor)).toBe(true)
  expect(await left(session)).toEqual(['volume', 'container', 'network'])
  process.kill(-(parent.pid ?? 0), 'SIGKILL')
  process.kill(janitor, 'SIGTERM')
  expect(await ended).toBe('SIGKILL')
  expect(await untilNothingIsLeft(session)).toEqual([])
  expect(await eventually(() => !isAlive(janitor), 20_000)).toBe(true)
})

test('the next sweep removes what is left when the janitor is killed too', async () => {
  const { parent, ended, session, janitor } = await runParent(WAITS, '{}')
  process.kill(janitor, 'SIGKILL')
  expect(await eventually(() => !isAlive(janitor))).toBe(true)
  parent.kill('SIGKILL')
  expect(await ended).toBe('SIGKILL')
  expect(await left(session)).toEqual(['volume', 'container', 'network'])
  await sweep(engine.docker)
  expect(await left(session)).toEqual([])
})

test('two sessions do not touch each other', async () => {
  const [one, other] = await Promise.all([runParent(WAITS), runParent(WAITS)])
  one.parent.kill('SIGKILL')
  expect(await untilNothingIsLeft(one.session)).toEqual([])
  expect(await left(other.session)).toEqual(['volume', 'container', 'network'])
})
