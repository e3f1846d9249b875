import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { type RunningLab, startLab } from '../../src/lab/process-driver.ts'
import { inlineLab, node } from '../inline-lab.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})

async function start(services: Readonly<Record<string, object>>): Promise<RunningLab> {
  const lab = await inlineLab(engine, services)
  onTestFinished(() => lab[Symbol.dispose]())
  const running = await startLab(lab, { signal: new AbortController().signal })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

async function ask(running: RunningLab, path: string): Promise<string> {
  if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
  return (await fetch(`${running.drive.url}${path}`, { signal: AbortSignal.timeout(10_000) })).text()
}

/** Counts what it was asked at /count, in memory and in a file; /clear forgets what is in memory. */
const COUNTER = node(`const fs = require('fs')
  const read = () => { try { return fs.readFileSync('/tmp/n', 'utf8') } catch { return '' } }
  let n = 0
  require('http').createServer((q, s) => {
    if (q.url === '/count') { n++; fs.writeFileSync('/tmp/n', read() + 'x') }
    if (q.url === '/clear') { n = 0; s.statusCode = 204 }
    s.end(q.url === '/clear' ? '' : n + read() + ' at ' + process.env.PARITY_CLOCK)
  }).listen(3000)`)
const counter = (more: object) => ({ command: COUNTER, tmpfs: { '/tmp': 1 }, ...more })
const AT = ' at 2026-01-02T03:04:05Z'

test('restarts a service: memory and files are as at first, and the seed has run again', async () => {
  const running = await start({
    app: counter({ reset: 'restart', seed: [node("require('fs').writeFileSync('/tmp/n', 's')")] }),
  })
  expect(await ask(running, '/count')).toBe(`1sx${AT}`)
  await running.reset()
  expect(await ask(running, '/')).toBe(`0s${AT}`)
})

test('restarts what depends on a restarted service, and leaves the others alone', async () => {
  const running = await start({
    db: counter({ reset: 'restart' }),
    cache: counter({ reset: 'none' }),
    app: counter({ reset: 'none', dependsOn: ['db'] }),
  })
  const idsOf = async () =>
    (await engine.docker.listContainers())
      .filter(({ Names }) => Names.some(name => name.includes('vitest-parity-inline')))
      .map(({ Names, Id }) => `${/-(db|cache|app|gate)/.exec(Names.join())?.[1]} ${Id}`)
      .sort()
  const before = await idsOf()
  await ask(running, '/count')
  await running.reset()
  const after = await idsOf()
  expect(await ask(running, '/')).toBe(`0${AT}`)
  expect(after.filter(id => before.includes(id)).map(id => id.split(' ')[0])).toEqual(['cache', 'gate'])
})

test('asks the hook of the service through the gate', async () => {
  const running = await start({ app: counter({ reset: { http: 'POST /clear', status: 204 } }) })
  await ask(running, '/count')
  await running.reset()
  expect(await ask(running, '/')).toBe(`0x${AT}`)
})

test('asks the hook of a service that is not driven from beside it, once', async () => {
  const asks = `require('http').createServer((q, s) => require('http').get('http://db:3000' + q.url, r => r.pipe(s))).listen(3000)`
  const running = await start({
    db: counter({ reset: { http: 'GET /count', status: 200 } }),
    app: { command: node(asks), reset: 'none', dependsOn: ['db'] },
  })
  await running.reset()
  expect(await ask(running, '/')).toBe(`1x${AT}`)
})

test('runs a command in the service', async () => {
  const running = await start({ app: counter({ reset: { exec: node("require('fs').rmSync('/tmp/n')") } }) })
  await ask(running, '/count')
  await running.reset()
  expect(await ask(running, '/')).toBe(`1${AT}`)
})

test('leaves everything where the lab says none', async () => {
  const running = await start({ app: counter({ reset: 'none' }) })
  await ask(running, '/count')
  await running.reset()
  expect(await ask(running, '/')).toBe(`1x${AT}`)
})

test('boots at another clock whatever the reset says, at the same address', async () => {
  const running = await start({ app: counter({ reset: 'none' }) })
  const { drive } = running
  await ask(running, '/count')
  await running.reset({ clock: '2027-05-06T07:08:09Z' })
  expect(await ask(running, '/')).toBe('0 at 2027-05-06T07:08:09Z')
  expect(running.clock).toBe('2027-05-06T07:08:09Z')
  expect(running.drive).toEqual(drive)
})

test('tells of a hook that fails, and of what it answered', async () => {
  const running = await start({ app: counter({ reset: { http: 'GET /', status: 204 } }) })
  await expect(running.reset()).rejects.toThrow(
    'lab inline: the reset of service app did not work: GET / answered 200, expected 204',
  )
})

test('boots all anew after a service has ended', async () => {
  const running = await start({
    app: {
      command: node(`require('http').createServer((q, s) => {
        if (q.url === '/die') process.exit(1); s.end('alive') }).listen(3000)`),
      reset: 'none',
    },
  })
  await ask(running, '/die').catch(() => {})
  await expect.poll(() => running.crashed(), { timeout: 10_000 }).toMatch(/^service app ended with exit code 1/)
  await running.reset()
  expect(running.crashed()).toBeNull()
  expect(await ask(running, '/')).toBe('alive')
})
