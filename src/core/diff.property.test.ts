import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesOf } from '../../test/observations.ts'
import type { DifferenceKind, Observation, StepObservation, ToleranceKey } from '../model.ts'
import { seededMutants } from './calibrate.ts'
import { compare } from './diff.ts'
import { type Json, NumberToken, textOf } from './json.ts'
import { compileTolerance, type RuleSet } from './tolerance.ts'

// A second, slow comparer that shares no code with the first: rules by definition, multisets by all permutations.

type Step = string | number
type Choice = { readonly key: ToleranceKey; readonly path: readonly (string | number)[]; readonly eps: number }

const WILDCARD = '*'

function selects(rule: Choice, path: readonly Step[]): boolean {
  return rule.path.length === path.length && rule.path.every((one, at) => one === WILDCARD || one === path[at])
}

/** Names before indexes before wildcards, from the leaf up. */
function precedes(a: Choice, b: Choice): boolean {
  if (a.path.length !== b.path.length) return a.path.length > b.path.length
  for (let at = a.path.length - 1; at >= 0; at -= 1) {
    const [left, right] = [a.path[at] === WILDCARD, b.path[at] === WILDCARD]
    if (left !== right) return right
  }
  return false
}

function governing(rules: readonly Choice[], path: readonly Step[]): Choice | null {
  let best: Choice | null = null
  for (let length = 0; length <= path.length; length += 1) {
    const here = path.slice(0, length)
    let local: Choice | null = null
    for (const rule of rules) {
      const alone = rule.key === 'numeric_tolerance' || rule.key === 'order_insensitive'
      if (!selects(rule, here) || (alone && length < path.length)) continue
      if (local === null || precedes(rule, local)) local = rule
    }
    if (local !== null) best = local
    if (best?.key === 'ignore') return best
  }
  return best
}

const textOfNumber = (value: Json) => (value instanceof NumberToken ? value.text : String(value))
const isNumber = (value: Json) => typeof value === 'number' || value instanceof NumberToken
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (isNumber(value)) return 'number'
  return isArray(value) ? 'array' : typeof value
}

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]]
  return values.flatMap((value, at) => permutations(values.toSpliced(at, 1)).map(rest => [value, ...rest]))
}

function same(x: Json | undefined, y: Json | undefined, rules: readonly Choice[], path: readonly Step[]): boolean {
  const rule = governing(rules, path)
  if (rule?.key === 'ignore') return true
  if (x === undefined || y === undefined) return x === y
  if (typeOf(x) !== typeOf(y)) return false
  if (isArray(x) && isArray(y)) {
    const alike = (a: Json | undefined, b: Json | undefined) => same(a, b, rules, [...path, 0])
    const element = governing(rules, [...path, 0])?.key === 'ignore'
    if (rule?.key === 'structural') {
      if ((x.length === 0) !== (y.length === 0)) return false
      return x.every(a => y.some(b => alike(a, b))) && y.every(b => x.some(a => alike(a, b)))
    }
    if (rule?.key === 'order_insensitive') {
      if (element) return true
      return x.length === y.length && permutations(y).some(order => order.every((b, at) => alike(x[at], b)))
    }
    const longest = Math.max(x.length, y.length)
    return Array.from({ length: longest }, (_, at) => same(x[at], y[at], rules, [...path, at])).every(Boolean)
  }
  if (typeOf(x) === 'object') {
    const [left, right] = [x, y].map(value => new Map<string, Json>(Object.entries(value as object)))
    const names = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])
    return [...names].every(name => same(left?.get(name), right?.get(name), rules, [...path, name]))
  }
  if (isNumber(x)) {
    if (rule?.key === 'structural') return true
    // Numbers here are small multiples of one half: doubles are exact.
    const distance = Math.abs(Number(textOfNumber(x)) - Number(textOfNumber(y)))
    if (rule?.key === 'exact') return textOfNumber(x) === textOfNumber(y)
    return distance <= (rule?.key === 'numeric_tolerance' ? rule.eps : 0)
  }
  if (rule?.key === 'structural') return typeof x === 'string' ? (x === '') === (y === '') : true
  return x === y
}

