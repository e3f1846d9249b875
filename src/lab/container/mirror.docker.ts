import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { forget, pushed, rareImage, startRegistry, type TestRegistry } from '../../../test/docker-registry.ts'
import { loadLab } from '../lab-file.ts'
import { type Engine, openEngine } from './engine.ts'
import { ensureImage } from './images.ts'
import { mirrorToArchive, mirrorToRegistry } from './mirror.ts'
import { pinImages } from './pin.ts'
import { follow } from './pulls.ts'
import type { ContainerLab, ResolvedImage } from './spec.ts'

const onLog = (): void => {}

let engine: Engine
let registry: TestRegistry
let dir: string
let signal: AbortSignal
const made: string[] = []

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  registry = await startRegistry()
})
beforeEach(async () => {
  signal = AbortSignal.timeout(110_000)
  dir = await mkdtemp(join(tmpdir(), 'vitest-parity-mirror-'))
})
afterEach(async () => {
  for (const id of made.splice(0)) await forget(engine, id)
  await rm(dir, { recursive: true, force: true })
})
afterAll(async () => registry[Symbol.asyncDispose]())

/** Writes a lab of one service, of which only the image matters, and reads it with its lock. */
async function lab(service: object): Promise<ContainerLab> {
  const file = {
    id: 'shop',
    claim: 'what a test says',
    revision: 'shop-1',
    driver: 'container',
    isolation: 'internal',
    services: { app: { port: 3000, ready: { http: 'GET /' }, ...service } },
  }
  await writeFile(join(dir, 'lab.yaml'), JSON.stringify(file))
  return reread()
}

async function reread(): Promise<ContainerLab> {
  const read = await loadLab(dir)
  if (read.driver !== 'container') throw new Error('not a lab of containers')
  return read
}

/** A lab whose image nobody serves: a Dockerfile beside it makes one that only this test has. */
async function recipeLab(): Promise<ContainerLab> {
  await mkdir(join(dir, 'app'))
  await writeFile(join(dir, 'app', 'content'), randomBytes(64))
  await writeFile(join(dir, 'app', 'Dockerfile'), 'FROM scratch\nCOPY content /\n')
  const tag = `registry.invalid/shop/app-${randomBytes(4).toString('hex')}:1`
  return lab({ image: { tag, digest: null }, build: { dockerfile: 'app/Dockerfile' } })
}

async function image(of: ContainerLab, env: NodeJS.ProcessEnv = {}): Promise<ResolvedImage> {
  const [service] = of.services
  if (service === undefined) throw new Error('no service')
  const found = await ensureImage(engine, { lab: of, service, signal, onLog, env })
  made.push(found.id)
  return found
}

function used({ steps }: Pick<ResolvedImage, 'steps'>): string | undefined {
  return steps.find(({ outcome }) => outcome === 'used')?.rung
}

test('pins what a registry serves by tag: its id, its digest there and the platform', async () => {
  const path = `shop/app-${randomBytes(4).toString('hex')}`
  const tag = `${registry.address}/${path}:1`
  const id = await rareImage(engine, tag)
  made.push(id)
  const digest = await pushed(engine, tag)
  await forget(engine, id)
  const { changed, pinnings } = await pinImages(engine, await lab({ image: { tag, digest: null } }), {
    signal,
    onLog,
    env: {},
  })
  expect({ changed, rung: pinnings.map(used) }).toEqual({ changed: true, rung: ['upstream'] })
  expect(await readFile(join(dir, 'lab.lock.yaml'), 'utf8')).toBe(
    [
      '# Written by: npx vitest-parity lab pin. Commit it.',
      'format: 1',
      'images:',
      '  "app":',
      `    tag: "${tag}"`,
      `    digest: ${digest}`,
      `    id: ${id}`,
      '    recipe: null',
      `    platform: ${engine.platform}`,
      '',
    ].join('\n'),
  )
  await forget(engine, id)
  const found = await image(await reread())
  expect([used(found), found.id, found.digest]).toEqual(['upstream', id, digest])
})

