/** The rows on comparing: trees that are already parsed, and octets as they arrive. */
import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fastDeepEqual from 'fast-deep-equal'
import { DiffPatcher } from 'jsondiffpatch'
import { compare } from '../src/core/diff.ts'
import { type Json, parseJson } from '../src/core/json.ts'
import { parseKeeping } from '../src/core/json-kept.ts'
import { compileTolerance, type RuleSet } from '../src/core/tolerance.ts'
import type { Comparison, FieldList, Observation } from '../src/model.ts'
import { changed, ordersOf, reversedText, shuffled } from './documents.ts'
import { FULL, medians, type Rounds, SMOKE } from './measure.ts'
import { type Row, ratioRow } from './rows.ts'

const CASES = { '1 KB': 5, '100 KB': 500, '10 MB': 50_000 } as const
/** What a smoke run takes in place of the largest. */
const SMOKE_ORDERS = 50

/** Answers that hold a tree, as a golden does. */
function answer(json: Json): Observation {
  return [{ kind: 'output', output: json }]
}

/** An answer of a golden that keeps its text. */
function kept(text: string): Observation {
  const parsed = parseKeeping(Buffer.from(text, 'utf8'))
  if (!parsed.ok) throw new Error(parsed.message)
  return [
    { kind: 'response', method: 'GET', response: { status: 200, headers: JSON_TYPE, body: { json: parsed.value } } },
  ]
}

/** Answers that hold octets, as they come from the wire. */
function received(text: string): Observation {
  const body = { bytes: Buffer.from(text, 'utf8') }
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers: JSON_TYPE, body } }]
}

const JSON_TYPE: FieldList = [['Content-Type', 'application/json']]

function rulesOf(text: string): RuleSet {
  const compiled = compileTolerance({ file: 'bench.yaml', text })
  if (!compiled.ok) throw new Error(compiled.errors.map(({ message }) => message).join('\n'))
  return compiled.rules
}

/** Rules that select fields of every order, filled up to `count` with some that select nothing. */
function someRules(count: number): RuleSet {
  const exact = ['$.items[*].customer.zip', '$.total']
  const structural = ['$.items[*].ref', '$.items[*].customer.name']
  const bounds = ['$.items[*].price']
  for (let at = 0; exact.length + structural.length + bounds.length < count; at += 1) {
    const own = [`$.items[*].x${at}`, `$..y${at}`, `$.items[*].customer.z${at}`, `$.w${at}[*].v`][at % 4] ?? ''
    if (at % 2 === 0) exact.push(own)
    else structural.push(own)
  }
  return rulesOf(
    JSON.stringify({ exact, structural, numeric_tolerance: Object.fromEntries(bounds.map(b => [b, 0.01])) }),
  )
}

const NO_RULES = rulesOf('{}')

function treeOf(text: string): Json {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.value
}

/** Stops a bench that measures nonsense: a comparison must find what is there. */
function expectDifferences(comparison: Comparison, some: boolean): void {
  const found = comparison.differences.length > 0 || comparison.faults.length > 0
  if (found !== some)
    throw new Error(
      `the comparison found ${found ? 'a difference' : 'none'}: ${JSON.stringify(comparison).slice(0, 500)}`,
    )
}

export function* comparisonRows(smoke: boolean): Generator<Row> {
  const o = smoke ? SMOKE : FULL
  const orders = smoke ? SMOKE_ORDERS : CASES['10 MB']
  yield* equalRows(smoke, o)
  yield* largeTreeRows(orders, o)
  yield* octetRows(orders, o)
  yield memoryRow(smoke)
  yield unorderedRow(smoke)
  yield nestingRow(smoke)
}

function equalRows(smoke: boolean, o: Rounds): Row[] {
  const faster: Record<string, number> = {}
  const strict: Record<string, number> = {}
  for (const [size, orders] of Object.entries(smoke ? { smoke: SMOKE_ORDERS } : CASES)) {
    const text = JSON.stringify(ordersOf(orders))
    const [x, y] = [treeOf(text), treeOf(text)]
    const [golden, actual] = [answer(x), answer(y)]
    expectDifferences(compare(golden, actual, NO_RULES), false)
    const ms = medians(
      [
        { name: 'own', run: () => compare(golden, actual, NO_RULES) },
        { name: 'fast-deep-equal', run: () => fastDeepEqual(x, y) },
        { name: 'isDeepStrictEqual', run: () => isDeepStrictEqual(x, y) },
      ],
      o,
    )
    faster[size] = ratio(ms, 'fast-deep-equal', 'own')
    strict[size] = ratio(ms, 'isDeepStrictEqual', 'own')
  }
  return [
    ratioRow({ name: 'identical trees, faster than fast-deep-equal', direction: 'at-least', bar: 2, ratios: faster }),
    ratioRow({
      name: 'identical trees, faster than isDeepStrictEqual',
      direction: 'at-least',
      bar: 3.5,
      ratios: strict,
    }),
  ]
}

