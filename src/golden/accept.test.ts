import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answered, capture, edit, filesOf, folder, options, reasonOf } from '../../test/golden-folder.ts'
import { acceptPending, pendingNames } from './accept.ts'
import { freeze } from './freeze.ts'
import { readCalibration, readFixtureSet } from './store.ts'

describe('accepting', () => {
  const name = '001-happy-a'
  const accept = (dir: string, o: Partial<Parameters<typeof acceptPending>[0]> = {}) =>
    acceptPending({
      dir,
      feature: 'forex',
      name,
      reason: 'rates are new',
      author: 'ana',
      now: '2026-12-01T00:00:00Z',
      ci: false,
      ...o,
    })
  const waiting = async () => {
    const dir = folder()
    const big = [answered(Buffer.alloc(9_000, 1), [['Content-Type', 'image/png']])]
    const bigger = [answered(Buffer.alloc(9_000, 2), [['Content-Type', 'image/png']])]
    await freeze(options(dir, [capture(name, '', { observation: big }), capture('002-happy-b', '{"b":1}')]))
    await freeze(options(dir, [capture(name, '', { observation: bigger }), capture('002-happy-b', '{"b":2}')]))
    return dir
  }

  test('makes the one payload that waits the golden, and says who did and why', async () => {
    const dir = await waiting()
    const { from, to } = await accept(dir)
    expect([reasonOf(dir, name), reasonOf(dir, '002-happy-b'), pendingNames(dir)]).toEqual([
      'ok',
      'ok',
      ['002-happy-b'],
    ])
    expect(readFixtureSet(dir).manifest?.fixtures[name]?.id).toBe(to)
    expect(Object.hasOwn(readCalibration(dir)?.fixtures ?? {}, to)).toBe(true)
    expect(readdirSync(dir).filter(file => file.endsWith('.bin')).length).toBe(1)
    await accept(dir, { name: '002-happy-b', author: 'ben' })
    expect(existsSync(join(dir, 'pending'))).toBe(false)
    const lines = readFileSync(join(dir, 'accepted.ndjson'), 'utf8').trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { at: '2026-12-01T00:00:00Z', case: name, from, to, author: 'ana', reason: 'rates are new' },
      { case: '002-happy-b', author: 'ben' },
    ])
  })

  test('leaves a body behind that an earlier payload of the case had, and the later one has not', async () => {
    const dir = await waiting()
    const other = [answered(Buffer.alloc(9_000, 3), [['Content-Type', 'image/png']])]
    await freeze(options(dir, [capture(name, '', { observation: other }), capture('002-happy-b', '{"b":2}')]))
    await accept(dir)
    expect(reasonOf(dir, name)).toBe('ok')
    expect(readdirSync(dir).filter(file => file.endsWith('.bin')).length).toBe(1)
    expect(readdirSync(join(dir, 'pending')).filter(file => file.endsWith('.bin'))).toEqual([])
  })

  const refusals: readonly [string, Parameters<typeof accept>[1], string][] = [
    ['in CI', { ci: true }, 'CI accepts nothing'],
    ['without a reason', { reason: ' ' }, 'there is no reason'],
    ['without an author', { author: '' }, 'there is no author'],
    [
      'for a case that does not wait',
      { name: '009-happy-z' },
      'nothing waits for this case (waiting: 001-happy-a, 002-happy-b)',
    ],
  ]
  test.each(refusals)('J5: is refused %s, and nothing changes', async (_name, o, message) => {
    const dir = await waiting()
    const before = filesOf(dir)
    await expect(accept(dir, o)).rejects.toMatchObject({ code: 'PARITY_ACCEPT_REFUSED' })
    await expect(accept(dir, o)).rejects.toThrow(message)
    expect(filesOf(dir)).toEqual(before)
  })

  test('is refused for a payload that was edited by hand', async () => {
    const dir = await waiting()
    edit(join(dir, 'pending', '002-happy-b.json'), text => text.replace('"b": 2', '"b": 3'))
    await expect(accept(dir, { name: '002-happy-b' })).rejects.toThrow(/is not the one that its id names/)
  })
})
