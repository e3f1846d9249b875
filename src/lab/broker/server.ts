import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ParityError } from '../../errors.ts'
import { LabFailure } from '../lab-failure.ts'
import type { RunningLab } from '../process-driver.ts'
import { LabPool, type LeasedLab, type StartLab } from './pool.ts'
import { type BrokerMessage, type BrokerRequest, lineReader } from './protocol.ts'

const CRASH_POLL_MS = 50

/** The labs of one run, held by the process that lives as long as the run, and lent to its workers. */
export interface Broker extends AsyncDisposable {
  /** Where workers reach it: a socket that only this user can open. */
  readonly address: string
  /** Before a further run of watch mode: what could not be booted is tried again. */
  forget(): void
}

/** Read and loaded when the first worker asks: most runs boot no lab. */
const startOnDemand: StartLab = async (lab, o) => {
  const { startLab } = await import('../process-driver.ts')
  return startLab(lab, o)
}

/** Opens the broker; no lab boots before a worker asks for one. */
export async function openBroker(start: StartLab = startOnDemand): Promise<Broker> {
  const dir = await mkdtemp(join(tmpdir(), 'vitest-parity-broker-'))
  await chmod(dir, 0o700)
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${dir.split(/[\\/]/).at(-1)}` : join(dir, 'socket')
  const pool = new LabPool(start)
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, pool)
  })
  server.unref()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
  return {
    address,
    forget: () => pool.forget(),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await pool[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** One connection holds one lab; when it closes, in whatever way its process ended, the lab is given back. */
function serve(socket: Socket, pool: LabPool): void {
  const gone = new AbortController()
  let leased: LeasedLab | null = null
  let told = false
  let turn: Promise<unknown> = Promise.resolve()
  const send = (message: BrokerMessage): void => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`)
  }
  const answer = async (request: BrokerRequest): Promise<void> => {
    try {
      if (request.op === 'acquire') {
        const { loadLab } = await import('../lab-file.ts')
        const lab = await loadLab(request.dir)
        leased ??= await pool.lease({
          lab,
          instances: lab.driver === 'container' ? lab.instances : 1,
          role: request.role,
          clock: request.clock,
          signal: gone.signal,
          onLog: line => send({ event: 'log', line }),
        })
      } else await leased?.running.reset({ clock: request.clock })
      if (leased !== null) send(readyMessage(leased.running))
    } catch (error) {
      if (!gone.signal.aborted) send(failedMessage(error))
    }
  }
  const watching = setInterval(() => {
    const text = told ? null : (leased?.running.crashed() ?? null)
    if (text === null) return
    told = true
    send({ event: 'crashed', text })
  }, CRASH_POLL_MS)
  watching.unref()
  const read = lineReader<BrokerRequest>(request => {
    turn = turn.then(() => answer(request))
  })
  socket.setEncoding('utf8')
  socket.on('data', chunk => {
    try {
      read(String(chunk))
    } catch {
      socket.destroy() // not one of our workers
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(watching)
    gone.abort(new Error('nobody waits for the lab any more'))
    void turn.then(() => leased?.release())
  })
}

function readyMessage({ drive, clock, provenance, evidence }: RunningLab): BrokerMessage {
  return { event: 'ready', drive, clock, provenance, evidence }
}

function failedMessage(error: unknown): BrokerMessage {
  if (error instanceof LabFailure) {
    const { reason, message, remedy } = error
    return { event: 'failed', reason, message, remedy }
  }
  if (error instanceof ParityError) {
    const message = error.message.split('\nFix: ', 1)[0] ?? ''
    return { event: 'failed', reason: 'lab-boot', message, remedy: error.fix }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { event: 'failed', reason: 'lab-boot', message, remedy: 'read the message, then run again' }
}
