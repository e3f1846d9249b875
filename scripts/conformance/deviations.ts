import { PACT_DEVIATIONS } from './pact-deviations.ts'
import type { Result, Table } from './result.ts'

/** A reason to answer otherwise than a corpus wants, and the cases where we do. `docs/conformance.md` gives it in words. */
export interface Deviation {
  readonly id: string
  readonly table: string
  readonly cases: readonly string[]
}

export const DEVIATIONS: readonly Deviation[] = [
  { id: 'numbers-are-decimals', table: 'jcs documents', cases: ['input/values.json'] },
  { id: 'multipart-boundary-as-declared', table: 'multipart', cases: ['single_field_blocks'] },
  ...PACT_DEVIATIONS,
]

/** A table in which listed wrong cases are deviations, and a listed case that is not wrong any more is. */
export function settle(table: Table): Table {
  const listed = new Map<string, string>()
  for (const { id, table: name, cases } of DEVIATIONS) {
    if (name === table.name) for (const each of cases) listed.set(each, id)
  }
  const results = table.results.map((result): Result => {
    const id = listed.get(result.case)
    if (id === undefined) return result
    if (result.state === 'wrong') return { case: result.case, state: 'deviation', id }
    if (result.state === 'not yet') return result
    return { case: result.case, state: 'wrong', what: `listed as the deviation ${id}, and agrees` }
  })
  return { ...table, results }
}
