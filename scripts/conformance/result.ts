/** What came of one case of a corpus. */
export type Result = { readonly case: string } & (
  | { readonly state: 'right' }
  | { readonly state: 'wrong'; readonly what: string }
  /** The product says that it does not do this, by the name `by`: asserted, and no defect. */
  | { readonly state: 'refused'; readonly by: string }
  /** Nothing in the case can be asserted, or it cannot be said in our words. */
  | { readonly state: 'unasserted'; readonly why: string }
  /** What the case is about is still to be written. */
  | { readonly state: 'not yet'; readonly what: string }
  /** Another answer than the corpus wants, on purpose: `id` names the reason. Only `settle` makes these. */
  | { readonly state: 'deviation'; readonly id: string }
)

/** One line of the summary. A suite gives one, or several where each case is asked more than one question. */
export interface Table {
  readonly name: string
  readonly results: readonly Result[]
  /** Further totals of the suite, pinned with the rest. */
  readonly figures?: Readonly<Record<string, number>>
}

/** A suite: the folder of its corpus, below the corpora, and the way to its tables. */
export interface Suite {
  readonly name: string
  readonly folder: string
  run(folder: string): readonly Table[]
}

/** Totals by name; what is pinned. */
export type Totals = Readonly<Record<string, number>>

/** The totals of a table, in a fixed order: states first, then refusals and reasons by name, then its figures. */
export function totalsOf({ results, figures = {} }: Table): Totals {
  const count = (...states: readonly Result['state'][]): number =>
    results.filter(({ state }) => states.includes(state)).length
  const named = new Map<string, number>()
  for (const result of results) {
    const name = nameOf(result)
    if (name !== null) named.set(name, (named.get(name) ?? 0) + 1)
  }
  return {
    handed: results.length,
    asserted: count('right', 'wrong', 'refused', 'deviation'),
    right: count('right'),
    wrong: count('wrong'),
    ...Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...figures,
  }
}

function nameOf(result: Result): string | null {
  switch (result.state) {
    case 'right':
    case 'wrong':
      return null
    case 'refused':
      return `refused: ${result.by}`
    case 'unasserted':
      return `unasserted: ${result.why}`
    case 'not yet':
      return `not yet: ${result.what}`
    case 'deviation':
      return `deviation: ${result.id}`
    default:
      return result satisfies never
  }
}

/** A case judged by what is wrong with it. */
export function judged(name: string, faults: readonly string[]): Result {
  return faults.length === 0 ? { case: name, state: 'right' } : { case: name, state: 'wrong', what: faults.join('; ') }
}
