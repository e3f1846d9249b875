import type { Socket } from 'node:net'
import { buildConnector, Client } from 'undici'

/** Response heads are read up to this size. */
const HEAD_MAX_BYTES = 64 * 1024

/** One connection at a time to one origin, and what is known of its octets. */
export interface Lane {
  readonly client: Client
  /** Put before every path: the path of the base URL, without its last slash. */
  readonly prefix: string
  readonly headMaxBytes: number
  /** Forgets the octets seen: a new request begins. */
  begin(): void
  connected(): boolean
  /** Whether an answer failed on a connection that had served before and has shown no octet since. */
  stale(): boolean
  /** Octets seen after the blank line that ends the final head, framing included. */
  bodyBytesSeen(): number
  destroy(): Promise<void>
}

/**
 * A lane that opens its connection when first used. undici ends a response at its announced length;
 * counting what the socket really delivered is the only way to see a body that is longer.
 */
export function openLane(base: URL): Lane {
  const connect = buildConnector({ timeout: 0, allowH2: false })
  let served = 0
  let connections = 0
  let octets = 0
  let head = ''
  let body: number | null = null

  const see = (chunk: Uint8Array) => {
    octets += chunk.length
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
        connections += 1
        served = 0
        callback(null, tapped(socket, see))
      })
    },
  })

  return {
    client,
    prefix: base.pathname.replace(/\/$/, ''),
    headMaxBytes: HEAD_MAX_BYTES,
    begin() {
      if (octets > 0) served += 1
      octets = 0
      head = ''
      body = null
    },
    connected: () => connections > 0,
    stale: () => served > 0 && octets === 0,
    bodyBytesSeen: () => body ?? 0,
    destroy: () => client.destroy(),
  }
}

/** The same socket, which shows `see` every chunk that is read from it. */
function tapped<S extends Socket>(socket: S, see: (chunk: Uint8Array) => void): S {
  const read = socket.read.bind(socket)
  socket.read = size => {
    const chunk: unknown = read(size)
    if (chunk instanceof Uint8Array) see(chunk)
    return chunk
  }
  return socket
}
