import { BODY_TRIALS } from './bodies.ts'
import { lineOf, PAIRS, spellingOf, trialOf } from './documents.ts'
import { HTTP_TRIALS } from './http.ts'
import { KIND_TRIALS } from './kinds.ts'
import { large } from './large.ts'
import { OCTET_TRIALS } from './octets.ts'
import { createRandom, type Random } from './random.ts'
import { SHAPED_TRIALS } from './shaped.ts'
import { smaller } from './shrink.ts'
import { examine, type Finding, type Trial } from './trial.ts'

/** Names of the attacks; `large` is rare, because each of its trials takes long. */
const TRIALS = { ...BODY_TRIALS, ...HTTP_TRIALS, ...KIND_TRIALS, ...OCTET_TRIALS, ...SHAPED_TRIALS, large }
export const ATTACKS: readonly string[] = [...Object.keys(PAIRS), ...Object.keys(TRIALS)]
/** One trial of `large` for so many rounds of the others. */
export const ROUNDS_PER_LARGE = 3000

/** The trial of an attack with a number: the same for the same seed, always. */
export function buildTrial(attack: string, seed: string, index: number): Trial {
  const random = createRandom(`${seed}/${attack}/${index}`)
  const pair = PAIRS[attack]
  if (pair !== undefined) return trialOf(pair(random), spellingOf(random))
  const build: (random: Random) => Trial = Object.entries(TRIALS).find(([name]) => name === attack)?.[1] ?? large
  return build(random)
}

/** Control characters, lone surrogates and bytes as escapes, so that one line can be copied. */
function printable(trial: Trial): string {
  const text = JSON.stringify({ yaml: trial.yaml, golden: trial.golden, actual: trial.actual }, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('type' in value) || !('data' in value)) return value
    return Array.isArray(value.data) ? `base64:${Buffer.from(value.data).toString('base64')}` : value
  })
  return text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length} characters)` : text
}

/** One line from which the finding can be had again, as small as it could be made. */
export function reproduction(attack: string, seed: string, index: number, finding: Finding): string {
  const random = createRandom(`${seed}/${attack}/${index}`)
  const pair = PAIRS[attack]?.(random)
  const trial = buildTrial(attack, seed, index)
  if (pair === undefined) return printable(trial)
  // Smaller pairs are written plainly: when the finding needs its spelling, it stays as it was found.
  const { expect: _, near: __, ...judged } = pair
  for (const start of [pair, judged]) {
    const plain = examine(trialOf(start))
    if (typeof plain === 'object' && plain.kind === finding.kind) {
      const small = smaller(judgeable(start, finding) ? judged : start, finding.kind)
      const outcome = examine(trialOf(small))
      return `${lineOf(small)} → ${typeof outcome === 'object' ? outcome.detail : outcome}`
    }
  }
  return printable(trial)
}

function judgeable(pair: Parameters<typeof trialOf>[0], finding: Finding): boolean {
  const { expect: _, near: __, ...judged } = pair
  const outcome = examine(trialOf(judged))
  return typeof outcome === 'object' && outcome.kind === finding.kind
}
