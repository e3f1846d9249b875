/** A settled record, its money in whole minor units. */
export interface Result {
  readonly id: string
  readonly account: string
  readonly currency: string
  readonly units: number
  readonly feeUnits: number
  /** Of the currency, after the point. */
  readonly digits: number
}

/** By account, then the larger amount first, whatever its currency; the sort keeps equal ones as they came. */
export function compareResults(a: Result, b: Result): number {
  if (a.account !== b.account) return a.account < b.account ? -1 : 1
  return b.units / 10 ** b.digits - a.units / 10 ** a.digits
}
