import { createReadStream } from 'node:fs'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalText, compareCodePoints, sha256 } from '../../core/canonical.ts'
import type { Sha256 } from '../../model.ts'

/** One entry of an archive. It belongs to uid 0 and is of the instant 0, so that equal contents are equal bytes. */
export type ArchiveEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'file'; readonly path: string; readonly executable: boolean; readonly content: Uint8Array }
  /** A file that is too large to be held: read while it is written. */
  | { readonly kind: 'stored'; readonly path: string; readonly file: string; readonly sizeBytes: number }

const BLOCK = 512
const NAME_MAX = 100

/** The bytes of a tar archive (ustar, with pax headers for long names) of `entries`, in the order given. */
export async function* tarOf(entries: readonly ArchiveEntry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const long = longNames(entry)
    if (long !== null) yield long
    yield headerOf(entry)
    if (entry.kind === 'file') yield padded(entry.content)
    if (entry.kind !== 'stored') continue
    let written = 0
    for await (const chunk of createReadStream(entry.file)) {
      written += chunk.length
      yield chunk
    }
    if (written !== entry.sizeBytes) throw new Error(`${entry.file} changed while it was read`)
    yield new Uint8Array(padding(written))
  }
  yield new Uint8Array(2 * BLOCK)
}

/**
 * Entries of the file or folder `source`, as `path` in an archive, sorted by code point: world-readable whatever their
 * rights are on disk, executable where their owner may execute them.
 */
export async function entriesOf(source: string, path: string): Promise<ArchiveEntry[]> {
  const found = await stat(source)
  if (!found.isDirectory()) return [await fileEntry(source, path, found.mode)]
  const entries: ArchiveEntry[] = [{ kind: 'folder', path }]
  const inside = await readdir(source, { withFileTypes: true })
  for (const entry of inside.sort((a, b) => compareCodePoints(a.name, b.name))) {
    const from = join(source, entry.name)
    const to = `${path}/${entry.name}`
    if (entry.isSymbolicLink()) entries.push({ kind: 'link', path: to, target: await readlink(from) })
    else if (entry.isDirectory()) entries.push(...(await entriesOf(from, to)))
    else if (entry.isFile()) entries.push(await fileEntry(from, to, (await stat(from)).mode))
  }
  return entries
}

/** Over the path, kind and content of every entry. */
export function hashOfEntries(entries: readonly ArchiveEntry[]): Sha256 {
  const lines = entries.map(entry => {
    if (entry.kind !== 'file') return entry
    return { ...entry, content: sha256(entry.content) }
  })
  return sha256(canonicalText(lines))
}

async function fileEntry(file: string, path: string, mode: number): Promise<ArchiveEntry> {
  return { kind: 'file', path, executable: (mode & 0o100) !== 0, content: await readFile(file) }
}

function sizeOf(entry: ArchiveEntry): number {
  if (entry.kind === 'file') return entry.content.length
  return entry.kind === 'stored' ? entry.sizeBytes : 0
}

function nameOf(entry: ArchiveEntry): string {
  return entry.kind === 'folder' ? `${entry.path}/` : entry.path
}

const TYPES = { folder: '5', link: '2', file: '0', stored: '0' } as const

function modeOf(entry: ArchiveEntry): number {
  if (entry.kind === 'link') return 0o777
  return entry.kind === 'folder' || (entry.kind === 'file' && entry.executable) ? 0o755 : 0o644
}

function headerOf(entry: ArchiveEntry): Buffer {
  const target = entry.kind === 'link' ? entry.target : ''
  return header({ name: nameOf(entry), mode: modeOf(entry), size: sizeOf(entry), type: TYPES[entry.kind], target })
}

/** A name or target that is cut in the header stands whole in a record before it. */
function longNames(entry: ArchiveEntry): Buffer | null {
  const records: string[] = []
  const name = nameOf(entry)
  if (Buffer.byteLength(name) > NAME_MAX) records.push(record('path', name))
  if (entry.kind === 'link' && Buffer.byteLength(entry.target) > NAME_MAX) records.push(record('linkpath', entry.target))
  if (records.length === 0) return null
  const content = Buffer.from(records.join(''))
  const head = header({ name: 'pax', mode: 0o644, size: content.length, type: 'x', target: '' })
  return Buffer.concat([head, padded(content)])
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const length = Buffer.byteLength(rest)
  let total = length + String(length).length
  if (String(total).length > String(length).length) total = length + String(total).length
  return `${total}${rest}`
}

function header(o: {
  readonly name: string
  readonly mode: number
  readonly size: number
  readonly type: string
  readonly target: string
}): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number, length: number): void => {
    Buffer.from(text).copy(block, at, 0, length)
  }
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  put(o.name, 0, NAME_MAX)
  put(octal(o.mode, 7), 100, 8)
  put(octal(0, 7), 108, 8)
  put(octal(0, 7), 116, 8)
  put(octal(o.size, 11), 124, 12)
  put(octal(0, 11), 136, 12)
  put('        ', 148, 8)
  put(o.type, 156, 1)
  put(o.target, 157, NAME_MAX)
  put('ustar\0', 257, 6)
  put('00', 263, 2)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8)
  return block
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

function padded(content: Uint8Array): Buffer {
  return Buffer.concat([content, new Uint8Array(padding(content.length))])
}
