import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Json, MemberList, NumberToken } from './json-value.ts'
import { sharedWith } from './sharing.ts'

test('what is the same is the same object, and what is not keeps its own', () => {
  const x = { a: [1, { b: new NumberToken('1.0') }], c: { d: 'x' }, e: null }
  const y = { a: [1, { b: new NumberToken('1.0') }], c: { d: 'y' }, e: null }
  const shared = sharedWith(x, y) as typeof y
  expect(shared).toEqual(y)
  expect(shared.a).toBe(x.a)
  expect(shared.c).not.toBe(x.c)
  expect(sharedWith(x, structuredCloneOf(x))).toBe(x)
})

test.each<[reason: string, x: Json, y: Json]>([
  ['another number text', [new NumberToken('1.0')], [new NumberToken('1.00')]],
  ['a number against its text', [1], [new NumberToken('1.0')]],
  ['members in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['one member more', { a: 1 }, { a: 1, b: 2 }],
  ['one member less', { a: 1, b: 2 }, { a: 1 }],
  ['one element more', [1], [1, 2]],
  ['one element less', [1, 2], [1]],
  ['an empty array against an empty object', [], {}],
  ['a name that is inherited', { toString: 1 }, {}],
  ['__proto__ on one side', JSON.parse('{"__proto__":{}}'), {}],
  ['a name that occurs twice', new MemberList([['a', 1]]), { a: 1 }],
  ['null against an empty object', [null], [{}]],
])('%s is not the same', (_reason, x, y) => {
  for (const [left, right] of [
    [x, y],
    [y, x],
    [{ k: x }, { k: y }],
  ] as [Json, Json][]) {
    const shared = sharedWith(left, right)
    expect(shared).not.toBe(left)
    expect(shown(shared)).toBe(shown(right))
  }
})

test('values below four hundred levels are left as they are', () => {
  const deep = (leaf: Json) => Array.from({ length: 5000 }).reduce<Json>(value => [value], leaf)
  expect(() => sharedWith(deep(1), deep(2))).not.toThrow()
})

const name = fc.constantFrom('a', 'b', '__proto__', 'toString', '0')
const scalar = fc.constantFrom<Json>(null, true, 0, 1, 'x', '', new NumberToken('1.0'), new NumberToken('-0'))
const value = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(members => plain(members)),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(members => new MemberList(members)),
  ),
})).value

test('the value is that of y, and x itself exactly when both are written alike', () => {
  fc.assert(
    fc.property(value, value, (x, y) => {
      const before = [shown(x), shown(y)]
      const shared = sharedWith(x, y)
      expect(shown(shared)).toBe(shown(y))
      expect(shared === x).toBe(shown(x) === shown(y))
      expect(sharedWith(x, structuredCloneOf(x))).toBe(x)
      expect([shown(x), shown(y)]).toEqual(before)
    }),
    { numRuns: 20_000 },
  )
})

function plain(members: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(members)
}

function structuredCloneOf(one: Json): Json {
  if (one instanceof NumberToken) return new NumberToken(one.text)
  if (one instanceof MemberList)
    return new MemberList(one.members.map(([key, member]) => [key, structuredCloneOf(member)]))
  if (Array.isArray(one)) return one.map(structuredCloneOf)
  if (typeof one !== 'object' || one === null) return one
  return plain(Object.entries(one).map(([key, member]) => [key, structuredCloneOf(member)]))
}

/** A tree with its classes and the order of its members. */
function shown(one: Json): string {
  if (one instanceof NumberToken) return `token ${one.text}`
  if (one instanceof MemberList)
    return `list {${one.members.map(([key, member]) => `${JSON.stringify(key)}:${shown(member)}`)}}`
  if (Array.isArray(one)) return `[${one.map(shown)}]`
  if (typeof one !== 'object' || one === null) return JSON.stringify(one)
  return `{${Object.entries(one).map(([key, member]) => `${JSON.stringify(key)}:${shown(member)}`)}}`
}
