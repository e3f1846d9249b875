import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { forget, pushed, rareImage, startRegistry, type TestRegistry } from '../../../test/docker-registry.ts'
import { climb, type Found } from './base-ladder.ts'
import type { LadderOptions } from './base-wanted.ts'
import { type Engine, openEngine } from './engine.ts'
import type { LadderStep, PinnedImage } from './spec.ts'

const NONE = `sha256:${'0'.repeat(64)}` as const

let engine: Engine
let registry: TestRegistry
const made: string[] = []

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
  registry = await startRegistry()
})
afterEach(async () => {
  for (const id of made.splice(0)) await forget(engine, id)
})
afterAll(async () => registry[Symbol.asyncDispose]())

interface Stored {
  /** As lab.yaml names it. */
  readonly tag: string
  readonly id: string
  readonly digest: string
}

/** An image that the registry has and the engine has not. */
async function stored(): Promise<Stored> {
  const path = `shop/app-${randomBytes(5).toString('hex')}:1`
  const id = await rareImage(engine, `${registry.address}/${path}`)
  made.push(id)
  const digest = await pushed(engine, `${registry.address}/${path}`)
  await forget(engine, id)
  return { tag: `registry.example/${path}`, id, digest }
}

async function find(
  o: { readonly tag: string; readonly digest?: string | null; readonly pin?: PinnedImage },
  options: Partial<LadderOptions> = {},
): Promise<Found> {
  const image = { tag: o.tag, digest: o.digest ?? null, recipe: null }
  const found = await climb(
    engine,
    { name: 'shop app', image, pin: o.pin ?? null, dir: '/nonexistent' },
    { signal: AbortSignal.timeout(60_000), onLog: () => {}, env: { PARITY_REGISTRY: registry.address }, ...options },
  )
  made.push(found.id)
  return found
}

function pinTo(tag: string, id: string, digest: string | null): PinnedImage {
  return { tag, id: id as PinnedImage['id'], digest, recipe: null, platform: engine.platform }
}

/** Rungs that were climbed, with what came of each. */
function path(steps: readonly LadderStep[]): string[] {
  return steps.map(({ rung, outcome }) => `${rung} ${outcome}`)
}

/** What the ladder says where nothing can be had, the address of the registry left out. */
async function refusal(o: Parameters<typeof find>[0], options: Partial<LadderOptions> = {}) {
  const error: unknown = await find(o, options).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'LabFailure', reason: 'lab-image' })
  if (!(error instanceof Error) || !('remedy' in error)) throw error
  const line = error.message.split('\n').find(text => text.trim().startsWith('registry')) ?? ''
  return { message: error.message, registry: line.trim(), remedy: String(error.remedy) }
}

/** A server that answers as `answer` says, for the time of one test. */
async function serving<T>(answer: RequestListener, use: (address: string) => Promise<T>): Promise<T> {
  const server = createHttp(answer).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('pulls by tag what no digest is known of', async () => {
  const { tag, id } = await stored()
  const found = await find({ tag })
  expect(found).toMatchObject({ id, digest: null })
  expect(path(found.steps)).toEqual(['local skipped', 'registry used'])
})

test('pulls by digest, and finds it on the machine the next time', async () => {
  const { tag, id, digest } = await stored()
  const found = await find({ tag, digest })
  expect(found.steps[1]?.tried).toBe(`${registry.address}/${tag.slice('registry.example/'.length, -2)}@${digest}`)
  expect(found.id).toBe(id)
  const again = await find({ tag, digest, pin: pinTo(tag, id, digest) })
  expect(path(again.steps)).toEqual(['local used'])
})

test('pulls by tag what is pinned, where the registry gave it another digest', async () => {
  const { tag, id } = await stored()
  const found = await find({ tag, digest: NONE, pin: pinTo(tag, id, NONE) })
  expect(found.id).toBe(id)
  expect(path(found.steps)).toEqual(['local skipped', 'registry used'])
})

test('refuses another image under the tag of the pinned one', async () => {
  const { tag, id } = await stored()
  const { registry: line, remedy } = await refusal({ tag, pin: pinTo(tag, NONE, null) })
  expect(line).toContain(`it serves ${id.slice(7, 19)}, and 000000000000 is pinned`)
  expect(remedy).toContain('find out who replaced it')
})

test('says that the registry has no such digest, and what to do', async () => {
  const { tag } = await stored()
  const { registry: line, remedy } = await refusal({ tag, digest: NONE }, { limits: { wholeMs: 20_000 } })
  expect(line).toMatch(/: failed: manifest for \S+ not found: manifest unknown: manifest unknown$/)
  expect(remedy).toContain('does not have it: correct tag and digest, or push it there')
})

test('says that a layer is damaged', async () => {
  const { tag, digest } = await stored()
  const blobs = await registry.blobs()
  const manifest = JSON.parse(await readFile(blobs.get(digest) ?? '', 'utf8'))
  const layer = blobs.get(manifest.layers[0].digest) ?? ''
  const bytes = await readFile(layer)
  bytes.fill(0x55, 40, 80)
  await writeFile(layer, bytes)
  const { remedy } = await refusal({ tag })
  expect(remedy).toContain(`a layer at ${registry.address} is damaged`)
})

test('takes no other bytes than the digest names', async () => {
  const { tag, digest } = await stored()
  const manifest = (await registry.blobs()).get(digest) ?? ''
  await writeFile(manifest, `${await readFile(manifest, 'utf8')} `)
  const { remedy } = await refusal({ tag, digest })
  expect(remedy).toContain('serves other bytes than the digest names')
})

test('stops waiting for a registry that hangs', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const options = { env: { PARITY_REGISTRY: address }, limits: { idleMs: 400 } }
    const { registry: line, remedy } = await refusal({ tag: 'registry.example/shop/none:1' }, options)
    expect(line).toContain('the engine said nothing for 400 ms')
    expect(remedy).toContain(`${address} does not answer`)
  } finally {
    server.close()
  }
})

