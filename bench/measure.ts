/** What is measured and how: process CPU, the contenders of a row taking turns, medians of several rounds. */

export interface Contender {
  readonly name: string
  readonly run: () => unknown
}

export interface Rounds {
  readonly rounds: number
  /** A contender is repeated within a turn until it has used about so much CPU. */
  readonly turnMs: number
}

export const FULL: Rounds = { rounds: 9, turnMs: 60 }
export const SMOKE: Rounds = { rounds: 1, turnMs: 0 }

/**
 * Median CPU of one run of each contender, by name, in milliseconds of the whole process (its garbage collection and
 * compilation included). In each round every contender has one turn, in an order that rotates: noise meets all alike.
 */
export function medians(contenders: readonly Contender[], o: Rounds): Record<string, number> {
  const repeats = new Map(contenders.map(one => [one.name, o.turnMs === 0 ? 1 : repeatsOf(one, o.turnMs)]))
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < o.rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const one = contenders[(turn + round) % contenders.length]
      if (one !== undefined) times.get(one.name)?.push(cpuOf(one, repeats.get(one.name) ?? 1))
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]))
}

/** How often a contender runs in a turn; finding it out warms the contender up. */
function repeatsOf(one: Contender, turnMs: number): number {
  let repeats = 1
  for (;;) {
    const spent = cpuOf(one, repeats) * repeats
    if (spent >= turnMs || repeats > 1_000_000) return repeats
    repeats = spent < turnMs / 20 ? repeats * 10 : Math.ceil((repeats * turnMs) / spent)
  }
}

function cpuOf(one: Contender, repeats: number): number {
  const before = process.cpuUsage()
  for (let at = 0; at < repeats; at += 1) kept = one.run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / repeats
}

/** What was returned last: so that no run is optimised away. */
export let kept: unknown = null

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? upper)) / 2
}
