/** A smoke of `npm run fuzz`: its first rounds find nothing, and its parts would tell if there were something. */
import { describe, expect, test } from 'vitest'
import { ATTACKS, buildTrial } from '../scripts/fuzz/attacks.ts'
import { respelled, sameDecimal, withinDecimal } from '../scripts/fuzz/decimals.ts'
import { judge } from '../scripts/fuzz/oracle.ts'
import { type RuleLine, selectorText, yamlOf } from '../scripts/fuzz/rules.ts'
import { type Found, runRounds } from '../scripts/fuzz/run.ts'
import { array, number, object, type Tree } from '../scripts/fuzz/tree.ts'
import { examine, type Trial } from '../scripts/fuzz/trial.ts'

const ROUNDS = 40

test('the first rounds of the fuzz find nothing', () => {
  const found: Found[] = []
  const seen = new Set<string>()
  const tally = runRounds({
    seed: 'smoke',
    only: null,
    from: 0,
    onTrial: attack => seen.add(ATTACKS[attack] ?? ''),
    onFound: one => found.push(one),
    isOver: (_, round) => round === ROUNDS - 1,
  })
  expect(found).toEqual([])
  expect([...seen]).toEqual(ATTACKS.filter(name => name !== 'large'))
  expect(tally.pairs + tally.refused).toBe(ROUNDS * (ATTACKS.length - 1))
  expect(tally.decided).toBeGreaterThan(tally.pairs / 2)
})

test('a trial follows from its attack, seed and number alone', () => {
  for (const attack of ATTACKS.filter(name => name !== 'large')) {
    expect(buildTrial(attack, 'seed', 7), attack).toEqual(buildTrial(attack, 'seed', 7))
  }
})

function answer(text: string): Trial['golden'] {
  const headers = [['Content-Type', 'application/json']] as const
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers, body: { text } } }]
}

test.each<[string, string, string, Trial['expect'], string]>([
  ['a difference that is not reported', '{"a":1}', '{"a":1.0}', 'different', 'false PARITY'],
  ['a difference where there is none', '{"a":1}', '{"a":2}', 'equal', 'false DIVERGED'],
  ['nothing where the verdict is right', '{"a":1}', '{"a":2}', 'different', 'held'],
])('the fuzz tells %s', (_, golden, actual, expect_, kind) => {
  const outcome = examine({ golden: answer(golden), actual: answer(actual), yaml: '', expect: expect_, why: 'by hand' })
  expect(typeof outcome === 'string' ? outcome : outcome.kind).toBe(kind)
})

test('the fuzz tells a difference that stands beside the place that was changed', () => {
  const trial: Trial = {
    golden: answer('{"a":1,"b":1}'),
    actual: answer('{"a":2,"b":1}'),
    yaml: '',
    expect: 'different',
    near: '/b',
    why: 'by hand',
  }
  expect(examine(trial)).toMatchObject({ kind: 'elsewhere' })
})

describe('the oracle', () => {
  const a = (key: RuleLine['key'], eps: string | null = null, ...more: (string | null)[]): RuleLine => ({
    key,
    eps,
    steps: ['a', ...more].map(select => ({ descendant: false, select })),
  })
  const of = (value: Tree): Tree => object(['a', value])
  const list = (...texts: string[]): Tree => of(array(...texts.map(number)))
  test.each<[string, Tree, Tree, RuleLine[], boolean]>([
    ['numbers by value', list('1.0'), list('10e-1'), [], true],
    ['number text under exact', list('1.0'), list('1'), [a('exact')], false],
    ['position', list('1', '2'), list('2', '1'), [], false],
    ['no position in a multiset', list('1', '2'), list('2', '1'), [a('order_insensitive')], true],
    ['how often in a multiset', list('1', '2', '2'), list('2', '1', '1'), [a('order_insensitive')], false],
    [
      'an assignment where the first fit fails',
      list('1', '2'),
      list('1', '0'),
      [a('order_insensitive'), a('numeric_tolerance', '1', null)],
      true,
    ],
    ['shapes', list('1'), list('2', '3'), [a('structural')], true],
    ['empty against non-empty', list(), list('1'), [a('structural')], false],
    ['presence under ignore', of(number('1')), object(), [a('ignore')], true],
    [
      'repeated names in order',
      object(['a', number('1')], ['a', number('2')]),
      object(['a', number('2')], ['a', number('1')]),
      [],
      false,
    ],
  ])('knows %s', (_, golden, actual, rules, agree) => {
    expect(judge(golden, actual, rules)).toEqual({ agree, open: false, tied: false })
  })

  test('leaves open what the design does not say, and sees a tie', () => {
    expect(judge(list('1'), list('1.0'), [a('exact'), a('ignore')]).tied).toBe(true)
    expect(judge(list(), list('1'), [a('order_insensitive'), a('ignore', null, null)]).open).toBe(true)
  })

  test('computes decimals of any size', () => {
    expect(sameDecimal('1e400', '10E+399')).toBe(true)
    expect(sameDecimal('-0', '0e99999999999')).toBe(true)
    expect(sameDecimal('0.1', '0.10000000000000001')).toBe(false)
    expect(withinDecimal('0.1', '0.3', '0.2')).toBe(true)
    expect(withinDecimal('0.1', '0.3', '0.19999999999999999999')).toBe(false)
    expect(withinDecimal('1e999999999', '1', '1e300')).toBe(false)
    for (let choice = 0; choice < 7; choice++) expect(sameDecimal(respelled('-12.50', choice), '-12.5')).toBe(true)
  })

  test('writes selectors and the tolerance file', () => {
    const steps = [
      { descendant: true, select: 'a' },
      { descendant: false, select: "it's" },
      { descendant: false, select: 0 },
      { descendant: true, select: null },
    ]
    expect(selectorText(steps)).toBe("$..a['it\\'s'][0]..[*]")
    expect(yamlOf([{ key: 'exact', steps, eps: null }])).toBe("exact:\n  - \"$..a['it\\\\'s'][0]..[*]\"\n")
  })
})