test('pins a recipe where nobody serves the image, and again to the same bytes', async () => {
  const shop = await recipeLab()
  const first = await pinImages(engine, shop, { signal, onLog, env: {} })
  const [pinned] = first.pinnings
  made.push(pinned?.pin.id ?? '')
  expect(pinned).toMatchObject({ before: null, pin: { digest: null, recipe: expect.stringMatching(/^sha256:/) } })
  expect(pinned?.steps.map(({ rung, outcome }) => `${rung} ${outcome}`)).toEqual([
    'local skipped',
    'registry skipped',
    'upstream failed',
    'recipe used',
  ])
  const again = await pinImages(engine, await reread(), { signal, onLog, env: {} })
  expect([again.changed, again.pinnings[0]?.before]).toEqual([false, pinned?.pin])
  expect(used(await image(await reread()))).toBe('local')
})

test('refuses a recipe that was changed since it was pinned', async () => {
  const { pinnings } = await pinImages(engine, await recipeLab(), { signal, onLog, env: {} })
  made.push(pinnings[0]?.pin.id ?? '')
  await writeFile(join(dir, 'app', 'content'), 'other')
  const refused = await image(await reread()).catch((error: unknown) => error)
  expect(refused).toMatchObject({ reason: 'lab-image', remedy: expect.stringContaining('lab pin') })
  expect(String(refused)).toContain('is pinned to another recipe than lab.yaml has now')
})

test('says that a recipe made other bytes than are pinned, and uses them', async () => {
  const { pinnings } = await pinImages(engine, await recipeLab(), { signal, onLog, env: {} })
  const { id = '' } = pinnings[0]?.pin ?? {}
  await forget(engine, id)
  const rebuilt = await image(await reread())
  expect(rebuilt.id).not.toBe(id)
  expect(rebuilt.steps.at(-1)).toMatchObject({
    rung: 'recipe',
    outcome: 'used',
    why: `rebuilt: other bytes than pinned (${id.slice(7, 19)})`,
  })
})

test('gives a lab back from the registry that it was mirrored to, whether it was pulled or made', async () => {
  const shop = await recipeLab()
  const { id } = await image(shop)
  const options = { signal, onLog, env: {}, registry: registry.address }
  const mirrored = await mirrorToRegistry(engine, shop, options)
  expect(mirrored.map(({ service }) => service)).toEqual(['app', 'gate'])
  expect(mirrored[0]?.reference).toMatch(new RegExp(`^${registry.address}/vitest-parity/recipe:`))
  await forget(engine, id)
  const back = await image(shop, { PARITY_REGISTRY: registry.address })
  expect([used(back), back.id]).toEqual(['registry', id])
  expect(used(await image(shop))).toBe('local')
})

test('gives a lab back from the archive that it was saved to', async () => {
  await pinImages(engine, await recipeLab(), { signal, onLog, env: {} })
  const shop = await reread()
  const { id } = await image(shop)
  const archive = join(dir, 'shop.tar')
  const mirrored = await mirrorToArchive(engine, shop, { signal, onLog, env: {}, archive })
  expect(mirrored.map(each => each.id)).toContain(id)
  await forget(engine, id)
  const told = await follow(engine, () => engine.docker.loadImage(createReadStream(archive)), { signal })
  expect(told.ok).toBe(true)
  const back = await image(shop)
  expect([used(back), back.id]).toEqual(['local', id])
})

test('leaves no archive where it could not be written whole', async () => {
  const shop = await recipeLab()
  await image(shop)
  const options = { signal, onLog, env: {}, archive: join(dir, 'none', 'shop.tar') }
  const refused = await mirrorToArchive(engine, shop, options).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    reason: 'lab-image',
    remedy: expect.stringContaining('a folder that can be written'),
  })
  expect(await readdir(dir)).toEqual(['app', 'lab.yaml'])
})
