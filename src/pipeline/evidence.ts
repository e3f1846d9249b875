import { type Captured, type Evidence, evidenceOf } from '../core/evidence.ts'
import type { Feature } from './feature.ts'

/** The goldens of a feature that were captured, with what differed between two captures; those without a capture show nothing. */
export function capturedOf({ fixtures, calibration }: Pick<Feature, 'fixtures' | 'calibration'>): readonly Captured[] {
  return fixtures.names.flatMap((name): readonly Captured[] => {
    const read = fixtures.read(name)
    const entry = read.ok ? calibration?.fixtures[read.fixture.id] : undefined
    return read.ok && entry !== undefined && entry.captures > 1
      ? [{ golden: read.fixture.observation, noise: entry.noise }]
      : []
  })
}

const known = new WeakMap<Feature, Evidence>()

/**
 * What all captures of a feature show of its rules. Its goldens are read when that is first asked, which a stable legacy never
 * does, and kept as long as the feature: an unstable one asks case by case.
 */
export function evidenceOfFeature(feature: Feature): Evidence {
  return {
    governedBy(rule, rules) {
      const evidence = known.get(feature) ?? evidenceOf(capturedOf(feature))
      known.set(feature, evidence)
      return evidence.governedBy(rule, rules)
    },
  }
}
