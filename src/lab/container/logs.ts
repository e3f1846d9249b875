import { StringDecoder } from 'node:string_decoder'
import type { Container } from 'dockerode'

const LINE_LENGTH_MAX = 2000
const HEADER_BYTES = 8

/**
 * Takes the engine's log frames (a type, three zeros, a length of four octets, then that many octets) in pieces of any
 * size and gives each line without its end, cut at 2000 characters. `end` gives what stands after the last line end.
 */
export function lineDemuxer(onLine: (line: string) => void): { take(chunk: Buffer): void; end(): void } {
  let held: Buffer = Buffer.alloc(0)
  const open: Record<number, { decoder: StringDecoder; text: string }> = {}
  const give = (line: string): void => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    onLine(text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX)}…` : text)
  }
  const takeFrame = (type: number, payload: Buffer): void => {
    open[type] ??= { decoder: new StringDecoder('utf8'), text: '' }
    const stream = open[type]
    stream.text += stream.decoder.write(payload)
    const lines = stream.text.split('\n')
    stream.text = lines.pop() ?? ''
    for (const line of lines) give(line)
    if (stream.text.length <= LINE_LENGTH_MAX * 2) return
    // A line without an end must not grow for ever.
    give(stream.text)
    stream.text = ''
  }
  return {
    take(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      while (held.length >= HEADER_BYTES) {
        const endAt = HEADER_BYTES + held.readUInt32BE(4)
        if (held.length < endAt) return
        takeFrame(held.readUInt8(0), held.subarray(HEADER_BYTES, endAt))
        held = held.subarray(endAt)
      }
    },
    end() {
      for (const stream of Object.values(open)) if (stream.text !== '') give(stream.text)
    },
  }
}

/** The log of a container as it grows; it ends when the container does. */
export interface FollowedLog {
  readonly ended: Promise<void>
  close(): void
}

/** A log that is followed does not keep this process alive. */
export async function followLog(container: Container, onLine: (line: string) => void): Promise<FollowedLog> {
  const stream = await container.logs({ follow: true, stdout: true, stderr: true })
  const demuxer = lineDemuxer(onLine)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const end = (): void => {
    demuxer.end()
    resolve()
  }
  stream.on('data', chunk => demuxer.take(chunk))
  stream.on('error', () => {})
  stream.once('end', end)
  stream.once('close', end)
  unref(stream)
  return {
    ended,
    close() {
      if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
    },
  }
}

function unref(stream: NodeJS.ReadableStream): void {
  if (!('socket' in stream)) return
  const { socket } = stream
  if (typeof socket === 'object' && socket !== null && 'unref' in socket && typeof socket.unref === 'function') {
    socket.unref()
  }
}

/** All that a container which has ended printed, as one text. */
export async function printedBy(container: Container): Promise<string> {
  const lines: string[] = []
  const demuxer = lineDemuxer(line => lines.push(line))
  demuxer.take(await container.logs({ follow: false, stdout: true, stderr: true }))
  demuxer.end()
  return lines.join('\n')
}
