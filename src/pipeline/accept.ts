import { type Accepted, acceptPending } from '../golden/accept.ts'
import { readFeature } from './feature.ts'
import type { Dirs } from './suite.ts'

export interface AcceptRequest {
  readonly root: string
  /** Default: the standard folders. */
  readonly dirs?: Dirs
  readonly feature: string
  /** The one case whose pending payload becomes its golden. */
  readonly name: string
  readonly reason: string
  readonly author: string
  readonly now: Date
  readonly ci: boolean
}

/**
 * Makes one pending payload of a feature the golden of its case.
 *
 * **Throws** what `acceptPending` and `readFeature` throw.
 */
export async function acceptFixture(o: AcceptRequest): Promise<Accepted> {
  const { paths } = readFeature({ root: o.root, dirs: o.dirs ?? {}, feature: o.feature })
  const { feature, name, reason, author, ci } = o
  return acceptPending({ dir: paths.golden, feature, name, reason, author, ci, now: o.now.toISOString() })
}
