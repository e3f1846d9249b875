import { describe, expect, test } from 'vitest'
import { samePerson } from './people.ts'

describe('samePerson', () => {
  test.each([
    ['ana', 'Ana', 'case'],
    [' ana ', 'ana', 'spaces around'],
    ['Ana  de\tla Cruz', 'ana de la cruz', 'spaces within'],
    ['Jos\u00e9', 'Jose\u0301', 'composed and decomposed'],
    ['\uff21na', 'ana', 'full-width letters'],
    ['a\u200bna', 'ana', 'a space of no width'],
    ['Gro\u00df', 'GROSS', 'a letter with two capitals'],
    ['\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2', '\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3', 'a final sigma'],
  ])('takes %j and %j for one: %s', (a, b) => {
    expect(samePerson(a, b)).toBe(true)
    expect(samePerson(b, a)).toBe(true)
  })

  test.each([
    ['ana', 'anna', 'another letter'],
    ['ana', 'ana2', 'more'],
    ['Jos\u00e9', 'Jose', 'an accent is a letter'],
    ['de la', 'dela', 'a space divides'],
  ])('keeps %j and %j apart: %s', (a, b) => {
    expect(samePerson(a, b)).toBe(false)
  })
})
