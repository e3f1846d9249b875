/** What goes wrong in a lab of containers: each kind is told apart in words, at once, and leaves nothing. */
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { listObjects } from '../../src/lab/container/objects.ts'
import { sessionId } from '../../src/lab/container/session.ts'
import { LabFailure } from '../../src/lab/lab-failure.ts'
import { type RunningLab, startLab } from '../../src/lab/process-driver.ts'
import { inlineLab, node, server } from '../inline-lab.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})
afterEach(async () => {
  expect((await listObjects(engine.docker, { session: sessionId() })).map(({ name }) => name)).toEqual([])
})

async function boot(services: Readonly<Record<string, object>>): Promise<RunningLab> {
  const lab = await inlineLab(engine, services)
  onTestFinished(() => lab[Symbol.dispose]())
  return startLab(lab, { signal: new AbortController().signal })
}

async function failureOf(services: Readonly<Record<string, object>>): Promise<LabFailure> {
  const outcome = await boot(services).then(
    async running => {
      await running[Symbol.asyncDispose]()
      return null
    },
    (error: unknown) => error,
  )
  if (outcome instanceof LabFailure) return outcome
  throw new Error('the lab was to fail', { cause: outcome })
}

const IDLE = node('setInterval(() => {}, 1000)')
const ready = (timeoutMs: number) => ({ http: 'GET /', status: 200, timeoutMs })

test('tells of a service that exits at once: how, and what it printed', async () => {
  const { reason, message } = await failureOf({
    app: { command: node("console.log('no configuration'); process.exit(3)") },
  })
  expect(reason).toBe('lab-boot')
  expect(message).toMatch(/^lab inline: service app ended with exit code 3 before app was ready/)
  expect(message).toContain('  the last of what app printed:\n  app | no configuration')
})

test('tells of a program that the image does not have', async () => {
  const { reason, message } = await failureOf({ app: { command: ['/opt/no-such-program'] } })
  expect(reason).toBe('lab-boot')
  expect(message).toContain('/opt/no-such-program')
})

test('tells of a service that never listens, within its budget', async () => {
  const { message } = await failureOf({ app: { command: IDLE, ready: ready(6000) } })
  expect(message).toBe(
    'lab inline: service app was not ready within 6000 ms: nothing listens on port 3000 (ECONNREFUSED)\n  app printed nothing',
  )
})

test('tells of a service that listens, then dies', async () => {
  const { message } = await failureOf({
    app: {
      command: node(`require('http').createServer((q, s) => { s.statusCode = 503; s.end() }).listen(3000)
        setTimeout(() => process.exit(4), 3000)`),
    },
  })
  expect(message).toMatch(
    /^lab inline: service app ended with exit code 4 before app was ready; the last look at it: (GET \/ answered 503|GET \/ failed: ECONNRESET|nothing listens on port 3000 any more)/,
  )
})

test('tells of a service that answers its probe with 500', async () => {
  const { message } = await failureOf({
    app: {
      command: node(`require('http').createServer((q, s) => { s.statusCode = 500; s.end() }).listen(3000)`),
      ready: ready(6000),
    },
  })
  expect(message).toContain('service app was not ready within 6000 ms: GET / answered 500, expected 200')
})

test('tells of a service that takes the connection and says nothing', async () => {
  const { message } = await failureOf({
    app: { command: node("require('net').createServer(() => {}).listen(3000)"), ready: ready(6000) },
  })
  expect(message).toMatch(/service app was not ready within 6000 ms: GET \/ had no answer within \d+ ms/)
})

test('tells of a service that eats its memory, and what to raise', async () => {
  const { message, remedy } = await failureOf({
    app: {
      limits: { memoryMb: 64 },
      command: node('const held = []; setInterval(() => held.push(Buffer.alloc(8e6, 1)), 20)'),
    },
  })
  expect(message).toMatch(/^lab inline: service app was killed: it needed more than its 64 MB of memory/)
  expect(remedy).toMatch(/^raise limits.memoryMb/)
})

test('bounds a fork bomb: the lab ends all the same', async () => {
  const bomb = `const { spawn } = require('child_process')
    let [made, refused] = [0, 0]
    for (let i = 0; i < 60; i++) {
      const child = spawn('/usr/local/bin/node', ['-e', 'setInterval(() => {}, 1000)'])
      child.on('spawn', () => made++).on('error', () => refused++)
    }
    require('http').createServer((q, s) => s.end(JSON.stringify({ made, refused }))).listen(3000)`
  const running = await boot({ app: { command: node(bomb), limits: { memoryMb: 512, pids: 24 } } })
  try {
    if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
    const answer = await (await fetch(running.drive.url)).text()
    const { made, refused } = JSON.parse(answer)
    expect(made).toBeLessThan(24)
    expect(refused).toBeGreaterThan(36)
  } finally {
    await running[Symbol.asyncDispose]()
  }
})

