/**
 * `npm run fuzz [-- --minutes N] [--seed TEXT] [--only ATTACK]`: attacks `compare` with pairs whose verdict is known, from
 * an oracle written from the design alone or from how they were made, and with pairs that must at least not throw, hang
 * or be judged otherwise when swapped. Prints each finding as one line that reproduces it, and exits 1 when there is one.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { ATTACKS, buildTrial } from './fuzz/attacks.ts'
import type { Found, Tally } from './fuzz/run.ts'
import type { WorkerInput } from './fuzz/worker.ts'

const HANG_MS = 120_000
const HANGS_MAX = 20
const SAVED = join(import.meta.dirname, '..', '.parity', 'fuzz')

type Message = { readonly found: Found } | { readonly tally: Tally }

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const minutes = Number(values.minutes ?? '1')
const only = values.only ?? null
if (!(minutes > 0) || (only !== null && !ATTACKS.includes(only))) {
  console.error(`usage: npm run fuzz -- [--minutes N] [--seed TEXT] [--only ${ATTACKS.join('|')}]`)
  process.exit(2)
}
const seed = values.seed ?? String(Date.now())
const until = Date.now() + minutes * 60_000
const total: Tally = { pairs: 0, decided: 0, refused: 0, refusedRightly: 0 }
const counts = new Map<string, number>()

function tell(kind: string, attack: string, index: number, text: string): void {
  const name = `${attack}: ${kind}`
  counts.set(name, (counts.get(name) ?? 0) + 1)
  if (text !== '') console.log(`FOUND ${name} (--seed ${seed}, number ${index})\n  ${text}`)
}

/** Keeps the input of a trial that never came back; the fuzz itself may be what failed. */
function save(attack: string, index: number): string {
  const file = join(SAVED, `${attack}-${index}.json`)
  mkdirSync(SAVED, { recursive: true })
  try {
    const { golden, actual, yaml } = buildTrial(attack, seed, index)
    writeFileSync(file, JSON.stringify({ yaml, golden, actual }))
    return file
  } catch (error) {
    return String(error)
  }
}

/** Runs one thread from a round on; returns the round to go on with when it hung or died, else null. */
async function runThread(from: number): Promise<number | null> {
  const now = new Int32Array(new SharedArrayBuffer(12))
  const input: WorkerInput = { seed, only, from, until, now }
  const worker = new Worker(new URL('./fuzz/worker.ts', import.meta.url), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: 4096 },
  })
  worker.on('message', (message: Message) => {
    if ('tally' in message) for (const name of Object.keys(total) as (keyof Tally)[]) total[name] += message.tally[name]
    else {
      const { kind, attack, index, why, detail, line } = message.found
      tell(kind, attack, index, line === '' ? '' : `${why}: ${detail}\n  ${line}`)
    }
  })
  let count = -1
  let since = Date.now()
  const watch = setInterval(() => {
    if (now[2] !== count) {
      count = now[2] ?? 0
      since = Date.now()
    } else if (Date.now() - since > HANG_MS) void worker.terminate()
  }, 1000)
  let died: string | null = null
  worker.once('error', (error: Error) => {
    died = error.message
  })
  const code = await new Promise<number>(resolve => worker.once('exit', resolve))
  clearInterval(watch)
  if (code === 0) return null
  const [attack, index] = [ATTACKS[now[0] ?? 0] ?? '', now[1] ?? 0]
  tell(
    died === null ? 'hang' : 'died',
    attack,
    index,
    `${died ?? `no answer in ${HANG_MS} ms`}: ${save(attack, index)}`,
  )
  return index + 1
}

/** What was found and how much was tried; also when the run is interrupted. */
function conclude(): void {
  const found = [...counts.values()].reduce((sum, count) => sum + count, 0)
  for (const [name, count] of counts) console.log(`${count} × ${name}`)
  console.log(
    `${total.pairs} pairs (${total.decided} with a known verdict), ${total.refused} tolerance files refused, seed ${seed}: ${found} findings`,
  )
  process.exitCode = found === 0 ? 0 : 1
}

process.once('SIGINT', () => {
  conclude()
  process.exit()
})
let next: number | null = 0
for (let threads = 0; next !== null && threads < HANGS_MAX; threads++) next = await runThread(next)
conclude()
