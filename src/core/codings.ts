import { Buffer } from 'node:buffer'
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { splitOutsideQuotes } from './media-type.ts'

/** A body is decoded up to this size. */
export const DECODED_MAX_BYTES = 64 * 1024 * 1024
const CODINGS_MAX = 4

export type Uncoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: 'unknown' | 'broken' | 'over-limit'; readonly message: string }

/** Frames of one zstd body. */
const FRAMES_MAX = 1000

/** What stands under a coding, and how many octets of it were read. */
interface Stretch {
  readonly decoded: Uint8Array
  readonly readBytes: number
}
type Decoder = (bytes: Uint8Array, maxOutputLength: number) => Stretch
type Inflate = (bytes: Uint8Array, options: { maxOutputLength: number; info: true }) => unknown

/** Node stops at the end of the first stream and says nothing of what follows, unless it is asked how far it came. */
const stretchBy =
  (inflate: Inflate): Decoder =>
  (bytes, maxOutputLength) => {
    const told = inflate(bytes, { maxOutputLength, info: true })
    const { buffer, engine } = told as { buffer: Uint8Array; engine: { bytesWritten: number } }
    return { decoded: buffer, readBytes: engine.bytesWritten }
  }

const GZIP = stretchBy(gunzipSync)
const ZLIB = stretchBy(inflateSync)
const BARE = stretchBy(inflateRawSync)

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  br: stretchBy(brotliDecompressSync),
  zstd: stretchBy(zstdDecompressSync),
  deflate: (bytes, maxOutputLength) => (isZlib(bytes) ? ZLIB : BARE)(bytes, maxOutputLength),
}

/** Undoes one coding. Every octet belongs to it: only zstd has several frames, and only gzip is padded with zeros. */
function undoWhole(bytes: Uint8Array, coding: string, decoder: Decoder): Uncoded {
  const frames: Uint8Array[] = []
  let rest = bytes
  let room = DECODED_MAX_BYTES
  do {
    if (frames.length === FRAMES_MAX) {
      return { ok: false, why: 'over-limit', message: `the body has more than ${FRAMES_MAX} frames of ${coding}` }
    }
    const { decoded, readBytes } = decoder(rest, room)
    frames.push(decoded)
    room -= decoded.length
    rest = rest.subarray(readBytes)
    if (readBytes === 0) break
  } while (coding === 'zstd' && rest.length > 0)
  const padding = coding.endsWith('gzip') && rest.every(octet => octet === 0)
  if (rest.length > 0 && !padding) {
    return { ok: false, why: 'broken', message: `the body goes on after the end of its ${coding}` }
  }
  const [only] = frames
  return { ok: true, bytes: frames.length === 1 && only !== undefined ? only : Buffer.concat(frames) }
}

/**
 * The octets of a body once all its content codings are undone, the last applied first. Never throws.
 * A body of zero octets is empty whatever coding it names. Octets after the end of a coding break it. `deflate` is read with and without its zlib wrapper.
 *
 * **Source** RFC 9110 section 8.4, RFC 8878 (zstd).
 */
export function undoCodings(bytes: Uint8Array, contentEncoding: readonly string[]): Uncoded {
  const codings = codingsOf(contentEncoding)
  if (bytes.length === 0) return { ok: true, bytes }
  if (codings.length > CODINGS_MAX) {
    return { ok: false, why: 'over-limit', message: `more than ${CODINGS_MAX} content codings` }
  }
  let decoded = bytes
  for (const coding of codings.reverse()) {
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
    if (decoder === undefined) {
      return { ok: false, why: 'unknown', message: `the content coding ${JSON.stringify(coding)} is not supported` }
    }
    try {
      const undone = undoWhole(decoded, coding, decoder)
      if (!undone.ok) return undone
      decoded = undone.bytes
    } catch (error) {
      if (error instanceof RangeError) {
        return { ok: false, why: 'over-limit', message: `the body decodes to more than ${DECODED_MAX_BYTES} bytes` }
      }
      return { ok: false, why: 'broken', message: `the body is not ${coding}, or it is cut short` }
    }
  }
  return { ok: true, bytes: decoded }
}

const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  deflate: deflateSync,
}

/** Octets under the content codings that a response names; null where one of them is unknown. */
export function applyCodings(bytes: Uint8Array, contentEncoding: readonly string[]): Uint8Array | null {
  let coded = bytes
  for (const coding of codingsOf(contentEncoding)) {
    const encoder = Object.hasOwn(ENCODERS, coding) ? ENCODERS[coding] : undefined
    if (encoder === undefined) return null
    coded = encoder(coded)
  }
  return coded
}

/** The codings in the order they were applied. */
function codingsOf(contentEncoding: readonly string[]): string[] {
  return contentEncoding
    .flatMap(value => splitOutsideQuotes(value, ','))
    .map(coding => coding.trim().toLowerCase())
    .filter(coding => coding !== '' && coding !== 'identity')
}

/** RFC 1950 section 2.2: method 8, and the first two octets are a multiple of 31. */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
}
