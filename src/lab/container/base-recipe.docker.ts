import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forget } from '../../../test/docker-registry.ts'
import { climb } from './base-ladder.ts'
import { type Engine, openEngine } from './engine.ts'
import type { Recipe } from './spec.ts'

/** Small, and two packages of which one depends on the other. */
const RECIPE: Recipe = { kind: 'debian', suite: 'bookworm', variant: 'extract', packages: ['zlib1g'], extra: [] }
/** Three times over the mirror, on a machine that does other things too. */
const WHOLE_MS = 300_000
const NO_PROGRAMS = { PATH: '/nonexistent' }

let engine: Engine
let dir: string
const made = new Set<string>()

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  dir = await mkdtemp(join(tmpdir(), 'vitest-parity-recipe-'))
})
afterAll(async () => {
  for (const id of made) await forget(engine, id)
  await rm(dir, { recursive: true, force: true })
})

async function find(o: { readonly cache: string; readonly env?: NodeJS.ProcessEnv; readonly recipe?: Recipe }) {
  const image = { tag: 'registry.invalid/shop/zlib:1', digest: null, recipe: o.recipe ?? RECIPE }
  const env = { ...process.env, PARITY_REGISTRY: '', ...o.env }
  const options = { signal: AbortSignal.timeout(WHOLE_MS), onLog: () => {}, env, cacheDir: join(dir, o.cache) }
  const found = await climb(engine, { name: 'shop app', image, pin: null, dir }, options)
  made.add(found.id)
  return { id: found.id, rung: found.steps.find(({ outcome }) => outcome === 'used')?.rung }
}

test('makes the same image of Debian packages twice, and takes it from the archive where no program can make it', {
  timeout: WHOLE_MS,
}, async () => {
  const first = await find({ cache: 'one' })
  expect(first.rung).toBe('recipe')
  expect(await find({ cache: 'one', env: NO_PROGRAMS })).toEqual({ id: first.id, rung: 'local' })

  await forget(engine, first.id)
  expect(await find({ cache: 'one', env: NO_PROGRAMS })).toEqual({ id: first.id, rung: 'recipe' })

  await forget(engine, first.id)
  expect(await find({ cache: 'two' })).toEqual({ id: first.id, rung: 'recipe' })
  expect((await readdir(join(dir, 'two', 'images'))).length).toBe(1)
})

test('makes an image anew where its archive is damaged', { timeout: WHOLE_MS }, async () => {
  const { id } = await find({ cache: 'one' })
  await forget(engine, id)
  const images = join(dir, 'one', 'images')
  for (const name of await readdir(images)) await writeFile(join(images, name), 'damaged')
  expect(await find({ cache: 'one' })).toEqual({ id, rung: 'recipe' })
})

test('says what to install where the program is missing', async () => {
  const recipe: Recipe = { ...RECIPE, packages: ['libc6'] }
  await expect(find({ cache: 'three', env: NO_PROGRAMS, recipe })).rejects.toMatchObject({
    reason: 'lab-image',
    message: expect.stringContaining('mmdebstrap cannot be started (ENOENT)'),
    remedy: expect.stringContaining('apt-get install mmdebstrap'),
  })
})

test('says that a suite lacks a package, and keeps nothing of it', { timeout: WHOLE_MS }, async () => {
  const recipe: Recipe = { ...RECIPE, packages: ['no-such-package-anywhere'] }
  await expect(find({ cache: 'three', recipe })).rejects.toMatchObject({
    reason: 'lab-image',
    message: expect.stringContaining('Unable to locate package no-such-package-anywhere'),
    remedy: expect.stringContaining('correct packages:'),
  })
  const images = join(dir, 'three', 'images')
  expect(existsSync(images) ? await readdir(images) : []).toEqual([])
})
