import { describe, expect, test } from 'vitest'
import type { Json } from '../core/json.ts'
import { compileTolerance } from '../core/tolerance.ts'
import type { Observation } from '../model.ts'
import { sameExceptNoise } from './record.ts'

const TEXT = 'structural: [$.id]\norder_insensitive: [$.rates]\nignore: [$.meta]\n'
const compiled = compileTolerance({ file: 't.yaml', text: TEXT })
if (!compiled.ok) throw new Error('the tolerance does not compile')
const { rules } = compiled
const answer = (output: Json): Observation => [{ kind: 'output', output }]
const noise = [{ path: '$.id' }, { path: '$.rates' }, { path: '$.meta.slow[0]' }]
const OLD = { id: 'a', rates: ['USD', 'EUR'], amount: 1, meta: { slow: ['x'] } }
const same = (fresh: Json, seen = noise) =>
  sameExceptNoise({ old: answer(OLD), fresh: answer(fresh), rules, noise: seen, steps: [] })

describe('a fresh capture says nothing new', () => {
  test.each<[string, Json]>([
    ['as it was', OLD],
    ['with another value where any case was seen to be noisy', { ...OLD, id: 'b' }],
    ['in another order where a list was seen in two', { ...OLD, rates: ['EUR', 'USD'] }],
    ['at another index of a noisy list', { ...OLD, meta: { slow: ['x', 'y'] } }],
  ])('%s', (_, fresh) => {
    expect(same(fresh)).toBe(true)
  })
})

describe('a fresh capture is another payload', () => {
  test.each<[string, Json]>([
    ['with another value that no rule covers', { ...OLD, amount: 2 }],
    ['with a change that a rule covers, at a place that was never noisy', { ...OLD, meta: { slow: ['x'], pid: 1 } }],
    ['with another element in a list of any order', { ...OLD, rates: ['EUR', 'GBP'] }],
  ])('%s', (_, fresh) => {
    expect(same(fresh)).toBe(false)
  })

  test('where the legacy was never seen to differ from itself', () => {
    expect(same({ ...OLD, id: 'b' }, [])).toBe(false)
    expect(same({ ...OLD, rates: ['EUR', 'USD'] }, [{ path: '$.id' }])).toBe(false)
  })
})