const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  null,
  true,
  false,
  0,
  1,
  1.5,
  2,
  3,
  new NumberToken('1.0'),
  new NumberToken('-0'),
  '',
  'a',
  'b',
)
const { document } = fc.letrec<{ document: Json }>(tie => ({
  document: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('document'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('document'), { maxKeys: 2, noNullPrototype: true }),
  ),
}))

type Edit = { readonly at: number; readonly how: 'replace' | 'drop' | 'reverse'; readonly by: Json }

/** A document with the node that is `at`-th in preorder replaced, dropped or reversed. */
function edited(value: Json, edit: Edit): Json {
  let count = 0
  const visit = (node: Json): Json | undefined => {
    const here = count === edit.at
    count += 1
    if (here && edit.how === 'replace') return edit.by
    if (here && edit.how === 'drop') return undefined
    if (isArray(node)) {
      const below = node.map(visit).filter(one => one !== undefined)
      return here ? below.reverse() : below
    }
    if (typeOf(node) !== 'object') return node
    const below = Object.entries(node as object).map(([name, member]) => [name, visit(member as Json)] as const)
    return Object.fromEntries(below.filter((member): member is [string, Json] => member[1] !== undefined))
  }
  return visit(value) ?? null
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat({ max: 8 }),
  how: fc.constantFrom('replace', 'drop', 'reverse'),
  by: scalar,
})
const pair = fc.oneof(
  fc.tuple(document, document),
  fc.tuple(document, fc.array(edit, { maxLength: 3 })).map(([x, edits]): [Json, Json] => [x, edits.reduce(edited, x)]),
)
const choice: fc.Arbitrary<Choice> = fc.record({
  key: fc.constantFrom('exact', 'structural', 'numeric_tolerance', 'order_insensitive', 'order_insensitive', 'ignore'),
  path: fc.array(fc.constantFrom('a', 'b', WILDCARD, WILDCARD), { maxLength: 3 }),
  eps: fc.constantFrom(0, 0.5, 1),
})

function compiled(choices: readonly Choice[]): RuleSet | null {
  const tolerance: Record<string, string[]> = {}
  const bounds: string[] = []
  for (const { key, path, eps } of choices) {
    const text = `'$${path.map(one => (one === WILDCARD ? '[*]' : `.${one}`)).join('')}'`
    if (key === 'numeric_tolerance') bounds.push(`${text}: ${eps}`)
    else tolerance[key] = [...(tolerance[key] ?? []), text]
  }
  const lines = Object.entries(tolerance).map(([key, paths]) => `${key}: [${paths.join(', ')}]`)
  if (bounds.length > 0) lines.push(`numeric_tolerance: {${bounds.join(', ')}}`)
  const result = compileTolerance({ file: 't.yaml', text: lines.length === 0 ? '{}' : lines.join('\n') })
  return result.ok ? result.rules : null
}

const ruled = fc
  .array(choice, { maxLength: 4 })
  .map(choices => ({ choices, rules: compiled(choices) }))
  .filter((made): made is { choices: Choice[]; rules: RuleSet } => made.rules !== null)

const numRuns = Number(process.env.PARITY_PROPERTY_RUNS ?? 2000)
const differencesOf = (x: Json, y: Json, rules: RuleSet) => {
  const { differences, faults } = compare([{ kind: 'output', output: x }], [{ kind: 'output', output: y }], rules)
  expect(faults).toEqual([])
  return differences
}