function largeTreeRows(orders: number, o: Rounds): Row[] {
  const document = ordersOf(orders)
  const x = treeOf(JSON.stringify(document))
  const same = treeOf(JSON.stringify(document))
  const other = treeOf(JSON.stringify(changed(document, 0.01)))
  const [none, ten, many] = [NO_RULES, someRules(10), someRules(200)]
  const byPosition = new DiffPatcher({ matchByPosition: true })
  const byHash = new DiffPatcher({ objectHash: hashOf })
  const golden = answer(x)
  expectDifferences(compare(golden, answer(other), many), true)
  const rules: Record<string, number> = {}
  const flat: Record<string, number> = {}
  const faster: Record<string, number> = {}
  for (const [what, y] of [['identical', same] as const, ['1 % different', other] as const]) {
    const actual = answer(y)
    const ms = medians(
      [
        { name: 'none', run: () => compare(golden, actual, none) },
        { name: 'ten', run: () => compare(golden, actual, ten) },
        { name: 'many', run: () => compare(golden, actual, many) },
      ],
      o,
    )
    rules[what] = ratio(ms, 'many', 'none')
    flat[what] = ratio(ms, 'many', 'ten')
    const slow = medians(
      [
        { name: 'own', run: () => compare(golden, actual, none) },
        { name: 'byPosition', run: () => byPosition.diff(x, y) },
        ...(what === 'identical' ? [{ name: 'byHash', run: () => byHash.diff(x, y) }] : []),
      ],
      { ...o, rounds: Math.min(o.rounds, 5) },
    )
    faster[what] = Math.min(slow.byPosition ?? 0, slow.byHash ?? Number.POSITIVE_INFINITY) / (slow.own ?? 0)
  }
  return [
    ratioRow({ name: '200 rules, time against none', direction: 'at-most', bar: 2, ratios: rules }),
    ratioRow({
      name: '200 rules, time against 10: flat in their number',
      direction: 'at-most',
      bar: 1.25,
      ratios: flat,
    }),
    ratioRow({ name: 'faster than the best setting of jsondiffpatch', direction: 'at-least', bar: 10, ratios: faster }),
  ]
}

function hashOf(value: object): string {
  return 'id' in value ? String(value.id) : JSON.stringify(value)
}

const KEPT = 'equal, the text of the golden kept'
const FEW = '1 % different'
/** Measured in all rounds; of the others only the worst counts. */
const WITH_A_BAR_OF_ITS_OWN = [KEPT, FEW]

function octetRows(orders: number, o: Rounds): Row[] {
  const document = ordersOf(orders)
  const text = JSON.stringify(document)
  const pairs: Record<string, readonly [string, string]> = {
    [KEPT]: [text, text],
    'equal, both as received': [text, text],
    [FEW]: [text, JSON.stringify(changed(document, 0.01))],
    'other whitespace': [text, JSON.stringify(document, null, 2)],
    'array in another order': [text, JSON.stringify({ ...document, items: shuffled(document.items) })],
    'members in another order': [text, reversedText(document)],
    'every price at risk': [text, text.replaceAll(/("price":\d+)(\.\d+)?/g, '$1.000')],
    'a name twice in each': ([text, text] as const).map(one => one.replaceAll('"qty"', '"note"')) as [string, string],
    'every value different': [text, JSON.stringify(changed(document, 1))],
  }
  const times = Object.entries(pairs).map(([what, [x, y]]) => {
    const [golden, actual] = [what === KEPT ? kept(x) : received(x), received(y)]
    const [left, right] = [Buffer.from(x, 'utf8'), Buffer.from(y, 'utf8')]
    const ms = medians(
      [
        { name: 'own', run: () => compare(golden, actual, NO_RULES) },
        { name: 'parse', run: () => [JSON.parse(left.toString('utf8')), JSON.parse(right.toString('utf8'))] },
      ],
      { ...o, rounds: WITH_A_BAR_OF_ITS_OWN.includes(what) ? o.rounds : Math.min(o.rounds, 3) },
    )
    return [what, ratio(ms, 'own', 'parse')] as const
  })
  const { [KEPT]: equal = Number.NaN, [FEW]: few = Number.NaN, ...worst } = Object.fromEntries(times)
  return [
    ratioRow({ name: 'equal octets, time against 2 × JSON.parse', direction: 'at-most', bar: 0.01, ratios: { equal } }),
    ratioRow({
      name: 'octets 1 % different in the same key order, against 2 × JSON.parse',
      direction: 'at-most',
      bar: 0.75,
      ratios: { few },
    }),
    ratioRow({ name: 'octets in the worst case, against 2 × JSON.parse', direction: 'at-most', bar: 2, ratios: worst }),
  ]
}

