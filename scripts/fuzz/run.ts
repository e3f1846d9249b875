import { ATTACKS, buildTrial, ROUNDS_PER_LARGE, reproduction } from './attacks.ts'
import { examine, type Finding } from './trial.ts'

export interface Found extends Finding {
  readonly attack: string
  readonly index: number
  readonly seed: string
  readonly why: string
  /** One line; empty for findings like one that was already told. */
  readonly line: string
}

export interface Tally {
  /** Pairs compared. */
  pairs: number
  /** Of these, pairs of which agreement or difference was known. */
  decided: number
  /** Tolerance files that were refused, so that nothing was compared. */
  refused: number
  /** Of the refused, those that had to be. */
  refusedRightly: number
}

export interface RunOptions {
  readonly seed: string
  readonly only: string | null
  /** Number of the first round. */
  readonly from: number
  /** Called before each trial with its attack and number: what ran when nothing comes back. */
  readonly onTrial: (attack: number, index: number) => void
  readonly onFound: (found: Found) => void
  /** Asked after each round. */
  readonly isOver: (tally: Tally, round: number) => boolean
}

const TOLD_MAX = 3

/** Runs every attack once a round until it is over. Findings alike are told in full only a few times. */
export function runRounds({ seed, only, from, onTrial, onFound, isOver }: RunOptions): Tally {
  const tally: Tally = { pairs: 0, decided: 0, refused: 0, refusedRightly: 0 }
  const told = new Map<string, number>()
  for (let round = from; ; round++) {
    for (const [number, attack] of ATTACKS.entries()) {
      if (only !== null && attack !== only) continue
      if (only === null && attack === 'large' && round % ROUNDS_PER_LARGE !== ROUNDS_PER_LARGE - 1) continue
      onTrial(number, round)
      const trial = buildTrial(attack, seed, round)
      const outcome = examine(trial)
      if (outcome === 'refused') {
        tally.refused++
        if (trial.refuse === true) tally.refusedRightly++
        continue
      }
      tally.pairs++
      if (trial.expect !== 'open') tally.decided++
      if (outcome === 'held') continue
      const like = `${attack}/${outcome.kind}/${outcome.detail.replaceAll(/[^a-z_ ]+/gi, '').slice(0, 24)}`
      const times = (told.get(like) ?? 0) + 1
      told.set(like, times)
      const line = times <= TOLD_MAX ? reproduction(attack, seed, round, outcome) : ''
      onFound({ ...outcome, attack, index: round, seed, why: trial.why, line })
    }
    if (isOver(tally, round)) return tally
  }
}
