import { coverNoise } from '../core/calibrate.ts'
import { evidenceOf } from '../core/evidence.ts'
import { type NoisyPlace, noisyPlaces, type Proposal, type RefusedProposal } from '../core/proposals.ts'
import { admit } from '../golden/store.ts'
import type { Fixture } from '../model.ts'
import type { Incomplete } from '../record/record.ts'
import { capturedOf } from './evidence.ts'
import { readFeature } from './feature.ts'
import { type Pair, proveComparator, type SeededProof } from './prove.ts'
import { type RecordRequest, recordFeature } from './record.ts'
import type { Dirs } from './suite.ts'

const STEP_TIMEOUT_MS = 10_000

export interface CalibrateRequest {
  readonly root: string
  /** Default: the standard folders. */
  readonly dirs?: Dirs
  readonly feature: string
  readonly signal: AbortSignal
}

/** What the legacy showed when it was captured anew. */
export interface Refreshed {
  /** How many cases still show what was recorded: their calibration is of today. */
  readonly confirmed: number
  /** Cases that show something else now, and those of which there is no golden. Nothing of them was written. */
  readonly moved: readonly string[]
  readonly unrecorded: readonly string[]
  /** Cases of which not everything could be captured, and why. */
  readonly incomplete: readonly Incomplete[]
}

/**
 * Captures every case of a feature anew from its real lab, twice with a reset between, and refreshes the calibration of the
 * goldens that stand. No golden is written. Null where the feature has no lab, or shares the goldens of another one.
 *
 * @throws what `recordFeature` throws
 */
export async function refreshCalibration(
  o: CalibrateRequest & Pick<RecordRequest, 'onProgress' | 'onLog' | 'now'>,
): Promise<Refreshed | null> {
  const { contract, name } = readFeature({ root: o.root, dirs: o.dirs ?? {}, feature: o.feature })
  if (contract.lab === null || contract.fixturesFrom !== name) return null
  const { written, unchanged, noiseOnly, pending, incomplete } = await recordFeature({ ...o, goldens: 'keep' })
  return { confirmed: unchanged.length + noiseOnly.length, moved: pending, unrecorded: written, incomplete }
}

/** What the double capture of one case showed, under the rules as they are now. */
export interface CaseNoise {
  readonly name: string
  /** 0 when no capture stands behind the fixture. */
  readonly captures: number
  readonly captured: string | null
  /** Places where the legacy differs from itself, each path once. */
  readonly noise: readonly NoisyPlace[]
  /** Those that no rule covers. */
  readonly uncovered: readonly NoisyPlace[]
  /** Rules that would cover them: proposals, never applied. */
  readonly proposals: readonly Proposal[]
  /** Rules that would cover them and hide more than them. */
  readonly refused: readonly RefusedProposal[]
}

export interface FeatureCalibration {
  readonly feature: string
  readonly cases: readonly CaseNoise[]
  readonly seeded: SeededProof
}

/**
 * Calibrates a feature offline: recomputes which recorded noise the rules cover, and proves the comparator at every place
 * that a rule selects. A run proves each rule at one place per distinct path; here it is all of them.
 * Cases whose golden cannot be admitted are left to the run, which says why.
 */
export async function calibrateFeature(o: CalibrateRequest): Promise<FeatureCalibration> {
  const feature = readFeature({ root: o.root, dirs: o.dirs ?? {}, feature: o.feature })
  const pairs: (Pair & { readonly fixture: Fixture })[] = []
  for (const input of feature.cases.values()) {
    const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision })
    if (admitted.ok) pairs.push({ input, fixture: admitted.fixture })
  }
  const evidence = evidenceOf(capturedOf(feature))
  const cases = pairs.map(({ fixture }): CaseNoise => {
    const entry = feature.calibration?.fixtures[fixture.id]
    const noise = entry?.noise ?? []
    const covered = coverNoise(noise, fixture.observation, feature.rules, evidence)
    return {
      name: fixture.name,
      captures: entry?.captures ?? 0,
      captured: entry?.captured ?? null,
      noise: noisyPlaces(noise),
      uncovered: noisyPlaces(covered.uncovered),
      proposals: covered.proposals,
      refused: covered.refused,
    }
  })
  const { signal } = o
  const seeded = await proveComparator(pairs, feature.rules, { signal, timeoutMs: STEP_TIMEOUT_MS, places: 'every' })
  return { feature: feature.name, cases, seeded }
}
