import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { extract, pack } from 'tar-stream'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { forget } from '../../../test/docker-registry.ts'
import { inlineLab, node } from '../../../test/inline-lab.ts'
import { sha256 } from '../../core/canonical.ts'
import { overlaid } from './base-overlay.ts'
import { type Engine, openEngine } from './engine.ts'
import { labels } from './labels.ts'
import type { ContainerLab, ServiceSpec } from './spec.ts'

const FILES = { '/opt/lab': 'db', '/tmp/seed.sql': 'seed.sql' }

let engine: Engine
let folder: string
let base: string
const made: string[] = []

beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitest-parity-overlay-'))
  base = await baseImage()
  made.push(base)
})
afterEach(async () => {
  // what was made last stands on what was made first
  for (const id of made.splice(0).reverse()) await forget(engine, id)
  await rm(folder, { recursive: true, force: true })
})

/** An image of which everybody may write in /tmp, and only root may look into /opt. */
async function baseImage(): Promise<string> {
  const archive = pack()
  archive.entry({ name: 'tmp/', type: 'directory', mode: 0o1777 })
  archive.entry({ name: 'opt/', type: 'directory', mode: 0o700 })
  archive.entry({ name: 'opt/own', mode: 0o640 }, randomBytes(16).toString('hex'))
  archive.finalize()
  const tag = `vitest-parity-test-base:${randomBytes(6).toString('hex')}`
  const [repo, name] = tag.split(':')
  const told: NodeJS.ReadableStream = await engine.docker.importImage(Readable.from(archive), { repo, tag: name })
  await new Promise(resolve => engine.docker.modem.followProgress(told, resolve))
  return (await engine.docker.getImage(tag).inspect()).Id
}

async function over(entry: string): Promise<string> {
  using plain = await inlineLab(engine, { app: { command: node('0') } })
  await mkdir(join(folder, 'db', 'conf'), { recursive: true })
  await writeFile(join(folder, 'db', 'entry.sh'), entry)
  await chmod(join(folder, 'db', 'entry.sh'), 0o700)
  await writeFile(join(folder, 'db', 'conf', 'my.cnf'), 'x')
  await chmod(join(folder, 'db', 'conf', 'my.cnf'), 0o600)
  await writeFile(join(folder, 'seed.sql'), 'select 1')
  return laidOver({ ...plain, dir: folder, hash: sha256(entry) }, FILES)
}

async function laidOver(lab: ContainerLab, files: ServiceSpec['overlay']['files']): Promise<string> {
  const [service] = lab.services
  if (service === undefined) throw new Error('no service')
  const options = { signal: AbortSignal.timeout(100_000), onLog: () => {} }
  const id = await overlaid(engine, base, { lab, service: { ...service, overlay: { files, npm: {} } } }, options)
  made.push(id)
  return id
}

/** Every path of an image, as `mode owner`, with the time of files; no container of it is started. */
async function paths(id: string): Promise<Readonly<Record<string, string>>> {
  const written = labels({
    session: `test-${randomBytes(4).toString('hex')}`,
    lab: 'overlay',
    key: '',
    role: 'probe',
    keep: false,
  })
  const options = { Image: id, Cmd: ['/none'], Labels: written, HostConfig: { NetworkMode: 'none' } }
  const container = await engine.docker.createContainer(options)
  try {
    const found: Record<string, string> = {}
    const reader = extract()
    reader.on('entry', (header, content, next) => {
      const { name, mode = 0, uid, gid, type, mtime } = header
      const time = type === 'file' ? ` ${mtime?.getTime()}` : ''
      if (/^(tmp|opt)\//.test(name)) found[name] = `${(mode & 0o7777).toString(8)} ${uid}:${gid}${time}`
      content.on('end', next).resume()
    })
    const ended = new Promise<void>((resolve, reject) => reader.on('finish', () => resolve()).on('error', reject))
    const tar: NodeJS.ReadableStream = await container.export()
    tar.pipe(reader)
    await ended
    return found
  } finally {
    await container.remove({ force: true, v: true })
  }
}

test('lays files over an image: owned by root, readable by everybody, and nothing else changed', async () => {
  const before = await paths(base)
  const { 'opt/own': own = '' } = before
  expect(before).toEqual({ 'tmp/': '1777 0:0', 'opt/': '700 0:0', 'opt/own': own })
  expect(await paths(await over(`# ${randomBytes(8).toString('hex')}`))).toEqual({
    ...before,
    'opt/lab/': '755 0:0',
    'opt/lab/conf/': '755 0:0',
    'opt/lab/conf/my.cnf': '644 0:0 0',
    'opt/lab/entry.sh': '755 0:0 0',
    'tmp/seed.sql': '644 0:0 0',
  })
})

test('lays the same files over the same image once, and other files anew', async () => {
  const [one, other] = ['# one', '# other'] as const
  const first = await over(one)
  expect(await over(one)).toBe(first)
  expect(await over(other)).not.toBe(first)
})

test('runs the base itself where nothing is laid over it', async () => {
  using plain = await inlineLab(engine, { app: { command: node('0') } })
  expect(await laidOver(plain, {})).toBe(base)
})
