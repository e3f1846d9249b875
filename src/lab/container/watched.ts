import type { Engine } from './engine.ts'
import { type FollowedLog, followLog } from './logs.ts'

const LINES_MAX = 500
const EVENT_SETTLE_MS = 50

/** How a container ended. */
export interface Death {
  readonly exitCode: number
  readonly outOfMemory: boolean
}

/** A started container whose log is kept and whose end is seen, until it is let go. */
export interface Watched {
  readonly id: string
  lines(): readonly string[]
  /** Null while it runs, and once it was let go. */
  death(): Death | null
  /** From now on its end is meant. */
  letGo(): void
}

/** Watches a container from its start on: the log that stops growing tells that it ended. */
export async function watch(
  engine: Engine,
  id: string,
  o: { readonly conceal: (line: string) => string; readonly onLine: (line: string) => void },
): Promise<Watched> {
  const container = engine.docker.getContainer(id)
  const lines: string[] = []
  let wanted = true
  let death: Death | null = null
  const follow = (): Promise<FollowedLog> =>
    followLog(container, printed => {
      if (!wanted) return
      const line = o.conceal(printed)
      if (lines.push(line) > LINES_MAX) lines.shift()
      o.onLine(line)
    })
  let log = await follow()
  const settle = async (): Promise<void> => {
    for (;;) {
      await log.ended
      if (!wanted) return
      const info = await container.inspect().catch(() => null)
      if (!wanted) return
      if (info === null) death = { exitCode: -1, outOfMemory: false }
      else if (info.State.Running !== true) {
        death = { exitCode: info.State.ExitCode, outOfMemory: info.State.OOMKilled }
      }
      if (death !== null) return
      await new Promise(resolve => setTimeout(resolve, EVENT_SETTLE_MS).unref())
      lines.length = 0
      log = await follow().catch(() => log)
    }
  }
  void settle()
  return {
    id,
    lines: () => lines,
    death: () => (wanted ? death : null),
    letGo() {
      wanted = false
      log.close()
    },
  }
}

/** `ended with exit code 1`, `was killed: it needed more than its 64 MB of memory`. */
export function describeDeath(death: Death, memoryMb: number): string {
  if (death.outOfMemory)
    return `was killed: it needed more than its ${memoryMb} MB of memory (exit code ${death.exitCode})`
  if (death.exitCode === -1) return 'is gone: somebody removed its container, or the engine does not answer any more'
  return `ended with exit code ${death.exitCode}`
}
