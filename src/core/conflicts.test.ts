import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { governingOf, pathsUpTo, selects } from '../../test/support/naive-rules.ts'
import { TOLERANCE_KEYS, type ToleranceKey } from '../model.ts'
import { commonNode } from './automaton.ts'
import { conflictsOf } from './conflicts.ts'
import { parseSelector } from './selector.ts'
import type { Rule } from './tolerance.ts'

function rulesOf(texts: readonly string[]): Rule[] {
  return texts.map((text, line) => {
    const space = text.indexOf(' ')
    const key = TOLERANCE_KEYS.find(known => known === text.slice(0, space))
    const parsed = parseSelector(text.slice(space + 1))
    if (key === undefined || !parsed.ok) throw new Error(`no rule: ${text}`)
    return { key, selector: parsed.selector, eps: null, text, id: null, line: line + 1, column: 1 }
  })
}

const messagesOf = (...texts: string[]): string[] => conflictsOf(rulesOf(texts)).map(({ message }) => message)

describe('ties', () => {
  const refused: [rules: [string, string], message: string][] = [
    [['exact $.a', 'ignore $.a'], 'two rules for one node: "ignore $.a" and "exact $.a" (line 1)'],
    [['exact $.a', "exact $['a']"], 'two rules for one node: "exact $[\'a\']" and "exact $.a" (line 1)'],
    [['exact $.*.a', 'ignore $[*].a'], 'two rules for one node: "ignore $[*].a" and "exact $.*.a" (line 1)'],
    [['exact status', 'ignore status'], 'two rules for one node: "ignore status" and "exact status" (line 1)'],
    [['exact header.X', 'ignore header.x'], 'two rules for one node: "ignore header.x" and "exact header.X" (line 1)'],
    [
      ['exact $..a..c', 'structural $..b..c'],
      'two rules of the same precedence can meet: "structural $..b..c" and "exact $..a..c" (line 1) both select $.a.b.c',
    ],
    [
      ['exact $..a.*', 'structural $..b.*'],
      // no node: a and b stand in the same place
      '',
    ],
    [
      ['exact $..a..*', 'structural $..b..*'],
      'two rules of the same precedence can meet: "structural $..b..*" and "exact $..a..*" (line 1) both select $.a.b.x',
    ],
  ]
  for (const [rules, message] of refused) {
    test(`${rules.join(' with ')}: ${message === '' ? 'stands' : 'is refused'}`, () => {
      expect(messagesOf(...rules)).toStrictEqual(message === '' ? [] : [message])
    })
  }

  const standing: [why: string, rules: string[]][] = [
    ['a name beats a wildcard', ['exact $.a', 'structural $.b.*', 'exact $.b.c']],
    ['the leaf decides', ['exact $.a.*', 'structural $.*.b']],
    ['a child beats a descendant', ['exact $.a.id', 'structural $..id']],
    ['the longer beats the shorter', ['exact $.a..id', 'structural $..id']],
    ['one step beats every step', ['exact $.a', 'structural steps[0]:$.a', 'ignore steps[1]:$.a']],
    ['other roots', ['exact $.status', 'exact status', 'exact header.status', 'exact exit']],
    ['other names', ['exact $.a.*.c', 'structural $.b.*.c']],
    ['a member and an element', ["exact $['0']", 'exact $[0]']],
  ]
  for (const [why, rules] of standing) {
    test(`no tie, ${why}: ${rules.join(', ')}`, () => {
      expect(messagesOf(...rules)).toStrictEqual([])
    })
  }

  test('are found exactly: an example node that both select, or none up to five levels', () => {
    const segment = fc.constantFrom('.a', '.b', '.*', '[0]', '..a', '..b', '..*', '..[0]')
    const selector = fc.array(segment, { minLength: 1, maxLength: 3 }).map(parts => `exact $${parts.join('')}`)
    const paths = pathsUpTo(5)
    fc.assert(
      fc.property(selector, selector, (first, second) => {
        const [a, b] = rulesOf([first, second]).map(rule => rule.selector.segments)
        if (a === undefined || b === undefined) throw new Error('two rules were made')
        const node = commonNode(a, b)
        if (node !== null) expect(selects(a, node) && selects(b, node)).toBe(true)
        else expect(paths.find(path => selects(a, path) && selects(b, path))).toBe(undefined)
      }),
      { numRuns: 150 },
    )
  })
})

