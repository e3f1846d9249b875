import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lab } from '../../src/cli/lab.ts'
import { runProgram } from '../../src/cli/program.ts'
import { openEngine } from '../../src/lab/container/engine.ts'
import { forget } from '../docker-registry.ts'

const LAB = {
  id: 'shop',
  claim: 'what a test says',
  revision: 'shop-1',
  driver: 'container',
  isolation: 'internal',
  services: {
    app: {
      image: { tag: 'registry.invalid/shop/app:1', digest: null },
      build: { dockerfile: 'app/Dockerfile' },
      port: 3000,
      ready: { http: 'GET /' },
    },
  },
}

let root: string
let made: string | null = null

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitest-parity-pin-'))
  const dir = join(root, 'labs', 'shop')
  await mkdir(join(dir, 'app'), { recursive: true })
  await writeFile(join(dir, 'lab.yaml'), JSON.stringify(LAB))
  await writeFile(join(dir, 'app', 'content'), randomBytes(32))
  await writeFile(join(dir, 'app', 'Dockerfile'), 'FROM scratch\nCOPY content /\n')
})
afterAll(async () => {
  const engine = await openEngine({ signal: AbortSignal.timeout(10_000) })
  if (made !== null) await forget(engine, made)
  await rm(root, { recursive: true, force: true })
})

async function command(
  ...words: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const printed = { out: '', err: '' }
  const code = await runProgram([lab], words, {
    cwd: root,
    env: {},
    signal: AbortSignal.timeout(100_000),
    out: text => {
      printed.out += `${text}\n`
    },
    err: text => {
      printed.err += `${text}\n`
    },
  })
  return { code, ...printed }
}

test('writes the lock of a lab, also over one that cannot be read, and says so', async () => {
  const lock = join(root, 'labs', 'shop', 'lab.lock.yaml')
  await writeFile(lock, 'format: 7\n')
  const first = await command('lab', 'pin', 'shop', '--json')
  expect(first.code).toBe(0)
  expect(first.err).toContain('lab.lock.yaml is written anew: ')
  const { lab: name, changed, images } = JSON.parse(first.out)
  made = images[0].id
  expect({ name, changed, service: images[0].service }).toEqual({ name: 'shop', changed: true, service: 'app' })
  expect(await readFile(lock, 'utf8')).toContain(`id: ${made}`)

  const again = await command('lab', 'pin', 'shop')
  expect(again.code).toBe(0)
  expect(again.out).toMatch(
    /^app {2}registry\.invalid\/shop\/app:1 {2}[0-9a-f]{12} {2}recipe [0-9a-f]{12} {2}0 MB {2}recipe\n/,
  )
  expect(again.out).toContain('lab.lock.yaml says so already')
})
