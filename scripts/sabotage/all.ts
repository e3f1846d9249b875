import { CONTAINERS } from './containers.ts'
import { DISCIPLINE } from './discipline.ts'
import { HTTP_SIDE } from './http.ts'
import { MUTATIONS } from './mutations.ts'
import { NOISE_SIDE } from './noise.ts'
import { PHASE_PLACES } from './phases.ts'
import { REASON_PLACES } from './reasons.ts'
import { RULES } from './rules.ts'
import type { Sabotage } from './sabotage.ts'
import { BINDINGS } from './sequences.ts'

/** Everything that can be taken away. */
export const SABOTAGES: readonly Sabotage[] = [
  ...RULES,
  ...NOISE_SIDE,
  ...BINDINGS,
  ...HTTP_SIDE,
  ...DISCIPLINE,
  ...MUTATIONS,
  ...REASON_PLACES,
  ...CONTAINERS,
  ...PHASE_PLACES,
]
