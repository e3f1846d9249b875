import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KEYS = ['exact', 'structural', 'numeric_tolerance', 'order_insensitive', 'ignore']

const rows: [word: string, near: string | null, why: string][] = [
  ['strutural', 'structural', 'a letter is missing'],
  ['exactt', 'exact', 'a letter too many'],
  ['ignroe', 'ignore', 'two letters swapped'],
  ['Ignore', 'ignore', 'another letter case'],
  ['order_insensetive', 'order_insensitive', 'one letter is another'],
  ['numeric-tolerance', 'numeric_tolerance', 'a hyphen'],
  ['tolerance', null, 'too far from all'],
  ['x', null, 'nothing is close to one letter'],
  ['', null, 'nothing is close to nothing'],
]
for (const [word, near, why] of rows) {
  test(`"${word}" is near ${near}: ${why}`, () => {
    expect(nearest(word, KEYS)).toBe(near)
  })
}

test('takes the closest, and the first of equally close ones', () => {
  expect(nearest('cat', ['cart', 'car', 'cat'])).toBe('cat')
  expect(nearest('cat', ['car', 'bat'])).toBe('car')
})

test('does not compare words longer than 64 letters', () => {
  const word = 'a'.repeat(65)
  expect(nearest(word, [word])).toBe(null)
  expect(nearest('a'.repeat(63), ['a'.repeat(64)])).toBe('a'.repeat(64))
})
