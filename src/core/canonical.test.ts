import { describe, expect, test } from 'vitest'
import { canonicalText, compareCodePoints, sha256 } from './canonical.ts'

describe('compareCodePoints', () => {
  test('sorts by code point where UTF-16 units would not', () => {
    // U+FF5E is one unit above the surrogates that U+1F600 is made of.
    expect(['😀', '\uff5e', 'a', 'B', 'ä', ''].sort(compareCodePoints)).toStrictEqual([
      '',
      'B',
      'a',
      'ä',
      '\uff5e',
      '😀',
    ])
  })

  test('sorts a prefix first and equal texts together', () => {
    expect(compareCodePoints('a', 'ab')).toBeLessThan(0)
    expect(compareCodePoints('ab', 'a')).toBeGreaterThan(0)
    expect(compareCodePoints('😀a', '😀a')).toBe(0)
    expect(compareCodePoints('\ud83d', '😀')).toBeLessThan(0)
  })
})

describe('canonicalText', () => {
  test('is the same for records that differ in the order of members', () => {
    const text = '{"a":[1,null,"x"],"b":{"c":true,"d":-1.5},"😀":0}'
    expect(canonicalText({ b: { d: -1.5, c: true }, '😀': -0, a: [1, null, 'x'] })).toBe(text)
    expect(canonicalText({ a: [1, null, 'x'], b: { c: true, d: -1.5 }, '😀': 0, e: undefined })).toBe(text)
  })

  test('keeps the order of lists', () => {
    expect(canonicalText([2, 1])).toBe('[2,1]')
  })

  for (const [what, value] of [
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['an undefined element', [undefined]],
    ['a function', () => 1],
  ] as const) {
    test(`refuses ${what}`, () => {
      expect(() => canonicalText(value)).toThrow(TypeError)
    })
  }
})

describe('sha256', () => {
  test('hashes a text as its UTF-8 bytes', () => {
    expect(sha256('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(sha256('ä')).toBe(sha256(new Uint8Array([0xc3, 0xa4])))
  })
})
