/** The row on replaying: cases driven and compared, against a bare loop of undici over the same requests. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { compare } from '../src/core/diff.ts'
import { parseJson } from '../src/core/json.ts'
import { compileTolerance } from '../src/core/tolerance.ts'
import type { Case, Observation } from '../src/model.ts'
import { openTarget } from '../src/replay/driver.ts'
import { http } from '../src/replay/target.ts'
import { ANSWER } from './answers.ts'
import { median } from './measure.ts'
import { type Row, ratioRow } from './rows.ts'

const CONCURRENCY = 8

/** Throughput of drive and compare, as a share of that of the bare loop: medians of interleaved rounds, wall time. */
export async function* replayRows(smoke: boolean): AsyncGenerator<Row> {
  const requests = smoke ? 50 : 3000
  const server = fork(fileURLToPath(new URL('answers.ts', import.meta.url)), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    const [printed] = await once(server.stdout ?? server, 'data')
    const origin = `http://127.0.0.1:${Number(String(printed))}`
    const pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 })
    const stop = new AbortController()
    const driver = await openTarget(http(origin), { clock: null, tz: 'UTC', signal: stop.signal })
    const replay = async () => {
      const driven = await driver.drive(CASE, { signal: stop.signal, timeoutMs: 10_000 })
      if (!driven.ok) throw new Error(driven.fault.message)
      const { differences, faults } = compare(GOLDEN, driven.observation, RULES)
      if (differences.length + faults.length > 0) throw new Error('the answer is not the golden')
    }
    const bare = async () => {
      const { body } = await pool.request({ path: '/orders', method: 'GET' })
      await body.bytes()
    }
    const ms: Record<'replay' | 'bare', number[]> = { replay: [], bare: [] }
    for (let round = smoke ? 0 : -1; round < (smoke ? 1 : 7); round += 1) {
      for (const [name, one] of [
        ['replay', replay],
        ['bare', bare],
      ] as const) {
        const spent = await inTurns(one, requests)
        // The first round only warms up.
        if (round >= 0) ms[name].push(spent)
      }
    }
    stop.abort()
    await driver[Symbol.asyncDispose]()
    await pool.close()
    const share = median(ms.bare) / median(ms.replay)
    yield ratioRow({
      name: `replay: drive and compare, throughput against bare undici, ${CONCURRENCY} at a time`,
      direction: 'at-least',
      bar: 0.6,
      ratios: { share },
    })
  } finally {
    server.disconnect()
    await once(server, 'exit')
  }
}

const CASE: Case = {
  name: '001-happy-orders',
  bucket: 'happy',
  covers: [],
  steps: [{ request: { method: 'GET', path: '/orders', headers: [] } }],
  now: null,
  class: null,
  id: 'sha256:0',
}

const parsed = parseJson(ANSWER)
const GOLDEN: Observation = [
  {
    kind: 'response',
    method: 'GET',
    response: {
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: { json: parsed.ok ? parsed.value : null },
    },
  },
]

const compiled = compileTolerance({
  file: 'bench.yaml',
  text: 'structural: [$.requestId]\nnumeric_tolerance: {"$.items[*].price": 0.01}\n',
})
if (!compiled.ok) throw new Error('the rules do not compile')
const RULES = compiled.rules

async function inTurns(one: () => Promise<void>, requests: number): Promise<number> {
  let left = requests
  const before = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left > 0) {
        left -= 1
        await one()
      }
    }),
  )
  return performance.now() - before
}
