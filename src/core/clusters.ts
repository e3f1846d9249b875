import type { Difference, DifferenceKind, Sha256, Verdict } from '../model.ts'
import { compareCodePoints, sha256 } from './canonical.ts'
import { withoutIndexes, withoutStep } from './selector.ts'

/** Headers that follow from the body: where the body differs too, they are no cause of their own. */
const DERIVED_HEADERS = ['etag', 'content-length', 'content-md5', 'digest', 'content-digest', 'repr-digest']

/** Differences of one cause: of one kind at one place, whatever the case and the index. */
export interface Cluster {
  /** Of feature, kind and path; the same in every run. */
  readonly id: Sha256
  readonly feature: string
  readonly kind: DifferenceKind
  /** With `[*]` for each index. */
  readonly path: string
  /** Cases it occurs in, by code point. */
  readonly cases: readonly string[]
  /** How often it occurs, in all cases. */
  readonly occurrences: number
  /** How many differences follow from it: of later steps, and of headers derived from the body. */
  readonly folded: number
  /** Whether every occurrence is decided. */
  readonly decided: boolean
  /** The counterexample with the fewest differences, then the shortest tokens, then the first name. */
  readonly smallest: { readonly case: string; readonly difference: Difference }
}

/**
 * The causes behind the DIVERGED verdicts, the widest first.
 *
 * 1. In a case of several steps only the first step that differs is a cause; what differs after it is folded.
 * 2. A derived header is folded where the body of the same step differs.
 * 3. What is left is gathered by feature, kind and path with its indexes erased.
 */
export function clustersOf(verdicts: readonly Verdict[]): readonly Cluster[] {
  const found = new Map<string, Draft>()
  for (const verdict of verdicts) {
    if (verdict.state !== 'DIVERGED') continue
    const { causes, folded } = causesOf(verdict.differences)
    for (const [at, difference] of causes.entries()) {
      const path = withoutIndexes(difference.path)
      const key = `${verdict.feature}\n${difference.kind}\n${path}`
      const draft = found.get(key) ?? { feature: verdict.feature, kind: difference.kind, path, key, each: [] }
      draft.each.push({ verdict, difference, folded: at === 0 ? folded : 0, size: verdict.differences.length })
      found.set(key, draft)
    }
  }
  return [...found.values()]
    .map(finish)
    .sort(
      (a, b) =>
        b.cases.length - a.cases.length ||
        compareCodePoints(a.feature, b.feature) ||
        compareCodePoints(a.path, b.path) ||
        compareCodePoints(a.kind, b.kind),
    )
}

interface Occurrence {
  readonly verdict: Verdict
  readonly difference: Difference
  readonly folded: number
  readonly size: number
}

interface Draft {
  readonly key: string
  readonly feature: string
  readonly kind: DifferenceKind
  readonly path: string
  readonly each: Occurrence[]
}

function causesOf(differences: readonly Difference[]): {
  readonly causes: readonly Difference[]
  readonly folded: number
} {
  const first = Math.min(...differences.map(({ step }) => step))
  const own = differences.filter(({ step }) => step === first)
  const body = own.some(({ path }) => withoutStep(path).startsWith('$'))
  const causes = own.filter(({ path }) => !(body && isDerived(withoutStep(path))))
  return { causes, folded: differences.length - causes.length }
}

function isDerived(path: string): boolean {
  return path.startsWith('header.') && DERIVED_HEADERS.includes(path.slice('header.'.length))
}

function finish({ key, feature, kind, path, each }: Draft): Cluster {
  const [smallest] = each.toSorted(
    (a, b) => a.size - b.size || tokenSize(a) - tokenSize(b) || compareCodePoints(a.verdict.case, b.verdict.case),
  )
  if (smallest === undefined) throw new Error('a cluster without an occurrence')
  return {
    id: sha256(key),
    feature,
    kind,
    path,
    cases: [...new Set(each.map(({ verdict }) => verdict.case))].sort(compareCodePoints),
    occurrences: each.length,
    folded: each.reduce((sum, { folded }) => sum + folded, 0),
    decided: each.every(({ verdict }) => verdict.decided !== null),
    smallest: { case: smallest.verdict.case, difference: smallest.difference },
  }
}

function tokenSize({ difference }: Occurrence): number {
  return (difference.legacy?.length ?? 0) + (difference.candidate?.length ?? 0)
}
