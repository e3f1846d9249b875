import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forget } from '../../../test/docker-registry.ts'
import { climb } from './base-ladder.ts'
import { type Engine, openEngine } from './engine.ts'
import { imageArchive, tarOf } from './image-tar.ts'
import { follow } from './pulls.ts'

const TAG = 'registry.invalid/shop/other-platform:1'

let engine: Engine
let dir: string
let id: string

beforeAll(async () => {
  const signal = AbortSignal.timeout(60_000)
  engine = await openEngine({ signal })
  dir = await mkdtemp(join(tmpdir(), 'vitest-parity-platform-'))
  const layer = join(dir, 'layer.tar')
  await pipeline(tarOf([{ inside: '/content', text: 'of another platform' }]), createWriteStream(layer))
  const made = await imageArchive([layer], { architecture: 's390x', env: [], labels: {}, tag: TAG })
  id = made.id
  expect(await follow(engine, () => engine.docker.loadImage(made.archive), { signal })).toMatchObject({ ok: true })
})
afterAll(async () => {
  await forget(engine, id)
  await rm(dir, { recursive: true, force: true })
})

test('refuses an image of this machine that is made for another platform, although it is the pinned one', async () => {
  const pin = { tag: TAG, digest: null, id: id as `sha256:${string}`, recipe: null, platform: engine.platform }
  const wanted = { name: 'shop app', image: { tag: TAG, digest: null, recipe: null }, pin, dir }
  const options = { signal: AbortSignal.timeout(30_000), onLog: () => {}, env: {} }
  const refused: unknown = await climb(engine, wanted, options).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    reason: 'lab-image',
    message: expect.stringContaining(`it is made for linux/s390x, and the engine runs ${engine.platform}`),
    remedy: expect.stringContaining(`is not made for ${engine.platform}`),
  })
})
