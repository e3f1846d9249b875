import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pack } from 'tar-stream'
import { canonicalText, compareCodePoints, sha256 } from '../../core/canonical.ts'
import { LabFailure } from '../lab-failure.ts'

/** An entry without an owner, a time or a name of this machine: equal contents are equal octets. */
const NOBODY = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) } as const
const EPOCH = '1970-01-01T00:00:00Z'

async function openPack(): Promise<Pack> {
  try {
    const { pack } = await import('tar-stream')
    return pack()
  } catch (cause) {
    const what = 'building an image needs the package tar-stream, which cannot be loaded'
    throw new LabFailure('dependency-missing', what, 'npm install -D tar-stream', { cause })
  }
}

function add(pack: Pack, header: Parameters<Pack['entry']>[0], content?: Buffer | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => (error == null ? resolve() : reject(error))
    if (content === undefined) pack.entry(header, done)
    else pack.entry(header, content, done)
  })
}

/** Where a file or folder of this machine, or a text, goes in an image. */
export type Placed = {
  /** From the root of the image, as `/app`. */
  readonly inside: string
} & ({ readonly from: string } | { readonly text: string })

/** A tar of files and folders at their places, the same octets for the same contents; every file readable by everybody. */
export async function tarOf(places: readonly Placed[]): Promise<Readable> {
  const pack = await openPack()
  void (async () => {
    const made = new Set<string>()
    for (const place of [...places].sort((a, b) => compareCodePoints(a.inside, b.inside))) {
      const path = place.inside.replace(/^\/+/, '').replace(/\/+$/, '')
      await addParents(pack, path, made)
      if ('from' in place) await addTree(pack, path, place.from, made)
      else await add(pack, { ...NOBODY, name: path, mode: 0o644 }, place.text)
    }
    pack.finalize()
  })().catch((error: unknown) => pack.destroy(error instanceof Error ? error : new Error(String(error))))
  const tar = new PassThrough()
  pipeline(pack, tar).catch(() => {}) // told by the stream that is read
  return tar
}

async function addParents(pack: Pack, path: string, made: Set<string>): Promise<void> {
  const parts = path.split('/').slice(0, -1)
  for (let length = 1; length <= parts.length; length++) {
    const name = parts.slice(0, length).join('/')
    if (made.has(name)) continue
    made.add(name)
    await add(pack, { ...NOBODY, name: `${name}/`, type: 'directory', mode: 0o755 })
  }
}

async function addTree(pack: Pack, name: string, from: string, made: Set<string>): Promise<void> {
  const found = await lstat(from)
  if (found.isSymbolicLink()) {
    await add(pack, { ...NOBODY, name, type: 'symlink', linkname: await readlink(from), mode: 0o777 })
  } else if (found.isDirectory()) {
    if (name !== '' && !made.has(name)) await add(pack, { ...NOBODY, name: `${name}/`, type: 'directory', mode: 0o755 })
    made.add(name)
    const entries = await readdir(from)
    for (const entry of entries.sort(compareCodePoints)) {
      await addTree(pack, name === '' ? entry : `${name}/${entry}`, join(from, entry), made)
    }
  } else if (found.isFile()) {
    const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755
    const content = await readFile(from)
    await add(pack, { ...NOBODY, name, type: 'file', mode, size: content.length }, content)
  }
}

/** Hash of what is laid over an image: places, names, modes and contents, nothing of this machine. */
export async function hashOf(places: readonly Placed[]): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(await tarOf(places), hash)
  return `sha256:${hash.digest('hex')}`
}

export interface ImageConfig {
  readonly architecture: string
  readonly env: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** `name:tag`, which it is found by. */
  readonly tag: string
}

async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return `sha256:${hash.digest('hex')}`
}

/**
 * An image of uncompressed layers, as the archive that an engine loads, and its id, which is the hash of its
 * configuration: equal layers and equal settings are the same image on every machine.
 */
export async function imageArchive(
  layers: readonly string[],
  o: ImageConfig,
): Promise<{ readonly id: string; readonly archive: NodeJS.ReadableStream }> {
  const diffIds = await Promise.all(layers.map(fileHash))
  const config = canonicalText({
    architecture: o.architecture,
    os: 'linux',
    created: EPOCH,
    config: { Env: [...o.env], Labels: { ...o.labels }, WorkingDir: '/' },
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: layers.map(() => ({ created: EPOCH, created_by: 'vitest-parity' })),
  })
  const id = sha256(config)
  const name = `${id.slice('sha256:'.length)}.json`
  const names = layers.map((_, index) => `layer-${index}.tar`)
  const manifest = JSON.stringify([{ Config: name, RepoTags: [o.tag], Layers: names }])
  const pack = await openPack()
  void (async () => {
    await add(pack, { ...NOBODY, name }, config)
    for (const [index, path] of layers.entries()) {
      const { size } = await lstat(path)
      const entry = pack.entry({ ...NOBODY, name: names[index] ?? '', size })
      await pipeline(createReadStream(path), entry)
    }
    await add(pack, { ...NOBODY, name: 'manifest.json' }, manifest)
    pack.finalize()
  })().catch((error: unknown) => pack.destroy(error instanceof Error ? error : new Error(String(error))))
  return { id, archive: pack.pipe(createGzip({ level: 1 })) }
}
