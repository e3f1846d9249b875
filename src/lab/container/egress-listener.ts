import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Socket as NetSocket, type Server } from 'node:net'

const PORT_TRIES_MAX = 5

/** A port of this machine at all of its addresses: what a lab that gets out to its host finds. */
export interface Listener {
  readonly port: number
  /** All that came, as text: also of who could not be answered. */
  arrived(): string
  close(): void
}

/** Opens one port for connections and for datagrams. It says `here`, or the datagram again, and nothing else. */
export async function listenEverywhere(): Promise<Listener> {
  for (let tried = 1; ; tried += 1) {
    const chunks: Buffer[] = []
    const callers = new Set<NetSocket>()
    const server = createServer(socket => {
      callers.add(socket)
      socket.on('error', () => {}).on('close', () => callers.delete(socket))
      socket.on('data', chunk => chunks.push(chunk))
      socket.end('here\n')
    })
    const family = await listen(server)
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    socket.on('message', (message, { port: from, address: sender }) => {
      chunks.push(message)
      socket.send(message, from, sender, () => {})
    })
    const close = (): void => {
      server.close()
      // Who called from a network that is gone by now never hangs up, and would keep this process alive.
      for (const caller of callers) caller.destroy()
      socket.close()
    }
    try {
      await bind(socket, port)
      return { port, arrived: () => Buffer.concat(chunks).toString('utf8'), close }
    } catch (error) {
      close()
      // A port that is free for connections may be taken for datagrams.
      if (tried === PORT_TRIES_MAX) throw error
    }
  }
}

/** At the addresses of both families where the machine has both. */
async function listen(server: Server): Promise<4 | 6> {
  const at = (host: string): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const family = await at('::').then(
    () => 6 as const,
    () => at('0.0.0.0').then(() => 4 as const),
  )
  server.removeAllListeners('error').on('error', () => {})
  server.unref()
  return family
}

async function bind(socket: Socket, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, resolve))
  socket.removeAllListeners('error').on('error', () => {})
  socket.unref()
}
