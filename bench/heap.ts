/** Compares two parsed trees of so many orders, and prints the heap that they fill, in MB. Run by `comparison.ts`. */
import { compare } from '../src/core/diff.ts'
import { type Json, parseJson } from '../src/core/json.ts'
import { compileTolerance } from '../src/core/tolerance.ts'
import { changed, ordersOf } from './documents.ts'

const orders = Number(process.argv[2])

function treeOf(share: number): Json {
  const parsed = parseJson(JSON.stringify(share === 0 ? ordersOf(orders) : changed(ordersOf(orders), share)))
  return parsed.ok ? parsed.value : null
}

const compiled = compileTolerance({ file: 'bench.yaml', text: '{}' })
if (!compiled.ok) throw new Error('the empty rules do not compile')
const [x, y] = [treeOf(0), treeOf(0.01)]
globalThis.gc?.()
const mb = process.memoryUsage().heapUsed / 2 ** 20
const found = compare([{ kind: 'output', output: x }], [{ kind: 'output', output: y }], compiled.rules)
if (found.differences.length === 0) throw new Error('the comparison found no difference')
console.log(mb)
