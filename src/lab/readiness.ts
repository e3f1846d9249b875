import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exit } from './supervise.ts'

/** What a service must do to count as ready. */
export interface Probe {
  readonly method: string
  readonly path: string
  readonly status: number
  /** A text that the body must contain; null: any body. */
  readonly body: string | null
}

export type Readiness =
  | { readonly ok: true }
  | { readonly ok: false; readonly exit: Exit | null /** What the last probe showed. */; readonly last: string }

const TRY_TIMEOUT_MS = 2000
const SHORT_TRY_MS = 100
const PAUSE_MS = 30
const BODY_BYTES_MAX = 1 << 20

/**
 * Resolves when the probe passes and `confirm` has no objection, or when the service ends, or at `deadline` (in
 * `performance.now()`), whichever is first. Rejects only when `signal` aborts.
 */
export async function waitUntilReady(o: {
  readonly url: string
  readonly probe: Probe
  readonly deadline: number
  readonly exit: () => Exit | null
  readonly confirm: () => string | null
  readonly signal: AbortSignal
}): Promise<Readiness> {
  let last: string | null = null
  for (;;) {
    o.signal.throwIfAborted()
    const exit = o.exit()
    if (exit !== null) return { ok: false, exit, last: last ?? 'it was not asked yet' }
    const leftMs = o.deadline - performance.now()
    if (leftMs <= 0) return { ok: false, exit: null, last: last ?? 'it was not asked yet' }
    const timeoutMs = Math.min(leftMs, TRY_TIMEOUT_MS)
    const tried = await tryProbe(o.url, o.probe, timeoutMs, o.signal)
    // What the end of the budget cut off at once says less than the answer before it.
    if (tried !== null && last !== null && timeoutMs < SHORT_TRY_MS) continue
    const objection = tried ?? o.confirm()
    if (objection === null) {
      await sleep(0)
      const late = o.exit()
      return late === null ? { ok: true } : { ok: false, exit: late, last: 'it answered as expected, then ended' }
    }
    last = objection
    await sleep(Math.min(PAUSE_MS, Math.max(0, o.deadline - performance.now())))
  }
}

/** Null when the probe passes, else what was seen. */
export async function tryProbe(
  url: string,
  probe: Probe,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const name = `${probe.method} ${probe.path}`
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)))
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const asked = request(
    new URL(probe.path, url),
    { method: probe.method, agent: false, signal: AbortSignal.any([timeout, signal]) },
    response => {
      const chunks: Buffer[] = []
      let sizeBytes = 0
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length
        if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk)
        else response.destroy()
      })
      response.on('close', () => {
        if (response.statusCode !== probe.status) {
          resolve(`${name} answered ${response.statusCode}, expected ${probe.status}`)
        } else if (probe.body !== null && !Buffer.concat(chunks).toString('utf8').includes(probe.body)) {
          resolve(`the body of ${name} does not contain ${JSON.stringify(probe.body)}`)
        } else resolve(response.complete ? null : `the body of ${name} broke off`)
      })
      response.on('error', () => {})
    },
  )
  asked.on('error', error => {
    if (timeout.aborted) resolve(`${name} had no answer within ${Math.ceil(timeoutMs)} ms`)
    else resolve(`${name} failed: ${'code' in error ? String(error.code) : error.message}`)
  })
  asked.end()
  return promise
}
