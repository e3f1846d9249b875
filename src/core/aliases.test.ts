import { describe, expect, test } from 'vitest'
import { responseStep, rulesOf, told } from '../../test/observations.ts'
import { answered, boundSequence, get, post } from '../../test/sequences.ts'
import type { FieldList, InputStep, Observation } from '../model.ts'
import { compare } from './diff.ts'

const { golden, steps } = boundSequence()

function differences(actual: Observation, tolerance = '{}', own = steps, legacy = golden): string[] {
  return told(compare(legacy, actual, rulesOf(tolerance), { steps: own }))
}

/** The candidate calls the two posts 71 and 72. */
const renamed: Observation = [
  answered('{"id":"x-71","title":"a"}', 201),
  answered('{"id":"x-72","title":"b"}', 201),
  answered('{"id":"x-71","title":"a","count":3}'),
  answered('[{"id":"x-71","title":"a"},{"id":"x-72","title":"b"}]'),
]

describe('values that both sides bound', () => {
  test('stand for each other where they are bound, and later under a member of the same name', () => {
    expect(differences(renamed)).toEqual([])
    const { notes, ruleUses } = compare(golden, renamed, rulesOf('{}'), { steps })
    expect(notes.map(({ id, path }) => `${id} ${path}`)).toEqual([
      'builtin:binding steps[0]:$.id',
      'builtin:binding steps[1]:$.id',
      'builtin:binding steps[2]:$.id',
      'builtin:binding steps[3]:$[0].id',
      'builtin:binding steps[3]:$[1].id',
    ])
    expect(ruleUses).toEqual([{ rule: 'builtin:binding', id: null, selected: 5, hid: 5 }])
  })

  test('are told as they are without the steps of the input', () => {
    expect(told(compare(golden, renamed, rulesOf('{}')))).toHaveLength(5)
  })

  test('do not stand for a third value', () => {
    expect(differences(renamed.with(2, answered('{"id":"x-73","title":"a","count":3}')))).toEqual([
      'value_changed steps[2]:$.id "p-1" → "x-73"',
    ])
  })

  test('do not stand for the value of another binding', () => {
    expect(differences(renamed.with(2, answered('{"id":"x-72","title":"a","count":3}')))).toEqual([
      'value_changed steps[2]:$.id "p-1" → "x-72"',
    ])
  })

  test('do not reach a member of another name', () => {
    const numbers: readonly InputStep[] = [post('/a', '{}', { bind: { id: '$.id' } }), get('/a/{{id}}')]
    const legacy = [answered('{"id":7}'), answered('{"id":7,"count":7}')]
    expect(differences([answered('{"id":8}'), answered('{"id":8,"count":8}')], '{}', numbers, legacy)).toEqual([
      'value_changed steps[1]:$.count 7 → 8',
    ])
  })

  test('do not reach back before they were bound', () => {
    const own: readonly InputStep[] = [get('/a'), post('/a', '{}', { bind: { id: '$.id' } })]
    const legacy = [answered('{"id":"p-1"}'), answered('{"id":"p-1"}')]
    expect(differences([answered('{"id":"x-1"}'), answered('{"id":"x-1"}')], '{}', own, legacy)).toEqual([
      'value_changed steps[0]:$.id "p-1" → "x-1"',
    ])
  })

  test.each([
    ['a number for a string', '{"id":71,"title":"a"}', 'type_changed steps[0]:$.id "p-1" → 71'],
    [
      'a UUID for a word',
      '{"id":"6f1c5a1e-0000-4000-8000-000000000000","title":"a"}',
      'value_changed steps[0]:$.id "p-1" → "6f1c5a1e-0000-4000-8000-000000000000"',
    ],
    ['an empty text', '{"id":"","title":"a"}', 'value_changed steps[0]:$.id "p-1" → ""'],
    ['null', '{"id":null,"title":"a"}', 'type_changed steps[0]:$.id "p-1" → null'],
    ['nothing', '{"title":"a"}', 'missing steps[0]:$.id "p-1" → null'],
  ])('do not take %s', (_, body, expected) => {
    expect(differences(golden.with(0, answered(body, 201)))).toEqual([expected])
  })

  test('yield to an exact rule', () => {
    expect(differences(renamed, 'exact: [$.id]')).toEqual([
      'value_changed steps[0]:$.id "p-1" → "x-71"',
      'value_changed steps[1]:$.id "p-2" → "x-72"',
      'value_changed steps[2]:$.id "p-1" → "x-71"',
    ])
  })
})

