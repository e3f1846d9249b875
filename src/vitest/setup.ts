/**
 * Set-up of every file of the parity project.
 * A Ctrl-C in a terminal reaches the workers too. The main process is the one that ends the run, so that what was judged is still printed
 * and what was started is stopped: a worker leaves the signal to it.
 */
const KEY = Symbol.for('vitest-parity.signals')
const host = globalThis as { [KEY]?: true }
if (host[KEY] === undefined && process.send !== undefined) {
  host[KEY] = true
  process.on('SIGINT', () => {})
}

export {}
