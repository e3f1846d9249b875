/**
 * A program of its own: waits until its stdin closes, which happens when its parent ends in whatever way, and then
 * removes what the session named by its argument left on the engine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from './engine.ts'
import { sweepSession } from './sweep.ts'

/** A request that was on its way when the parent ended may still create something: that long nothing may turn up. */
const QUIET_MS = 3000
const POLL_MS = 250
const REAP_MAX_MS = 120_000

async function reap(session: string): Promise<void> {
  const end = performance.now() + REAP_MAX_MS
  let quietSince: number | null = null
  while (performance.now() < end) {
    try {
      const { docker } = await openEngine({ signal: AbortSignal.timeout(REAP_MAX_MS) })
      while (performance.now() < end) {
        const { removed, left } = await sweepSession(docker, session)
        const now = performance.now()
        quietSince = removed.length + left.length > 0 ? null : (quietSince ?? now)
        if (quietSince !== null && now - quietSince >= QUIET_MS) return
        await sleep(POLL_MS)
      }
    } catch {
      await sleep(POLL_MS * 4) // the engine restarts, or cannot be reached for a moment
    }
  }
}

// What ends the parent often goes to all that it started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const [session] = process.argv.slice(2)
const ended = new Promise<void>(resolve => {
  process.stdin.on('end', resolve).on('error', resolve).on('close', resolve).resume()
})
await ended
if (session !== undefined && session !== '') await reap(session)
process.exit(0)
