import { fileURLToPath } from 'node:url'
import { leaseLab } from '../src/lab/broker/client.ts'
import { openBroker } from '../src/lab/broker/server.ts'
import { type Engine, openEngine } from '../src/lab/container/engine.ts'
import { ensureImage } from '../src/lab/container/images.ts'
import { labels } from '../src/lab/container/labels.ts'
import { sessionId } from '../src/lab/container/session.ts'
import type { ContainerLab } from '../src/lab/container/spec.ts'
import { LabFailure } from '../src/lab/lab-failure.ts'
import { loadLab } from '../src/lab/lab-file.ts'
import { type RunningLab, startLab } from '../src/lab/process-driver.ts'
import { labDown } from '../src/pipeline/lab-lifecycle.ts'
import { median } from './measure.ts'
import { type Row, ratioRow } from './rows.ts'

const LAB = fileURLToPath(new URL('../labs/forex-express3-container', import.meta.url))
const PATH = '/rates'
const POLL_MS = 10
const SUITES = 10

const { signal } = new AbortController()

/** A container lab against plain containers of the same image: boot, attach, requests, teardown. */
export async function* labRows(smoke: boolean): AsyncGenerator<Row> {
  const engine = await openEngine({ signal }).catch((error: unknown) => {
    if (error instanceof LabFailure) return null
    throw error
  })
  const lab = await loadLab(LAB)
  if (engine === null || lab.driver !== 'container') {
    yield { name: 'container labs', bar: '', met: null, measured: '', detail: 'no container engine answers' }
    return
  }
  const rounds = smoke ? 1 : 5
  // images are built once, and not part of any row
  await using plain = await plainContainer(engine, lab)
  const measured = await boots(lab, rounds)
  const plainMs: number[] = [plain.readyMs]
  for (let round = 1; round < rounds; round += 1) {
    await using again = await plainContainer(engine, lab)
    plainMs.push(again.readyMs)
  }
  const coldMs = median(measured.map(({ coldMs }) => coldMs))
  yield {
    ...ratioRow({
      name: 'cold boot of the Node 0.10 lab, against a plain container',
      direction: 'at-most',
      bar: 4,
      ratios: { boot: coldMs / median(plainMs) },
    }),
    detail: `${coldMs.toFixed(0)} ms against ${median(plainMs).toFixed(0)} ms; the self-test beside it ${median(measured.map(({ selfTestMs }) => selfTestMs)).toFixed(0)} ms`,
  }
  yield msRow('teardown of a lab', 1000, median(measured.map(({ downMs }) => downMs)))
  yield* warmRows(lab, plain.url, smoke)
  yield await suitesRow()
}

function msRow(name: string, bar: number, measuredMs: number): Row {
  return ratioRow({ name, direction: 'at-most', bar, unit: ' ms', ratios: { median: measuredMs } })
}

interface Boot {
  readonly coldMs: number
  readonly selfTestMs: number
  readonly downMs: number
}

async function boots(lab: ContainerLab, rounds: number): Promise<readonly Boot[]> {
  const all: Boot[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    const running = await startLab(lab, { signal })
    const wholeMs = performance.now() - begun
    const selfTestMs = running.evidence?.selfTestMs ?? 0
    const ending = performance.now()
    await running[Symbol.asyncDispose]()
    all.push({ coldMs: wholeMs - selfTestMs, selfTestMs, downMs: performance.now() - ending })
  }
  return all
}

/** The same image and program as `docker run` has it, published on 127.0.0.1; until its first answer. */
async function plainContainer(
  engine: Engine,
  lab: ContainerLab,
): Promise<AsyncDisposable & { readonly url: string; readonly readyMs: number }> {
  const [service] = lab.services
  if (service === undefined) throw new Error(`${lab.id} has no service`)
  const { runId } = await ensureImage(engine, { service, lab, signal, onLog: () => {} })
  const port = `${service.port}/tcp`
  const begun = performance.now()
  const container = await engine.docker.createContainer({
    Image: runId,
    ...(service.command === null ? {} : { Cmd: [...service.command] }),
    ...(service.workdir === null ? {} : { WorkingDir: service.workdir }),
    Env: Object.entries(service.env).map(([name, value]) => `${name}=${value}`),
    Labels: labels({ session: sessionId(), lab: lab.id, key: '', role: 'service', keep: false }),
    ExposedPorts: { [port]: {} },
    HostConfig: { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } },
  })
  await container.start()
  const { NetworkSettings } = await container.inspect()
  const url = `http://127.0.0.1:${NetworkSettings.Ports[port]?.[0]?.HostPort}`
  while (!(await answers(url))) await new Promise(resolve => setTimeout(resolve, POLL_MS))
  return {
    url,
    readyMs: performance.now() - begun,
    [Symbol.asyncDispose]: async () => void (await container.remove({ force: true, v: true })),
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url + PATH)
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/** A kept lab is attached to, and asked through its gate. */
async function* warmRows(lab: ContainerLab, plainUrl: string, smoke: boolean): AsyncGenerator<Row> {
  const first = await startLab(lab, { signal, keep: true })
  await first[Symbol.asyncDispose]()
  const attachMs: number[] = []
  let last: RunningLab | null = null
  for (let round = 0; round < (smoke ? 1 : 7); round += 1) {
    const begun = performance.now()
    last = await startLab(lab, { signal, keep: true })
    attachMs.push(performance.now() - begun)
    if (round < (smoke ? 0 : 6)) await last[Symbol.asyncDispose]()
  }
  try {
    yield msRow('warm attach to a kept lab', 100, median(attachMs))
    const gateUrl = last?.drive.kind === 'http' ? last.drive.url : ''
    const requests = smoke ? 20 : 1000
    const [gated, plain] = [await p50(gateUrl, requests), await p50(plainUrl, requests)]
    yield {
      ...msRow('a request through the gate, p50 above a published port', 1, gated - plain),
      detail: `${gated.toFixed(2)} ms against ${plain.toFixed(2)} ms`,
    }
  } finally {
    await last?.[Symbol.asyncDispose]()
    await labDown(lab.id, signal)
  }
}

async function p50(url: string, requests: number): Promise<number> {
  const each: number[] = []
  for (let count = 0; count < requests; count += 1) {
    const begun = performance.now()
    await answers(url)
    each.push(performance.now() - begun)
  }
  return median(each)
}

/** Suites that follow each other on one lab of the run, as workers lease it. */
async function suitesRow(): Promise<Row> {
  let booted = 0
  await using broker = await openBroker((wanted, o) => {
    booted += 1
    return startLab(wanted, o)
  })
  const lab = await loadLab(LAB)
  for (let suite = 0; suite < SUITES; suite += 1) {
    await using leased = await leaseLab(lab, { signal, address: broker.address, role: 'legacy' })
    if (leased.drive.kind !== 'http' || !(await answers(leased.drive.url)))
      throw new Error('a leased lab did not answer')
  }
  return ratioRow({
    name: `${SUITES} suites on one lab: boots`,
    direction: 'at-most',
    bar: 1,
    unit: '',
    ratios: { boots: booted },
  })
}
