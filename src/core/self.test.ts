import { describe, expect, test } from 'vitest'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { FieldList } from '../model.ts'
import { compare } from './diff.ts'
import { withSelf } from './headers.ts'

test('a Location that names its own origin names {self}', () => {
  const of = (value: string): FieldList => [
    ['Location', value],
    ['X', value],
  ]
  const masked = (value: string) => withSelf(of(value), 'http://127.0.0.1:4711').map(([, one]) => one)
  expect(masked('http://127.0.0.1:4711/a?b')).toEqual(['{self}/a?b', 'http://127.0.0.1:4711/a?b'])
  expect(masked('http://127.0.0.1:4711')[0]).toBe('{self}')
  expect(masked('http://127.0.0.1:47110/a')[0]).toBe('http://127.0.0.1:47110/a')
  expect(masked('/a')[0]).toBe('/a')
})

test.each([
  ['127.0.0.1:4711', '{self}'],
  ['127.0.0.1:47110', '127.0.0.1:47110'],
  ['127.0.0.1', '127.0.0.1'],
  ['http://127.0.0.1:4711', 'http://127.0.0.1:4711'],
])('a Host of %s that a server at 127.0.0.1:4711 sends back is %s', (value, expected) => {
  expect(withSelf([['Host', value]], 'http://127.0.0.1:4711')).toEqual([['Host', expected]])
})

describe('a Link', () => {
  const masked = (value: string, name = 'Link') => withSelf([[name, value]], 'http://127.0.0.1:4711')[0]?.[1]

  test('names {self} in each target that names its own origin, and nowhere else', () => {
    expect(
      masked(
        '<http://127.0.0.1:4711/posts?_page=1>; rel="first", <http://127.0.0.1:4711/posts?_page=2>; rel="next", ' +
          '<http://example.invalid/posts>; rel="up", </posts>; rel="self"',
      ),
    ).toBe(
      '<{self}/posts?_page=1>; rel="first", <{self}/posts?_page=2>; rel="next", ' +
        '<http://example.invalid/posts>; rel="up", </posts>; rel="self"',
    )
  })

  test.each([
    ['another port that begins alike', '<http://127.0.0.1:47110/a>; rel=next', '<http://127.0.0.1:47110/a>; rel=next'],
    ['the scheme and the host in any case', '<HTTP://127.0.0.1:4711/A>; rel=next', '<{self}/A>; rel=next'],
    ['the origin alone', '<http://127.0.0.1:4711>; rel=start', '<{self}>; rel=start'],
    ['a query on the origin', '<http://127.0.0.1:4711?a=b>; rel=start', '<{self}?a=b>; rel=start'],
    ['the context of a link', '</b>; rel=up; anchor="http://127.0.0.1:4711/a"', '</b>; rel=up; anchor="{self}/a"'],
    [
      'a title that speaks of the origin',
      '</b>; title="<http://127.0.0.1:4711/a>"',
      '</b>; title="<http://127.0.0.1:4711/a>"',
    ],
    [
      'a title with an escaped quote',
      '</b>; title="a \\" <http://127.0.0.1:4711/a>", <http://127.0.0.1:4711/c>',
      '</b>; title="a \\" <http://127.0.0.1:4711/a>", <{self}/c>',
    ],
    ['no link at all', 'http://127.0.0.1:4711/a', 'http://127.0.0.1:4711/a'],
    ['a target without its end', '<http://127.0.0.1:4711/a', '<http://127.0.0.1:4711/a'],
  ])('with %s', (_name, value, expected) => {
    expect(masked(value)).toBe(expected)
  })

  test('is one header of its own: another that speaks of links stays as it is', () => {
    expect(masked('<http://127.0.0.1:4711/a>; rel=next', 'X-Link')).toBe('<http://127.0.0.1:4711/a>; rel=next')
    expect(masked('http://127.0.0.1:4711/a', 'content-location')).toBe('{self}/a')
  })

  test('that leads elsewhere on one side is a difference, on another port of its own is none', () => {
    const link = (origin: string, to: string): FieldList => withSelf([['Link', `<${to}/posts>; rel=next`]], origin)
    const found = (actual: FieldList) =>
      told(
        compare(
          response({ headers: link('http://127.0.0.1:1', 'http://127.0.0.1:1') }),
          response({ headers: actual }),
          rulesOf('{}', ['link']),
        ),
      )
    expect(found(link('http://127.0.0.1:2', 'http://127.0.0.1:2'))).toEqual([])
    expect(found(link('http://127.0.0.1:2', 'http://127.0.0.1:1'))).toHaveLength(1)
  })
})
