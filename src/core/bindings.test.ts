import { describe, expect, test } from 'vitest'
import { jsonOf, responseStep } from '../../test/observations.ts'
import { answered, get, post } from '../../test/sequences.ts'
import type { FieldList } from '../model.ts'
import { looseReference, parseSource, referencesOf, take } from './bindings.ts'
import { fillStep } from './filled.ts'
import { linksOf, ownPath } from './links.ts'

function taken(source: string, headers: FieldList, path = '/posts'): unknown {
  const bound = take(source, responseStep({ headers }), path)
  return bound.ok ? bound.value : bound.message
}

describe('what a source takes', () => {
  test.each([
    ['$.id', '{"id":7}', '7'],
    ['$.id', '{"id":10.00}', '10.00'],
    ['$.a[1].t', '{"a":[{},{"t":"x"}]}', '"x"'],
    ["$.a[?@.rel=='next'].href", '{"a":[{"rel":"prev","href":"/1"},{"rel":"next","href":"/3"}]}', '"/3"'],
    ['$.ok', '{"ok":false}', 'false'],
  ])('%s of %s is %s', (source, body, expected) => {
    const bound = take(source, answered(body), null)
    expect(bound.ok && bound.value).toEqual(jsonOf(expected))
  })

  test.each([
    ['$.id', '{}', '$.id selects nothing in its answer'],
    ['$..id', '{"id":1,"a":{"id":2}}', '$..id selects 2 places in its answer ($.id, $.a.id): it must be one'],
    ['$.id', '{"id":null}', '$.id selects null: it must be a string, a number or a boolean'],
    ['$.id', '{"id":{}}', '$.id selects an object: it must be a string, a number or a boolean'],
  ])('%s of %s is refused', (source, body, message) => {
    expect(take(source, answered(body), null)).toEqual({ ok: false, message })
  })

  test('a header has one value, whatever its case', () => {
    expect(taken('header.X-Token', [['x-token', 't-1']])).toBe('t-1')
    const twice = taken('header.x-token', [
      ['X-Token', 'a'],
      ['X-Token', 'b'],
    ])
    expect(twice).toBe('header.x-token selects 2 places in its answer (header.x-token): it must be one')
  })

  test('a cookie gives its value alone', () => {
    const headers: FieldList = [
      ['Set-Cookie', 'lang=de'],
      ['Set-Cookie', 'sid=abc123; Path=/; HttpOnly'],
    ]
    expect(taken('cookie.sid', headers)).toBe('abc123')
    expect(taken('cookie.SID', headers)).toBe('cookie.SID selects nothing in its answer')
  })

  test.each([
    ['{self}/posts/7', '/posts/7'],
    ['/posts/a%2Fb?x=1', '/posts/a%2Fb?x=1'],
    ['8', '/posts/8'],
    ['?page=2', '/posts/list?page=2'],
    ['http://elsewhere.test/posts/7', 'header.location leads to another host, where nothing is sent'],
    ['//elsewhere.test/', 'header.location leads to another host, where nothing is sent'],
    ['\\\\elsewhere.test/', 'header.location leads to another host, where nothing is sent'],
  ])('a location %s is %s', (value, expected) => {
    expect(taken('header.location', [['Location', value]], '/posts/list')).toBe(expected)
  })

  test('a link is found by its relation', () => {
    const value = '<{self}/p?page=1>; rel="first", </p?page=3>; title="a, b"; rel="next last"'
    expect(taken('link.next', [['Link', value]])).toBe('/p?page=3')
    expect(taken('link.first', [['Link', value]])).toBe('/p?page=1')
    expect(linksOf([value])).toEqual([
      { target: '{self}/p?page=1', relations: ['first'] },
      { target: '/p?page=3', relations: ['next', 'last'] },
    ])
    expect(ownPath('{self}', '/x')).toBe('/')
  })

  test.each(['id', 'header.', 'jar.sid', '$.[', 'header.a b'])('%s is no source', text => {
    expect(parseSource(text).ok).toBe(false)
  })
})

