import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { toolCommand } from '../container/gate.ts'

const children: ChildProcess[] = []
const servers: Server[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) server.close()
})

async function listen(onConnection: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** A gate to `port` that listens on a port that was free a moment ago, and what it prints. */
async function gateTo(port: number): Promise<{ port: number; lines: string[] }> {
  const free = await listen(() => {})
  free.server.close()
  await once(free.server, 'close')
  const [, ...words] = toolCommand('gate', [`${free.port}=127.0.0.1:${port}`])
  const gate = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(gate)
  const lines: string[] = []
  const reader = createInterface({ input: gate.stdout })
  reader.on('line', line => lines.push(line))
  await once(reader, 'line')
  return { port: free.port, lines }
}

/** All that comes back, and how the connection closed. */
function readAll(socket: Socket): Promise<{ text: string; error: string | null }> {
  const chunks: Buffer[] = []
  let error: string | null = null
  return new Promise(resolve => {
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', broken => {
      error = 'code' in broken ? String(broken.code) : broken.message
    })
    socket.on('close', () => resolve({ text: Buffer.concat(chunks).toString(), error }))
  })
}

test('lets the caller end its half first, and brings the answer that comes after', async () => {
  const { port } = await listen(socket => {
    let asked = ''
    socket.on('data', chunk => {
      asked += chunk
    })
    socket.on('end', () => socket.end(`heard ${asked}`))
  })
  const gate = await gateTo(port)
  const caller = connect({ host: '127.0.0.1', port: gate.port, allowHalfOpen: true })
  caller.end('question')
  expect(await readAll(caller)).toEqual({ text: 'heard question', error: null })
})

test('lets the service end its half first, and takes what the caller still sends', async () => {
  const heard = Promise.withResolvers<string>()
  const { port } = await listen(socket => {
    socket.end('banner')
    let asked = ''
    socket.on('data', chunk => {
      asked += chunk
    })
    socket.on('end', () => heard.resolve(asked))
  })
  const gate = await gateTo(port)
  const caller = connect({ host: '127.0.0.1', port: gate.port, allowHalfOpen: true })
  const read = readAll(caller)
  await once(caller, 'end')
  caller.end('afterwards')
  expect(await heard.promise).toBe('afterwards')
  expect(await read).toEqual({ text: 'banner', error: null })
})

test('waits for a caller that reads slowly, and loses nothing of a large answer', async () => {
  const sizeBytes = 40 << 20
  const { port } = await listen(socket => socket.end(Buffer.alloc(sizeBytes, 'x')))
  const gate = await gateTo(port)
  const caller = connect({ host: '127.0.0.1', port: gate.port })
  let seenBytes = 0
  for await (const chunk of caller) {
    seenBytes += chunk.length
    if (seenBytes < 1 << 20) await new Promise(resolve => setTimeout(resolve, 5))
  }
  expect(seenBytes).toBe(sizeBytes)
})

test('breaks off, and does not end cleanly, what the service broke off', async () => {
  const { port } = await listen(socket => {
    socket.write('half of it')
    setTimeout(() => socket.resetAndDestroy(), 100)
  })
  const gate = await gateTo(port)
  const caller = connect({ host: '127.0.0.1', port: gate.port })
  expect(await readAll(caller)).toEqual({ text: 'half of it', error: 'ECONNRESET' })
})

test('breaks off towards the service what the caller broke off', async () => {
  const ended = Promise.withResolvers<string>()
  const { port } = await listen(socket => {
    socket.on('data', () => {})
    socket.on('end', () => ended.resolve('ended'))
    socket.on('error', error => ended.resolve('code' in error ? String(error.code) : error.message))
  })
  const gate = await gateTo(port)
  const caller = connect({ host: '127.0.0.1', port: gate.port })
  caller.on('error', () => {})
  await once(caller, 'connect')
  caller.write('half of it', () => setTimeout(() => caller.resetAndDestroy(), 100))
  expect(await ended.promise).toBe('ECONNRESET')
})

test('breaks off at once where nothing listens, and says each change of that once', async () => {
  const gone = await listen(() => {})
  gone.server.close()
  await once(gone.server, 'close')
  const gate = await gateTo(gone.port)
  for (let time = 0; time < 3; time++) {
    const { error } = await readAll(connect({ host: '127.0.0.1', port: gate.port }))
    expect(error).toBe('ECONNRESET')
  }
  await expect.poll(() => gate.lines).toEqual(['the gate is open', `127.0.0.1:${gone.port} ECONNREFUSED`])
})
