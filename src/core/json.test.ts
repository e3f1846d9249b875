import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, type Json, MemberList, membersOf, NumberToken, parseJson, textOf } from './json.ts'

function valueFrom(text: string): Json {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error(`${text.slice(0, 80)}: ${parsed.message}`)
  return parsed.value
}

describe('values', () => {
  const native: [text: string, value: Json][] = [
    ['null', null],
    [' true ', true],
    ['false', false],
    ['"a"', 'a'],
    ['0', 0],
    ['-1.5', -1.5],
    ['0.1', 0.1],
    ['1e+21', 1e21],
    ['123456789012345', 123456789012345],
    ['[]', []],
    ['{}', {}],
    ['[1,[2],{"a":[]}]', [1, [2], { a: [] }]],
    ['\t\r\n {"a" : 1 , "b":\n[ ] } ', { a: 1, b: [] }],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
    ['"\u2028\u007f"', '\u2028\u007f'],
  ]
  for (const [text, value] of native) {
    test(`${JSON.stringify(text)} is the value that JSON.parse gives`, () => {
      expect(parseJson(text)).toStrictEqual({ ok: true, value })
      expect(value).toStrictEqual(JSON.parse(text))
    })
  }

  const tokens = [
    '10.00',
    '1.0',
    '-0',
    '0e0',
    '1e400',
    '1E5',
    '1e21',
    '12345678901234567890',
    '9007199254740993',
    '-0.0',
    '1e-400',
  ]
  for (const text of tokens) {
    test(`${text} keeps its text`, () => {
      const value = valueFrom(text)
      expect(value).toBeInstanceOf(NumberToken)
      expect(textOf(value)).toBe(text)
    })
  }

  test('tells 2^53 + 1 from 2^53, and 1e400 from 1e500', () => {
    expect(textOf(valueFrom('[9007199254740993,9007199254740992,1e400,1e500]'))).toBe(
      '[9007199254740993,9007199254740992,1e400,1e500]',
    )
  })

  test('keeps a lone surrogate, escaped or not, and prints it escaped', () => {
    expect(valueFrom('"\\ud800"')).toBe('\ud800')
    expect(valueFrom('"\ud800"')).toBe('\ud800')
    expect(valueFrom('"\\udc00\\ud800"')).toBe('\udc00\ud800')
    expect(textOf('\ud800x')).toBe('"\\ud800x"')
  })
})

describe('objects', () => {
  test('holds __proto__, constructor and toString as members like any other', () => {
    const text = '{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4,"valueOf":5,"":6}'
    const value = valueFrom(text)
    expect(isObject(value)).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(textOf(value)).toBe(text)
    expect(value).toStrictEqual(JSON.parse(text))
  })

  test('keeps every member of a name that occurs twice, in document order', () => {
    const value = valueFrom('{"a":1,"b":2,"a":3}')
    expect(value).toStrictEqual(
      new MemberList([
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ]),
    )
    expect(textOf(value)).toBe('{"a":1,"b":2,"a":3}')
  })

  test('sees __proto__ and constructor occur twice, and once only where they do', () => {
    expect(valueFrom('{"__proto__":1,"__proto__":2}')).toBeInstanceOf(MemberList)
    expect(valueFrom('{"constructor":1,"constructor":2}')).toBeInstanceOf(MemberList)
    expect(valueFrom('{"constructor":1}')).not.toBeInstanceOf(MemberList)
    expect(valueFrom('{"\\u0061":1,"a":2}')).toBeInstanceOf(MemberList)
  })

  const order: [text: string, moves: boolean, why: string][] = [
    ['{"1":1,"2":2,"a":3}', false, 'JavaScript keeps ascending indexes before other names'],
    ['{"2":1,"1":2}', true, 'indexes out of order'],
    ['{"a":1,"1":2}', true, 'an index after another name'],
    ['{"a":1,"01":2}', false, '01 is no index'],
    ['{"a":1,"-1":2}', false, '-1 is no index'],
    ['{"a":1,"4294967294":2}', true, 'the greatest index'],
    ['{"a":1,"4294967295":2}', false, 'beyond the greatest index'],
    ['{"a":1,"0":2}', true, 'the smallest index'],
    ['{"0":1,"0":2}', true, 'an index twice'],
  ]
  for (const [text, moves, why] of order) {
    test(`prints ${text} in document order: ${why}`, () => {
      const value = valueFrom(text)
      expect(value instanceof MemberList).toBe(moves)
      expect(textOf(value)).toBe(text)
    })
  }

  test('gives members in document order for both forms', () => {
    const value = valueFrom('[{"b":1,"a":2},{"b":1,"1":2}]')
    const names = Array.isArray(value) ? value.map(item => (isObject(item) ? [...membersOf(item)] : null)) : null
    expect(names).toStrictEqual([
      [
        ['b', 1],
        ['a', 2],
      ],
      [
        ['b', 1],
        ['1', 2],
      ],
    ])
  })
})