describe('references', () => {
  test('stand in the path, headers and values, not in member names', () => {
    const step = {
      request: {
        method: 'POST',
        path: '/a/{{p}}?q={{q}}',
        headers: [['Authorization', 'Bearer {{t}}']] as FieldList,
        body: { json: jsonOf('{"{{name}}":"{{b}} \\\\{{literal}}","deep":[{"x":"{{c}}"}]}') },
      },
    }
    expect(referencesOf(step)).toEqual(['p', 'q', 't', 'b', 'c'])
  })

  test('the first that no earlier step binds is told, with how many steps depend on it', () => {
    const steps = [get('/login', { bind: { token: '$.token' } }), get('/a/{{tokn}}'), get('/b')]
    expect(looseReference(steps)).toEqual({ step: 1, name: 'tokn', steps: 2, near: 'token' })
    expect(looseReference([get('/login', { bind: { tokn: '$.token' } }), get('/a/{{tokn}}')])).toBeNull()
    expect(looseReference([get('/a', { bind: { x: '$.x' }, same: { '$.y': '{{x}}' } })])).toBeNull()
    expect(looseReference([get('/a/{{x}}', { bind: { x: '$.x' } })])).toEqual({
      step: 0,
      name: 'x',
      steps: 1,
      near: null,
    })
  })
})

describe('filling', () => {
  const values = new Map<string, string | boolean>([
    ['id', 'a/b c'],
    ['next', '/posts?page=2'],
    ['away', 'http://elsewhere.test/x'],
    ['own', 'http://127.0.0.1:9/posts?page=3'],
    ['break', 'a\r\nX: 1'],
    ['yes', true],
  ])
  const fill = (step: Parameters<typeof fillStep>[0], origin: string | null = 'http://127.0.0.1:9') =>
    fillStep(step, values, origin)
  const pathOf = (path: string): unknown => {
    const filled = fill(get(path))
    return filled.ok ? filled.step.request?.path : filled.message
  }

  test.each([
    ['/posts/{{id}}', '/posts/a%2Fb%20c'],
    ['/posts?x={{id}}', '/posts?x=a%2Fb%20c'],
    ['{{next}}', '/posts?page=2'],
    ['{{next}}&x=1', '/posts?page=2&x=1'],
    ['{{own}}', '/posts?page=3'],
    ['/a/\\{{id}}', '/a/{{id}}'],
    ['{{away}}', 'the path begins with a bound value that is no path of this side: nothing is sent elsewhere'],
    ['{{id}}', 'the path begins with a bound value that is no path of this side: nothing is sent elsewhere'],
    ['/a/{{gone}}', '{{gone}} is bound by no earlier step'],
  ])('%s becomes %s', (path, expected) => {
    expect(pathOf(path)).toBe(expected)
  })

  test('a string that is a reference becomes the value, a longer one takes its text', () => {
    const filled = fill(post('/a', '{"x":"{{yes}}","y":"is {{yes}}","z":10.00,"{{id}}":"\\\\{{id}}"}'))
    expect(filled.ok && filled.step.request?.body).toEqual({
      json: jsonOf('{"x":true,"y":"is true","z":10.00,"{{id}}":"{{id}}"}'),
    })
  })

  test('a number is sent as it was received', () => {
    const bound = new Map([['n', jsonOf('12345678901234567890.10') as number]])
    const filled = fillStep({ input: jsonOf('["{{n}}","{{n}}!"]') }, bound, null)
    expect(filled.ok && filled.step.input).toEqual(jsonOf('[12345678901234567890.10,"12345678901234567890.10!"]'))
  })

  test('a header does not take a line break', () => {
    const step = { request: { method: 'GET', path: '/', headers: [['X-A', '{{break}}']] as FieldList } }
    const message = 'the header X-A cannot hold a bound value: it has line breaks or control characters'
    expect(fill(step)).toEqual({ ok: false, name: null, message })
  })

  test('a step without references is the very same', () => {
    const step = post('/a', '{"x":1}')
    const filled = fill(step)
    expect(filled.ok && filled.step).toBe(step)
  })
})
