import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { governingOf, type Path, pathsUpTo } from '../../test/support/naive-rules.ts'
import { TOLERANCE_KEYS, type ToleranceKey } from '../model.ts'
import { compileMatcher, type MatchState } from './matcher.ts'
import { parseSelector } from './selector.ts'
import type { Rule } from './tolerance.ts'

function rule(text: string): Rule {
  const space = text.indexOf(' ')
  const key = TOLERANCE_KEYS.find(known => known === text.slice(0, space))
  const parsed = parseSelector(text.slice(space + 1))
  if (key === undefined || !parsed.ok) throw new Error(`no rule: ${text}`)
  return {
    key,
    selector: parsed.selector,
    eps: key === 'numeric_tolerance' ? '1' : null,
    text,
    id: null,
    line: 1,
    column: 1,
  }
}

function stateAt(rules: readonly string[], path: Path, step = 0): MatchState {
  const walk = (state: MatchState, segment: string | number): MatchState =>
    typeof segment === 'number' ? state.item(segment) : state.child(segment)
  return path.reduce(walk, compileMatcher(rules.map(rule)).body(step))
}

describe('what governs a node', () => {
  const rows: [why: string, rules: string[], path: Path, governing: string][] = [
    ['nothing without rules', [], ['a'], 'uncovered'],
    ['the rule that selects it', ['exact $.a'], ['a'], 'exact $.a'],
    ['nothing beside the rule', ['exact $.a'], ['b'], 'uncovered'],
    ['nothing above the rule', ['exact $.a.b'], ['a'], 'uncovered'],
    ['exact governs the subtree', ['exact $.a'], ['a', 'b', 0], 'exact $.a'],
    ['structural governs the subtree', ['structural $.a'], ['a', 'b', 0], 'structural $.a'],
    ['ignore governs the subtree', ['ignore $.a'], ['a', 'b', 0], 'ignore $.a'],
    ['numeric_tolerance governs the node alone', ['numeric_tolerance $.a'], ['a', 'b'], 'uncovered'],
    ['order_insensitive governs the node alone', ['order_insensitive $.a'], ['a', 0], 'uncovered'],
    ['below it the inherited rule goes on', ['exact $.a', 'order_insensitive $.a.b'], ['a', 'b', 0], 'exact $.a'],
    [
      'below it a beaten subtree rule goes on',
      ['structural $.a.*', 'order_insensitive $.a.b'],
      ['a', 'b', 0],
      'structural $.a.*',
    ],
    ['a deeper rule wins', ['structural $.a', 'exact $.a.b'], ['a', 'b', 'c'], 'exact $.a.b'],
    ['a deeper wildcard wins over a name', ['structural $.a', 'exact $.a.*'], ['a', 'b'], 'exact $.a.*'],
    ['nothing is deeper than ignore', ['ignore $.a', 'exact $..b'], ['a', 'b'], 'ignore $.a'],
    [
      'a more specific rule at the node itself beats ignore',
      ['ignore $.a.*', 'exact $.a.b'],
      ['a', 'b', 'c'],
      'exact $.a.b',
    ],
    ['name over index: no node has both', ['exact $[0]', 'structural $.a'], [0], 'exact $[0]'],
    ['name over wildcard', ['exact $.*', 'structural $.a'], ['a'], 'structural $.a'],
    ['index over wildcard', ['exact $[*]', 'structural $[0]'], [0], 'structural $[0]'],
    ['a wildcard where no index is named', ['exact $[*]', 'structural $[0]'], [1], 'exact $[*]'],
    ['child over descendant', ['exact $..id', 'structural $.a.id'], ['a', 'id'], 'structural $.a.id'],
    ['the leaf counts first', ['exact $.a.*', 'structural $.*.b'], ['a', 'b'], 'structural $.*.b'],
    ['a descendant name over a child wildcard', ['exact $.a.*', 'structural $..b'], ['a', 'b'], 'structural $..b'],
    ['then the segment above', ['exact $.*.id', 'structural $.a.id'], ['a', 'id'], 'structural $.a.id'],
    [
      'the longer of two that agree so far',
      ['exact $..id', 'structural $.a..id'],
      ['a', 'b', 'id'],
      'structural $.a..id',
    ],
    ['descendants reach any depth', ['exact $..id'], ['a', 0, 'b', 'id'], 'exact $..id'],
    ['a descendant selects below what it selected', ['exact $..a.b'], ['a', 'a', 'b'], 'exact $..a.b'],
    ['a name does not select an element', ["exact $['0']"], [0], 'uncovered'],
    ['an index does not select a member', ['exact $[0]'], ['0'], 'uncovered'],
    ['a wildcard selects members and elements', ['exact $.*.*'], ['a', 0], 'exact $.*.*'],
    ['__proto__ is a name', ['exact $.__proto__'], ['__proto__'], 'exact $.__proto__'],
    ['constructor is no rule', ['exact $.a'], ['constructor'], 'uncovered'],
    ['the root', ['exact $'], ['a'], 'exact $'],
  ]
  for (const [why, rules, path, governing] of rows) {
    test(`${why}: ${rules.join(', ')}`, () => {
      const state = stateAt(rules, path)
      expect(state.rule?.text ?? state.key).toBe(governing)
      expect(state.key).toBe(governing.split(' ')[0])
    })
  }

  test('a rule for one step wins over the same for every step, and there alone', () => {
    const rules = ['exact $.a', 'structural steps[1]:$.a', 'ignore steps[2]:$.b']
    expect(stateAt(rules, ['a'], 0).rule?.text).toBe('exact $.a')
    expect(stateAt(rules, ['a'], 1).rule?.text).toBe('structural steps[1]:$.a')
    expect(stateAt(rules, ['b'], 1).key).toBe('uncovered')
    expect(stateAt(rules, ['b'], 2).key).toBe('ignore')
  })
})

