import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { ParityError } from '../errors.ts'
import { loadLab } from '../lab/lab-file.ts'
import { type RunningLab, startLab } from '../lab/process-driver.ts'
import type { Verdict } from '../model.ts'
import { http, type Served, type Target } from '../replay/target.ts'
import { openSuite } from './check.ts'
import { readFeature } from './feature.ts'
import { targetOfLab } from './lab-target.ts'
import type { Dirs } from './suite.ts'

export interface SelfReplayRequest {
  readonly root: string
  /** Default: the standard folders. */
  readonly dirs?: Dirs
  readonly feature: string
  /** UTC date, `YYYY-MM-DD`. */
  readonly asOf: string
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number, name: string) => void
}

/**
 * The verdicts of the goldens of a feature with its own lab in the place of the candidate, by the way that every candidate
 * goes: drivers, resets, clocks, rules. Each has to be PARITY: a lab that differs from what was recorded from it shows a
 * fault in the recording, in the rules or in this tool.
 *
 * **Throws** PARITY_LAB_MISSING, what `readFeature` and `loadLab` throw, and LabFailure.
 */
export async function replayAgainstLab(o: SelfReplayRequest): Promise<readonly Verdict[]> {
  const dirs = o.dirs ?? {}
  const { contract, paths } = readFeature({ root: o.root, dirs, feature: o.feature })
  if (contract.lab === null) {
    const fix = 'add `lab: <name>` to the contract, and labs/<name>/lab.yaml'
    throw new ParityError('PARITY_LAB_MISSING', `the contract of ${o.feature} names no lab`, fix)
  }
  const lab = await loadLab(join(paths.labs, contract.lab))
  const labs = new LabsByClock(clock => startLab(lab, { clock, signal: o.signal }))
  await using _ = labs
  const first = await labs.at(lab.file.clock)
  const suite = openSuite({
    root: o.root,
    dirs,
    feature: o.feature,
    asOf: o.asOf,
    candidateId: `lab ${lab.hash}`,
    options: {
      candidate: candidateOf(first, labs),
      candidateId: `lab ${lab.hash}`,
      reset: async ({ clock }) => (await labs.at(clock)).reset(),
    },
  })
  try {
    const verdicts: Verdict[] = []
    for (const name of suite.cases) {
      verdicts.push(await suite.check(name, { signal: o.signal }))
      o.onProgress?.(verdicts.length, suite.cases.length, name)
    }
    return verdicts
  } finally {
    await suite.close()
  }
}

/** A lab that listens is started by the suite, at the instants that its cases ask for; one that is called is there. */
function candidateOf(first: RunningLab, labs: LabsByClock): Target {
  const { drive } = first
  if (drive.kind === 'command') {
    // the instant comes from the case, as for every candidate
    const { PARITY_CLOCK: _, ...env } = drive.env
    return targetOfLab({ drive: { ...drive, env } })
  }
  return http(async ({ clock }) => standingFor(await labs.at(clock)))
}

/** An address that stays: a reset may bring a lab up on another port. */
async function standingFor(lab: RunningLab): Promise<Served> {
  const server = createServer(inner => {
    const { drive } = lab
    const { hostname, port } = new URL(drive.kind === 'http' ? drive.url : '')
    const outer = connect(Number(port), hostname)
    inner.pipe(outer).pipe(inner)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

/** Holds one lab for each instant that was asked for. */
class LabsByClock implements AsyncDisposable {
  readonly #start: (clock: string | null) => Promise<RunningLab>
  readonly #labs = new Map<string | null, Promise<RunningLab>>()

  constructor(start: (clock: string | null) => Promise<RunningLab>) {
    this.#start = start
  }

  at(clock: string | null): Promise<RunningLab> {
    const known = this.#labs.get(clock) ?? this.#start(clock)
    this.#labs.set(clock, known)
    return known
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const started = await Promise.allSettled(this.#labs.values())
    await Promise.all(started.map(each => (each.status === 'fulfilled' ? each.value[Symbol.asyncDispose]() : null)))
  }
}
