import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngine, unreachable } from './engine.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'vitest-parity-engine-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const VERSION = { Version: '99.1.0', ApiVersion: '1.41', Os: 'linux', Arch: 'amd64' }

function open(socket: string, signal: AbortSignal = AbortSignal.timeout(30_000)) {
  return openEngine({ signal, env: { DOCKER_HOST: `unix://${socket}` } })
}

/** A stand-in for an engine at a socket of its own, for the time of one test. */
async function engineThat<T>(answer: RequestListener, use: (socket: string) => Promise<T>): Promise<T> {
  const socket = join(dir, `${Math.random().toString(36).slice(2)}.sock`)
  const server = createServer(answer).listen(socket)
  await new Promise(resolve => server.once('listening', resolve))
  try {
    return await use(socket)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

test('opens the engine of DOCKER_HOST, and says its version and platform', async () => {
  await engineThat(json(200, VERSION), async socket => {
    expect(await open(socket)).toMatchObject({ version: '99.1.0', apiVersion: '1.41', platform: 'linux/amd64' })
  })
})

test('keeps the reaper of testcontainers out: its image cannot be had everywhere', async () => {
  await engineThat(json(200, VERSION), open)
  expect(process.env.TESTCONTAINERS_RYUK_DISABLED).toBe('true')
})

test('says that no engine listens where there is no socket', async () => {
  await expect(open(join(dir, 'none.sock'))).rejects.toMatchObject({
    reason: 'dependency-missing',
    message: `no container engine listens at unix://${join(dir, 'none.sock')} (ENOENT)`,
    remedy: expect.stringContaining('replaying recorded fixtures needs no engine'),
  })
})

test('says that the engine is not running where nobody answers at the socket', async () => {
  const socket = join(dir, 'dead.sock')
  writeFileSync(socket, '')
  await expect(open(socket)).rejects.toMatchObject({
    message: `the container engine at unix://${socket} is not running (ECONNREFUSED)`,
    remedy: expect.stringMatching(/^start it/),
  })
})

test('stops waiting for an engine that hangs', async () => {
  await engineThat(
    () => {},
    async socket => {
      await expect(open(socket)).rejects.toMatchObject({
        message: `the container engine at unix://${socket} did not answer within 5000 ms`,
        remedy: expect.stringMatching(/^restart it/),
      })
    },
  )
})

test('ends with the reason of the signal', async () => {
  const reason = new Error('the run was stopped')
  await engineThat(
    () => {},
    async socket => {
      await expect(open(socket, AbortSignal.abort(reason))).rejects.toBe(reason)
    },
  )
})

test.each([
  [
    'new',
    'client version 1.99 is too new. Maximum supported API version is 1.41',
    'update the engine to 20.10 or later',
  ],
  ['old', 'client version 1.12 is too old. Minimum supported API version is 1.44', 'unset DOCKER_API_VERSION'],
])('tells an engine for which the API is too %s', async (_, message, remedy) => {
  await engineThat(json(400, { message }), async socket => {
    await expect(open(socket)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    })
  })
})

test('refuses an engine of containers that are not linux ones', async () => {
  await engineThat(json(200, { ...VERSION, Os: 'windows' }), async socket => {
    await expect(open(socket)).rejects.toMatchObject({
      remedy: expect.stringContaining('switch it to linux containers'),
    })
  })
})

test('hands on the words of an engine that refuses for another reason', async () => {
  await engineThat(json(500, { message: 'the disk is on fire' }), async socket => {
    await expect(open(socket)).rejects.toMatchObject({ message: expect.stringContaining('the disk is on fire') })
  })
})

test.each([
  ['EACCES', 'may not speak to the container engine', 'sudo usermod -aG docker "$USER"'],
  ['ENOTFOUND', 'has no address', 'correct DOCKER_HOST'],
])('knows what to do about %s', (code, what, remedy) => {
  const failure = unreachable('tcp://engine.example:2375', Object.assign(new Error(code), { code }))
  expect(failure).toMatchObject({ reason: 'dependency-missing', message: expect.stringContaining(what) })
  expect(failure.remedy).toContain(remedy)
})

test('names the package that is missing, and how to install both', async () => {
  const url = new URL('./engine.ts', import.meta.url).href
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier !== 'testcontainers') return next(specifier, context)
        throw new Error("Cannot find package 'testcontainers' imported from engine.ts")
      },
    })
    const { openEngine } = await import(${JSON.stringify(url)})
    const { reason, message, remedy } = await openEngine({ signal: new AbortController().signal }).catch(error => error)
    console.log(JSON.stringify({ reason, message, remedy }))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  expect(JSON.parse(stdout)).toEqual({
    reason: 'dependency-missing',
    message: 'a container lab needs the package testcontainers, which cannot be loaded',
    remedy: 'npm install -D testcontainers dockerode; replaying recorded fixtures needs no engine',
  })
})
