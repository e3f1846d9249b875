import { connect } from 'node:net'
import { withSelf } from '../core/headers.ts'
import { ParityError } from '../errors.ts'
import type { Case, Fault } from '../model.ts'
import { type Bounded, bounded } from './bounded.ts'
import type { Driven, DriveOptions, Driver, OpenContext } from './driver.ts'
import { type HttpClient, httpClient } from './http-client.ts'
import { driveSequence } from './sequence.ts'
import { requestOf } from './steps.ts'
import { baseUrl, type Served, type StartServer } from './target.ts'

const START_MS_MAX = 30_000
const STOP_MS_MAX = 10_000
const PROBE_MS_MAX = 5_000

interface Open {
  readonly client: HttpClient
  readonly url: URL
  stop(): Promise<void>
}
type Session = Open | { readonly fault: Fault }

/**
 * Drives a service over HTTP. A start function is called once per instant that the cases ask for,
 * and every service that it started is stopped when the driver is disposed.
 */
export async function httpDriver(at: URL | StartServer, context: OpenContext): Promise<Driver> {
  const sessions = new Map<string | null, Promise<Session>>()
  const sessionAt = (clock: string | null): Promise<Session> => {
    const known = sessions.get(clock)
    if (known !== undefined) return known
    const opened = at instanceof URL ? Promise.resolve(openUrl(at, context)) : openStarted(at, { ...context, clock })
    sessions.set(clock, opened)
    return opened
  }
  await sessionAt(context.clock)

  return {
    async drive(c, options) {
      const clock = c.now ?? context.clock
      if (at instanceof URL && clock !== context.clock) return { ok: false, fault: fixedClock(c, context), seen: [] }
      const session = await sessionAt(clock)
      return 'fault' in session ? { ok: false, fault: session.fault, seen: [] } : driveSteps(session, c, options)
    },
    async probe() {
      const session = await sessionAt(context.clock)
      if ('fault' in session) return session.fault
      return probeOrigin(session.url, at instanceof URL ? named(at, context) : labelOf(context))
    },
    async [Symbol.asyncDispose]() {
      const stops = await Promise.allSettled(
        [...sessions.values()].map(async opened => {
          const session = await opened
          if ('stop' in session) await session.stop()
        }),
      )
      sessions.clear()
      for (const stop of stops) if (stop.status === 'rejected') throw stop.reason
    },
  }
}

function driveSteps(session: Pick<Open, 'client' | 'url'>, c: Case, options: DriveOptions): Promise<Driven> {
  const { origin } = session.url
  return driveSequence(c, options, {
    origin,
    async drive(input, step) {
      const request = requestOf(c, step, input)
      const exchanged = await session.client.exchange(request, { step, ...options })
      if (!exchanged.ok) return exchanged
      const headers = withSelf(exchanged.response.headers, origin)
      return {
        ok: true,
        seen: { kind: 'response', method: request.method, response: { ...exchanged.response, headers } },
      }
    },
  })
}

function labelOf(context: OpenContext): string {
  return context.label ?? 'the candidate'
}

function named(url: URL, context: OpenContext): string {
  return `${labelOf(context)} at ${url.origin}`
}

function fixedClock(c: Case, context: OpenContext): Fault {
  return {
    reason: 'environment',
    step: 0,
    message: `the case runs at ${c.now}, and ${labelOf(context)} is given by its URL, so that its clock cannot be set: give http(context => …), which starts it at context.clock, or \`reset\`, which gets it where the contract says reset: case`,
  }
}

function openUrl(url: URL, context: OpenContext): Session {
  const client = httpClient({ origin: url, label: context.label ?? named(url, context) })
  return { client, url, stop: () => Promise.resolve(client[Symbol.asyncDispose]()) }
}

async function openStarted(start: StartServer, context: OpenContext): Promise<Session> {
  const own = new AbortController()
  const signal = AbortSignal.any([context.signal, own.signal])
  const { clock, tz, services = {}, startMsMax = START_MS_MAX, stopMsMax = STOP_MS_MAX } = context
  const starting = new Promise<Served>(resolve => resolve(start({ clock, tz, signal, services })))
  const unreachable = (message: string): Session => ({
    fault: { reason: 'candidate-unreachable', step: 0, message },
  })
  // what comes up after nobody waits for it any more is stopped all the same
  const stopLate = (): void => {
    own.abort()
    starting.then(served => disposeServed(served, stopMsMax)).catch(() => {})
  }
  let started: Bounded<Served>
  try {
    started = await bounded(starting, { timeoutMs: startMsMax, signal: context.signal })
  } catch (error) {
    stopLate()
    context.signal.throwIfAborted()
    return unreachable(`${labelOf(context)} did not start: ${messageOf(error)}`)
  }
  if (started.late) {
    stopLate()
    return unreachable(`${labelOf(context)} did not start within ${startMsMax} ms`)
  }
  const served = started.value
  try {
    const url = baseUrl(served?.url)
    const client = httpClient({ origin: url, label: labelOf(context) })
    return {
      client,
      url,
      async stop() {
        await client[Symbol.asyncDispose]()
        own.abort()
        await disposeServed(served, stopMsMax)
      },
    }
  } catch {
    own.abort()
    await disposeServed(served, stopMsMax)
    return unreachable(`${labelOf(context)} started, but its start function returned no usable { url }`)
  }
}

async function disposeServed(served: Served | null | undefined, timeoutMs: number): Promise<void> {
  const stopping = served?.[Symbol.asyncDispose]?.()
  if (stopping === undefined) return
  const { late } = await bounded(stopping, { timeoutMs })
  if (!late) return
  throw new ParityError(
    'PARITY_TARGET_DISPOSE',
    `the started candidate did not stop within ${timeoutMs} ms`,
    'let its [Symbol.asyncDispose] close open connections (server.closeAllConnections()) before it closes the server',
  )
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0] ?? ''
}

/** Opens and closes one connection: reachable is what accepts it. */
function probeOrigin(url: URL, label: string): Promise<Fault | null> {
  const { promise, resolve } = Promise.withResolvers<Fault | null>()
  const refuse = (why: string) =>
    resolve({ reason: 'candidate-unreachable', step: 0, message: `${label} cannot be reached: ${why}` })
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port })
  socket.setTimeout(PROBE_MS_MAX, () => {
    socket.destroy()
    refuse(`no connection within ${PROBE_MS_MAX} ms`)
  })
  socket.once('connect', () => {
    socket.destroy()
    resolve(null)
  })
  socket.once('error', (error: NodeJS.ErrnoException) => {
    refuse(error.code === 'ECONNREFUSED' ? 'the connection was refused' : `no connection (${error.code})`)
  })
  return promise
}