describe('scalars', () => {
  test('are governed by the rules of their root, the one for the step first', () => {
    const matcher = compileMatcher(
      ['exact status', 'ignore steps[1]:status', 'structural header.Date', 'exact $.status'].map(rule),
    )
    expect(matcher.scalar(0, 'status').rule?.text).toBe('exact status')
    expect(matcher.scalar(1, 'status').rule?.text).toBe('ignore steps[1]:status')
    expect(matcher.scalar(0, 'header.date').key).toBe('structural')
    expect(matcher.scalar(0, 'exit')).toMatchObject({ key: 'uncovered', rule: null, inert: true })
    expect(matcher.scalar(0, 'status').inert).toBe(true)
  })
})

describe('states', () => {
  test('are inert where nothing below can change, and are then their own children', () => {
    const matcher = compileMatcher(
      ['structural $.a', 'exact $.a.b', 'numeric_tolerance $.c', 'ignore $.d', 'exact $..x'].map(rule),
    )
    const root = matcher.body(0)
    expect(root.inert).toBe(false)
    expect(root.child('d').inert).toBe(true)
    expect(root.child('d').child('x')).toBe(root.child('d'))
    expect(root.child('c').inert).toBe(false)
    const plain = compileMatcher(['exact $.a'].map(rule)).body(0)
    expect(plain.child('a').inert).toBe(true)
    expect(plain.child('a').item(7)).toBe(plain.child('a'))
    expect(plain.child('z').inert).toBe(true)
    expect(plain.child('z').child('a')).toBe(plain.child('z'))
  })

  test('are never inert under a rule for one node alone', () => {
    const root = compileMatcher(['numeric_tolerance $.a', 'order_insensitive $.b'].map(rule)).body(0)
    expect(root.child('a').inert).toBe(false)
    expect(root.child('b').inert).toBe(false)
    expect(root.child('b').item(0).inert).toBe(true)
  })

  test('are shared: names that no rule mentions lead to one state, in every step', () => {
    const matcher = compileMatcher(['exact $..x', 'exact $.a.b'].map(rule))
    const root = matcher.body(0)
    expect(matcher.body(7)).toBe(root)
    expect(root.child('p')).toBe(root.child('q'))
    expect(root.child('p')).toBe(root.item(3))
    expect(root.child('p').child('q')).toBe(root.child('p'))
  })

  test('take a walk of a million levels', () => {
    let state = compileMatcher(['exact $..a..b', 'structural $..c'].map(rule)).body(0)
    for (let level = 0; level < 1_000_000; level += 1) state = state.child(level % 2 === 0 ? 'a' : 'z')
    expect(state.child('b').key).toBe('exact')
  })
})

describe('agreement with the definition', () => {
  const segment = fc.constantFrom('.a', '.b', '.*', '[0]', '[1]', '..a', '..b', '..*', '..[0]')
  const selector = fc.array(segment, { maxLength: 3 }).map(segments => `$${segments.join('')}`)
  const rules = fc.array(fc.tuple(fc.constantFrom<ToleranceKey>(...TOLERANCE_KEYS), selector), { maxLength: 5 })
  const paths = pathsUpTo(4)

  test('governs every node up to four levels as the definition says', () => {
    fc.assert(
      fc.property(rules, list => {
        const parsed = list.map(([key, path]) => rule(`${key} ${path}`))
        const root = compileMatcher(parsed).body(0)
        for (const path of paths) {
          let state = root
          for (const part of path) state = typeof part === 'number' ? state.item(part) : state.child(part)
          const expected = governingOf(parsed, path)
          if (state.rule !== expected) {
            throw new Error(`${path.join('/')}: expected ${expected?.text}, received ${state.rule?.text}`)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
