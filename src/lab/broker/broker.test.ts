import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { LabFailure } from '../lab-failure.ts'
import { loadLab } from '../lab-file.ts'
import type { LabOptions, RunningLab } from '../process-driver.ts'
import { leaseLab } from './client.ts'
import { type Broker, openBroker } from './server.ts'

const STOCK = fileURLToPath(new URL('../../../labs/stock-node010', import.meta.url))
const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url))

/** What was done with the labs, in order. */
let done: string[] = []
let print: (line: string) => void = () => {}
let crash: string | null = null

afterEach(() => {
  done = []
  crash = null
})

async function broker(boot: () => void = () => {}): Promise<Broker> {
  return openBroker(async (lab, { clock, onLog }) => {
    done.push(`boot ${lab.dir === STOCK ? 'stock' : lab.dir} ${clock}`)
    boot()
    print = onLog
    let at = clock
    const running: RunningLab = {
      drive: { kind: 'http', url: 'http://127.0.0.1:4711' },
      get clock() {
        return at
      },
      provenance: { lab: 'stock' },
      evidence: null,
      logs: () => '',
      crashed: () => crash,
      async reset(o = {}) {
        at = o.clock === undefined ? at : o.clock
        done.push(`reset ${at}`)
      },
      async [Symbol.asyncDispose]() {
        done.push('stop')
      },
    }
    return running
  })
}

async function lease(address: string, o: Partial<LabOptions> = {}): Promise<RunningLab> {
  const signal = o.signal ?? new AbortController().signal
  return leaseLab(await loadLab(STOCK), { address, role: 'legacy', ...o, signal })
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 5))
}

describe('a lab that is leased', () => {
  test('answers where the main process says, at the clock asked for, and is put back on demand', async () => {
    await using held = await broker()
    await using lab = await lease(held.address, { clock: '2026-01-02T03:04:05Z' })
    expect(lab.drive).toEqual({ kind: 'http', url: 'http://127.0.0.1:4711' })
    expect(lab.provenance).toEqual({ lab: 'stock' })
    await lab.reset()
    await lab.reset({ clock: null })
    expect(lab.clock).toBe(null)
    expect(done).toEqual(['boot stock 2026-01-02T03:04:05Z', 'reset 2026-01-02T03:04:05Z', 'reset null'])
  })

  test('is booted once for suites that follow each other, and stops with the run', async () => {
    const held = await broker()
    for (let suite = 0; suite < 3; suite++) {
      await using _ = await lease(held.address)
    }
    await held[Symbol.asyncDispose]()
    expect(done).toEqual(['boot stock null', 'reset null', 'reset null', 'stop'])
  })

  test('is given back by a worker that is killed', async () => {
    await using held = await broker()
    const script = `
      import { connect } from 'node:net'
      const socket = connect(process.env.BROKER)
      socket.write(JSON.stringify({ op: 'acquire', dir: process.env.LAB, clock: null, role: 'legacy' }) + '\\n')
      socket.on('data', () => console.log('held'))
    `
    const env = { PATH: process.env.PATH, BROKER: held.address, LAB: STOCK }
    const worker = spawn(process.execPath, ['--input-type=module', '-e', script], { env, cwd: dirname(CLIENT) })
    await once(worker.stdout, 'data')
    const waiting = lease(held.address)
    worker.kill('SIGKILL')
    await using _ = await waiting
    expect(done).toEqual(['boot stock null', 'reset null'])
  })

  test('tells what it prints, concealed, to who holds it', async () => {
    await using held = await broker()
    await using lab = await lease(held.address, { conceal: line => line.replace('hunter2', '•••') })
    print('password hunter2')
    await until(() => lab.logs() !== '')
    expect(lab.logs()).toBe('password •••')
  })

  test('tells that it died, and how', async () => {
    await using held = await broker()
    await using lab = await lease(held.address)
    crash = 'the legacy ended with exit code 3'
    await until(() => lab.crashed() !== null)
    expect(lab.crashed()).toBe('the legacy ended with exit code 3')
  })

  test('that cannot be booted is the same failure in the worker, reason and remedy with it', async () => {
    await using held = await broker(() => {
      throw new LabFailure('lab-image', 'nobody serves it', 'mirror it')
    })
    const failed = await lease(held.address).catch(error => error)
    expect(failed).toBeInstanceOf(LabFailure)
    expect(failed).toMatchObject({ reason: 'lab-image', message: 'nobody serves it', remedy: 'mirror it' })
  })

  test('is lost when the main process is, and says so', async () => {
    const held = await broker()
    const lab = await lease(held.address)
    await held[Symbol.asyncDispose]()
    await until(() => lab.crashed() !== null)
    expect(lab.crashed()).toBe('the process that holds the lab is gone')
    await expect(lab.reset()).rejects.toThrow('the process that holds the lab is gone')
  })

  test('is not waited for once the signal is aborted', async () => {
    await using held = await broker()
    await using _ = await lease(held.address)
    const stop = new AbortController()
    const waiting = lease(held.address, { signal: stop.signal })
    stop.abort(new Error('the suite is closed'))
    await expect(waiting).rejects.toThrow('the suite is closed')
  })
})

describe('the broker', () => {
  test('can be reached by this user alone', async () => {
    await using held = await broker()
    expect((await stat(dirname(held.address))).mode & 0o777).toBe(0o700)
  })

  test('drops who speaks no JSON', async () => {
    await using held = await broker()
    const stranger = createConnection(held.address)
    stranger.write('GET / HTTP/1.1\r\n\r\n')
    await once(stranger, 'close')
    await using lab = await lease(held.address)
    expect(lab.drive.kind).toBe('http')
  })
})
