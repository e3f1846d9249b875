/** The answer that every replayed case gets, about 1 KB of JSON, and a server that gives it. Run alone it prints its port. */
import { createServer, type Server } from 'node:http'
import { ordersOf } from './documents.ts'

export const ANSWER = JSON.stringify({ ...ordersOf(4), requestId: 'r-7f3a' })

export function answering(): Server {
  return createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) })
    response.end(ANSWER)
  })
}

if (process.argv[1] === import.meta.filename) {
  const server = answering()
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    console.log(typeof address === 'object' && address !== null ? address.port : '')
  })
  process.on('disconnect', () => process.exit())
}
