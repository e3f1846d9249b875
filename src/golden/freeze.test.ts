import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answered, capture, caseOf, edit, filesOf, folder, input, options, reasonOf } from '../../test/golden-folder.ts'
import { sha256 } from '../core/canonical.ts'
import { pendingNames } from './accept.ts'
import { type Capture, freeze } from './freeze.ts'
import { admit, readCalibration, readFixtureSet } from './store.ts'

describe('freezing again', () => {
  const first = [capture('001-happy-a', '{"id":"r-1","v":1}'), capture('002-happy-b', '{"b":1}')]

  test('the same payloads changes no byte but dates', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    expect(await freeze(options(dir, first))).toEqual({
      written: [],
      unchanged: ['001-happy-a', '002-happy-b'],
      noiseOnly: [],
      pending: [],
    })
    expect(filesOf(dir)).toEqual(before)
    await freeze(options(dir, first, { now: '2027-01-01T00:00:00Z' }))
    const changed = Object.entries(filesOf(dir)).filter(([path, text]) => before[path] !== text)
    expect(changed.map(([path]) => path)).toEqual(['calibration.json'])
  })

  test('covered noise leaves the golden byte for byte and refreshes the calibration', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    const noise = [{ step: 0, path: '$.id', pointer: '/id', first: '"r-2"', second: '"r-3"' }]
    const again = [capture('001-happy-a', '{"id":"r-2","v":1}', { noise })]
    const seen: string[] = []
    const report = await freeze(
      options(dir, again, {
        sameExceptNoise: (_old, _fresh, name) => {
          seen.push(name)
          return true
        },
      }),
    )
    expect([report.noiseOnly, seen]).toEqual([['001-happy-a'], ['001-happy-a']])
    const after = filesOf(dir)
    expect(after['001-happy-a.json']).toBe(before['001-happy-a.json'])
    const id = readFixtureSet(dir).manifest?.fixtures['001-happy-a']?.id ?? sha256('')
    expect(readCalibration(dir)?.fixtures[id]?.noise).toEqual(noise)
  })

  test('cases with one payload share the noise of both', async () => {
    const dir = folder()
    const noiseAt = (path: string) => [{ step: 0, path, pointer: '', first: '1', second: '2' }]
    const body = '{"a":1}'
    await freeze(
      options(dir, [
        capture('001-happy-a', body, { noise: noiseAt('$.a') }),
        capture('002-happy-b', body, { noise: noiseAt('$.b') }),
        capture('003-happy-c', body),
      ]),
    )
    const [entry] = Object.values(readCalibration(dir)?.fixtures ?? {})
    expect(entry?.noise.map(({ path }) => path)).toEqual(['$.a', '$.b'])
  })

  test('J2: another payload waits in pending, and the golden stands', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    const report = await freeze(options(dir, [capture('001-happy-a', '{"id":"r-1","v":2}')]))
    expect([report.pending, pendingNames(dir)]).toEqual([['001-happy-a'], ['001-happy-a']])
    const after = filesOf(dir)
    for (const [path, text] of Object.entries(before)) expect(after[path]).toBe(text)
    expect(reasonOf(join(dir, 'pending'), '001-happy-a')).toBe('ok')
  })

  test('the payload of the golden again takes back what waits', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    await freeze(options(dir, [capture('001-happy-a', '{"v":2}'), capture('002-happy-b', '{"v":2}')]))
    await freeze(options(dir, first.slice(0, 1)))
    expect(pendingNames(dir)).toEqual(['002-happy-b'])
    await freeze(options(dir, first))
    expect(existsSync(join(dir, 'pending'))).toBe(false)
  })

  test('over a golden that was tampered with, or for another input, writes nothing but pending', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    edit(join(dir, '001-happy-a.json'), text => text.replace('"v": 1', '"v": 9'))
    const tampered = readFileSync(join(dir, '001-happy-a.json'), 'utf8')
    const other = { ...first[1], input: sha256('other') } as Capture
    const report = await freeze(options(dir, [...first.slice(0, 1), other], { sameExceptNoise: () => true }))
    expect(report.pending).toEqual(['001-happy-a', '002-happy-b'])
    expect(readFileSync(join(dir, '001-happy-a.json'), 'utf8')).toBe(tampered)
  })

  test('a golden that was deleted comes back only as it was', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    rmSync(join(dir, '001-happy-a.json'))
    rmSync(join(dir, '002-happy-b.json'))
    const report = await freeze(options(dir, [...first.slice(0, 1), capture('002-happy-b', '{"b":2}')]))
    expect([report.written, report.pending]).toEqual([['001-happy-a'], ['002-happy-b']])
  })

  test('after a new revision, the payloads that are still the same are admitted again', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    await freeze(options(dir, first.slice(0, 1), { revision: 'forex-2' }))
    const set = readFixtureSet(dir)
    const reason = (name: string) => admit(set, caseOf(name), { revision: 'forex-2' })
    expect([reason('001-happy-a').ok, reason('002-happy-b')]).toMatchObject([
      true,
      { fault: { reason: 'oracle-moved' } },
    ])
  })
})