describe('refusals', () => {
  const refused: [text: string, offset: number, message: string][] = [
    ['', 0, 'expected a value, received the end'],
    [' ', 1, 'expected a value, received the end'],
    ['\ufeff{}', 0, 'a byte order mark stands before the JSON text'],
    ['{} {}', 3, 'expected the end, received "{"'],
    ['nul', 0, 'expected a value, received "n"'],
    ['nulll', 4, 'expected the end, received "l"'],
    ['NaN', 0, 'expected a value, received "N"'],
    ['-Infinity', 1, 'expected a digit, received "I"'],
    ['01', 1, 'expected the end, received "1"'],
    ['+1', 0, 'expected a value, received "+"'],
    ['.5', 0, 'expected a value, received "."'],
    ['1.', 2, 'expected a digit, received the end'],
    ['1.e5', 2, 'expected a digit, received "e"'],
    ['1e', 2, 'expected a digit, received the end'],
    ['1e+', 3, 'expected a digit, received the end'],
    ['-', 1, 'expected a digit, received the end'],
    ['0x10', 1, 'expected the end, received "x"'],
    ['[1,]', 3, 'expected a value, received "]"'],
    ['[,1]', 1, 'expected a value, received ","'],
    ['[1 2]', 3, 'expected "," or "]", received "2"'],
    ['[1}', 2, 'expected "," or "]", received "}"'],
    ['[', 1, 'expected a value, received the end'],
    ['{', 1, 'expected a member name in double quotes, received the end'],
    ['{"a":1,}', 7, 'expected a member name in double quotes, received "}"'],
    ["{'a':1}", 1, 'expected a member name in double quotes, received "\'"'],
    ['{a:1}', 1, 'expected a member name in double quotes, received "a"'],
    ['{"a" 1}', 5, 'expected ":", received "1"'],
    ['{"a":}', 5, 'expected a value, received "}"'],
    ['{"a":1', 6, 'expected "," or "}", received the end'],
    ['"a', 2, 'expected a closing quote, received the end'],
    ['"a\\', 3, 'expected an escape: one of "\\/bfnrt, or u and four hex digits, received the end'],
    ['"\\x"', 2, 'expected an escape: one of "\\/bfnrt, or u and four hex digits, received "x"'],
    ['"\\u12g4"', 2, 'expected an escape: one of "\\/bfnrt, or u and four hex digits, received "u"'],
    ['"\\u 123"', 2, 'expected an escape: one of "\\/bfnrt, or u and four hex digits, received "u"'],
    ['"a\nb"', 2, 'expected an escape for a control character, received U+000A'],
    ['"\u0000"', 1, 'expected an escape for a control character, received U+0000'],
    ['// c\n1', 0, 'expected a value, received "/"'],
    ['[1]\u00a0', 3, 'expected the end, received U+00A0'],
    ['\f1', 0, 'expected a value, received U+000C'],
  ]
  for (const [text, offset, message] of refused) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseJson(text)).toMatchObject({ ok: false, offset, message })
      expect(() => JSON.parse(text)).toThrow()
    })
  }

  test('says line and column, counted from 1', () => {
    expect(parseJson('{\n  "a": 1,\n  b\n}')).toMatchObject({ ok: false, offset: 14, line: 3, column: 3 })
    expect(parseJson('x')).toMatchObject({ ok: false, line: 1, column: 1 })
    expect(parseJson('[1\n')).toMatchObject({ ok: false, line: 2, column: 1 })
  })
})

describe('size', () => {
  const levels = 1_000_000

  test('reads and prints a million nested arrays', () => {
    const text = '['.repeat(levels) + ']'.repeat(levels)
    expect(textOf(valueFrom(text))).toBe(text)
  })

  test('reads and prints a million nested objects', () => {
    const text = `${'{"a":'.repeat(levels)}10.00${'}'.repeat(levels)}`
    expect(textOf(valueFrom(text))).toBe(text)
  })

  test('refuses a million open brackets at their end', () => {
    expect(parseJson('['.repeat(levels))).toMatchObject({ ok: false, offset: levels })
  })
})

describe('agreement with JSON.parse', () => {
  test('gives the same tree for every text that JSON.stringify writes of native values', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const value = valueFrom(text)
        expect(textOf(value)).toBe(text)
        if (!/-0|e/.test(text)) expect(value).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  test('accepts and refuses what JSON.parse does', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '.',
      'e',
      '0',
      'true',
      'null',
      ' ',
      '\\',
      '\\u00e9',
      '\n',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), parts => {
        const text = parts.join('')
        expect(parseJson(text).ok).toBe(accepts(text))
      }),
      { numRuns: 3000 },
    )
  })

  function accepts(text: string): boolean {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
})
