import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Wire {
  readonly origin: URL
  /** What each connection received, in order of the connections. */
  readonly received: string[]
}

/** A server that answers octets by hand: `answer` is called once per request head. */
export async function wire(answer: (socket: Socket, request: number) => void): Promise<Wire> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer(socket => {
    const at = received.push('') - 1
    sockets.add(socket)
    socket.on('error', () => {})
    let pending = ''
    socket.on('data', chunk => {
      received[at] += chunk.toString('latin1')
      pending += chunk.toString('latin1')
      if (!pending.includes('\r\n\r\n')) return
      pending = ''
      answer(socket, requests++)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return { origin: new URL(`http://127.0.0.1:${address.port}`), received }
}
