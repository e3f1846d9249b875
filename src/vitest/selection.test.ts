import { describe, expect, test } from 'vitest'
import { isSelected, widenPattern } from './selection.ts'
import { errorLine, featureOfFile, placeOf } from './state.ts'
import { stuckWorkers, type Watched } from './watchdog.ts'

test.each([
  [undefined, false],
  [[], false],
  [['parity'], true],
  [['PARITY'], true],
  [['unit', 'par*'], true],
  [['*'], true],
  [['!unit'], false],
  [['parity-old'], false],
  [['p.rity'], false],
])('the project filter %j asks for parity: %s', (patterns, asked) => {
  expect(isSelected(patterns)).toBe(asked)
})

test.each([
  [/fx 010-a/, 'fx > 010-a', true],
  [/fx 010-a/, 'fx 010-a', true],
  [/fx > 010-a/, 'fx > 010-a', true],
  [/^fx 010-a$/, 'fx > 010-ab', false],
  [/unknown currency, by hand/, 'fx > unknown currency, by hand', true],
  [/fx[ ]010/, 'fx > 010-a', false],
  [/a b/, 'a b', true],
  [/FX 010/i, 'fx > 010-a', true],
])('the name pattern %s selects %j: %s', (pattern, name, selected) => {
  expect(widenPattern(pattern).test(name)).toBe(selected)
})

test.each([
  ['parity/forex/forex.parity.ts', 'forex'],
  ['forex.parity.mts', 'forex'],
  ['parity\\forex\\forex.live.parity.ts', 'forex'],
])('the file %s stands for the feature %s', (path, feature) => {
  expect(featureOfFile(path)).toBe(feature)
})

test('an error is one line without the folder of the checkout', () => {
  const error = new TypeError('cannot read /home/me/repo/src/a.ts\nand more')
  expect(errorLine(error, '/home/me/repo')).toBe('TypeError: cannot read src/a.ts')
  expect(errorLine('plain', '/r')).toBe('plain')
  expect(errorLine('Transform failed with 1 error:\n\n  unexpected `const`\n at', '/r')).toBe(
    'Transform failed with 1 error: unexpected `const`',
  )
  expect(errorLine(undefined, '/r')).toBe('undefined')
})

test.each([
  ['Error\n    at f (/a b/c.ts:3:4)\n    at g (/d.ts:1:1)', { file: '/a b/c.ts', line: 3, column: 4 }],
  ['Error\n    at file:///a%20b/c.ts:3:4', { file: '/a b/c.ts', line: 3, column: 4 }],
  ['Error', null],
])('the place of %j', (stack, place) => {
  expect(placeOf(Object.assign(new Error(), { stack }))).toEqual(place)
})

describe('the watchdog', () => {
  const worker: Watched = { file: 'f', pid: 7, collected: true, startedAt: 0, heardAt: 0 }
  test.each([
    ['a worker that was heard in time', { heardAt: 900 }, null],
    ['a worker that was not', {}, 'the worker gave no sign of life for 1000 ms and was ended'],
    ['a worker that was never heard of', { pid: null }, null],
    ['a long run that is heard', { heardAt: 1_990 }, null],
    [
      'an import without end',
      { heardAt: 1_990, collected: false },
      'the file was still being imported after 1000 ms and was ended',
    ],
  ])('judges %s', (_name, over, message) => {
    expect(
      stuckWorkers([{ ...worker, ...over }], 'heardAt' in over && over.heardAt === 900 ? 1_900 : 2_000, 1_000).map(
        each => each.message,
      ),
    ).toEqual(message === null ? [] : [message])
  })
})
