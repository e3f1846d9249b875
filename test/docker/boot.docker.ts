import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Engine, openEngine } from '../../src/lab/container/engine.ts'
import { listObjects } from '../../src/lab/container/objects.ts'
import { sessionId } from '../../src/lab/container/session.ts'
import { type LabOptions, type RunningLab, startLab } from '../../src/lab/process-driver.ts'
import { inlineLab, node, server } from '../inline-lab.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ signal: AbortSignal.timeout(30_000) })
})

async function start(
  services: Readonly<Record<string, object>>,
  options: Partial<LabOptions> & { readonly more?: object } = {},
): Promise<RunningLab> {
  const lab = await inlineLab(engine, services, options.more)
  onTestFinished(() => lab[Symbol.dispose]())
  const running = await startLab(lab, { signal: new AbortController().signal, ...options })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

async function ask(running: RunningLab, path = '/', init: RequestInit = {}): Promise<string> {
  if (running.drive.kind !== 'http') throw new Error('not asked by HTTP')
  const response = await fetch(`${running.drive.url}${path}`, { signal: AbortSignal.timeout(10_000), ...init })
  return response.text()
}

const left = async () => (await listObjects(engine.docker, { session: sessionId() })).map(({ name }) => name)

test('boots a service, answers through the gate on this machine alone, and leaves nothing', async () => {
  const running = await start({ app: { command: server('process.env.PARITY_CLOCK + process.env.TZ') } })
  expect(running.drive).toEqual({ kind: 'http', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  expect(await ask(running)).toBe('2026-01-02T03:04:05ZUTC')
  expect(running.crashed()).toBeNull()
  expect(running.clock).toBe('2026-01-02T03:04:05Z')
  expect((await left()).length).toBe(4)
  await running[Symbol.asyncDispose]()
  expect(await left()).toEqual([])
})

test('shows in its evidence that every assertion holds, as the engine says it and from inside', async () => {
  const { evidence } = await start({ app: { command: server('1'), tmpfs: { '/tmp': 8 } } })
  expect(evidence?.assertions.filter(({ holds }) => !holds)).toEqual([])
  const inside = evidence?.assertions.filter(({ seenBy }) => seenBy === 'inside')
  expect(inside?.map(({ what, seen }) => `${what}: ${seen}`)).toEqual(
    expect.arrayContaining([
      'user: 65534 65534 65534 65534',
      'capabilities it could have: 0000000000000000',
      'no new privileges: 1',
      'system calls filtered: 2',
      'root: ro',
      'a file in its root: EROFS',
      'writable places: /tmp',
      'memory: 128 MB',
    ]),
  )
  expect(evidence?.assertions.filter(({ seenBy }) => seenBy === 'engine').length).toBe(16)
})

test('publishes the gate on 127.0.0.1, and puts nothing but the gate on the outer network', async () => {
  await start({ app: { command: server('1') } })
  const objects = await listObjects(engine.docker, { session: sessionId() })
  const gate = objects.find(({ marks, kind }) => kind === 'container' && marks.role === 'gate')
  const info = await engine.docker.getContainer(gate?.id ?? '').inspect()
  expect(
    Object.values(info.NetworkSettings.Ports)
      .flat()
      .map(binding => binding?.HostIp),
  ).toEqual(['127.0.0.1'])
  expect(info.HostConfig.Sysctls).toEqual({ 'net.ipv4.ip_forward': '0' })
  const outer = objects.find(({ name }) => name.endsWith('-outer'))
  const { Containers } = await engine.docker.getNetwork(outer?.id ?? '').inspect()
  expect(Object.keys(Containers ?? {})).toEqual([gate?.id])
  const inner = objects.find(({ name }) => name.endsWith('-inner'))
  const { Internal, Options } = await engine.docker.getNetwork(inner?.id ?? '').inspect()
  expect(Internal).toBe(true)
  expect(Options).toMatchObject({ 'com.docker.network.bridge.inhibit_ipv4': 'true' })
})

test('boots a service once those that it depends on are ready and seeded, and lets it find them by name', async () => {
  const asks = `require('http').get('http://db:3000/', r => r.on('data', d => seen = String(d)))`
  const running = await start({
    db: {
      tmpfs: { '/data': 1 },
      command: server("require('fs').readFileSync('/data/seeded', 'utf8') + ' on ' + process.env.DB_PASSWORD.length"),
      ready: { exec: node("require('fs').existsSync('/proc/1') || process.exit(1)"), timeoutMs: 20_000 },
      seed: [node("require('fs').writeFileSync('/data/seeded', 'seeded')")],
      secrets: { DB_PASSWORD: 'generated' },
    },
    app: {
      dependsOn: ['db'],
      secrets: { DB_PASSWORD: 'generated' },
      command: node(`let seen = 'nothing'; ${asks}
        require('http').createServer((q, s) => s.end(seen)).listen(3000)`),
    },
  })
  await expect.poll(() => ask(running)).toBe('seeded on 32')
})

test('asks a service that is not driven from beside it: http and stomp', async () => {
  const running = await start({
    web: { command: server("'fine'"), ready: { http: 'GET /x', status: 200, body: 'fine', timeoutMs: 20_000 } },
    broker: {
      command: node(`require('net').createServer(s => s.once('data', d =>
        s.write(String(d).startsWith('CONNECT\\n') ? 'CONNECTED\\nversion:1.2\\n\\n\\0' : 'ERROR\\n\\n\\0'))).listen(3000)`),
      ready: { stomp: true, timeoutMs: 20_000 },
    },
    app: { command: server('1'), dependsOn: ['web', 'broker'] },
  })
  expect(await ask(running)).toBe('1')
})

test('forwards large bodies, a half that ends first, and twenty connections at once', async () => {
  const running = await start({
    app: {
      command: node(`require('http').createServer(async (q, s) => {
        const chunks = []; for await (const c of q) chunks.push(c); s.end(Buffer.concat(chunks)) }).listen(3000)`),
    },
  })
  const body = 'x'.repeat(3 << 20)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => ask(running, '/', { method: 'POST', body: at === 0 ? body : `${at}` })),
  )
  expect(answers[0] === body).toBe(true)
  expect(answers.slice(1)).toEqual(Array.from({ length: 19 }, (_, at) => `${at + 1}`))
})

test('hands each line of the legacy on, with its service before it and its secrets concealed', async () => {
  const lines: string[] = []
  const running = await start(
    {
      app: {
        secrets: { TOKEN: 'generated' },
        command: node(`console.log('token', process.env.TOKEN); console.error('trouble')
          require('http').createServer((q, s) => s.end(process.env.TOKEN)).listen(3000)`),
      },
    },
    { onLog: line => lines.push(line) },
  )
  await expect.poll(() => running.logs().split('\n').sort()).toEqual(['app | token ‹TOKEN›', 'app | trouble'])
  expect(lines).toEqual(expect.arrayContaining(['app | token ‹TOKEN›', 'app | trouble']))
  expect(await ask(running)).toMatch(/^[\w-]{32}$/)
})

test('leaves nothing when it is broken off while it boots, and rejects with the reason', async () => {
  const lab = await inlineLab(engine, { app: { command: node('setInterval(() => {}, 1000)') } })
  onTestFinished(() => lab[Symbol.dispose]())
  const breaking = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => breaking.abort(reason), 1500)
  await expect(startLab(lab, { signal: breaking.signal })).rejects.toBe(reason)
  expect(await left()).toEqual([])
})

test('stops when its signal aborts', async () => {
  const stopping = new AbortController()
  await start({ app: { command: server('1') } }, { signal: stopping.signal })
  stopping.abort()
  await expect.poll(left, { timeout: 10_000 }).toEqual([])
})
