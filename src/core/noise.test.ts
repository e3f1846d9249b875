import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { jsonResponse, response, rulesOf } from '../../test/observations.ts'
import { coverNoise, noiseOf } from './calibrate.ts'

describe('noise', () => {
  const first = response({
    headers: [
      ['Content-Type', 'application/json'],
      ['Date', 'a'],
      ['X-Id', '1'],
    ],
    body: { bytes: Buffer.from('{"id":"r-1","n":1.0,"list":[1,2],"same":true}') },
  })
  const second = response({
    headers: [
      ['Content-Type', 'application/json'],
      ['Date', 'b'],
      ['X-Id', '2'],
    ],
    body: { bytes: Buffer.from('{"id":"r-2","n":1,"list":[2,1],"same":true,"more":0}') },
  })
  const noise = noiseOf(first, second)

  test('is found with no rule applied, number text and order included, the framing left out', () => {
    expect(noise).toEqual([
      { step: 0, path: 'header.x-id', pointer: '', first: '"1"', second: '"2"' },
      { step: 0, path: '$.id', pointer: '/id', first: '"r-1"', second: '"r-2"' },
      { step: 0, path: '$.n', pointer: '/n', first: '1.0', second: '1' },
      { step: 0, path: '$.list', pointer: '/list', first: '[1,2]', second: '[2,1]' },
      { step: 0, path: '$.more', pointer: '/more', first: null, second: '0' },
    ])
    expect(noiseOf(first, first)).toEqual([])
  })

  test('is covered by rules that let it pass, from the golden and the noise alone', () => {
    const rules = '{structural: [$.id], order_insensitive: [$.list], ignore: [$.more]}'
    expect(coverNoise(noise, first, rulesOf(rules))).toEqual({ uncovered: [], proposals: [], refused: [] })
  })

  test('that no rule covers is listed, with a rule to propose', () => {
    const { uncovered, proposals } = coverNoise(noise, first, rulesOf('exact: [$.n, header.x-id]'))
    expect(uncovered.map(({ path }) => path)).toEqual(['header.x-id', '$.id', '$.n', '$.list', '$.more'])
    expect(proposals.map(({ rule }) => rule)).toEqual([
      'ignore header.x-id',
      'structural $.id',
      'structural $.n',
      'order_insensitive $.list',
      'ignore $.more',
    ])
  })

  test('is judged by its own tokens when the golden was recorded earlier', () => {
    const earlier = jsonResponse('{"id":"r-0"}')
    const entry = [{ step: 0, path: '$.id', pointer: '/id', first: '"r-1"', second: '""' }]
    expect(coverNoise(entry, earlier, rulesOf('structural: [$.id]')).uncovered).toEqual(entry)
    expect(coverNoise(entry, earlier, rulesOf('ignore: [$.id]')).uncovered).toEqual([])
  })

  test('in elements that come and go is put back in place', () => {
    const [one, two] = [jsonResponse('{"a":[1,2,3]}'), jsonResponse('{"a":[0,1,2,3]}')]
    const entries = noiseOf(one, two)
    expect(entries).toEqual([{ step: 0, path: '$.a[0]', pointer: '/a/0', first: null, second: '0' }])
    expect(coverNoise(entries, one, rulesOf('{}')).uncovered).toEqual(entries)
    expect(coverNoise(entries, one, rulesOf('structural: [$.a]')).uncovered).toEqual([])
    const back = noiseOf(two, one)
    expect(coverNoise(back, two, rulesOf('{}')).uncovered).toEqual(back)
    expect(coverNoise(back, two, rulesOf('structural: [$.a]')).uncovered).toEqual([])
  })

  test('in a multiset is covered as a whole', () => {
    const [one, two] = [
      jsonResponse('{"a":[{"k":1},{"k":2},{"k":3}]}'),
      jsonResponse('{"a":[{"k":2},{"k":3},{"k":1}]}'),
    ]
    expect(coverNoise(noiseOf(one, two), one, rulesOf('order_insensitive: [$.a]')).uncovered).toEqual([])
    expect(coverNoise(noiseOf(one, two), one, rulesOf('{}')).uncovered).toHaveLength(1)
  })

  test('a proposal names any index', () => {
    const [one, two] = [jsonResponse('[{"t":1},{"t":2}]'), jsonResponse('[{"t":3},{"t":4}]')]
    expect(coverNoise(noiseOf(one, two), one, rulesOf('{}')).proposals).toEqual([
      {
        rule: 'structural $[*].t',
        why: 'two captures of the legacy have other values of one form',
        path: '$[0].t',
        kind: 'counter',
        first: '1',
        second: '3',
      },
    ])
  })
})