describe('writing', () => {
  test('where nothing can be written is a clear error, and nothing is lost', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    const blocked = join(dir, '001-happy-a.json', 'forex')
    await expect(freeze(options(blocked, [capture('001-happy-a', '{"a":1}')]))).rejects.toMatchObject({
      code: 'PARITY_GOLDEN_WRITE',
      message: expect.stringContaining('the goldens cannot be written: a part of its path is a file'),
    })
    expect(reasonOf(dir, '001-happy-a')).toBe('ok')
  })

  test('by two processes at once is refused; what a dead one left is removed', async () => {
    const dir = folder()
    mkdirSync(join(dir, `.staging-${process.ppid}`), { recursive: true })
    await expect(freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))).rejects.toThrow(/is writing these goldens/)
    rmSync(join(dir, `.staging-${process.ppid}`), { recursive: true })
    mkdirSync(join(dir, '.staging-999999999'))
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    expect(readdirSync(dir).sort()).toEqual(['001-happy-a.json', 'calibration.json', 'manifest.json'])
  })

  test('killed at any point leaves a set that reads as old, as new, or names what is amiss; freezing again completes it', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    const script = join(dir, '..', 'freeze.ts')
    const modules = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    writeFileSync(
      script,
      `import { freeze } from ${modules('./freeze.ts')}
       const captures = Array.from({ length: 40 }, (_, n) => ({ name: String(100 + n) + '-happy-x', input: '${input}', captures: 2, noise: [],
         observation: [{ kind: 'response', method: 'GET', response: { status: 200, headers: [], body: { bytes: Buffer.from('n' + n) } } }] }))
       console.log('ready')
       await freeze({ ...${JSON.stringify(options(dir, []))}, captures, sameExceptNoise: () => false })`,
    )
    const states = new Set<string>()
    for (let afterMs = 0; afterMs < 60; afterMs += 6) {
      const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] })
      await new Promise<void>(resolve => {
        child.stdout.once('data', () => setTimeout(() => resolve(void child.kill('SIGKILL')), afterMs))
      })
      await new Promise(resolve => child.once('close', resolve))
      expect(reasonOf(dir, '001-happy-a')).toBe('ok')
      const set = readFixtureSet(dir)
      for (const name of set.names) {
        const listed = Object.hasOwn(set.manifest?.fixtures ?? {}, name)
        states.add(`${listed ? 'listed' : 'unlisted'} ${reasonOf(dir, name)}`)
      }
    }
    expect([...states].filter(state => state !== 'listed ok' && state !== 'unlisted fixture-tampered')).toEqual([])
    const body = (n: number) => answered(`n${n}`, [])
    const captures = Array.from({ length: 40 }, (_, n) => capture(`${100 + n}-happy-x`, '', { observation: [body(n)] }))
    const report = await freeze(options(dir, captures))
    expect([report.pending, report.written.length + report.unchanged.length]).toEqual([[], 40])
    expect(captures.every(({ name }) => reasonOf(dir, name) === 'ok')).toBe(true)
  })
})
