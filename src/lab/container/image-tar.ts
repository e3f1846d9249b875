import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { canonicalText, compareCodePoints, sha256 } from '../../core/canonical.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

const EPOCH = '1970-01-01T00:00:00Z'

/** Where a file or folder of this machine, or a text, goes in an image. */
export type Placed = {
  /** From the root of the image, as `/app`. */
  readonly inside: string
} & ({ readonly from: string } | { readonly text: string })

/** A tar of files and folders at their places, the same octets for the same contents; every file readable by everybody. */
export function tarOf(places: readonly Placed[]): Readable {
  return Readable.from(octetsOf(places))
}

async function* octetsOf(places: readonly Placed[]): AsyncGenerator<Uint8Array> {
  const made = new Set<string>()
  for (const place of [...places].sort((a, b) => compareCodePoints(a.inside, b.inside))) {
    const path = place.inside.replace(/^\/+/, '').replace(/\/+$/, '')
    const parts = path.split('/')
    for (let length = 1; length < parts.length; length++) yield* folder(parts.slice(0, length).join('/'), made)
    if ('from' in place) yield* tree(path, place.from, made)
    else yield* text(path, place.text)
  }
  yield tarEnd()
}

async function* folder(path: string, made: Set<string>): AsyncGenerator<Uint8Array> {
  if (path === '' || made.has(path)) return
  made.add(path)
  yield tarHeader({ kind: 'folder', path, mode: 0o755 })
}

async function* text(path: string, content: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  yield tarHeader({ kind: 'file', path, mode: 0o644, sizeBytes: bytes.length })
  yield bytes
  yield tarPadding(bytes.length)
}

/** A file or a folder with all that is in it, by code point. What is neither file, folder nor link is left out. */
async function* tree(path: string, from: string, made: Set<string>): AsyncGenerator<Uint8Array> {
  const found = await lstat(from)
  if (found.isSymbolicLink()) {
    yield tarHeader({ kind: 'link', path, mode: 0o777, target: await readlink(from) })
  } else if (found.isDirectory()) {
    yield* folder(path, made)
    for (const name of (await readdir(from)).sort(compareCodePoints)) {
      yield* tree(path === '' ? name : `${path}/${name}`, join(from, name), made)
    }
  } else if (found.isFile()) {
    yield* file(path, from, { mode: (found.mode & 0o111) === 0 ? 0o644 : 0o755, sizeBytes: found.size })
  }
}

async function* file(
  path: string,
  from: string,
  o: { readonly mode: number; readonly sizeBytes: number },
): AsyncGenerator<Uint8Array> {
  yield tarHeader({ kind: 'file', path, ...o })
  let read = 0
  for await (const chunk of createReadStream(from)) {
    read += chunk.length
    yield chunk
  }
  if (read !== o.sizeBytes) throw new Error(`${from} changed while it was read`)
  yield tarPadding(read)
}

/** Hash of what is laid over an image: places, names, modes and contents, nothing of this machine. */
export async function hashOf(places: readonly Placed[]): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(tarOf(places), hash)
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
): Promise<{ readonly id: string; readonly archive: Readable }> {
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
  return { id, archive: Readable.from(archived({ name, config, names, layers, manifest })) }
}

async function* archived(o: {
  readonly name: string
  readonly config: string
  readonly names: readonly string[]
  readonly layers: readonly string[]
  readonly manifest: string
}): AsyncGenerator<Uint8Array> {
  yield* text(o.name, o.config)
  for (const [index, layer] of o.layers.entries()) {
    const { size } = await lstat(layer)
    yield* file(o.names[index] ?? '', layer, { mode: 0o644, sizeBytes: size })
  }
  yield* text('manifest.json', o.manifest)
  yield tarEnd()
}
