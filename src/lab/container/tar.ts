/** The blocks of a tar archive (ustar, with pax records for long names). Every entry is root's, and of the instant 0. */

const BLOCK = 512
const NAME_MAX = 100
/** The largest size that eleven octal digits hold. */
const SIZE_MAX = 0o77777777777

const TYPES = { file: '0', link: '2', folder: '5', pax: 'x' } as const

export interface TarEntry {
  readonly kind: 'file' | 'link' | 'folder'
  /** Without a slash at either end. */
  readonly path: string
  readonly mode: number
  /** Of a file. */
  readonly sizeBytes?: number
  /** Of a link. */
  readonly target?: string
}

/** What stands before the content of an entry. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path
  const { target = '', sizeBytes = 0, mode } = entry
  if (sizeBytes > SIZE_MAX) throw new RangeError(`${path} is too large for a tar archive: ${sizeBytes} bytes`)
  const header = block({ path, mode, sizeBytes, type: TYPES[entry.kind], target })
  const records = [record('path', path), record('linkpath', target)].filter(text => text !== '')
  if (records.length === 0) return header
  const content = Buffer.from(records.join(''))
  const pax = block({ path: 'pax', mode: 0o644, sizeBytes: content.length, type: TYPES.pax, target: '' })
  return Buffer.concat([pax, content, tarPadding(content.length), header])
}

/** What stands after a content of this size. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK)
}

/** What ends an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK)
}

/** `<length> <key>=<value>\n` for a value that the header cuts, else nothing. The length counts its own digits. */
function record(key: string, value: string): string {
  if (Buffer.byteLength(value) <= NAME_MAX) return ''
  const rest = ` ${key}=${value}\n`
  const length = Buffer.byteLength(rest)
  const guess = length + String(length).length
  return `${length + String(guess).length}${rest}`
}

function block(o: {
  readonly path: string
  readonly mode: number
  readonly sizeBytes: number
  readonly type: string
  readonly target: string
}): Buffer {
  const bytes = Buffer.alloc(BLOCK)
  const put = (text: string, at: number, length: number): void => {
    Buffer.from(text).copy(bytes, at, 0, length)
  }
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  put(o.path, 0, NAME_MAX)
  put(octal(o.mode, 7), 100, 7)
  put(octal(0, 7), 108, 7)
  put(octal(0, 7), 116, 7)
  put(octal(o.sizeBytes, 11), 124, 11)
  put(octal(0, 11), 136, 11)
  put(' '.repeat(8), 148, 8)
  put(o.type, 156, 1)
  put(o.target, 157, NAME_MAX)
  put('ustar\0', 257, 6)
  put('00', 263, 2)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148, 8)
  return bytes
}
