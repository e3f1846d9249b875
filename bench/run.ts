/** `npm run bench [-- --smoke] [-- --only comparison|replay|suites|labs]`: measures every promise against its peer. Exits 1 on a miss. */
import { comparisonRows } from './comparison.ts'
import { labRows } from './labs.ts'
import { replayRows } from './replay.ts'
import { lineOf, type Row, totalOf } from './rows.ts'
import { suiteRows } from './suites.ts'

const smoke = process.argv.includes('--smoke')
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined
const parts: Readonly<Record<string, () => Iterable<Row> | AsyncIterable<Row>>> = {
  comparison: () => comparisonRows(smoke),
  replay: () => replayRows(smoke),
  suites: () => suiteRows(smoke),
  labs: () => labRows(smoke),
}
const rows: Row[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue
  for await (const measured of measure()) {
    // One small turn of each says that it runs, and nothing of how fast.
    const row = smoke ? { ...measured, met: null } : measured
    console.log(lineOf(row))
    rows.push(row)
  }
}
console.log(totalOf(rows))
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0
