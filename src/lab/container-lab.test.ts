import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadLab } from './lab-file.ts'

const YAML = `id: shop
claim: c
revision: r1
driver: container
isolation: internal
tz: Europe/Berlin
services:
  app:
    image: { tag: docker.io/library/php:7.4, digest: null }
    files: { /app/lib: app, /data-of-app: app }
    secrets: { DB_PASSWORD: generated }
    tmpfs: { /data: 16 }
    port: 80
    ready: { http: GET / }
  db:
    image: { tag: docker.io/library/mariadb:10.5, digest: null }
    secrets: { DB_PASSWORD: generated }
    ready: { exec: [mariadb-admin, ping] }
`

async function outcomeOf(from: string, to: string): Promise<unknown> {
  if (!YAML.includes(from)) throw new Error(`${from} does not stand there`)
  const dir = await mkdtemp(join(tmpdir(), 'container-lab-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'app'))
  await writeFile(join(dir, 'lab.yaml'), YAML.replace(from, to))
  return loadLab(dir).catch((error: unknown) => error)
}

describe('what the services of a lab do to one another', () => {
  test('is nothing amiss here', async () => {
    expect(await outcomeOf('', '')).toMatchObject({ driver: 'container', tz: 'Europe/Berlin' })
  })

  test.each<[string, string, string, string]>([
    ['a tmpfs over a file', '/data: 16', '/app: 16', '/lab.yaml:10:24: the tmpfs at /app hides it'],
    ['a tmpfs at a file', '/data: 16', '/app/lib: 16', '/lab.yaml:10:24: the tmpfs at /app/lib hides it'],
    [
      'one secret of two sources',
      'generated }\n    ready',
      'environment }\n    ready',
      '/lab.yaml:17:29: environment here, and generated in app: it is one value\nFix: write generated, or name them apart',
    ],
    ['a zone that is none', 'Europe/Berlin', 'Mars/Base', '/lab.yaml:6:5: "tz": expected a time zone by name'],
  ])('refuses %s', async (_, from, to, message) => {
    expect(await outcomeOf(from, to)).toMatchObject({
      code: 'PARITY_LAB_INVALID',
      message: expect.stringContaining(message),
    })
  })
})
