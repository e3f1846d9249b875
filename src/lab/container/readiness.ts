import { setTimeout as sleep } from 'node:timers/promises'
import type { Container } from 'dockerode'
import { tryProbe } from '../readiness.ts'
import { unlessAborted } from '../supervise.ts'
import { execute } from './exec.ts'
import { type Gate, probeFromGate, seenByGate } from './gate.ts'
import type { ReadySpec, ServiceSpec } from './spec.ts'

export interface ReadyQuestion {
  readonly service: ServiceSpec
  readonly container: Container
  readonly gate: { readonly container: Container; readonly gate: Gate }
  /** Whether it is asked through the gate from outside. */
  readonly driven: boolean
  /** In `performance.now()`. */
  readonly deadline: number
  /** How some service of the lab ended; null while all run. */
  readonly ended: () => string | null
  readonly signal: AbortSignal
}

export type Readied =
  | { readonly ok: true }
  /** `ended`: how a service ended meanwhile; `last`: what the last try showed, null when it was not asked. */
  | { readonly ok: false; readonly ended: string | null; readonly last: string | null }

const TRY_MS = 2000
/** A client program that hangs is asked again. */
const EXEC_TRY_MS = 10_000
/** After so long the program in the gate says what it has seen, and is started again. */
const PROBE_ROUND_MS = 500
const PAUSE_MS = 30
const EXEC_PAUSE_MS = 100
const WATCH_MS = 100
const SAID_OF_OUTPUT_MAX = 400
const SAID_OF_COMMAND_MAX = 200

/** What one try showed. */
interface Tried {
  /** Null: it behaved as expected. */
  readonly failed: string | null
  /** It was broken off because the budget is gone: it says less than the try before it. */
  readonly cut: boolean
}

/** Resolves when the service behaves as `ready:` says, when a service of the lab ends, or at the deadline. Rejects only when `signal` aborts. */
export async function waitUntilServes(o: ReadyQuestion): Promise<Readied> {
  let last: string | null = null
  for (;;) {
    o.signal.throwIfAborted()
    const ended = o.ended()
    const leftMs = o.deadline - performance.now()
    if (ended !== null || leftMs <= 0) return { ok: false, ended, last }
    const tried = await orEnded(askOnce(o, leftMs), o)
    if (tried === null) continue
    if (tried.failed === null) {
      // An answer may overtake the end of the program that gave it.
      await sleep(0)
      const late = o.ended()
      return late === null ? { ok: true } : { ok: false, ended: late, last: 'it answered as expected, then ended' }
    }
    if (last === null || !tried.cut) last = tried.failed
    const pauseMs = o.service.ready.kind === 'http' ? PAUSE_MS : EXEC_PAUSE_MS
    await sleep(Math.min(pauseMs, Math.max(0, o.deadline - performance.now())))
  }
}

/** What came of one try; null as soon as a service has ended: a probe that hangs must not hide that. */
async function orEnded(asked: Promise<Tried>, o: ReadyQuestion): Promise<Tried | null> {
  asked.catch(() => {})
  const { promise: over, resolve } = Promise.withResolvers<null>()
  const watching = setInterval(() => {
    if (o.ended() !== null) resolve(null)
  }, WATCH_MS)
  try {
    return await unlessAborted(Promise.race([asked, over]), o.signal)
  } catch (error) {
    if (o.signal.aborted) throw error
    return { failed: error instanceof Error ? error.message : String(error), cut: false }
  } finally {
    clearInterval(watching)
  }
}

async function askOnce(o: ReadyQuestion, leftMs: number): Promise<Tried> {
  const { service, gate } = o
  const { ready } = service
  if (ready.kind === 'http' && o.driven) {
    const seen = await tryProbe(gate.gate.url, ready, Math.min(leftMs, TRY_MS), o.signal)
    const cut = leftMs < TRY_MS && (seen?.includes('had no answer within') ?? false)
    return { failed: seen === null ? null : throughGate(seen, gate.gate, service), cut }
  }
  if (ready.kind === 'http' || ready.kind === 'stomp') {
    const { port } = service
    if (port === null) return { failed: `service ${service.name} has no port to be asked at`, cut: false }
    const budgetMs = Math.min(leftMs, PROBE_ROUND_MS)
    return probeFromGate(
      gate.container,
      { ...questionOf(ready), host: service.name, port, budgetMs, once: false },
      leftMs,
    )
  }
  const command = ready.kind === 'exec' ? ready.command : [...ready.client, ready.statement]
  const timeoutMs = Math.min(leftMs, EXEC_TRY_MS)
  const { exitCode, output } = await execute(o.container, { command, timeoutMs })
  return { failed: describeRun({ command, exitCode, output, timeoutMs }), cut: exitCode === null }
}

/** The gate breaks off what it cannot forward: only it knows why. */
function throughGate(seen: string, gate: Gate, service: ServiceSpec): string {
  if (!/ECONNRESET|EPIPE|socket hang up|broke off/.test(seen)) return seen
  const { connected, failing } = seenByGate(gate)
  if (failing === null) return seen
  return connected
    ? `nothing listens on port ${service.port} any more (${failing}); it took connections before`
    : `nothing listens on port ${service.port} (${failing})`
}

function questionOf(ready: ReadySpec & { readonly kind: 'http' | 'stomp' }) {
  if (ready.kind === 'stomp') return { kind: 'stomp' } as const
  const { method, path, status, body } = ready
  return { kind: 'http', method, path, status, body } as const
}

/** Null: it ended with 0; else how it ended and the end of what it printed. */
export async function runCommand(
  container: Container,
  command: readonly string[],
  timeoutMs: number,
): Promise<string | null> {
  const { exitCode, output } = await execute(container, { command, timeoutMs })
  return describeRun({ command, exitCode, output, timeoutMs })
}

function describeRun(o: {
  readonly command: readonly string[]
  readonly exitCode: number | null
  readonly output: string
  readonly timeoutMs: number
}): string | null {
  if (o.exitCode === 0) return null
  const words = o.command.join(' ')
  const name = words.length > SAID_OF_COMMAND_MAX ? `${words.slice(0, SAID_OF_COMMAND_MAX)}…` : words
  const said = o.output === '' ? '' : `: ${o.output.slice(-SAID_OF_OUTPUT_MAX)}`
  return o.exitCode === null
    ? `${name} had not ended after ${Math.ceil(o.timeoutMs)} ms${said}`
    : `${name} ended with exit code ${o.exitCode}${said}`
}
