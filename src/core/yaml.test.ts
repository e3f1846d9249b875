import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ParsedYaml, parseYaml, validate } from './yaml.ts'

function read(text: string): ParsedYaml & { readonly ok: true } {
  const parsed = parseYaml(text, 'f.yaml')
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  return parsed
}

describe('parseYaml', () => {
  const values: [text: string, value: unknown][] = [
    ['', null],
    ['# only a comment\n', null],
    ['a: 1\nb: [x, true, ~, "1"]\n', { a: 1, b: ['x', true, null, '1'] }],
    ['a:\n  - b: 1\n  -\n    c: 2\n', { a: [{ b: 1 }, { c: 2 }] }],
    ['no: yes\non: off\n', { no: 'yes', on: 'off' }],
    ['404: a\n1.0: b\ntrue: c\n', { '404': 'a', '1.0': 'b', true: 'c' }],
    ['a: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['--- \na: 2026-01-02\n', { a: '2026-01-02' }],
    ['a:\r\n  - 1\r\n', { a: [1] }],
    ['constructor: 1\ntoString: 2\n', { constructor: 1, toString: 2 }],
  ]
  for (const [text, value] of values) {
    test(`reads ${JSON.stringify(text)}`, () => {
      expect(read(text).value).toStrictEqual(value)
    })
  }

  const refused: [text: string, line: number, column: number, message: string, fix: string][] = [
    ['a:\n\t- 1', 2, 1, 'a tab', 'use spaces; inside double quotes write \\t'],
    ['a: 1 # x\ty', 1, 9, 'a tab', 'use spaces; inside double quotes write \\t'],
    ['a: 1\nb: 2\na: 3', 3, 1, 'the key "a" occurs twice', 'keep one of the two'],
    ['a:\n  b: 1\n  "b": 2', 3, 3, 'the key "b" occurs twice', 'keep one of the two'],
    ['a: &x 1', 1, 7, 'an anchor', 'remove "&x"'],
    ['a: *x', 1, 4, 'an alias', 'write the value out'],
    ['a: 1\n<<: {b: 1}', 2, 1, 'a merge key', 'write the keys out'],
    ['a: !!str 1', 1, 10, 'a tag', 'remove it'],
    ['a: !custom 1', 1, 4, 'Unresolved tag: !custom', ''],
    ['? [a]\n: 1', 1, 3, 'a key that is a list or a mapping', 'use a plain word'],
    ['__proto__: 1', 1, 1, '"__proto__" is no key', 'give it a name'],
    ['"": 1', 1, 1, '"" is no key', 'give it a name'],
    ['a: 1\n---\nb: 2', 2, 1, 'a second document', 'keep one document, without "---" after it'],
    ['%YAML 1.1\n---\na: 1', 1, 1, 'a %YAML directive', 'remove it'],
    ['# x\n%YAML 1.2\n---\na: 1', 2, 1, 'a %YAML directive', 'remove it'],
    ['%TAG ! tag:x,2000:\n---\na: 1', 1, 1, 'a directive', 'remove it'],
    ['%YAML1.1\n---\na: 1', 1, 1, 'a directive', 'remove it'],
    ['a: [1\nb: 2', 2, 1, 'Flow sequence in block collection must be sufficiently indented and end with a ]', ''],
    ['a: b: c', 1, 4, 'Nested mappings are not allowed in compact mappings', ''],
    ['['.repeat(60) + ']'.repeat(60), 1, 52, 'nested deeper than 50 levels', 'flatten it'],
    ['['.repeat(100_000), 1, 1, 'nested deeper than 50 levels', 'flatten it'],
  ]
  for (const [text, line, column, message, fix] of refused) {
    test(`refuses ${JSON.stringify(text.slice(0, 70))}`, () => {
      const parsed = parseYaml(text, 'f.yaml')
      expect(parsed.ok ? [] : parsed.errors).toMatchObject([{ file: 'f.yaml', line, column, message }])
      if (fix !== '' && !parsed.ok) expect(parsed.errors[0]?.fix).toBe(fix)
    })
  }

  test('says where keys and values stand, and the nearest parent of what is missing', () => {
    const parsed = read('a:\n  b: [x, {c: 1}]\nd:\n')
    expect(parsed.at(['a', 'b'])).toStrictEqual({ line: 2, column: 6 })
    expect(parsed.at(['a', 'b'], 'key')).toStrictEqual({ line: 2, column: 3 })
    expect(parsed.at(['a', 'b', 1, 'c'])).toStrictEqual({ line: 2, column: 14 })
    expect(parsed.at(['a', 'z'])).toStrictEqual({ line: 1, column: 1 })
    expect(parsed.at(['a', 'b', 5])).toStrictEqual({ line: 2, column: 3 })
    expect(parsed.at(['z', 'y'])).toStrictEqual({ line: 1, column: 1 })
    expect(read('').at(['a'])).toStrictEqual({ line: 1, column: 1 })
  })

  test('gives the text of a scalar as written', () => {
    const parsed = read('a: 1e-7\nb: 0.10\nc: "x"\nd: [1]\n')
    expect(parsed.source(['a'])).toBe('1e-7')
    expect(parsed.source(['b'])).toBe('0.10')
    expect(parsed.source(['c'])).toBe('x')
    expect(parsed.source(['d'])).toBe('')
    expect(parsed.source(['e'])).toBe('')
  })
})

describe('validate', () => {
  const schema = z.strictObject({
    feature: z.string().min(1),
    tier: z.enum(['heavy', 'standard']).optional(),
    count: z.int().optional(),
    reset: z.string().nullable().optional(),
    outputs: z.record(z.string(), z.array(z.string())).optional(),
    target: z.union([z.strictObject({ http: z.string() }), z.strictObject({ call: z.array(z.string()) })]).optional(),
  })
  const errorsOf = (text: string): string[] => {
    const result = validate(parseYaml(text, 'f.yaml'), schema, 'f.yaml')
    if (result.ok) return []
    return result.errors.map(({ file, line, column, message, fix }) => `${file}:${line}:${column} ${message} | ${fix}`)
  }

  const rows: [text: string, errors: string[]][] = [
    ['feature: a\ntier: heavy\noutputs: {x: [a]}\nreset: null', []],
    ['feature: a\nteir: heavy', ['f.yaml:2:1 unknown key "teir"; did you mean "tier"? | write tier']],
    [
      'feature: a\nzzz: 1\nyyy: 2',
      [
        'f.yaml:2:1 unknown key "zzz" | remove it; the keys are feature, tier, count, reset, outputs, target',
        'f.yaml:3:1 unknown key "yyy" | remove it; the keys are feature, tier, count, reset, outputs, target',
      ],
    ],
    ['featur: a', ['f.yaml:1:1 unknown key "featur"; did you mean "feature"? | write feature']],
    ['tier: heavy', ['f.yaml:1:1 "feature": missing: expected a string | add it']],
    ['feature: 1', ['f.yaml:1:10 "feature": expected a string, received a number | write a string']],
    ['feature: ""', ['f.yaml:1:10 "feature": empty | write it, or remove the key']],
    ['feature: a\ntier: light', ['f.yaml:2:7 "tier": expected heavy or standard | write heavy or standard']],
    [
      'feature: a\ncount: 1.5',
      ['f.yaml:2:8 "count": expected a whole number, received a number | write a whole number'],
    ],
    [
      'feature: a\noutputs:\n  x: [a, 1]\n  y: b',
      [
        'f.yaml:3:10 expected a string, received a number | write a string',
        'f.yaml:4:6 "y": expected a list, received a string | write a list',
      ],
    ],
    ['feature: a\ntarget: {http: 1}', ['f.yaml:2:16 "http": expected a string, received a number | write a string']],
    ['feature: a\ntarget: {calls: [x]}', ['f.yaml:2:10 unknown key "calls"; did you mean "call"? | write call']],
    ['- a', ['f.yaml:1:1 expected a mapping, received a list | write a mapping']],
    ['', ['f.yaml:1:1 expected a mapping, received null | write a mapping']],
    [
      'a: [',
      [
        'f.yaml:1:5 Flow sequence in block collection must be sufficiently indented and end with a ] | correct the YAML there; text that begins with a special character, or holds ": " or " #", needs quotes',
      ],
    ],
  ]
  for (const [text, errors] of rows) {
    test(`${JSON.stringify(text)} has ${errors.length} errors`, () => {
      expect(errorsOf(text)).toStrictEqual(errors)
    })
  }

  test('takes message and fix of the schema itself', () => {
    const even = z.number().refine(value => value % 2 === 0, 'is odd\nFix: add one')
    const result = validate(parseYaml('a: 3', 'f.yaml'), z.strictObject({ a: even }), 'f.yaml')
    expect(result.ok ? [] : result.errors).toStrictEqual([
      { file: 'f.yaml', line: 1, column: 4, message: '"a": is odd', fix: 'add one' },
    ])
  })
})
