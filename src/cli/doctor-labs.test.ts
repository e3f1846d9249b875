import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { writeLock } from '../lab/lab-lock.ts'
import { knownLabs, labFault } from '../pipeline/lab-facts.ts'
import { engineFinding, labFinding, mmdebstrapFinding, packageFinding, packageVersion } from './doctor-labs.ts'

const CONTAINER = `id: shop
claim: c
revision: r1
driver: container
isolation: internal
services:
  app:
    image: { tag: docker.io/library/php:7.4, digest: null }
    port: 80
    ready: { http: GET / }
`
const PROCESS = `id: price
claim: c
revision: r1
driver: process
isolation: none
services: { price: { call: [cat], reset: none } }
`

async function project(labs: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'doctor-labs-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const [name, text] of Object.entries(labs)) {
    await mkdir(join(root, 'labs', name), { recursive: true })
    await writeFile(join(root, 'labs', name, 'lab.yaml'), text)
  }
  return root
}

describe('each lab of a project', () => {
  test('has a line: its driver, its rung, and whether it is pinned', async () => {
    const root = await project({ shop: CONTAINER, price: PROCESS, broken: PROCESS.replace('claim', 'clam') })
    const [broken, price, shop, ...more] = (await knownLabs(root)).map(labFinding)
    expect(more).toEqual([])
    expect(broken).toMatchObject({ id: 'lab broken', state: 'missing', fix: 'write claim' })
    expect(broken?.detail).toContain('lab.yaml:2:1: unknown key "clam"; did you mean "claim"?')
    expect(price).toMatchObject({ id: 'lab price', state: 'ok', detail: 'process, L1, isolation none' })
    expect(shop).toMatchObject({
      state: 'missing',
      detail: 'container, L2, isolation internal, not pinned: app',
      fix: 'npx vitest-parity lab pin shop, and commit lab.lock.yaml',
    })
  })

  test('is pinned while its lock names the image of lab.yaml', async () => {
    const root = await project({ shop: CONTAINER })
    const id = `sha256:${'a'.repeat(64)}` as const
    const pin = { tag: 'docker.io/library/php:7.4', digest: null, id, recipe: null, platform: 'linux/amd64' }
    await writeLock(join(root, 'labs', 'shop'), { app: pin })
    expect((await knownLabs(root)).map(labFinding)).toMatchObject([
      { state: 'ok', detail: 'container, L2, isolation internal, pinned' },
    ])
    await writeLock(join(root, 'labs', 'shop'), { app: { ...pin, tag: 'docker.io/library/php:7.3' } })
    expect((await knownLabs(root)).map(labFinding)).toMatchObject([{ state: 'missing' }])
  })

  test('is none where there is no folder of labs', async () => {
    expect(await knownLabs(await project({}))).toEqual([])
  })

  test('is looked at whole by lint: also what only its folder shows', async () => {
    const root = await project({ shop: `${CONTAINER}    files: { /app: app }\n`, price: PROCESS })
    expect((await labFault(join(root, 'labs', 'shop')))?.message).toMatch(/lab\.yaml:11:20: there is no app in/)
    expect(await labFault(join(root, 'labs', 'price'))).toBeNull()
  })
})

describe('what a lab of containers needs', () => {
  test('an engine: which it is, or why there is none', () => {
    const seen = { version: '20.10.24', apiVersion: '1.41', platform: 'linux/amd64' }
    expect(engineFinding(seen)).toMatchObject({ state: 'ok', detail: 'engine 20.10.24, API 1.41, linux/amd64' })
    const why = 'this user may not speak to the container engine at /var/run/docker.sock (EACCES)'
    const remedy = 'give this user the right: sudo usermod -aG docker "$USER", then log in again'
    expect(engineFinding({ why, remedy })).toMatchObject({ state: 'missing', detail: why, fix: remedy })
  })

  test('the packages that reach it', () => {
    expect(packageVersion('dockerode')).toMatch(/^\d+\.\d+\.\d+/)
    expect(packageVersion('testcontainers')).toMatch(/^\d+\.\d+\.\d+/)
    expect(packageVersion('no-such-package-anywhere')).toBeNull()
    expect(packageFinding('dockerode', '5.0.1')).toMatchObject({ state: 'ok', detail: 'dockerode 5.0.1' })
    expect(packageFinding('dockerode', null).fix).toContain('npm install -D dockerode')
  })

  test('mmdebstrap, for what no registry serves', () => {
    expect(mmdebstrapFinding('mmdebstrap 1.3.5')).toMatchObject({ state: 'ok' })
    expect(mmdebstrapFinding(null)).toMatchObject({
      state: 'missing',
      fix: expect.stringContaining('apt-get install mmdebstrap'),
    })
  })
})
