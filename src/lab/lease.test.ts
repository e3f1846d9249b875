/** Leases, held by processes of their own: one of them is killed, and one makes way. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLease } from './lease.ts'

let dir = ''
const children: ChildProcess[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'leases-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

const signal = new AbortController().signal
const take = (timeoutMs: number, key = 'a') => takeLease(key, { purpose: 'here', timeoutMs, signal, dir })

/** A process that takes the lease, says so, and then does `then`. */
async function holder(then: string): Promise<ChildProcess> {
  const text = `
    import { takeLease } from ${JSON.stringify(join(import.meta.dirname, 'lease.ts'))}
    const taken = await takeLease('a', { purpose: 'there', timeoutMs: 10_000, signal: new AbortController().signal, dir: ${JSON.stringify(dir)} })
    console.log(taken.ok)
    ${then}`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [said] = await once(child.stdout, 'data')
  expect(String(said)).toBe('true\n')
  return child
}

const FOREVER = 'setInterval(() => {}, 1_000)'

test('is had by one at a time, told by its process and what it is for, and by the next once it is given back', async () => {
  const first = await take(0)
  expect(first.ok).toBe(true)
  expect(await take(0)).toEqual({ ok: false, heldBy: `process ${process.pid} (here)` })
  expect((await take(0, 'b')).ok).toBe(true)
  const waiting = take(10_000)
  if (first.ok) first.lease.release()
  expect((await waiting).ok).toBe(true)
})

test('given back twice gives nothing of the next holder back', async () => {
  const first = await take(0)
  if (first.ok) first.lease.release()
  expect((await take(0)).ok).toBe(true)
  if (first.ok) first.lease.release()
  expect((await take(0)).ok).toBe(false)
})

test('of another process is waited for to its bound, and names it', async () => {
  const child = await holder(FOREVER)
  expect(await take(100)).toEqual({ ok: false, heldBy: `process ${child.pid} (there)` })
})

test('of a process that was killed is had at once, by one of those who wait', async () => {
  const child = await holder(FOREVER)
  const waiting = [take(1_000), take(1_000), take(1_000)]
  child.kill('SIGKILL')
  const taken = await Promise.all(waiting)
  expect(taken.map(({ ok }) => ok).sort()).toEqual([false, false, true])
})

test('is given back where the process exits without a word', async () => {
  const child = await holder('process.exit(0)')
  await once(child, 'close')
  const files = readdirSync(dir)
  expect(files.map(file => readFileSync(join(dir, file), 'utf8'))).toEqual(['{"free":true}'])
  expect((await take(0)).ok).toBe(true)
})

test('of a process whose number another one has now is no lease', async () => {
  await holder('process.exit(0)').then(child => once(child, 'close'))
  const [file = ''] = readdirSync(dir)
  writeFileSync(join(dir, file), JSON.stringify({ pid: process.pid, born: '1', purpose: 'before' }))
  expect((await take(0)).ok).toBe(true)
})

test('leaves few files behind, however often it changes hands', async () => {
  for (let at = 0; at < 100; at++) {
    const taken = await take(0)
    expect(taken.ok).toBe(true)
    if (taken.ok) taken.lease.release()
  }
  expect(readdirSync(dir).length).toBeLessThan(40)
})

test('many processes that count a file up under it lose no count', async () => {
  const count = join(dir, '..', `${dir.split('/').at(-1)}.count`)
  const text = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { takeLease } from ${JSON.stringify(join(import.meta.dirname, 'lease.ts'))}
    for (let turn = 0; turn < 5; turn++) {
      const taken = await takeLease('count', { purpose: 'count', timeoutMs: 60_000, signal: new AbortController().signal, dir: ${JSON.stringify(dir)} })
      const before = Number(readFileSync(process.argv[1], 'utf8'))
      await sleep(5)
      writeFileSync(process.argv[1], String(before + 1))
      if (turn === 4) process.kill(process.pid, 'SIGKILL') // dies with the lease in hand
      taken.lease.release()
    }`
  writeFileSync(count, '0')
  const running = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', text, count], { stdio: 'inherit' }),
  )
  children.push(...running)
  await Promise.all(running.map(child => once(child, 'close')))
  expect(readFileSync(count, 'utf8')).toBe('20')
  rmSync(count)
})
