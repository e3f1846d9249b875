import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, type ParsedJson, parseByHand, parseJson } from './json.ts'
import { parseNative } from './json-native.ts'
import { MemberList, NumberToken } from './json-value.ts'

describe('what JSON.parse would lose is left to the hand-written parser', () => {
  test.each([
    ['a name that occurs twice', '{"a":1,"a":1}'],
    ['a name that occurs twice, once with an escape', '{"a":1,"\\u0061":2}'],
    ['a name that occurs twice, deep below others that do not', '[{"x":{"y":[{"b":1,"c":2,"b":3}]}}]'],
    ['__proto__ that occurs twice', '{"__proto__":1,"__proto__":2}'],
    ['an integer-like name that JavaScript moves', '{"b":1,"2":1}'],
    ['an integer-like name behind an escape', '{"b":1,"\\u0032":1}'],
    ['an integer-like name that ends in an escape', '{"a":1e-401,"1\\u0032":[1]}'],
    ['text that is no JSON', '{"a":01}'],
    ['a byte order mark', '\ufeff{}'],
    ['the empty text', ''],
    ['a string that does not end', '{"a":"b'],
    ['a string that ends in a backslash', '"\\'],
  ])('%s', (_reason, text) => {
    expect(parseNative(text)).toBeNull()
    expect(parseJson(text)).toEqual(parseByHand(text))
  })

  test('below a thousand levels as well', () => {
    const text = `${'['.repeat(5000)}10.0${']'.repeat(5000)}`
    expect(parseNative(text)).toBeNull()
    expect(parseJson(text).ok).toBe(true)
  })
})

describe('numbers', () => {
  test.each([
    '0',
    '-0',
    '-0.5',
    '10.00',
    '1.5',
    '0.000001',
    '0.0000001',
    '-0.0000001',
    '1e3',
    '1e+21',
    '1E5',
    '1e400',
    '123456789012345',
    '9007199254740993',
    '-9007199254740992',
    '12345678901234567890',
    '0.1234567890123456',
    '0.30000000000000004',
    '0.300000000000000040',
    '5e-324',
  ])('%s is the same number at every place', text => {
    for (const document of [text, `[1,${text}]`, `{"a":${text},"b":[${text},2],"c":"${text}"}`, ` [ ${text} ] `]) {
      expect(shown(parseNative(document))).toBe(shown(valueByHand(document)))
    }
  })

  test('a number at risk keeps its place among others', () => {
    expect(parseNative('{"a":1,"b":[2.0,{"c":3,"d":4.50}],"e":"5.0","f":-0}')).toStrictEqual({
      a: 1,
      b: [new NumberToken('2.0'), { c: 3, d: new NumberToken('4.50') }],
      e: '5.0',
      f: new NumberToken('-0'),
    })
  })
})

test('names of Object.prototype are names like any other', () => {
  const text = '{"__proto__":1.0,"constructor":{"toString":2},"hasOwnProperty":3}'
  expect(shown(parseNative(text))).toBe(shown(valueByHand(text)))
  expect(Object.keys(parseNative(text) ?? {})).toEqual(['__proto__', 'constructor', 'hasOwnProperty'])
})

test('a name that every object inherits does not hide one that occurs twice', () => {
  const prototype = Object.prototype as { inherited?: number }
  prototype.inherited = 1
  try {
    expect(parseJson('{"a":1,"a":2}')).toEqual({
      ok: true,
      value: new MemberList([
        ['a', 1],
        ['a', 2],
      ]),
    })
  } finally {
    delete prototype.inherited
  }
})

const name = fc.constantFrom(
  'a',
  'b',
  '1',
  '0',
  '07',
  '4294967295',
  '__proto__',
  'toString',
  'é',
  '',
  '\\u0061',
  '\\n',
  '2x',
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.integer(), fc.nat(9999), fc.constantFrom('', 'e1', 'E-3', 'e+30')).map(([a, b, e]) => `${a}.${b}${e}`),
  fc.bigInt().map(String),
  fc.constantFrom('-0', '0.0', '-0.0', '1e400', '0.0000009', '100', '-7', '01', '1.', '.5', '+1', '--1', '1e', '-'),
)
const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r', '\u00a0')
const text = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    number,
    fc.constantFrom('true', 'false', 'null', '"x"', '"\\"1.0:"', '"\\\\"', '"a:1,"', '"\ud800"', '"\u0001"', 'nul', ''),
    fc
      .tuple(space, fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([a, items, b]) => `[${a}${items.join(`${b},`)}]`),
    fc
      .array(fc.tuple(name, space, tie('value')), { maxLength: 5 })
      .map(members => `{${members.map(([key, gap, value]) => `"${key}"${gap}:${value}`).join(',')}}`),
  ),
})).value

test('whatever the text, the tree is that of the hand-written parser, and so is the error', () => {
  fc.assert(
    fc.property(text, document => {
      expect(result(parseJson(document))).toBe(result(parseByHand(document)))
    }),
    { numRuns: 20_000 },
  )
})

test('a text with one unit changed, dropped or doubled is read as by hand', () => {
  const units = fc.constantFrom('"', ':', ',', '0', '.', 'e', '-', '{', '}', '[', ']', '\\', ' ', 'a', '')
  fc.assert(
    fc.property(text, fc.nat(), units, fc.boolean(), (document, where, unit, keep) => {
      const at = where % (document.length + 1)
      const mutant = document.slice(0, at) + unit + document.slice(keep ? at : at + 1)
      expect(result(parseJson(mutant))).toBe(result(parseByHand(mutant)))
    }),
    { numRuns: 20_000 },
  )
})

function valueByHand(document: string): Json {
  const parsed = parseByHand(document)
  return parsed.ok ? parsed.value : parsed.message
}

function result(parsed: ParsedJson): string {
  return parsed.ok ? shown(parsed.value) : JSON.stringify(parsed)
}

/** A tree with its classes and the order of its members. */
function shown(value: Json): string {
  if (value instanceof NumberToken) return `token ${value.text}`
  if (value instanceof MemberList)
    return `list {${value.members.map(([key, member]) => `${JSON.stringify(key)}:${shown(member)}`)}}`
  if (Array.isArray(value)) return `[${value.map(shown)}]`
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value)
  return `{${Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${shown(member)}`)}}`
}