describe('one to one', () => {
  test('two values of the legacy for one of the candidate are told at the second place that binds', () => {
    const once = renamed.with(1, answered('{"id":"x-71","title":"b"}', 201)).with(3, golden[3] ?? answered('[]'))
    const found = compare(golden, once, rulesOf('{}'), { steps })
    expect(told(found)).toEqual(['value_changed steps[1]:$.id "p-2" → "x-71"'])
    expect(found.differences[0]?.rule).toBe('builtin:binding')
    expect(found.differences[0]?.hint).toContain('the candidate gave one value at steps 0 and 1')
  })

  test('and so is one value of the legacy for two of the candidate', () => {
    const legacy = golden.with(1, answered('{"id":"p-1","title":"b"}', 201)).slice(0, 2)
    expect(differences(renamed.slice(0, 2), '{}', steps.slice(0, 2), legacy)).toEqual([
      'value_changed steps[1]:$.id "p-1" → "x-72"',
    ])
  })

  test('values that were asked of another request may meet', () => {
    const own = [post('/posts', '{}', { bind: { post: '$.id' } }), post('/comments', '{}', { bind: { note: '$.id' } })]
    expect(
      differences([answered('{"id":1}'), answered('{"id":1}')], '{}', own, [
        answered('{"id":1}'),
        answered('{"id":2}'),
      ]),
    ).toEqual([])
  })
})

describe('same', () => {
  const own: readonly InputStep[] = [
    post('/posts', '{}', { bind: { id: '$.id' }, same: { 'header.location': '/posts/{{id}}' } }),
    post('/comments', '{"postId":"{{id}}"}', { same: { '$.postId': '{{id}}' } }),
  ]
  const created = (id: number, location: string) =>
    responseStep({
      status: 201,
      headers: [
        ['Content-Type', 'application/json'],
        ['Location', location],
      ],
      body: { json: { id } },
    })
  const legacy = [created(7, '{self}/posts/7'), answered('{"postId":7}')]

  test('lets each side repeat its own values, in a header as part of a text', () => {
    expect(differences([created(12, '{self}/posts/12'), answered('{"postId":12}')], '{}', own, legacy)).toEqual([])
  })

  test('tells a side that does not, even where it holds what the legacy holds', () => {
    const actual = [created(12, '{self}/posts/13'), answered('{"postId":7}')]
    expect(differences(actual, '{}', own, legacy)).toEqual([
      'header_changed steps[0]:header.location "{self}/posts/7" → "{self}/posts/13"',
      'value_changed steps[1]:$.postId 7 → 7',
    ])
  })

  test('tells a place that the candidate does not have, also in a header that is not compared', () => {
    const asked: readonly InputStep[] = [
      post('/posts', '{}', { bind: { id: '$.id' }, same: { 'header.x-ref': 'ref-{{id}}', '$.self': '/posts/{{id}}' } }),
    ]
    const side = (id: number, headers: FieldList) => [
      responseStep({ headers, body: { json: { id, self: `/posts/${id}` } } }),
    ]
    const type = ['Content-Type', 'application/json'] as const
    const whole = side(7, [type, ['X-Ref', 'ref-7']])
    expect(differences(side(8, [type, ['X-Ref', 'ref-8']]), '{}', asked, whole)).toEqual([])
    expect(differences(side(8, [type]), '{}', asked, whole)).toEqual(['header_missing header.x-ref "ref-7" → null'])
    const bare = [responseStep({ headers: [type, ['X-Ref', 'ref-8']], body: { json: { id: 8 } } })]
    expect(differences(bare, 'ignore: [$.self]', asked, whole)).toEqual(['missing $.self "/posts/7" → null'])
  })

  test('goes before a rule at that place, which names no value', () => {
    const actual = [created(12, '{self}/posts/12'), answered('{"postId":12}')]
    expect(differences(actual, 'exact: [$.postId]', own, legacy)).toEqual([])
    const broken = actual.with(1, answered('{"postId":13}'))
    expect(differences(broken, 'structural: [$.postId]', own, legacy)).toEqual([
      'value_changed steps[1]:$.postId 7 → 13',
    ])
  })

  test('a legacy that does not repeat it makes the case unbound', () => {
    const found = compare(legacy.with(1, answered('{"postId":8}')), legacy, rulesOf('{}'), { steps: own })
    expect(found.differences).toEqual([])
    expect(found.faults).toEqual([
      { reason: 'unbound', step: 1, message: 'same: the legacy does not hold {{id}} at $.postId' },
    ])
  })
})

