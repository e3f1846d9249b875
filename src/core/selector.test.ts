import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalisedPath, parseSelector, pointerOf, type Segment, withoutIndexes, withoutStep } from './selector.ts'

const name = (of: string, descendant = false): Segment => ({ descendant, kind: 'name', name: of })
const index = (of: number, descendant = false): Segment => ({ descendant, kind: 'index', index: of })
const any = (descendant = false): Segment => ({ descendant, kind: 'wildcard' })

describe('parseSelector', () => {
  const paths: [text: string, segments: Segment[]][] = [
    ['$', []],
    ['$.a', [name('a')]],
    ['$.error.code', [name('error'), name('code')]],
    ["$['a b'][0]", [name('a b'), index(0)]],
    ['$["a"]', [name('a')]],
    ['$[*].id', [any(), name('id')]],
    ['$.*', [any()]],
    ['$..id', [name('id', true)]],
    ['$..*', [any(true)]],
    ["$..['x']..[0]..[*]", [name('x', true), index(0, true), any(true)]],
    ['$ .a\n[ 1 ]', [name('a'), index(1)]],
    ['$.ä_1', [name('ä_1')]],
    ['$.😀', [name('😀')]],
    ['$["\\u00e4\\ud83d\\ude00\\n\\"\'"]', [name('ä😀\n"\'')]],
    ["$['\\'\"\\\\\\/']", [name('\'"\\/')]],
    ["$['']", [name('')]],
    ['$.__proto__', [name('__proto__')]],
    ['$[9007199254740991]', [index(9007199254740991)]],
  ]
  for (const [text, segments] of paths) {
    test(`reads ${JSON.stringify(text)}`, () => {
      expect(parseSelector(text)).toStrictEqual({ ok: true, selector: { text, step: null, root: 'body', segments } })
    })
  }

  const roots: [text: string, step: number | null, root: string][] = [
    ['status', null, 'status'],
    ['exit', null, 'exit'],
    ['stderr', null, 'stderr'],
    ['header.Content-Type', null, 'header.content-type'],
    ['steps[2]:$', 2, 'body'],
    ['steps[0]:header.x', 0, 'header.x'],
  ]
  for (const [text, step, root] of roots) {
    test(`reads ${text}, and keeps it as written`, () => {
      expect(parseSelector(text)).toStrictEqual({ ok: true, selector: { text, step, root, segments: [] } })
    })
  }

  const refused: [text: string, column: number, message: string, fix: string][] = [
    [
      '$.a[?@.b == 1]',
      5,
      'a filter is refused: a rule must not depend on values',
      'name the fields, or use [*] for every element',
    ],
    [
      '$[(@.length-1)]',
      3,
      'a script is refused: a rule must not depend on values',
      'name the fields, or use [*] for every element',
    ],
    ['$.a[1:2]', 5, 'a slice is refused: a rule selects one element or all', 'use [*], or one rule for each index'],
    ['$[:]', 3, 'a slice is refused: a rule selects one element or all', 'use [*], or one rule for each index'],
    ['$[-2 :]', 3, 'a slice is refused: a rule selects one element or all', 'use [*], or one rule for each index'],
    [
      '$.a[-1]',
      5,
      'a negative index is refused: it depends on the length of the array',
      'use [*], or count from the start',
    ],
    ["$['a','b']", 6, 'a union is refused: a rule selects one child or all', 'write one rule for each'],
    ['$[0, 1]', 4, 'a union is refused: a rule selects one child or all', 'write one rule for each'],
    ['', 1, 'a path begins with $, status, exit, stderr or header.<name>', 'write a path such as $.error.code'],
    ['amount', 1, 'a path begins with $, status, exit, stderr or header.<name>', 'write $.amount'],
    ['$.', 3, 'expected a name or * after the dot', "write a name that is no plain word in brackets: ['a b']"],
    ['$.1a', 3, 'expected a name or * after the dot', "write a name that is no plain word in brackets: ['a b']"],
    ['$...a', 4, 'expected a name or * after the dot', "write a name that is no plain word in brackets: ['a b']"],
    ['$.a-b', 4, 'expected ".", ".." or "["', "write a name that is no plain word in brackets: ['a b']"],
    ['$.a ', 4, 'white space after the path', 'remove it'],
    [' $.a', 1, 'a path begins with $, status, exit, stderr or header.<name>', 'write a path such as $.error.code'],
    ['$[a]', 3, 'a name in brackets stands in quotes', "write ['a']"],
    ['$[01]', 4, 'expected "]"', 'close the bracket'],
    ['$[0', 4, 'expected "]"', 'close the bracket'],
    ['$[]', 3, 'expected a name in quotes, an index or *', "write it as in [0], [*] or ['a b']"],
    ["$['a]", 3, 'the quote does not end', "close it with '"],
    ["$['\\x']", 4, 'no such escape, or a character that must be escaped', 'see RFC 9535 section 2.3.1.1'],
    ["$['\\ud800']", 4, 'no such escape, or a character that must be escaped', 'see RFC 9535 section 2.3.1.1'],
    ['$["\\\'"]', 4, 'no such escape, or a character that must be escaped', 'see RFC 9535 section 2.3.1.1'],
    ['$[9007199254740992]', 3, 'an index is at most 9007199254740991', 'use a smaller one'],
    ['status.a', 7, 'nothing may follow "status"', 'write status alone'],
    ['header.', 8, 'a header name is missing', 'write it as in header.content-type'],
    ['steps[-1]:$.a', 1, 'a step prefix reads "steps[n]:", n counted from 0', 'write it as in steps[2]:$.id'],
  ]
  for (const [text, column, message, fix] of refused) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseSelector(text)).toStrictEqual({ ok: false, column, message, fix })
    })
  }

  test('never throws, and names a column inside the text or just after it', () => {
    const pieces = [
      '$',
      '.',
      '..',
      '[',
      ']',
      '*',
      "'",
      '"',
      '\\',
      'a',
      '0',
      '-',
      ':',
      ',',
      '?',
      ' ',
      'steps[',
      'header.',
      '\ud800',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), parts => {
        const text = parts.join('')
        const parsed = parseSelector(text)
        expect(parsed.ok || (parsed.column >= 1 && parsed.column <= text.length + 1)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('normalisedPath', () => {
  const rows: [segments: (string | number)[], path: string][] = [
    [[], '$'],
    [['error', 'code'], '$.error.code'],
    [['a b', 0], "$['a b'][0]"],
    [['_A1'], '$._A1'],
    [['1a'], "$['1a']"],
    [[''], "$['']"],
    [["it's", 'a\\b'], "$['it\\'s']['a\\\\b']"],
    [['\b\t\n\f\r\u0000\u001f\u007f'], "$['\\b\\t\\n\\f\\r\\u0000\\u001f\u007f']"],
    [['ä', '😀'], "$['ä']['😀']"],
    [['\ud800'], "$['\\ud800']"],
    [['0', 0], "$['0'][0]"],
  ]
  for (const [segments, path] of rows) {
    test(`writes ${path}`, () => {
      expect(normalisedPath(segments)).toBe(path)
    })
  }

  test('is read back as the same segments', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.nat())), segments => {
        const parsed = parseSelector(normalisedPath(segments))
        const read = parsed.ok
          ? parsed.selector.segments.map(segment =>
              'name' in segment ? segment.name : 'index' in segment ? segment.index : null,
            )
          : null
        expect(read).toStrictEqual(segments)
      }),
    )
  })
})

describe('pointerOf', () => {
  test('escapes as RFC 6901 says, and is empty at the root', () => {
    expect(pointerOf([])).toBe('')
    expect(pointerOf(['a/b', 'm~n', 0, '', '~1'])).toBe('/a~1b/m~0n/0//~01')
  })
})

test.each([
  ['steps[2]:$.items[10].id', '$.items[10].id', 'steps[2]:$.items[*].id'],
  ['$[0][1]', '$[0][1]', '$[*][*]'],
  ['steps[0]:status', 'status', 'steps[0]:status'],
  ['header.allow', 'header.allow', 'header.allow'],
])('%s is %s without its step and %s without its indexes', (path, own, place) => {
  expect([withoutStep(path), withoutIndexes(path)]).toEqual([own, place])
})
