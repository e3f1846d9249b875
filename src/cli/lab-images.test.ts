import { expect, test } from 'vitest'
import type { Pinning } from '../lab/container/pin.ts'
import { parseArguments } from './arguments.ts'
import type { Terminal } from './command.ts'
import { mirror } from './lab-mirror.ts'
import { pinLine } from './lab-pin.ts'

const ID = `sha256:0123456789ab${'0'.repeat(52)}` as const
const OLD = `sha256:ba9876543210${'0'.repeat(52)}` as const
const DIGEST = `sha256:${'d'.repeat(64)}` as const
const PULLED: Pinning = {
  service: 'db',
  pin: { tag: 'docker.io/library/mariadb:10.5', digest: DIGEST, id: ID, recipe: null, platform: 'linux/amd64' },
  before: null,
  sizeBytes: 401_600_000,
  steps: [
    { rung: 'local', tried: 'x', outcome: 'skipped', why: 'it is not here', remedy: null },
    { rung: 'upstream', tried: 'x', outcome: 'used', why: null, remedy: null },
  ],
}

test('says what a service was pinned to, and where it came from', () => {
  expect(pinLine(PULLED)).toBe(`db  docker.io/library/mariadb:10.5  0123456789ab  ${DIGEST}  402 MB  upstream`)
})

test('says that an image was made by a recipe, and what it was before', () => {
  const pin = { ...PULLED.pin, digest: null, recipe: DIGEST }
  const line = pinLine({ ...PULLED, pin, before: { ...pin, id: OLD } })
  expect(line).toBe(
    'db  docker.io/library/mariadb:10.5  0123456789ab  recipe dddddddddddd  402 MB  upstream  (was ba9876543210)',
  )
})

test('says that nobody gave an image a digest', () => {
  const line = pinLine({ ...PULLED, pin: { ...PULLED.pin, digest: null } })
  expect(line).toContain('no digest: nobody served it')
})

const terminal: Terminal = {
  cwd: '/nonexistent',
  env: {},
  signal: new AbortController().signal,
  out: () => {},
  err: () => {},
}

test.each([
  ['neither destination', []],
  ['both destinations', ['--to', '127.0.0.1:5000', '--archive', 'lab.tar']],
  ['a URL', ['--to', 'http://127.0.0.1:5000']],
])('refuses to mirror to %s', async (_, words) => {
  const run = mirror.run(parseArguments(mirror, ['shop', ...words]), terminal)
  await expect(run).rejects.toMatchObject({ code: 'PARITY_CLI_OPTION' })
})

test('refuses to mirror a lab that is not there', async () => {
  const run = mirror.run(parseArguments(mirror, ['shop', '--to', '127.0.0.1:5000']), terminal)
  await expect(run).rejects.toMatchObject({ code: 'PARITY_CLI_ARGUMENT' })
})
