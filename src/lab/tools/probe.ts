/** Asks a service from a container beside it, again and again until it answers as expected or the budget is gone. */

import { request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** The one argument of this program, as JSON. */
export type ProbeRequest = {
  readonly host: string
  readonly port: number
  readonly budgetMs: number
  /** Whether it is asked once, with all of the budget: asking again would change something. */
  readonly once: boolean
} & (
  | {
      readonly kind: 'http'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly body: string | null
    }
  | { readonly kind: 'stomp' }
  | { readonly kind: 'tcp' }
)

/** The last line that it prints. */
export interface ProbeAnswer {
  /** Null: it behaved as expected; else what the last try showed. */
  readonly failed: string | null
}

const TRY_MS = 2000
const PAUSE_MS = 30
const BODY_BYTES_MAX = 1 << 20

type Verdict = string | null

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}

function tryHttp(spec: ProbeRequest & { readonly kind: 'http' }, timeoutMs: number): Promise<Verdict> {
  const name = `${spec.method} ${spec.path}`
  return new Promise(resolve => {
    const { host, port, method, path } = spec
    const asked = request({ host, port, method, path, agent: false, timeout: timeoutMs }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
        if (text.length > BODY_BYTES_MAX) response.destroy()
      })
      response.on('error', () => {})
      response.on('close', () => {
        if (response.statusCode !== spec.status)
          resolve(`${name} answered ${response.statusCode}, expected ${spec.status}`)
        else if (spec.body !== null && !text.includes(spec.body)) {
          resolve(`the body of ${name} does not contain ${JSON.stringify(spec.body)}`)
        } else resolve(response.complete ? null : `the body of ${name} broke off`)
      })
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    asked.on('error', error => resolve(`${name} failed: ${codeOf(error)}`))
    asked.end()
  })
}

/** Resolves with the verdict that `talk` gives about the connection. */
function trySocket(
  spec: ProbeRequest,
  timeoutMs: number,
  talk: (socket: Socket, decide: (verdict: Verdict) => void) => void,
): Promise<Verdict> {
  return new Promise(resolve => {
    const socket = connect({ host: spec.host, port: spec.port, family: 4 })
    const decide = (verdict: Verdict): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(verdict)
    }
    const timer = setTimeout(() => decide(`port ${spec.port} had no answer within ${timeoutMs} ms`), timeoutMs)
    socket.on('error', error => decide(`port ${spec.port} failed: ${codeOf(error)}`))
    talk(socket, decide)
  })
}

function tryStomp(spec: ProbeRequest, timeoutMs: number): Promise<Verdict> {
  return trySocket(spec, timeoutMs, (socket, decide) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('connect', () => socket.write('CONNECT\naccept-version:1.0,1.1,1.2\nhost:localhost\n\n\0'))
    socket.on('end', () => decide('CONNECT was answered by the end of the connection'))
    socket.on('data', chunk => {
      text += chunk
      const command = /^\n*(\S+)\n/.exec(text)?.[1]
      if (command !== undefined)
        decide(command === 'CONNECTED' ? null : `CONNECT was answered by ${command.slice(0, 40)}`)
      else if (text.length > 100) decide('CONNECT was answered by what is not STOMP')
    })
  })
}

function tryOnce(spec: ProbeRequest, timeoutMs: number): Promise<Verdict> {
  switch (spec.kind) {
    case 'http':
      return tryHttp(spec, timeoutMs)
    case 'stomp':
      return tryStomp(spec, timeoutMs)
    case 'tcp':
      return trySocket(spec, timeoutMs, (socket, decide) => socket.on('connect', () => decide(null)))
    default:
      return spec satisfies never
  }
}

const spec: ProbeRequest = JSON.parse(process.argv[1] ?? '')
const deadline = performance.now() + spec.budgetMs
let failed: Verdict = 'it was not asked yet'
let asked = 0
for (let leftMs = spec.budgetMs; leftMs > 0; leftMs = deadline - performance.now()) {
  const seen = await tryOnce(spec, Math.ceil(spec.once ? leftMs : Math.min(leftMs, TRY_MS)))
  // What the end of the budget cut off at once says less than the answer before it.
  if (seen === null || asked++ === 0 || !(leftMs < TRY_MS && seen.includes('no answer within'))) failed = seen
  if (failed === null || spec.once) break
  await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
}
process.stdout.write(`${JSON.stringify({ failed } satisfies ProbeAnswer)}\n`)
process.exit(0)
