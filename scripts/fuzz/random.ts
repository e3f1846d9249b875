/** Numbers that follow from a seed alone, so that a trial can be built again from its name and number. */
export interface Random {
  /** From 0 up to, and without, `end`. */
  int(end: number): number
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

/** **Source** mulberry32 over an FNV-1a hash of the seed. */
export function createRandom(seed: string): Random {
  let state = 2166136261
  for (const char of seed) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 16777619)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (end: number): number => Math.floor(next() * end)
  return {
    int,
    chance: share => next() < share,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new RangeError('nothing to pick from')
      return from[int(from.length)] as T
    },
    shuffled: <T>(list: readonly T[]): T[] => {
      const left = [...list]
      return list.map(() => left.splice(int(left.length), 1)[0] as T)
    },
  }
}
