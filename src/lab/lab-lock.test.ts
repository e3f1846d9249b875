import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ParityError } from '../errors.ts'
import { currentPins, isPinned, LOCK_FILE, lockText, type Pins, readLock, writeLock } from './lab-lock.ts'

const A = `sha256:${'a'.repeat(64)}` as const
const B = `sha256:${'b'.repeat(64)}` as const

const PINS: Pins = {
  db: { tag: 'docker.io/library/mariadb:10.5', digest: null, id: A, recipe: B, platform: 'linux/amd64' },
  app: { tag: 'docker.io/library/php:7.4', digest: B, id: A, recipe: null, platform: 'linux/arm64/v8' },
}

const TEXT = `# Written by: npx vitest-parity lab pin. Commit it.
format: 1
images:
  "app":
    tag: "docker.io/library/php:7.4"
    digest: ${B}
    id: ${A}
    recipe: null
    platform: linux/arm64/v8
  "db":
    tag: "docker.io/library/mariadb:10.5"
    digest: null
    id: ${A}
    recipe: ${B}
    platform: linux/amd64
`

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'lock-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return dir
}

describe('lab.lock.yaml', () => {
  test('has one text for equal pins, whatever their order', () => {
    expect(lockText(PINS)).toBe(TEXT)
    expect(lockText({})).toContain('images: {}\n')
  })

  test('is read as it was written, and written again only when it changed', async () => {
    const dir = await folder()
    expect(readLock(dir)).toBeNull()
    expect(await writeLock(dir, PINS)).toBe(true)
    expect(await readFile(join(dir, LOCK_FILE), 'utf8')).toBe(TEXT)
    expect(readLock(dir)).toEqual(PINS)
    expect(await writeLock(dir, PINS)).toBe(false)
    expect(await readdir(dir)).toEqual([LOCK_FILE])
  })

  test('pins a service only while lab.yaml names the same image', () => {
    expect(isPinned(PINS, { name: 'db', tag: 'docker.io/library/mariadb:10.5' })).toBe(true)
    expect(isPinned(PINS, { name: 'db', tag: 'docker.io/library/mariadb:10.6' })).toBe(false)
    expect(isPinned(PINS, { name: 'cache', tag: 'docker.io/library/redis:6' })).toBe(false)
    expect(isPinned(null, { name: 'db', tag: 'docker.io/library/mariadb:10.5' })).toBe(false)
    const image = (tag: string) => ({ tag, digest: null, recipe: null })
    const services = [
      { name: 'app', image: image('docker.io/library/php:7.4') },
      { name: 'db', image: image('docker.io/library/mariadb:10.6') },
    ]
    expect(currentPins(PINS, services)).toEqual({ app: PINS.app })
    expect(currentPins(null, services)).toBeNull()
  })

  test.each<[string, string, RegExp]>([
    [
      'a digest that is a word',
      TEXT.replace(`digest: ${B}`, 'digest: latest'),
      /lock\.yaml:6:13: "digest": expected sha/,
    ],
    [
      'an id that is short',
      TEXT.replace(`id: ${A}`, 'id: sha256:aaaa'),
      /lock\.yaml:7:9: "id": expected sha256: and 64/,
    ],
    ['no recipe', TEXT.replace('    recipe: null\n', ''), /lock\.yaml:4:3: "recipe": expected sha256/],
    [
      'a key that it does not have',
      TEXT.replace('platform:', 'platfrom:'),
      /unknown key "platfrom"; did you mean "platform"/,
    ],
    [
      'a platform of one word',
      TEXT.replace('linux/arm64/v8', 'linux'),
      /lock\.yaml:9:15: "platform": expected an operating system/,
    ],
    ['another format', TEXT.replace('format: 1', 'format: 2'), /lock\.yaml:2:9: "format": expected 1/],
    ['nothing', '', /lock\.yaml:1:1: /],
  ])('is refused with %s', async (_, text, message) => {
    const dir = await folder()
    await writeFile(join(dir, LOCK_FILE), text)
    let thrown: unknown
    try {
      readLock(dir)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ParityError)
    expect(thrown).toMatchObject({ code: 'PARITY_LAB_INVALID', message: expect.stringMatching(message) })
  })
})
