/** A worker that a file runs in, as the main process knows it. */
export interface Watched {
  readonly file: string
  readonly pid: number | null
  readonly collected: boolean
  readonly startedAt: number
  /** When the worker was heard last. A worker that is busy without end is not heard. */
  readonly heardAt: number
}

export interface Stuck {
  readonly file: string
  readonly pid: number
  readonly message: string
}

/**
 * Returns the workers that have to be ended: those not heard for `boundMs`, and those that still import their file after `boundMs`.
 * A test that only waits is heard, and has its own timeout.
 *
 * **Units**: instants and bound in milliseconds on one clock.
 */
export function stuckWorkers(workers: Iterable<Watched>, now: number, boundMs: number): Stuck[] {
  const stuck: Stuck[] = []
  for (const { file, pid, collected, startedAt, heardAt } of workers) {
    if (pid === null) continue
    if (now - heardAt > boundMs) {
      stuck.push({ file, pid, message: `the worker gave no sign of life for ${boundMs} ms and was ended` })
    } else if (!collected && now - startedAt > boundMs) {
      stuck.push({ file, pid, message: `the file was still being imported after ${boundMs} ms and was ended` })
    }
  }
  return stuck
}
