import type { Vitest } from 'vitest/node'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** How long running comparisons may take to stop before their workers are ended. */
const STOP_MS = 10_000

export interface Interrupts {
  remove(): void
}

/**
 * Makes Ctrl-C and SIGTERM end a run in order: nothing new is begun, what was started is stopped, what was judged is printed.
 * Vitest itself would exit at once, without its reporters. A second signal exits with 130 and ends the workers.
 */
export function installInterrupts(vitest: Vitest, workers: () => readonly number[]): Interrupts {
  const replaced = SIGNALS.map(signal => ({ signal, listeners: process.listeners(signal) }))
  let asked = false
  const endWorkers = (): void => {
    for (const pid of workers()) {
      try {
        if (pid !== process.pid) process.kill(pid, 'SIGKILL')
      } catch {
        // it has ended by itself
      }
    }
  }
  const onSignal = (): void => {
    if (asked) {
      endWorkers()
      process.exit(130)
    }
    asked = true
    process.stderr.write(' parity  stopping; once more to exit at once\n')
    setTimeout(endWorkers, STOP_MS).unref()
    void vitest.cancelCurrentRun('keyboard-input')
  }
  for (const { signal, listeners } of replaced) {
    for (const listener of listeners) process.off(signal, listener)
    process.on(signal, onSignal)
  }
  process.on('exit', endWorkers)
  return {
    remove() {
      process.off('exit', endWorkers)
      for (const { signal, listeners } of replaced) {
        process.off(signal, onSignal)
        for (const listener of listeners) process.on(signal, listener)
      }
    },
  }
}
