import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { listObjects, type OwnedObject } from '../../src/lab/container/objects.ts'
import { sweep } from '../../src/lab/container/sweep.ts'
import { janitorOf, LAB, type LabPrograms, labProcess, labPrograms } from '../docker-lab.ts'

const POINTS = 50
const SEED = Number(process.env.PARITY_KILL_SEED ?? 5)
/** Of these points one in so many also loses its janitor. */
const WITHOUT_JANITOR = 5
const CLEAN_WITHIN_MS = 10_000
/** What was on its way to the engine when both were killed has arrived by then. */
const SETTLED_MS = 3000

/** Boots, asks, resets and takes a lab away. */
const LIFE = `
  const running = await startLab(lab, { signal })
  await (await fetch(running.drive.url + '/rates')).text()
  await running.reset()
  await (await fetch(running.drive.url + '/rates')).text()
  console.log('used')
  await running[Symbol.asyncDispose]()
  console.log('over')`

let engine: Engine
let programs: LabPrograms

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  programs = await labPrograms()
})
afterAll(async () => {
  await programs[Symbol.asyncDispose]()
  await sweep(engine.docker)
})

const names = (objects: readonly OwnedObject[]): string[] => objects.map(({ kind, name }) => `${kind} ${name}`)

async function left(session: string): Promise<string[]> {
  return names(await listObjects(engine.docker, { session }))
}

/** What is left of a session once its time to be cleaned is over; at once when nothing is, and nothing turns up. */
async function leftInTheEnd(session: string): Promise<string[]> {
  const until = performance.now() + CLEAN_WITHIN_MS
  while (performance.now() < until && (await left(session)).length > 0) await sleep(200)
  return left(session)
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Point {
  readonly at: number
  readonly delayMs: number
  readonly withJanitor: boolean
}

/** Kills a life at this point; resolves to what stayed, and to how far it had come. */
async function killedAt({
  at,
  delayMs,
  withJanitor,
}: Point): Promise<{ readonly stayed: string[]; readonly phase: string }> {
  const life = await programs.run(LIFE)
  const session = await life.session
  if (session === null) throw new Error(`point ${at}: the program said nothing:\n${life.lines.join('\n')}`)
  await Promise.race([sleep(delayMs), life.ended])
  const made = await left(session)
  const janitor = withJanitor ? null : janitorOf(session)
  if (janitor !== null) process.kill(janitor, 'SIGKILL')
  life.child.kill('SIGKILL')
  await life.ended
  const has = (line: string): boolean => life.lines.includes(line)
  const phase = has('over') ? 'over' : has('used') ? 'teardown' : made.length === 0 ? 'before' : 'boot or use'
  if (!withJanitor) {
    await sleep(SETTLED_MS)
    await sweep(engine.docker)
  }
  const stayed = await leftInTheEnd(session)
  return { stayed: stayed.map(name => `point ${at} (${Math.round(delayMs)} ms, ${phase}): ${name}`), phase }
}

test(`nothing is left of a process that is killed with kill -9 at ${POINTS} points of boot, use and teardown`, async () => {
  const whole = await programs.run(LIFE)
  const session = await whole.printed('session ')
  const begun = performance.now()
  while ((await left(session)).length === 0) await sleep(20)
  const firstMs = performance.now() - begun
  await whole.printed('over')
  const overMs = performance.now() - begun
  expect(await whole.ended).toBe(0)
  console.log(`seed ${SEED}: the first object after ${Math.round(firstMs)} ms, all over after ${Math.round(overMs)} ms`)

  const random = seeded(SEED)
  const points: Point[] = Array.from({ length: POINTS }, (_, at) => ({
    at,
    // One in each stretch from just before the first object to just after the last.
    delayMs: 0.9 * firstMs + ((at + random()) / POINTS) * 1.15 * (overMs - firstMs),
    withJanitor: at % WITHOUT_JANITOR !== 0,
  }))
  const stayed: string[] = []
  const phases = new Map<string, number>()
  // One after the other: the boot of another one would sweep what a janitor left.
  for (const point of points) {
    const result = await killedAt(point)
    stayed.push(...result.stayed)
    phases.set(result.phase, (phases.get(result.phase) ?? 0) + 1)
  }
  console.log(`seed ${SEED}: ${[...phases].map(([phase, count]) => `${count} ${phase}`).join(', ')}`)
  expect(stayed).toEqual([])
  // Points that all fell before the first object would prove nothing.
  expect(phases.get('boot or use') ?? 0).toBeGreaterThan(POINTS / 4)
}, 1_200_000)

test('nothing is left of a process that calls process.exit with its lab up', async () => {
  const life = await programs.run(`
    await startLab(lab, { signal })
    console.log('up')
    process.exit(7)`)
  const session = await life.printed('session ')
  await life.printed('up')
  expect(await life.ended).toBe(7)
  expect(await leftInTheEnd(session)).toEqual([])
})

test('two runs at once do not touch each other', async () => {
  const stays = `const running = await startLab(lab, { signal })
    console.log('up ' + running.drive.url)
    setInterval(() => {}, 1000)`
  const [one, other] = await Promise.all([programs.run(stays), programs.run(stays)])
  const [session, url] = [await one.printed('session '), await other.printed('up ')]
  await one.printed('up ')
  one.child.kill('SIGKILL')
  expect(await leftInTheEnd(session)).toEqual([])
  await sweep(engine.docker)
  expect((await fetch(`${url}/rates`)).status).toBe(200)
  other.child.kill('SIGKILL')
  expect(await leftInTheEnd(await other.printed('session '))).toEqual([])
})

test('Ctrl-C twice ends the command at once, and nothing of its lab is left', async () => {
  const command = labProcess(['bin/vitest-parity.js', 'lab', 'up', LAB])
  const own = async (): Promise<OwnedObject[]> =>
    (await listObjects(engine.docker)).filter(({ marks }) => marks.owner.pid === command.child.pid)
  while ((await own()).length === 0) await sleep(20)
  command.child.kill('SIGINT')
  await sleep(30)
  command.child.kill('SIGINT')
  expect(await command.ended).toBe(130)
  const until = performance.now() + CLEAN_WITHIN_MS
  while (performance.now() < until && (await own()).length > 0) await sleep(200)
  expect(names(await own())).toEqual([])
})

test('Ctrl-C once takes the lab away before the command ends', async () => {
  const command = labProcess(['bin/vitest-parity.js', 'lab', 'up', LAB])
  const own = async (): Promise<OwnedObject[]> =>
    (await listObjects(engine.docker)).filter(({ marks }) => marks.owner.pid === command.child.pid)
  while ((await own()).length === 0) await sleep(20)
  command.child.kill('SIGINT')
  expect(await command.ended).toBe(130)
  expect(names(await own())).toEqual([])
})
