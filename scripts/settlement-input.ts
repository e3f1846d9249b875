/**
 * `node scripts/settlement-input.ts`: writes the batch of a thousand records, an input of the settlement suite. The same
 * bytes every time; in it is whatever the rules of the job speak of: ties, half units, rejects of every reason.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const THOUSAND = 'parity/settlement/inputs/022-edge-thousand-records.json'

/** Numerical Recipes' generator: the next of a sequence of 32-bit numbers. */
function next(state: number): number {
  return (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
}

/** The text of the input. */
export function thousandRecords(): string {
  let state = 20_260_102
  const below = (bound: number): number => {
    state = next(state)
    return Math.floor((state / 2 ** 32) * bound)
  }
  const records = Array.from({ length: 1000 }, (_, at) => {
    const id = `T-${String(at % 97 === 96 ? at : at + 1).padStart(4, '0')}`
    const currency = ['EUR', 'EUR', 'USD', 'JPY'][below(4)]
    const cents = [`${below(10)}`, `${below(10)}${below(10)}`, `${below(100)}5`.padStart(3, '0')][below(3)]
    const [whole, isWhole] = [1 + below(60), below(3) === 0]
    const record = {
      id,
      account: `K-${10 + below(30)}`,
      kind: below(6) === 0 ? 'refund' : 'sale',
      currency,
      amount: isWhole ? `${whole}` : `${whole}.${cents}`,
      date: `2025-12-${String(10 + below(20))}`,
    }
    switch (at % 50) {
      case 11:
        return { ...record, currency: 'XXX' }
      case 23:
        return { ...record, amount: `${whole},${cents}` }
      case 31:
        return { ...record, date: '2026-01-03' }
      case 43:
        return { ...record, kind: 'gift', amount: '' }
      default:
        return record
    }
  })
  const lines = records.map(record => `          ${JSON.stringify(record)}`)
  const input = `{\n        "batch": "B-1000",\n        "control": 1000,\n        "records": [\n${lines.join(',\n')}\n        ]\n      }`
  return `{\n  "covers": ["edges.thousand", "rules.RULE-001", "rules.RULE-002", "rules.RULE-003"],\n  "steps": [\n    {\n      "input": ${input}\n    }\n  ]\n}\n`
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', THOUSAND), thousandRecords())
  console.log(`wrote ${THOUSAND}`)
}
