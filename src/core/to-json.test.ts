import { describe, expect, test } from 'vitest'
import { MemberList, NumberToken, textOf, toJson } from './json.ts'

function textFrom(value: unknown): string {
  const written = toJson(value)
  return written.ok ? textOf(written.value) : `${written.path} is ${written.what}`
}

describe('what JSON can hold', () => {
  class Money {
    readonly #cents = 1050
    toJSON(): string {
      return `${this.#cents / 100} EUR`
    }
  }
  class Point {
    x = 1
    y = undefined
  }
  const rows: [why: string, value: unknown, text: string][] = [
    ['native values', { a: [1, 'x', null, true] }, '{"a":[1,"x",null,true]}'],
    ['B3: an undefined member is missing', { a: undefined, b: 1 }, '{"b":1}'],
    ['a Date is its ISO text', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a bigint is a number', [12345678901234567890n, 7n], '[12345678901234567890,7]'],
    ['-0 keeps its sign', [-0, 0], '[-0,0]'],
    ['toJSON is honoured', { price: new Money() }, '{"price":"10.5 EUR"}'],
    ['an instance shows its own members', new Point(), '{"x":1}'],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['boxed primitives', [Object(1), Object('a'), Object(true)], '[1,"a",true]'],
    [
      'tokens pass',
      [
        new NumberToken('10.00'),
        new MemberList([
          ['a', 1],
          ['a', 2],
        ]),
      ],
      '[10.00,{"a":1,"a":2}]',
    ],
    ['a Buffer has toJSON', Buffer.from('a'), '{"type":"Buffer","data":[97]}'],
    ['a member named __proto__', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    [
      'one object in two places is no cycle',
      (() => {
        const a = {}
        return [a, a]
      })(),
      '[{},{}]',
    ],
    ['empty containers', [[], {}], '[[],{}]'],
    ['large and small numbers', [1e21, 5e-324], '[1e+21,5e-324]'],
  ]
  for (const [why, value, text] of rows) {
    test(why, () => {
      expect(textFrom(value)).toBe(text)
    })
  }
})

describe('what JSON cannot hold', () => {
  const cycle: { b: unknown[] } = { b: [1] }
  cycle.b.push({ c: cycle })
  const rows: [value: unknown, said: string][] = [
    [undefined, '$ is undefined'],
    [() => 1, '$ is a function'],
    [{ a: [Symbol('s')] }, '$.a[0] is a symbol'],
    [{ a: { 'b c': new Map() } }, "$.a['b c'] is a Map"],
    [[new Set()], '$[0] is a Set'],
    [[1, Number.NaN], '$[1] is NaN'],
    [{ a: Number.POSITIVE_INFINITY }, '$.a is Infinity'],
    [[1, undefined], '$[1] is undefined'],
    [new Array(1), '$[0] is undefined'],
    [{ at: new Date(Number.NaN) }, '$.at is an invalid Date'],
    [cycle, '$.b[1].c is a cycle'],
    [{ e: new Error('secret') }, '$.e is an Error'],
    [Promise.resolve(1), '$ is a Promise'],
    [/x/, '$ is a RegExp'],
    [new Uint8Array(2), '$ is a typed array or DataView'],
    [new ArrayBuffer(2), '$ is an ArrayBuffer'],
    [
      {
        get a() {
          throw new Error('secret')
        },
      },
      '$.a is a value that throws when it is read',
    ],
    [
      {
        a: {
          toJSON() {
            throw new Error('secret')
          },
        },
      },
      '$.a is a value that throws when it is read',
    ],
    [{ a: { toJSON: () => undefined } }, '$.a is undefined'],
  ]
  for (const [value, said] of rows) {
    test(`${said}`, () => {
      expect(textFrom(value)).toBe(said)
    })
  }

  test('ends on an output that never ends', () => {
    const endless: ProxyHandler<object> = {
      ownKeys: () => ['a'],
      get: (_, name) => (name === 'a' ? new Proxy({}, endless) : undefined),
      has: (_, name) => name === 'a',
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    }
    expect(textFrom(new Proxy({}, endless))).toBe('$ is nested deeper than 100000 levels')
  })

  test('writes a hundred thousand levels', () => {
    let value: unknown = 1
    for (let level = 0; level < 100_000; level += 1) value = [value]
    const written = toJson(value)
    expect(written.ok && textOf(written.value).length).toBe(200_001)
  })
})
