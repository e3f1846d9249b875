import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { NumberToken } from '../core/json.ts'
import type { Case, InputStep } from '../model.ts'
import { openTarget } from './driver.ts'
import { command, type Target } from './target.ts'

const folder = mkdtempSync(join(tmpdir(), 'parity driver ü '))
afterAll(() => rmSync(folder, { recursive: true }))

function caseOf(steps: readonly InputStep[]): Case {
  return { name: '001-happy-x', bucket: 'happy', covers: [], steps, now: null, class: null, id: 'sha256:0' }
}
const getRoot = { request: { method: 'GET', path: '/', headers: [] } }
const context = { clock: '2026-01-02T03:04:05Z', tz: 'UTC', signal: new AbortController().signal }

async function drive(target: Target, c: Case, timeoutMs = 5_000) {
  await using driver = await openTarget(target, context)
  return await driver.drive(c, { signal: context.signal, timeoutMs })
}

function textsOf(driven: Awaited<ReturnType<typeof drive>>): readonly string[] {
  if (!driven.ok) throw new Error(driven.fault.message)
  return driven.observation.map(step => {
    if (step.kind === 'command') return Buffer.from(step.stdout).toString()
    if (step.kind !== 'response') return JSON.stringify(step)
    const { body } = step.response
    return body !== undefined && 'bytes' in body ? Buffer.from(body.bytes).toString() : ''
  })
}

describe('a program', () => {
  const node = (script: string, env?: Record<string, string>) =>
    command([process.execPath, '-e', script], { cwd: folder, ...(env === undefined ? {} : { env }) })
  const input = { amount: new NumberToken('10.00') }

  test('gets the compact input on stdin; stdout, stderr and exit are observed', async () => {
    const target = node(`process.stdin.pipe(process.stdout); process.stderr.write('warn'); process.exitCode = 3`)
    expect(await drive(target, caseOf([{ input }]))).toEqual({
      ok: true,
      observation: [{ kind: 'command', exit: 3, stdout: Buffer.from('{"amount":10.00}'), stderr: 'warn' }],
    })
  })

  test('sees a clean environment: time zone, language and clock are set, secrets are not inherited', async () => {
    process.env.PARITY_TEST_SECRET = 'x'
    const names = `['TZ','LC_ALL','PARITY_CLOCK','PARITY_TEST_SECRET','EXTRA'].map(n => process.env[n])`
    const target = node(`console.log(JSON.stringify(${names}))`, { EXTRA: '1' })
    expect(textsOf(await drive(target, caseOf([{ input: null }])))).toEqual([
      '["UTC","C.UTF-8","2026-01-02T03:04:05Z",null,"1"]\n',
    ])
    delete process.env.PARITY_TEST_SECRET
  })

  test('that does not exist is unreachable', async () => {
    expect(await drive(command(['no-such-program-here']), caseOf([{ input: null }]))).toEqual({
      ok: false,
      seen: [],
      fault: {
        reason: 'candidate-unreachable',
        step: 0,
        message: 'no-such-program-here: the program, or the folder that it runs in, does not exist',
      },
    })
  })

  test('that hangs is killed with its children at the bound', async () => {
    const pidFile = join(folder, 'pid')
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { stdio: 'inherit' })`
    const target = node(`require('node:fs').writeFileSync('pid', String(${child}.pid)); setInterval(() => {}, 1e3)`)
    expect(await drive(target, caseOf([{ input: null }]), 1_500)).toEqual({
      ok: false,
      seen: [],
      fault: { reason: 'timeout', step: 0, message: 'the program did not end within 1500 ms' },
    })
    expect(existsSync(pidFile)).toBe(true)
    expect(await gone(Number(readFileSync(pidFile, 'utf8')))).toBe(true)
  })

  test('that leaves a child outside its group with its pipes is a timeout at the bound', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8e3)'], { stdio: 'inherit', detached: true })`
    const start = performance.now()
    expect(await drive(node(`${child}.unref()`), caseOf([{ input: null }]), 1_000)).toEqual({
      ok: false,
      seen: [],
      fault: { reason: 'timeout', step: 0, message: 'the program did not end within 1000 ms' },
    })
    expect(performance.now() - start).toBeLessThan(6_000)
  })

  test('that ends and leaves a child with its pipes is over, and the child is killed', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { stdio: 'inherit' })`
    const target = node(`const c = ${child}; c.unref(); require('node:fs').writeFileSync('left', String(c.pid))`)
    const driven = await drive(target, caseOf([{ input: null }]), 10_000)
    expect(driven).toMatchObject({ ok: true, observation: [{ exit: 0 }] })
    expect(await gone(Number(readFileSync(join(folder, 'left'), 'utf8')))).toBe(true)
  })

  test('that ends by a signal has the exit code of a shell', async () => {
    expect(await drive(node(`process.kill(process.pid, 'SIGTERM')`), caseOf([{ input: null }]))).toMatchObject({
      observation: [{ exit: 143 }],
    })
  })

  test('that writes without end is over the limit', async () => {
    const target = node(`const b = Buffer.alloc(1 << 20); const w = () => process.stdout.write(b, w); w()`)
    expect(await drive(target, caseOf([{ input: null }]), 20_000)).toEqual({
      ok: false,
      seen: [],
      fault: {
        reason: 'over-limit',
        step: 0,
        message: 'stdout of the program is larger than the bound of 16777216 bytes',
      },
    })
  })

  test('takes no requests', async () => {
    await expect(drive(command(['true']), caseOf([getRoot]))).rejects.toMatchObject({ code: 'PARITY_TARGET_KIND' })
  })
})

/** Whether the process is gone, or a zombie that its new parent has not reaped, within two seconds. */
async function gone(pid: number): Promise<boolean> {
  for (let n = 0; n < 40; n++) {
    try {
      process.kill(pid, 0)
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return false
}