describe('compare', () => {
  test('agrees with a comparer by brute force on tiny documents', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(pair, ruled, ([x, y], { choices, rules }) => {
        expect(differencesOf(x, y, rules).length === 0).toBe(same(x, y, choices, []))
      }),
      { numRuns },
    )
  })

  test('finds no difference between a document and itself, whatever the rules', () => {
    fc.assert(
      fc.property(document, ruled, (x, { rules }) => {
        expect(differencesOf(x, structuredCopy(x), rules)).toEqual([])
      }),
      { numRuns: numRuns / 4 },
    )
  })

  test('tells the same from the other side, with sides and kinds swapped', () => {
    const swapped: Partial<Record<DifferenceKind, DifferenceKind>> = { missing: 'extra', extra: 'missing' }
    fc.assert(
      fc.property(pair, ruled, ([x, y], { rules }) => {
        const there = differencesOf(x, y, rules)
        const back = differencesOf(y, x, rules)
        expect(back.length).toBe(there.length)
        expect(back.map(({ kind }) => kind).sort()).toEqual(there.map(({ kind }) => swapped[kind] ?? kind).sort())
      }),
      { numRuns: numRuns / 2 },
    )
  })

  test('does not see key order, nor element order where it does not count', () => {
    const rules = rulesOf("order_insensitive: ['$', '$..*']")
    fc.assert(
      fc.property(document, x => {
        expect(differencesOf(x, reversedAll(x), rules)).toEqual([])
      }),
      { numRuns: numRuns / 4 },
    )
  })
})

test('every seeded mutant of a random document under random rules is judged as it must be', () => {
  fc.assert(
    fc.property(document, ruled, (output, { rules }) => {
      const golden: Observation = [{ kind: 'output', output }]
      for (const { mutation, path, within, observation, expect: expected } of seededMutants(golden, rules).mutants) {
        const { differences, faults } = compare(golden, observation, rules)
        const places = differences.map(difference => difference.path)
        const seen = places.some(
          place => place === within || (place.startsWith(within) && /^[.[]/.test(place.slice(within.length))),
        )
        const right = expected === 'PARITY' ? differences.length === 0 : seen
        expect(`${mutation} at ${path}: ${right && faults.length === 0}`).toBe(`${mutation} at ${path}: true`)
      }
    }),
    { numRuns: numRuns / 4 },
  )
})

function structuredCopy(value: Json): Json {
  if (value instanceof NumberToken) return new NumberToken(value.text)
  if (isArray(value)) return value.map(structuredCopy)
  if (typeOf(value) !== 'object') return value
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, structuredCopy(one as Json)]))
}

function reversedAll(value: Json): Json {
  if (isArray(value)) return value.map(reversedAll).reverse()
  if (typeOf(value) !== 'object') return value
  const members = Object.entries(value as object).map(([name, one]) => [name, reversedAll(one as Json)] as const)
  return Object.fromEntries(members.reverse())
}

test('compare never throws, whatever arrives', () => {
  const type = fc.constantFrom(
    'application/json',
    'text/html; charset=utf-16',
    'application/x-www-form-urlencoded',
    'x',
    '',
  )
  const coding = fc.constantFrom('', 'gzip', 'br', 'zstd', 'deflate', 'toString', 'gzip, gzip')
  const octets = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map(text => new TextEncoder().encode(text)),
    fc.string({ unit: 'binary' }).map(text => new TextEncoder().encode(text)),
  )
  const step: fc.Arbitrary<StepObservation> = fc.oneof(
    fc.record({ type, coding, octets, cookie: fc.string(), status: fc.constantFrom(200, 204, 500) }).map(made => ({
      kind: 'response' as const,
      method: 'GET',
      response: {
        status: made.status,
        headers: [
          ['Content-Type', made.type],
          ['Content-Encoding', made.coding],
          ['Set-Cookie', made.cookie],
        ] as const,
        body: { bytes: made.octets },
      },
    })),
    octets.map(stdout => ({ kind: 'command' as const, exit: 1, stdout, stderr: '' })),
    document.map(output => ({ kind: 'output' as const, output })),
    fc.string().map(message => ({ kind: 'threw' as const, threw: { name: 'Error', code: null, message } })),
  )
  const observation = fc.array(step, { maxLength: 2 })
  fc.assert(
    fc.property(observation, observation, ruled, (golden, actual, { rules }) => {
      compare(golden, actual, rules)
      expect(compare(golden, golden, rules).differences).toEqual([])
    }),
    { numRuns },
  )
})

test('the generator reaches what it is for', () => {
  const texts = fc.sample(document, { numRuns: 300, seed: 1 }).map(textOf)
  for (const sign of ['[', '{', '1.0', '-0', 'null']) expect(texts.some(text => text.includes(sign))).toBe(true)
})
