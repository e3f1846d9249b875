import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactJson, memberText, prettyJson } from './json.ts'

describe('compactJson', () => {
  test('removes white space outside strings and touches no token', () => {
    expect(compactJson(' { "a b" : [ 10.00 , -0 ,\n1E5 ] ,\t"a b":"\\u0041 \\" , : " } ')).toBe(
      '{"a b":[10.00,-0,1E5],"a b":"\\u0041 \\" , : "}',
    )
  })

  test('keeps a scalar document as it is', () => {
    expect(compactJson(' true\n')).toBe('true')
    expect(compactJson('" "')).toBe('" "')
  })

  test('leaves exactly what stands outside strings and is no white space, whatever the text', () => {
    const parts = fc.array(
      fc.constantFrom('"', '\\', ' ', '\n', '\t', '\r', 'a', '1', '{', '}', '[', ']', ',', ':', '\u00a0'),
    )
    fc.assert(
      fc.property(parts, units => {
        const text = units.join('')
        const compact = text.replaceAll(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[ \t\n\r]+/g, found =>
          found.startsWith('"') ? found : '',
        )
        expect(compactJson(text)).toBe(compact)
      }),
      { numRuns: 5_000 },
    )
  })

  test('ends on text that is no JSON', () => {
    expect(compactJson('"open  ')).toBe('"open  ')
    expect(compactJson('a b')).toBe('ab')
  })
})

describe('prettyJson', () => {
  test('writes one member or element a line, and empty containers short', () => {
    expect(prettyJson('{"a":[1.0,{}],"b":[ ],"c":{"d":null}}')).toBe(
      ['{', '  "a": [', '    1.0,', '    {}', '  ],', '  "b": [],', '  "c": {', '    "d": null', '  }', '}'].join('\n'),
    )
  })

  test('takes the width of the indentation', () => {
    expect(prettyJson('{"a":1}', 4)).toBe('{\n    "a": 1\n}')
  })

  test('writes a list of scalars on one line as long as it is short', () => {
    const long = `["${'x'.repeat(60)}","${'y'.repeat(60)}"]`
    expect(prettyJson('[["Content-Type" ,\n"a, [b]"],[1.0],[[]]]')).toBe(
      ['[', '  ["Content-Type", "a, [b]"],', '  [1.0],', '  [', '    []', '  ]', ']'].join('\n'),
    )
    expect(prettyJson(long)).toBe(JSON.stringify(JSON.parse(long), null, 2))
  })

  test('gives back the compact text when it is made compact again', () => {
    fc.assert(fc.property(fc.json(), text => compactJson(prettyJson(text)) === compactJson(text)))
  })

  test('stays linear in size on a hundred thousand levels', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000)
    const pretty = prettyJson(text)
    expect(pretty.length).toBeLessThan(210 * 200_000)
    expect(compactJson(pretty)).toBe(text)
  })
})

describe('memberText', () => {
  const text = '{ "id" : 1 , "steps":[ {"id": 10.00} ] , "a\\u0062": "x, y" , "n":{"steps":2},"z":true }'
  const rows: [name: string, value: string | null][] = [
    ['id', '1'],
    ['steps', '[ {"id": 10.00} ]'],
    ['ab', '"x, y"'],
    ['n', '{"steps":2}'],
    ['z', 'true'],
    ['missing', null],
  ]
  for (const [name, value] of rows) {
    test(`gives the text of "${name}" as written`, () => {
      expect(memberText(text, name)).toBe(value)
    })
  }

  test('gives nothing for a member that occurs twice, or a text that is no object', () => {
    expect(memberText('{"a":1,"a":1}', 'a')).toBe(null)
    expect(memberText('[{"a":1}]', 'a')).toBe(null)
    expect(memberText('', 'a')).toBe(null)
    expect(memberText('{}', 'a')).toBe(null)
  })
})