describe('rules below an ignored node', () => {
  const rows: [rules: string[], refused: string[], why: string][] = [
    [['ignore $.a', 'exact $.a.b'], ['exact $.a.b'], 'a name below'],
    [['ignore $.a', 'exact $.a..b'], ['exact $.a..b'], 'any depth below'],
    [['ignore $.a', 'ignore $.a.b'], ['ignore $.a.b'], 'an ignore below'],
    [['ignore $..a', 'exact $.x.a.b'], ['exact $.x.a.b'], 'below a descendant'],
    [['ignore $.*.a', 'exact $.x.a.b', 'exact $.x.b'], ['exact $.x.a.b'], 'below a wildcard'],
    [['ignore $.a', 'exact $..b'], [], 'it can select elsewhere too'],
    [['ignore $.a', 'exact $.*.b'], [], 'it can select elsewhere too'],
    [['ignore $.a.*', 'exact $.a.b', 'exact $.a.b.c'], [], 'a more specific rule takes the node back'],
    [['ignore $.a.b', 'exact $.a.*.c'], [], 'beside the ignored node'],
    [['ignore $.a[0]', 'ignore $.a[1]', 'exact $.a[*].x'], [], 'the third element is not ignored'],
    [['ignore steps[1]:$.a', 'exact $.a.b'], [], 'it selects in other steps'],
    [['ignore steps[1]:$.a', 'exact steps[1]:$.a.b'], ['exact steps[1]:$.a.b'], 'not in this one'],
    [['ignore $.a', 'exact steps[1]:$.a.b'], ['exact steps[1]:$.a.b'], 'every step is ignored'],
  ]
  for (const [rules, refused, why] of rows) {
    test(`${rules.join(', ')}: ${why}`, () => {
      expect(conflictsOf(rulesOf(rules)).map(({ rule }) => rule.text)).toStrictEqual(refused)
    })
  }

  test('name the ignore rule and its line', () => {
    expect(messagesOf('exact $.b', 'ignore $.a', 'exact $.a.c')).toStrictEqual([
      '"exact $.a.c" can select only below "ignore $.a" (line 2), where nothing is compared',
    ])
  })
})

describe('index rules where elements have no position', () => {
  const rows: [rules: string[], refused: string[], why: string][] = [
    [['structural $.a', 'exact $.a[0]'], ['exact $.a[0]'], 'an element of a structural array'],
    [['structural $.a', 'exact $.a[0].id'], ['exact $.a[0].id'], 'below one'],
    [['structural $.a', 'exact $.a.b[0]'], ['exact $.a.b[0]'], 'an array inside a structural object'],
    [['structural $.a', 'exact $..[0]'], ['exact $..[0]'], 'it can count there'],
    [['structural $.a', 'exact $.a.b', 'numeric_tolerance $.a.b[0]'], [], 'an exact array inside'],
    [['structural $.a', 'exact $.a[*].id'], [], 'no index'],
    [['order_insensitive $.a', 'exact $.a[0]'], ['exact $.a[0]'], 'an element of a multiset'],
    [['order_insensitive $.a', 'exact $.a[*].b[0]'], [], 'an array inside an element has positions'],
    [['structural $.b', 'exact $.a[0]'], [], 'another array'],
  ]
  for (const [rules, refused, why] of rows) {
    test(`${rules.join(', ')}: ${why}`, () => {
      expect(conflictsOf(rulesOf(rules)).map(({ rule }) => rule.text)).toStrictEqual(refused)
    })
  }

  test('name the rule of the array and its line', () => {
    expect(messagesOf('structural $.a', 'exact $.a[0].id')).toStrictEqual([
      '"exact $.a[0].id" counts elements of an array under "structural $.a" (line 1), where elements have no position',
    ])
  })
})

describe('the walk over all states', () => {
  const segment = fc.constantFrom('.a', '.b', '.*', '[0]', '..a', '..[0]')
  const selector = fc.array(segment, { minLength: 1, maxLength: 2 }).map(parts => `$${parts.join('')}`)
  const key = fc.constantFrom<ToleranceKey>('exact', 'structural', 'order_insensitive', 'ignore')
  const list = fc.uniqueArray(fc.tuple(key, selector), { minLength: 2, maxLength: 4, selector: ([, path]) => path })
  const paths = pathsUpTo(4)

  test('finds the rules in conflict that a search of every node up to four levels finds', () => {
    fc.assert(
      fc.property(list, entries => {
        const rules = rulesOf(entries.map(([name, path]) => `${name} ${path}`))
        const conflicts = conflictsOf(rules).filter(({ message }) => !message.startsWith('two rules'))
        const governed = new Map(paths.map(path => [path.join('/'), governingOf(rules, path)]))
        const ignoredAbove = (path: readonly unknown[]): boolean =>
          path.some((_, depth) => governed.get(path.slice(0, depth).join('/'))?.key === 'ignore')
        const dead = rules.filter(rule => {
          const selected = paths.filter(path => selects(rule.selector.segments, path))
          return selected.every(path => ignoredAbove(path))
        })
        const counting = rules.filter(({ selector: { segments } }) =>
          segments.some((part, at) => {
            if (part.kind !== 'index') return false
            const before = segments.slice(0, at)
            return paths.some(path => {
              const arrives =
                selects(before, path) || (part.descendant && path.some((_, cut) => selects(before, path.slice(0, cut))))
              const above = governed.get(path.join('/'))?.key
              return arrives && !ignoredAbove(path) && (above === 'structural' || above === 'order_insensitive')
            })
          }),
        )
        const expected = rules.filter(rule => dead.includes(rule) || counting.includes(rule))
        expect(conflicts.map(({ rule }) => rule.text)).toStrictEqual(expected.map(({ text }) => text))
      }),
      { numRuns: 200 },
    )
  })

  test('takes two hundred rules of any depth', () => {
    const rules = Array.from({ length: 200 }, (_, at) => `${at % 2 === 0 ? 'exact' : 'structural'} $..f${at}`)
    expect(messagesOf(...rules)).toStrictEqual([])
  })

  test('is bounded, and says so', () => {
    const rules = Array.from({ length: 20 }, (_, at) => `structural $..a${at}..b${at}`)
    expect(messagesOf(...rules)).toStrictEqual([
      'the rules combine in more than 10000 ways, which is more than can be checked',
    ])
  })
})
