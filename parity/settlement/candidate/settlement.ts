/** The nightly settlement of a batch: the rewrite of `labs/settlement-node010/settle.js`, in whole minor units. */
import { randomBytes } from 'node:crypto'
import { compareResults, type Result } from './order.ts'

const DIGITS = new Map([
  ['EUR', 2],
  ['USD', 2],
  ['JPY', 0],
])
const KINDS = new Map([
  ['sale', 1],
  ['refund', -1],
])
/** 1.5 percent, in thousandths. */
const FEE_THOUSANDTHS = 15
const AMOUNT = /^(\d{1,9})(?:\.(\d{1,3}))?$/

interface SettlementRecord {
  readonly id: string
  readonly account: string
  readonly kind: string
  readonly currency: string
  readonly amount: string
  readonly date: string
}

interface Batch {
  readonly batch: string
  readonly records: readonly SettlementRecord[]
  readonly control?: number
}

interface Reject {
  readonly line: number
  readonly id: string | null
  readonly code: string
}

class BatchError extends Error {
  override readonly name = 'BatchError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function settle({ batch, records, control }: Batch, { clock }: { readonly clock: string | null }) {
  if (!Array.isArray(records)) throw new BatchError('E_BATCH', `batch ${batch} has no records`)
  if (control !== undefined && control !== records.length) {
    throw new BatchError('E_CONTROL', `batch ${batch} should hold ${control} records`)
  }
  const today = (clock ?? new Date().toISOString()).slice(0, 10)
  const taken = new Set<string>()
  const results: Result[] = []
  const rejects: Reject[] = []
  for (const [at, record] of records.entries()) {
    const settled = settledOf(record, taken, today)
    if ('code' in settled) rejects.push({ line: at + 1, id: record?.id || null, code: settled.code })
    else results.push(settled)
  }
  results.sort(compareResults)
  return {
    run: `run-${randomBytes(4).toString('hex')}`,
    batch,
    settledOn: today,
    results: results.map(({ units, feeUnits, digits, ...result }) => ({
      ...result,
      amount: units / 10 ** digits,
      fee: feeUnits / 10 ** digits,
    })),
    rejects,
    totals: { accepted: results.length, rejected: rejects.length, currencies: totalsOf(results) },
  }
}

/** What a record comes to, or the first reason against it. */
function settledOf(record: SettlementRecord, taken: Set<string>, today: string): Result | { readonly code: string } {
  if (typeof record?.id !== 'string') return { code: 'E_RECORD' }
  const { id, account, currency, date } = record
  if (taken.has(id)) return { code: 'E_DUPLICATE' }
  taken.add(id)
  const sign = KINDS.get(record.kind)
  if (sign === undefined) return { code: 'E_KIND' }
  const digits = DIGITS.get(currency)
  if (digits === undefined) return { code: 'E_CURRENCY' }
  const amount = unitsOf(record.amount, digits)
  if (amount === null) return { code: 'E_AMOUNT' }
  if (date > today) return { code: 'E_FUTURE' }
  const feeUnits = sign === 1 ? halfEven(amount * FEE_THOUSANDTHS, 1000) : 0
  return { id, account, currency, units: sign * amount, feeUnits, digits }
}

/** Whole minor units of a positive amount with up to three decimals; null for anything else. */
function unitsOf(text: string, digits: number): number | null {
  const [, whole, decimals = ''] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return null
  const thousandths = Number(whole) * 1000 + Number(decimals.padEnd(3, '0'))
  return thousandths === 0 ? null : halfEven(thousandths, 10 ** (3 - digits))
}

/** The quotient of two positive whole numbers, rounded half-even. */
function halfEven(dividend: number, divisor: number): number {
  const below = Math.floor(dividend / divisor)
  const twice = (dividend - below * divisor) * 2
  if (twice === divisor) return below % 2 === 0 ? below : below + 1
  return twice < divisor ? below : below + 1
}

function totalsOf(results: readonly Result[]) {
  const byCurrency = Map.groupBy(results, ({ currency }) => currency)
  return [...byCurrency]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => {
      const factor = 10 ** (own[0]?.digits ?? 0)
      const sum = (of: (result: Result) => number): number => own.reduce((all, result) => all + of(result), 0) / factor
      return { currency, count: own.length, amount: sum(({ units }) => units), fee: sum(({ feeUnits }) => feeUnits) }
    })
}
