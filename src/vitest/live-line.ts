import type { Vitest } from 'vitest/node'

/** Reporters of Vitest that keep lines of their own at the bottom of a TTY. */
const OWNERS = ['DefaultReporter', 'VerboseReporter', 'DotReporter', 'TreeReporter', 'MinimalReporter', 'AgentReporter']
const INTERVAL_MS = 100
const CLEAR = '\r\u001b[2K'

/** One line on a TTY that says how far the run is; nothing where something else shows that already. */
export class LiveLine {
  readonly #shown: boolean
  #last = 0

  constructor(vitest: Vitest) {
    const { reporters } = vitest as unknown as { readonly reporters?: readonly object[] }
    const taken = (reporters ?? []).some(reporter => OWNERS.includes(reporter.constructor.name))
    this.#shown = process.stderr.isTTY === true && !taken && !process.env.CI
  }

  update(selected: number, judged: number): void {
    const now = Date.now()
    if (!this.#shown || now - this.#last < INTERVAL_MS) return
    this.#last = now
    process.stderr.write(`${CLEAR} parity  ${judged} of ${selected}`)
  }

  clear(): void {
    if (this.#shown) process.stderr.write(CLEAR)
  }
}
