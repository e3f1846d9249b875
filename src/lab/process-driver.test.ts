import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  appThatAnswers,
  eventually,
  isAlive,
  type LabText,
  temporaryFolder,
  urlOf,
  writeLab,
} from '../../test/lab-folder.ts'
import { LabFailure } from './lab-failure.ts'
import { loadLab } from './lab-file.ts'
import { holdsPort } from './listener.ts'
import { type LabOptions, type RunningLab, startLab } from './process-driver.ts'

async function start(
  text: LabText,
  options: Partial<LabOptions> = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<RunningLab> {
  const folder = await temporaryFolder()
  atEnd(async () => folder[Symbol.asyncDispose]())
  const lab = await loadLab(await writeLab(folder.path, text))
  const running = await startLab(lab, { signal: new AbortController().signal, ...options })
  atEnd(async () => running[Symbol.asyncDispose]())
  return running
}

async function failureOf(text: LabText, atEnd?: (end: () => Promise<void>) => void): Promise<LabFailure> {
  const outcome = await start(text, {}, atEnd).catch((error: unknown) => error)
  if (outcome instanceof LabFailure) return outcome
  throw new Error(`expected a LabFailure, received ${String(outcome)}`)
}

const get = async (running: RunningLab): Promise<Record<string, string | number>> => {
  const response = await fetch(urlOf(running))
  return (await response.json()) as Record<string, string | number>
}

describe('readiness', () => {
  test('reports a program that ends at once with its exit code and log, long before the budget is over', async () => {
    const started = performance.now()
    const failure = await failureOf({
      app: `console.log('reading the table'); console.error('no table: forex.db'); process.exit(3)`,
      ready: '{ http: GET /, timeoutMs: 60000 }',
    })
    expect(failure.reason).toBe('lab-boot')
    expect(failure.message).toContain('lab a-lab ended with exit code 3 before it was ready')
    expect(failure.message).toContain('its last 2 lines:')
    expect(failure.message).toContain('  no table: forex.db')
    expect(failure.remedy).toContain('read the log')
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('reports the signal that ended a program, and no more than its last 50 lines', async () => {
    const app = `for (let i = 1; i <= 120; i++) console.log('line ' + i); setTimeout(() => process.kill(process.pid, 'SIGABRT'), 50)`
    const { message } = await failureOf({ app })
    expect(message).toContain('was ended by SIGABRT')
    expect(message).toContain('its last 50 lines:\n  line 71\n')
    expect(message).toContain('  line 120')
  })

  test.concurrent.for<[string, string, string]>([
    ['never listens', `setInterval(() => {}, 1000)`, 'GET / failed: ECONNREFUSED\n  (it printed nothing)'],
    [
      'answers 500',
      `require('http').createServer((q, r) => { r.statusCode = 500; r.end() }).listen(process.argv[2])`,
      'GET / answered 500, expected 200',
    ],
    [
      'takes connections and says nothing',
      `require('net').createServer(() => {}).listen(process.argv[2])`,
      'GET / had no answer within',
    ],
    [
      'speaks another protocol',
      `require('net').createServer(s => s.on('error', () => {}).end('220 ready\\r\\n')).listen(process.argv[2])`,
      'GET / failed: HPE_',
    ],
    [
      'breaks off its answer',
      `require('http').createServer((q, r) => { r.writeHead(200, { 'content-length': 9 }); r.write('x'); setTimeout(() => r.destroy(), 5) }).listen(process.argv[2])`,
      'the body of GET / broke off',
    ],
  ])('gives up on a program that %s when its one budget is over', async ([, app, last], context) => {
    const started = performance.now()
    const failure = await failureOf({ app, ready: '{ http: GET /, timeoutMs: 3000 }' }, context.onTestFinished)
    context.expect(failure.reason).toBe('lab-boot')
    context.expect(failure.message).toContain('lab a-lab was not ready within 3000 ms')
    context.expect(failure.message).toContain(last)
    context.expect(performance.now() - started).toBeLessThan(12_000)
  })

  test('reports a program that listens and then dies, and what it answered before', async () => {
    const app = `require('http').createServer((q, r) => { r.statusCode = 503; r.end(); setTimeout(() => process.exit(7), 20) }).listen(process.argv[2])`
    const { message } = await failureOf({ app, ready: '{ http: GET /, timeoutMs: 20000 }' })
    expect(message).toContain('ended with exit code 7 before it was ready')
  })

  test('waits for a program that needs most of its budget', async () => {
    const app = `setTimeout(() => { ${appThatAnswers('{ up: 1 }')} }, 900)`
    const running = await start({ app })
    expect(await get(running)).toEqual({ up: 1 })
  })

  test('asks until the status and the body are those of lab.yaml', async () => {
    const app = `let n = 0; require('http').createServer((q, r) => { n++; r.statusCode = 418; r.end(n < 3 ? 'warming' : 'warm ' + n) }).listen(process.argv[2])`
    const running = await start({ app, ready: '{ http: PUT /tea, status: 418, body: "warm " }' })
    expect(await (await fetch(urlOf(running))).text()).toBe('warm 4')
  })

  test('names a program that this machine does not have, and where it looked', async () => {
    const failure = await failureOf({ app: '', command: `[cobol-9000, "\${port}"]` })
    expect(failure.reason).toBe('dependency-missing')
    expect(failure.message).toBe('lab a-lab: cobol-9000 cannot be started (ENOENT)')
    expect(failure.remedy).toContain(process.env.PATH)
  })

  test('takes another port when the first one was taken meanwhile', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder[Symbol.asyncDispose]())
    const marker = join(folder.path, 'second try')
    const before = `if (!fs.existsSync(process.env.MARKER)) { fs.writeFileSync(process.env.MARKER, ''); throw new Error('listen EADDRINUSE') }`
    const running = await start({ app: appThatAnswers('1', before), more: `    env: { MARKER: "${marker}" }` })
    expect(existsSync(marker)).toBe(true)
    expect(urlOf(running)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  test('tells its own listener from that of a stranger on the same port', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise(resolve => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const unknown = process.platform === 'linux' ? undefined : null
    expect(holdsPort(port, [process.pid])).toBe(unknown === undefined ? true : null)
    expect(holdsPort(port, [1_999_999_999])).toBe(unknown === undefined ? false : null)
  })

  test('rejects with the reason of an abort while it waits, and leaves nothing', async () => {
    const abort = new AbortController()
    const pids: number[] = []
    const started = start(
      { app: `console.log(process.pid); setInterval(() => {}, 1000)`, ready: '{ http: GET /, timeoutMs: 60000 }' },
      {
        signal: abort.signal,
        onLog(line) {
          pids.push(Number(line))
          abort.abort(new Error('enough'))
        },
      },
    )
    await expect(started).rejects.toThrow('enough')
    expect(pids.filter(isAlive)).toEqual([])
  })
})

describe('a running lab', () => {
  test('hands on nothing of the environment but what lab.yaml and the driver name', async () => {
    process.env.PARITY_TEST_SECRET = 'never seen'
    onTestFinished(() => void delete process.env.PARITY_TEST_SECRET)
    const running = await start({ app: appThatAnswers('process.env'), more: `    env: { MODE: "port \${port}" }` })
    const env = await get(running)
    const port = new URL(urlOf(running)).port
    expect(env).toMatchObject({ MODE: `port ${port}`, TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' })
    expect(env.PARITY_CLOCK).toBe('2026-01-02T03:04:05Z')
    const names = 'HOME LANG LC_ALL MODE PARITY_CLOCK PARITY_LAB_MARK PATH TMPDIR TZ'.split(' ')
    expect(Object.keys(env).sort()).toEqual(names)
  })

  test('runs in a copy of its folder, which is gone when it stops', async () => {
    const before = `fs.writeFileSync('written beside', '')`
    const app = appThatAnswers(`{ cwd: process.cwd(), beside: fs.existsSync('data/rates.txt') ? 1 : 0 }`, before)
    const running = await start({ app, files: { 'data/rates.txt': 'EUR' } })
    const { cwd, beside } = await get(running)
    expect(beside).toBe(1)
    expect(await readdir(String(cwd))).toContain('written beside')
    await running[Symbol.asyncDispose]()
    expect(existsSync(String(cwd))).toBe(false)
  })

  test('starts from its first state after a reset by restart, at the same address', async () => {
    const running = await start({ app: appThatAnswers('{ count }') })
    expect(await get(running)).toEqual({ count: 2 })
    expect(await get(running)).toEqual({ count: 3 })
    const before = urlOf(running)
    await running.reset()
    expect(urlOf(running)).toBe(before)
    expect(await get(running)).toEqual({ count: 2 })
  })

  test('asks for a reset where lab.yaml names a request, and reports the answer when it is another', async () => {
    const answer = `(response.statusCode = request.url === '/__reset' ? 204 : 200, request.url === '/__reset' ? (count = 0) : { count })`
    const running = await start({ app: appThatAnswers(answer), reset: '{ http: POST /__reset }' })
    await get(running)
    await running.reset()
    expect(await get(running)).toEqual({ count: 1 })
    const other = await start({ app: appThatAnswers('1'), reset: '{ http: POST /__reset }' })
    const failed = 'lab a-lab the reset did not work: POST /__reset answered 200, expected 204'
    await expect(other.reset()).rejects.toThrow(failed)
  })

  test('keeps its state where there is nothing to reset, and restarts for another clock all the same', async () => {
    const running = await start({ app: appThatAnswers('{ count, at: process.env.PARITY_CLOCK }'), reset: 'none' })
    await running.reset()
    expect(await get(running)).toEqual({ count: 2, at: '2026-01-02T03:04:05Z' })
    await running.reset({ clock: '2030-06-07T00:00:00Z' })
    expect(running.clock).toBe('2030-06-07T00:00:00Z')
    expect(await get(running)).toEqual({ count: 2, at: '2030-06-07T00:00:00Z' })
  })

  test('says that it crashed after it was ready, and comes back by a reset', async () => {
    const running = await start({ app: appThatAnswers(`request.url === '/die' ? process.exit(9) : { count }`) })
    expect(running.crashed()).toBeNull()
    await fetch(`${urlOf(running)}/die`).catch(() => null)
    expect(await eventually(() => running.crashed() !== null)).toBe(true)
    expect(running.crashed()).toContain('the legacy ended with exit code 9\n  its last 1 lines:\n  listening')
    await running.reset()
    expect(running.crashed()).toBeNull()
    expect(await get(running)).toEqual({ count: 2 })
  })

  test('ends a program that ignores SIGTERM, its children, and those that left its process group', async () => {
    const before = `
      process.on('SIGTERM', () => {})
      const { spawn } = require('node:child_process')
      const idle = ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']
      const child = spawn(process.execPath, idle).pid
      const away = spawn(process.execPath, idle, { detached: true, stdio: 'ignore' }).pid`
    const running = await start({ app: appThatAnswers('{ own: process.pid, child, away }', before) })
    const pids = Object.values(await get(running)).map(Number)
    expect(pids.filter(isAlive)).toEqual(pids)
    await running[Symbol.asyncDispose]()
    const left = process.platform === 'linux' ? pids : pids.slice(0, 2)
    expect(await eventually(() => left.every(pid => !isAlive(pid)), 1000)).toBe(true)
  }, 20_000)

  test('says where it comes from without a port, a path or a time', async () => {
    const running = await start({ app: appThatAnswers('1') })
    expect(running.provenance).toEqual({
      lab: 'a-lab',
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      revision: 'r1',
      driver: 'process',
      isolation: 'none',
      tz: 'UTC',
      locale: 'C.UTF-8',
      npm: {},
      lock: null,
    })
    expect(running.logs()).toBe('listening')
  })
})