test.each([
  ['nothing listens', '127.0.0.1:1', 'nothing listens at 127.0.0.1:1'],
  ['has no address', 'registry.invalid:5000', 'registry.invalid:5000 has no address here'],
])('says that %s at the registry', async (_, address, says) => {
  const options = { env: { PARITY_REGISTRY: address } }
  expect((await refusal({ tag: 'registry.example/shop/none:1' }, options)).remedy).toContain(says)
})

test('says that a registry wants a login', async () => {
  const answer: RequestListener = (_, response) =>
    response.writeHead(401, { 'www-authenticate': 'Basic realm="shop"', 'content-type': 'application/json' }).end('{}')
  await serving(answer, async address => {
    const { remedy } = await refusal({ tag: 'registry.example/shop/none:1' }, { env: { PARITY_REGISTRY: address } })
    expect(remedy).toContain(`log in to it (docker login ${address})`)
  })
})

test('says that the image is not made for the platform of the engine', async () => {
  const type = 'application/vnd.docker.distribution.manifest.list.v2+json'
  const platform = { architecture: 's390x', os: 'linux' }
  const manifest = {
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    size: 2,
    digest: NONE,
    platform,
  }
  const list = JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: [manifest] })
  const answer: RequestListener = (request, response) =>
    request.url === '/v2/' ? response.end('{}') : response.writeHead(200, { 'content-type': type }).end(list)
  await serving(answer, async address => {
    const { remedy } = await refusal({ tag: 'registry.example/shop/none:1' }, { env: { PARITY_REGISTRY: address } })
    expect(remedy).toContain(`is not made for ${engine.platform}`)
  })
})

test('lists every rung where there is no way at all', async () => {
  const { message, remedy } = await refusal({ tag: 'registry.example/shop/none:1' }, { env: {} })
  expect(message).toBe(
    [
      `the image of shop app, registry.example/shop/none:1 for ${engine.platform}, cannot be had:`,
      '  local    registry.example/shop/none:1: skipped: nothing is pinned',
      '  registry PARITY_REGISTRY: skipped: PARITY_REGISTRY is not set',
      '  upstream registry.example/shop/none:1: skipped: no digest is known: lab pin writes it',
      '  recipe   none: skipped: lab.yaml has no recipe',
    ].join('\n'),
  )
  expect(remedy).toContain('lab pin <lab>')
})

test.each([
  ['another tag', { tag: 'registry.example/shop/other:1' }, 'lab.yaml names registry.example/shop/none:1 now'],
  ['another digest', { digest: `sha256:${'1'.repeat(64)}` }, 'pinned to another digest'],
  ['a recipe', { recipe: NONE }, 'pinned to another recipe'],
])('refuses a lock that speaks of %s', async (_, other, says) => {
  const tag = 'registry.example/shop/none:1'
  const pin = { ...pinTo(tag, NONE, NONE), ...other }
  const { message, remedy } = await refusal({ tag, digest: NONE, pin })
  expect(message).toContain(says)
  expect(remedy).toContain('lab pin <lab>')
})
