import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { buildConnector, Client } from 'undici'

/** Response heads are read up to this size. */
const HEAD_MAX_BYTES = 64 * 1024
/** How long the other side may take to end the connection once its answer is complete. */
const DRAIN_MS_MAX = 100

/** One connection for one request, and what is known of its octets. */
export interface Lane {
  readonly client: Client
  /** Put before every path: the path of the base URL, without its last slash. */
  readonly prefix: string
  readonly headMaxBytes: number
  connected(): boolean
  /** Octets seen after the blank line that ends the final head, framing included. */
  bodyBytesSeen(): number
  /** The answer is complete: from here on the connection stays open until `drain` and `destroy` end it. */
  complete(): void
  /**
   * Whether octets followed the complete answer. Our half of the connection ends, and what the other side wrote until
   * it ended its own is seen, however it was cut into packets. Bounded.
   */
  drain(): Promise<boolean>
  destroy(): Promise<void>
}

/**
 * A lane that opens its connection when first used. undici ends a response at its announced length, and closes or keeps
 * the connection as it likes; watching what the socket really delivered is the only way to see that more came.
 */
export function openLane(base: URL): Lane {
  const connect = buildConnector({ timeout: 0, allowH2: false })
  let tap: Tapped | null = null
  let head = ''
  let body: number | null = null

  const see = (chunk: Uint8Array) => {
    if (body !== null) {
      body += chunk.length
      return
    }
    head += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    for (let end = head.indexOf('\r\n\r\n'); end >= 0 && body === null; end = head.indexOf('\r\n\r\n')) {
      const interim = /^HTTP\/1\.\d 1\d\d/.test(head)
      head = head.slice(end + 4)
      if (!interim) body = head.length
    }
  }

  const client = new Client(base.origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: HEAD_MAX_BYTES,
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error !== null || socket === null) return callback(error ?? new Error('no socket'), null)
        tap = tapped(socket, see)
        callback(null, socket)
      })
    },
  })

  return {
    client,
    prefix: base.pathname.replace(/\/$/, ''),
    headMaxBytes: HEAD_MAX_BYTES,
    connected: () => tap !== null,
    bodyBytesSeen: () => body ?? 0,
    complete: () => tap?.hold(),
    async drain() {
      await nextTurn() // the parser sees first what arrived together with the end
      return tap === null ? false : excess(tap)
    },
    async destroy() {
      tap?.release()
      await client.destroy()
    },
  }
}

interface Tapped {
  readonly socket: Socket
  /** Keeps undici from closing the socket. */
  hold(): void
  /** Whether undici met octets that no request asked for. */
  refused(): boolean
  /** Closes it. */
  release(): void
}

/** Shows `see` every chunk that is read from a socket. */
function tapped(socket: Socket, see: (chunk: Uint8Array) => void): Tapped {
  const read = socket.read.bind(socket)
  const destroy = socket.destroy.bind(socket)
  let refused = false
  socket.read = size => {
    const chunk: unknown = read(size)
    if (chunk instanceof Uint8Array) see(chunk)
    return chunk
  }
  return {
    socket,
    hold() {
      socket.destroy = error => {
        if (error?.name === 'HTTPParserError' || error?.message === 'bad response') refused = true
        return socket
      }
    },
    refused: () => refused,
    release() {
      socket.destroy = destroy
      destroy()
    },
  }
}

function excess({ socket, refused }: Tapped): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (refused()) return Promise.resolve(true)
  if (socket.readableEnded || socket.destroyed) return Promise.resolve(false)
  const timer = setTimeout(() => resolve(false), DRAIN_MS_MAX)
  const ended = () => resolve(false)
  socket.removeAllListeners('readable')
  socket.on('data', () => resolve(true))
  socket.on('end', ended).on('close', ended).on('error', ended)
  socket.resume()
  socket.end()
  return promise.finally(() => clearTimeout(timer))
}
