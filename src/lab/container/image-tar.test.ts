import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { extract } from 'tar-stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../core/canonical.ts'
import { hashOf, imageArchive, type Placed, tarOf } from './image-tar.ts'

const LONG = `${'folder-of-a-long-name/'.repeat(8)}a-file-of-a-long-name`

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'vitest-parity-tar-'))
})
afterEach(async () => rm(dir, { recursive: true, force: true }))

/** Every entry as another program reads it. */
async function entries(tar: AsyncIterable<Uint8Array>): Promise<string[]> {
  const reader = extract()
  const found: string[] = []
  reader.on('entry', (header, content, next) => {
    const chunks: Uint8Array[] = []
    content.on('data', chunk => chunks.push(chunk as Uint8Array))
    content.on('end', () => {
      const { name, type, mode = 0, uid, gid, mtime, linkname } = header
      const body = type === 'symlink' ? `→ ${linkname}` : Buffer.concat(chunks).toString('utf8')
      found.push(`${name} ${(mode & 0o7777).toString(8)} ${uid}:${gid} ${mtime?.getTime()} ${body}`.trim())
      next()
    })
  })
  await pipeline(tar, reader)
  return found
}

async function folder(): Promise<string> {
  const app = join(dir, 'app')
  await mkdir(join(app, 'b'), { recursive: true })
  await writeFile(join(app, 'b', 'run.sh'), 'run')
  await chmod(join(app, 'b', 'run.sh'), 0o700)
  await writeFile(join(app, 'a'), 'é')
  await chmod(join(app, 'a'), 0o600)
  await symlink('b/run.sh', join(app, 'start'))
  return app
}

test('holds files at their places: of root, without a time, readable by all, executable where they were', async () => {
  const places: Placed[] = [
    { inside: '/opt/lab', from: await folder() },
    { inside: '/Dockerfile', text: 'FROM scratch' },
  ]
  expect(await entries(tarOf(places))).toEqual([
    'Dockerfile 644 0:0 0 FROM scratch',
    'opt/ 755 0:0 0',
    'opt/lab/ 755 0:0 0',
    'opt/lab/a 644 0:0 0 é',
    'opt/lab/b/ 755 0:0 0',
    'opt/lab/b/run.sh 755 0:0 0 run',
    'opt/lab/start 777 0:0 0 → b/run.sh',
  ])
})

test('keeps names and targets that are longer than a header holds', async () => {
  await symlink(LONG, join(dir, 'link'))
  const found = await entries(
    tarOf([
      { inside: `/${LONG}`, text: 'long' },
      { inside: '/z', from: join(dir, 'link') },
    ]),
  )
  expect(found.at(-2)).toBe(`${LONG} 644 0:0 0 long`)
  expect(found.at(-1)).toBe(`z 777 0:0 0 → ${LONG}`)
})

test('is read by tar of the system, too', async () => {
  const file = join(dir, 'x.tar')
  await pipeline(
    tarOf([
      { inside: `/${LONG}`, text: 'long' },
      { inside: '/empty', text: '' },
    ]),
    createWriteStream(file),
  )
  const { stdout } = await promisify(execFile)('tar', ['-tf', file])
  expect(stdout.split('\n').filter(name => !name.endsWith('/'))).toEqual(['empty', LONG, ''])
})

test('hashes equal contents alike, whatever their times and the rights of others are, and other contents otherwise', async () => {
  const app = await folder()
  const hash = (): Promise<string> => hashOf([{ inside: '/app', from: app }])
  const first = await hash()
  await utimes(join(app, 'a'), 1, 1)
  await chmod(join(app, 'a'), 0o644)
  expect(await hash()).toBe(first)
  await chmod(join(app, 'a'), 0o755)
  const executable = await hash()
  expect(executable).not.toBe(first)
  await chmod(join(app, 'a'), 0o644)
  await writeFile(join(app, 'a'), 'e')
  expect([first, executable]).not.toContain(await hash())
})

test('names an image by its configuration, which names its layers by their contents', async () => {
  const layer = join(dir, 'layer.tar')
  await writeFile(layer, 'a layer')
  const config = { architecture: 'amd64', env: ['PATH=/bin'], labels: { 'a.label': 'x' }, tag: 'shop/app:1' }
  const { id, archive } = await imageArchive([layer], config)
  const [first = '', second, third = ''] = await entries(archive)
  const name = `${id.slice('sha256:'.length)}.json`
  const [json = ''] = first.split(' 0:0 0 ').slice(1)
  expect(first.startsWith(`${name} 644`)).toBe(true)
  expect(sha256(json)).toBe(id)
  expect(JSON.parse(json)).toMatchObject({
    architecture: 'amd64',
    created: '1970-01-01T00:00:00Z',
    rootfs: { type: 'layers', diff_ids: [sha256('a layer')] },
  })
  expect(second).toBe('layer-0.tar 644 0:0 0 a layer')
  expect(JSON.parse(third.split(' 0:0 0 ')[1] ?? '')).toEqual([
    { Config: name, RepoTags: ['shop/app:1'], Layers: ['layer-0.tar'] },
  ])
})