function unorderedRow(smoke: boolean): Row {
  const rules = rulesOf('{"order_insensitive":["$.items"]}')
  const o: Rounds = smoke ? SMOKE : { ...FULL, rounds: 3 }
  const pairOf = (length: number) => {
    const document = ordersOf(length)
    return [
      treeOf(JSON.stringify(document)),
      treeOf(JSON.stringify({ ...document, items: shuffled(document.items) })),
    ] as const
  }
  const few = pairOf(smoke ? 50 : 10_000)
  const many = pairOf(smoke ? 500 : 100_000)
  for (const [x, y] of [few, many]) expectDifferences(compare(answer(x), answer(y), rules), false)
  const byHash = new DiffPatcher({ objectHash: hashOf })
  const ms = medians(
    [
      { name: 'few', run: () => compare(answer(few[0]), answer(few[1]), rules) },
      { name: 'many', run: () => compare(answer(many[0]), answer(many[1]), rules) },
    ],
    o,
  )
  const slow = medians([{ name: 'peer', run: () => byHash.diff(few[0], few[1]) }], SMOKE)
  const growth = ratio(ms, 'many', 'few')
  const faster = (slow.peer ?? 0) / (ms.few ?? 0)
  return {
    name: 'unordered: 100,000 elements against 10,000; jsondiffpatch at 10,000',
    bar: '≤ 15×, ≥ 100×',
    measured: `${growth.toFixed(1)}×, ${faster.toFixed(0)}×`,
    met: growth <= 15 && faster >= 100,
  }
}

/** A crash ends the bench: that there is a row says that there was none. */
function nestingRow(smoke: boolean): Row {
  const levels = smoke ? 10_000 : 1_000_000
  const nested = (open: string, close: string, leaf: string) => open.repeat(levels) + leaf + close.repeat(levels)
  for (const [open, close] of [
    ['[', ']'],
    ['{"k":', '}'],
  ] as const) {
    const texts = [nested(open, close, '1'), nested(open, close, '2')]
    for (const form of [received, (text: string) => answer(treeOf(text))]) {
      const [x = [], y = [], z = []] = [texts[0], texts[0], texts[1]].map(text => form(text ?? ''))
      expectDifferences(compare(x, y, NO_RULES), false)
      expectDifferences(compare(x, z, NO_RULES), true)
    }
  }
  const name = 'nesting, equal and different, arrays and objects'
  return { name, bar: '1,000,000', measured: levels.toLocaleString('en'), met: true }
}

/** Heaps beyond the trees, in MB, that are tried from the smallest. */
const HEAPS_MB = [5, 10, 15, 20, 25, 32, 48, 64, 96, 160]

/** The smallest heap beyond the two parsed trees in which they can be compared, each tried in a process of its own. */
function memoryRow(smoke: boolean): Row {
  const orders = smoke ? SMOKE_ORDERS : CASES['10 MB']
  const run = (limitMb: number | null) =>
    spawnSync(
      process.execPath,
      [
        '--expose-gc',
        '--max-semi-space-size=1',
        ...(limitMb === null ? [] : [`--max-old-space-size=${limitMb}`]),
        fileURLToPath(new URL('heap.ts', import.meta.url)),
        String(orders),
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
  const trees = Number(run(null).stdout.trim())
  if (!Number.isFinite(trees) || trees <= 0) throw new Error('the heap of two trees could not be measured')
  const smallest = HEAPS_MB.find(more => run(Math.ceil(trees + more)).status === 0)
  return {
    name: 'heap beyond the trees, 1 % different at 10 MB',
    bar: '≤ 25 MB',
    measured: smallest === undefined ? `> ${HEAPS_MB.at(-1)} MB` : `≤ ${smallest} MB`,
    met: smallest !== undefined && smallest <= 25,
    detail: `the trees themselves ${trees.toFixed(0)} MB`,
  }
}

function ratio(ms: Readonly<Record<string, number>>, over: string, under: string): number {
  return (ms[over] ?? Number.NaN) / (ms[under] ?? Number.NaN)
}
