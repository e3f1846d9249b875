import { LabFailure } from '../lab-failure.ts'
import { within } from '../supervise.ts'
import type { Engine } from './engine.ts'

const ATTEMPTS_MAX = 5
const PAUSE_MS = 100
const ATTEMPT_MS = 15_000

/** Status codes that say: it is gone already, or on its way. */
const GONE = new Set([404, 409])

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null
  return typeof error.statusCode === 'number' ? error.statusCode : null
}

async function tolerant(remove: () => Promise<unknown>): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await within(
        remove().then(() => true),
        ATTEMPT_MS,
      )
      return done === null ? `no answer within ${ATTEMPT_MS} ms` : null
    } catch (error) {
      if (GONE.has(statusOf(error) ?? 0)) return null
      if (attempt === ATTEMPTS_MAX) return error instanceof Error ? error.message : String(error)
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }
}

/** Removes containers with their volumes, then networks; what is gone already is fine. **Throws** LabFailure that names what stays. */
export async function removeObjects(
  engine: Engine,
  o: { readonly containers: readonly string[]; readonly networks: readonly string[] },
): Promise<void> {
  const { docker } = engine
  const left = await Promise.all(
    o.containers.map(id => tolerant(() => docker.getContainer(id).remove({ force: true, v: true }))),
  )
  // A network goes only once nothing is on it.
  left.push(...(await Promise.all(o.networks.map(id => tolerant(() => docker.getNetwork(id).remove())))))
  const failed = left.filter(text => text !== null)
  if (failed.length === 0) return
  const what = `the engine left ${failed.length} objects of the lab behind: ${failed[0]}`
  throw new LabFailure('lab-boot', what, 'npx vitest-parity lab sweep')
}