describe('a difference of bound values at a place that they do not reach', () => {
  test('says what to write, in a body and in a header', () => {
    const own = [post('/posts', '{}', { bind: { id: '$.id' } }), get('/comments')]
    const at = (id: string) => [
      answered(`{"id":"${id}"}`),
      responseStep({
        headers: [
          ['Content-Type', 'application/json'],
          ['Location', `/posts/${id}`],
        ],
        body: { json: { postId: id } },
      }),
    ]
    const { differences } = compare(at('p-1'), at('x-1'), rulesOf('{}'), { steps: own })
    expect(differences.map(({ hint }) => hint)).toEqual([
      'each side shows its own id: if it has to, add "same": {"header.location": "/posts/{{id}}"} to step 1',
      'each side shows its own id: if it has to, add "same": {"$.postId": "{{id}}"} to step 1',
    ])
  })
})

describe('names that cross', () => {
  const own = [post('/p', '{}', { bind: { a: '$.id' } }), post('/p', '{}', { bind: { b: '$.id' } }), get('/p')]
  const side = (a: number, b: number, list: string) => [
    answered(`{"id":${a}}`),
    answered(`{"id":${b}}`),
    answered(list),
  ]
  const legacy = side(1, 2, '[{"id":1,"n":"a"},{"id":2,"n":"b"}]')

  test('are read in the names of one side: equal values are then other things', () => {
    expect(differences(side(2, 1, '[{"id":2,"n":"a"},{"id":1,"n":"b"}]'), '{}', own, legacy)).toEqual([])
    expect(differences(side(2, 1, '[{"id":1,"n":"a"},{"id":2,"n":"b"}]'), '{}', own, legacy)).toEqual([
      'value_changed steps[2]:$[0].id 1 → 1',
      'value_changed steps[2]:$[1].id 2 → 2',
    ])
    expect(differences(side(2, 3, '[{"id":2,"n":"a"},{"id":2,"n":"b"}]'), '{}', own, legacy)).toEqual([
      'value_changed steps[2]:$[1].id 2 → 2',
    ])
  })

  test('do not reach what is bound nowhere: a coincidence is none', () => {
    const other = [answered('{"id":7}'), answered('{"id":8}'), answered('[{"id":12,"text":"t"}]')]
    const actual = [answered('{"id":12}'), answered('{"id":13}'), answered('[{"id":12,"text":"t"}]')]
    expect(differences(actual, '{}', own, other)).toEqual([])
    expect(differences(actual, 'order_insensitive: [$]', own, other)).toEqual([])
  })
})

test('true and false are no names', () => {
  const own = [post('/p', '{}', { bind: { ok: '$.ok' } })]
  expect(differences([answered('{"ok":false}')], '{}', own, [answered('{"ok":true}')])).toEqual([
    'value_changed $.ok true → false',
  ])
})

