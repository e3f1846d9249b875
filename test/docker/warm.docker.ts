import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { listObjects, type OwnedObject } from '../../src/lab/container/objects.ts'
import { labDown } from '../../src/pipeline/lab-lifecycle.ts'
import { LAB, type LabPrograms, labPrograms } from '../docker-lab.ts'

const PROCESSES = 4
const ROUNDS = 5

/** Uses a kept lab, and says where it answered. */
const USES = `
  await using running = await startLab(lab, { signal, keep: true })
  const { status } = await fetch(running.drive.url + '/rates')
  console.log('used ' + status + ' ' + running.drive.url)`

let engine: Engine
let programs: LabPrograms

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  programs = await labPrograms()
})
afterEach(async () => {
  await labDown(LAB, AbortSignal.timeout(30_000))
})
afterAll(async () => {
  await programs[Symbol.asyncDispose]()
})

async function kept(role: OwnedObject['marks']['role']): Promise<OwnedObject[]> {
  return (await listObjects(engine.docker)).filter(({ marks }) => marks.lab === LAB && marks.role === role)
}

async function use(body = USES): Promise<string> {
  const program = await programs.run(body)
  const used = await program.printed('used ')
  expect(await program.ended).toBe(0)
  return used
}

test(`${PROCESSES} processes that want one lab boot it once, in each of ${ROUNDS} rounds`, async () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const used = await Promise.all(Array.from({ length: PROCESSES }, () => use()))
    expect(new Set(used).size).toBe(1)
    expect(used[0]).toMatch(/^200 /)
    expect([await kept('gate'), await kept('service'), await kept('kept')].map(found => found.length)).toEqual([
      1, 1, 1,
    ])
    await labDown(LAB, AbortSignal.timeout(30_000))
    expect((await listObjects(engine.docker)).filter(({ marks }) => marks.lab === LAB)).toEqual([])
  }
}, 600_000)

test('a kept lab that does not answer any more is booted anew', async () => {
  const before = await use()
  for (const { id } of await kept('service')) await engine.docker.getContainer(id).kill()
  const after = await use()
  expect(after).toMatch(/^200 /)
  expect(after).not.toBe(before)
  expect([await kept('gate'), await kept('service'), await kept('kept')].map(found => found.length)).toEqual([1, 1, 1])
})

test('a lab of another clock is another lab, and takes the place of the kept one', async () => {
  const before = await use()
  const [gate] = await kept('gate')
  const after = await use(USES.replace('keep: true', `keep: true, clock: '2026-06-01T00:00:00Z'`))
  expect(after).not.toBe(before)
  const gates = await kept('gate')
  expect(gates).toHaveLength(1)
  expect(gates[0]?.id).not.toBe(gate?.id)
})

test('a process that wants one lab twice at once gets two', async () => {
  const used = await use(`
    await using one = await startLab(lab, { signal, keep: true })
    await using other = await startLab(lab, { signal, keep: true })
    const answers = await Promise.all([one, other].map(each => fetch(each.drive.url + '/rates')))
    console.log('used ' + answers.map(({ status }) => status) + ' ' + (one.drive.url !== other.drive.url))`)
  expect(used).toBe('200,200 true')
  expect(await kept('gate')).toHaveLength(2)
})