test('refuses a write to the root, and one that is larger than its tmpfs, without harm to the service', async () => {
  const tries = `const fs = require('fs')
    const outcome = f => { try { f(); return 'written' } catch (e) { return e.code } }
    const root = outcome(() => fs.writeFileSync('/here', 'x'))
    const full = outcome(() => fs.writeFileSync('/data/large', Buffer.alloc(3 << 20)))
    const after = outcome(() => { fs.rmSync('/data/large'); fs.writeFileSync('/data/small', 'x') })
    require('http').createServer((q, s) => s.end([root, full, after].join())).listen(3000)`
  const running = await boot({ app: { command: node(tries), tmpfs: { '/data': 2 } } })
  try {
    if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
    expect(await (await fetch(running.drive.url)).text()).toBe('EROFS,ENOSPC,written')
  } finally {
    await running[Symbol.asyncDispose]()
  }
})

test('names a secret that is not set, before anything is made', async () => {
  const { reason, message } = await failureOf({ app: { command: IDLE, secrets: { UNSET_LICENCE: 'environment' } } })
  expect(reason).toBe('environment')
  expect(message).toContain('LEGACY_UNSET_LICENCE')
})

test('shows no secret in what it tells of a failure', async () => {
  process.env.LEGACY_INLINE_LICENCE = 'abc-123-secret'
  onTestFinished(() => {
    delete process.env.LEGACY_INLINE_LICENCE
  })
  const { message } = await failureOf({
    app: {
      command: node("console.log('licence', process.env.INLINE_LICENCE); process.exit(1)"),
      secrets: { INLINE_LICENCE: 'environment' },
    },
  })
  expect(message).not.toContain('abc-123-secret')
  expect(message).toContain('app | licence ‹INLINE_LICENCE›')
})

test('tells of a dependency that ends while the one behind it boots, with the logs of both', async () => {
  const { message } = await failureOf({
    db: {
      command: node("console.log('db up'); setTimeout(() => process.exit(5), 4000)"),
      ready: { exec: node('0'), timeoutMs: 20_000 },
    },
    app: { command: node("console.log('app waits'); setInterval(() => {}, 1000)"), dependsOn: ['db'] },
  })
  expect(message).toMatch(/^lab inline: service db ended with exit code 5 before app was ready/)
  expect(message).toContain('db | db up')
  expect(message).toContain('app | app waits')
})

test.each([
  [
    'exec',
    { exec: node("console.log('not yet'); process.exit(7)"), timeoutMs: 6000 },
    'ended with exit code 7: not yet',
  ],
  ['sql', { sql: 'SELECT 1', client: node('process.exit(2)'), timeoutMs: 6000 }, 'SELECT 1 ended with exit code 2'],
  ['stomp', { stomp: true, timeoutMs: 6000 }, 'port 3000 failed: ECONNREFUSED'],
])('tells what the last probe showed: %s', async (_, probe, words) => {
  const { message } = await failureOf({ app: { command: IDLE, ready: probe } })
  expect(message).toContain('service app was not ready within 6000 ms: ')
  expect(message).toContain(words)
})

test('tells of a seed that fails', async () => {
  const { message } = await failureOf({
    app: { command: server('1'), seed: [node("console.error('no such table'); process.exit(1)")] },
  })
  expect(message).toMatch(/^lab inline: the seed of service app did not work: .* ended with exit code 1: no such table/)
})

test('says that a service has ended while the lab was up', async () => {
  const running = await boot({
    app: {
      command: node(`require('http').createServer((q, s) => { s.end('bye'); setTimeout(() => process.exit(9), 50) })
      .listen(3000)`),
      ready: { exec: node('0'), timeoutMs: 20_000 },
    },
  })
  try {
    if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
    const { url } = running.drive
    await expect
      .poll(
        () =>
          fetch(url).then(
            answer => answer.text(),
            () => '',
          ),
        { timeout: 10_000 },
      )
      .toBe('bye')
    await expect.poll(() => running.crashed(), { timeout: 10_000 }).toMatch(/^service app ended with exit code 9/)
  } finally {
    await running[Symbol.asyncDispose]()
  }
})