describe('elements that are matched', () => {
  const own = [post('/p', '{}', { bind: { a: '$.id' } }), post('/p', '{}', { bind: { b: '$.id' } }), get('/p')]
  const legacy = [answered('{"id":1}'), answered('{"id":2}'), answered('[{"id":1},{"id":2},{"id":9}]')]
  const actual = (list: string) => [answered('{"id":12}'), answered('{"id":11}'), answered(list)]

  test('are matched in the names of the legacy, and told as received', () => {
    const found = (list: string) => differences(actual(list), 'order_insensitive: [$]', own, legacy)
    expect(found('[{"id":9},{"id":11},{"id":12}]')).toEqual([])
    expect(found('[{"id":9},{"id":11},{"id":13}]')).toEqual(['value_changed steps[2]:$[0].id 1 → 13'])
    expect(found('[{"id":9},{"id":11},{"id":11}]')).toEqual(['value_changed steps[2]:$[0].id 1 → 11'])
    expect(found('[{"id":9},{"id":11},{"id":12},{"id":12,"x":1}]')).toEqual([
      'extra steps[2]:$[3] null → {"id":12,"x":1}',
    ])
  })
})

describe('a location that is bound', () => {
  const own = [post('/p', '{}', { bind: { at: 'header.location' } })]
  const created = (location: string) => [responseStep({ status: 201, headers: [['Location', location]] })]
  test.each([
    ['{self}/p/1', '{self}/p/2', []],
    ['/p/1#a', '/p/2#a', []],
    ['1', '2', []],
    ['/p/1#a', '/p/1#b', ['header_changed header.location "/p/1#a" → "/p/1#b"']],
    ['{self}/p/1', '/p/2', ['header_changed header.location "{self}/p/1" → "/p/2"']],
  ])('%s against %s', (legacy, candidate, expected) => {
    expect(differences(created(candidate), '{}', own, created(legacy))).toEqual(expected)
  })
})

describe('links', () => {
  const own: readonly InputStep[] = [get('/posts', { bind: { next: 'link.next' } }), get('{{next}}')]
  const page = (cursor: string, rel = 'next') =>
    responseStep({
      headers: [['Link', `<{self}/posts?after=0>; rel="first", <{self}/posts?after=${cursor}>; rel="${rel}"`]],
    })

  test('of a header that differs in the bound one alone are explained', () => {
    const [x, y] = [page('aa'), page('bb')]
    const rules = rulesOf('{}', ['link'])
    expect(told(compare([x, answered('[]')], [y, answered('[]')], rules, { steps: own }))).toEqual([])
    const lost = page('bb', 'last')
    expect(told(compare([x, answered('[]')], [lost, answered('[]')], rules, { steps: own }))).toHaveLength(1)
  })
})

describe('steps that are given, and a candidate that was cut', () => {
  test('what is given is not compared', () => {
    const own = [post('/seed', '{}', { given: true }), get('/a')]
    expect(
      differences([answered('{"a":1}'), answered('{"b":1}')], '{}', own, [answered('{"a":2}'), answered('{"b":1}')]),
    ).toEqual([])
  })

  test('the steps that a cut candidate lacks are no differences; the fault stands', () => {
    const cut = { reason: 'timeout', step: 2, message: 'late' } as const
    const found = compare(golden, renamed.slice(0, 2), rulesOf('{}'), { steps, cut })
    expect(told(found)).toEqual([])
    expect(found.faults).toEqual([cut])
  })

  test('a difference before the cut is told under the step that it stands in', () => {
    const cut = { reason: 'timeout', step: 1, message: 'late' } as const
    const found = compare(golden, [answered('{"id":"x","title":"c"}', 201)], rulesOf('{}'), { steps, cut })
    expect(told(found)).toEqual(['value_changed steps[0]:$.title "a" → "c"'])
    expect(found.faults).toEqual([cut])
  })
})
