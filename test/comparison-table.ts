import { expect, test } from 'vitest'
import { compare } from '../src/core/diff.ts'
import type { Comparison } from '../src/model.ts'
import { jsonResponse, rulesOf, told } from './observations.ts'

/** Compares two JSON texts as bodies of responses. */
export function compareTexts(golden: string, actual: string, tolerance = '{}'): Comparison {
  return compare(jsonResponse(golden), jsonResponse(actual), rulesOf(tolerance))
}

export interface Row {
  readonly why: string
  readonly golden: string
  readonly actual: string
  readonly rules?: string
  /** As `told` prints them. */
  readonly differences: readonly string[]
}

/** A test for each row. Rows come in pairs: what passes, and beside it what the same rule must not let pass. */
export function comparisonTable(rows: readonly Row[]): void {
  test.each(rows)('$why', ({ golden, actual, rules, differences }) => {
    const comparison = compareTexts(golden, actual, rules)
    expect(told(comparison)).toEqual(differences)
    expect(comparison.faults).toEqual([])
  })
}
