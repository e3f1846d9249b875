/** The thread that compares. Before each trial it says which, in shared memory, so that a hang can be told. */
import { parentPort, workerData } from 'node:worker_threads'
import { runRounds, type Tally } from './run.ts'

export interface WorkerInput {
  readonly seed: string
  readonly only: string | null
  readonly from: number
  readonly until: number
  /** Attack, number, and a count that grows with each trial. */
  readonly now: Int32Array
}

const REPORT_MS = 2000

const { seed, only, from, until, now } = workerData as WorkerInput
let reported = Date.now()
const told: Tally = { pairs: 0, decided: 0, refused: 0, refusedRightly: 0 }

function report(tally: Tally): void {
  const more = Object.fromEntries(
    Object.entries(tally).map(([name, count]) => [name, count - told[name as keyof Tally]]),
  )
  Object.assign(told, tally)
  parentPort?.postMessage({ tally: more })
}

const tally = runRounds({
  seed,
  only,
  from,
  onTrial: (attack, index) => {
    Atomics.store(now, 0, attack)
    Atomics.store(now, 1, index)
    Atomics.add(now, 2, 1)
  },
  onFound: found => parentPort?.postMessage({ found }),
  isOver: current => {
    if (Date.now() - reported > REPORT_MS) {
      reported = Date.now()
      report(current)
    }
    return Date.now() >= until
  },
})
report(tally)
