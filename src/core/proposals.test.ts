import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { jsonResponse, response, rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { evidenceOf } from './evidence.ts'
import { coverNoise, noiseOf } from './noise.ts'
import { PROPOSAL_REFUSALS, unstableText } from './proposals.ts'

const text = (body: string): Observation =>
  response({ headers: [['Content-Type', 'text/plain']], body: { bytes: Buffer.from(body) } })

/** What is proposed, and refused with its code, for two captures of one case. */
function toldOf(first: Observation, second: Observation, tolerance = '{}', beside: readonly Observation[] = []) {
  const noise = noiseOf(first, second)
  const captured = [{ golden: first, noise }, ...beside.map(golden => ({ golden, noise: [] }))]
  const { proposals, refused } = coverNoise(noise, first, rulesOf(tolerance), evidenceOf(captured))
  return [...proposals.map(({ rule }) => rule), ...refused.map(({ rule, code }) => `${rule} is ${code}`)]
}

describe('a rule that would hide more than the noise is refused', () => {
  test.each<[string, Observation, Observation, string[]]>([
    ['a body of another form', jsonResponse('{"a":1}'), jsonResponse('[1]'), ['ignore $ is whole-body']],
    ['a body that is one value', jsonResponse('"a"'), jsonResponse('"b"'), ['structural $ is whole-body']],
    ['every element of a body', jsonResponse('[1,2]'), jsonResponse('[3,4]'), ['structural $[*] is whole-body']],
    ['the status', response({ status: 200 }), response({ status: 503 }), ['ignore status is whole-outcome']],
    [
      'the exit code',
      [{ kind: 'command', stdout: new Uint8Array(), stderr: '', exit: 0 }],
      [{ kind: 'command', stdout: new Uint8Array(), stderr: '', exit: 1 }],
      ['ignore exit is whole-outcome'],
    ],
    [
      'an element that comes',
      jsonResponse('{"a":[1,2]}'),
      jsonResponse('{"a":[1,2,3]}'),
      ['ignore $.a[*] is whole-array'],
    ],
    [
      'an element of another form',
      jsonResponse('{"a":[{"n":1},2]}'),
      jsonResponse('{"a":["x",2]}'),
      ['ignore $.a[*] is whole-array'],
    ],
  ])('%s', (_, first, second, told) => {
    expect(toldOf(first, second)).toEqual(told)
  })

  test('a place that another golden has more below, which never changed', () => {
    const [first, second] = [jsonResponse('{"error":"no. 7"}'), jsonResponse('{"error":"no. 8"}')]
    const other = jsonResponse('{"error":{"code":"E_CCY"}}')
    expect(toldOf(first, second, '{}', [other])).toEqual(['structural $.error is hides-stable'])
    const { refused } = coverNoise(
      noiseOf(first, second),
      first,
      rulesOf('{}'),
      evidenceOf([
        { golden: first, noise: noiseOf(first, second) },
        { golden: other, noise: [] },
      ]),
    )
    expect(refused[0]?.stable).toEqual(['$.error.code'])
    // what a rule of its own keeps is not hidden
    expect(toldOf(first, second, 'exact: [$.error.code]', [other])).toEqual(['structural $.error'])
  })

  test('each code has its sentence', () => {
    expect(Object.keys(PROPOSAL_REFUSALS)).toEqual(['whole-body', 'whole-outcome', 'whole-array', 'hides-stable'])
  })
})

describe('the narrowest rule is proposed', () => {
  test.each<[string, Observation, Observation, string[]]>([
    ['one line of a text', text('a\nat 7\nb\n'), text('a\nat 8\nb\n'), ['structural $.lines[1]']],
    ['the only line of a text', text('at 7'), text('at 8'), ['structural $.lines[0]']],
    ['one element beside stable ones', jsonResponse('{"a":[1,2]}'), jsonResponse('{"a":[1,3]}'), ['structural $.a[1]']],
    ['one element of a body', jsonResponse('[1,2]'), jsonResponse('[1,3]'), ['structural $[1]']],
    ['all elements of a list', jsonResponse('{"a":[1,2]}'), jsonResponse('{"a":[3,4]}'), ['structural $.a[*]']],
    [
      'a member of records',
      jsonResponse('{"a":[{"t":1,"n":1},{"t":2,"n":1}]}'),
      jsonResponse('{"a":[{"t":3,"n":1},{"t":2,"n":1}]}'),
      ['structural $.a[*].t'],
    ],
    ['the order of a body', jsonResponse('[1,2]'), jsonResponse('[2,1]'), ['order_insensitive $']],
    ['a member that comes and goes', jsonResponse('{"a":1}'), jsonResponse('{"a":1,"b":2}'), ['ignore $.b']],
  ])('%s', (_, first, second, told) => {
    expect(toldOf(first, second)).toEqual(told)
  })

  test('and lets the noise pass', () => {
    const [first, second] = [text('a\nat 7\nb\n'), text('a\nat 8\nb\n')]
    const noise = noiseOf(first, second)
    expect(coverNoise(noise, first, rulesOf("structural: ['$.lines[1]']")).uncovered).toEqual([])
    expect(coverNoise(noise, first, rulesOf("structural: ['$.lines[0]']")).uncovered).toHaveLength(1)
  })
})

describe('noise of a sequence', () => {
  const steps = (...bodies: readonly string[]): Observation => bodies.flatMap(body => jsonResponse(body))
  const first = steps('{"id":1,"at":"2026-01-02T03:04:05Z"}', '{"n":1}', '{"list":["a","b"]}')
  const second = steps('{"id":1,"at":"2026-01-02T03:04:06Z"}', '{"n":2}', '{"list":["b","a"]}')
  const noise = noiseOf(first, second)

  test('carries the step, the path, both tokens and the kind', () => {
    const { proposals } = coverNoise(noise, first, rulesOf('{}'))
    expect(proposals.map(({ rule, path, kind, first, second }) => [rule, path, kind, first, second])).toEqual([
      ['structural $.at', 'steps[0]:$.at', 'timestamp', '"2026-01-02T03:04:05Z"', '"2026-01-02T03:04:06Z"'],
      ['structural $.n', 'steps[1]:$.n', 'counter', '1', '2'],
      ['order_insensitive $.list', 'steps[2]:$.list', 'order', '["a","b"]', '["b","a"]'],
    ])
  })

  test('is covered step by step: a rule of one step leaves the others alone', () => {
    const open = (tolerance: string) => coverNoise(noise, first, rulesOf(tolerance)).uncovered.map(({ path }) => path)
    expect(open("{structural: ['steps[0]:$.at', 'steps[1]:$.n'], order_insensitive: ['steps[2]:$.list']}")).toEqual([])
    expect(open("{structural: ['steps[1]:$.at', 'steps[1]:$.n'], order_insensitive: ['steps[2]:$.list']}")).toEqual([
      'steps[0]:$.at',
    ])
  })

  test('is told in one sentence, places once, with what may be proposed and what not', () => {
    const covered = coverNoise(noise, first, rulesOf('order_insensitive: [$.list]'))
    expect(unstableText(covered.uncovered, covered)).toBe(
      'the legacy differs from itself at steps[0]:$.at (timestamp), steps[1]:$.n (counter); proposed: structural $.at, structural $.n',
    )
    const [one, two] = [jsonResponse('{"a":[1]}'), jsonResponse('{"a":[1,2]}')]
    const broad = coverNoise(noiseOf(one, two), one, rulesOf('{}'))
    expect(unstableText(broad.uncovered, broad)).toBe(
      'the legacy differs from itself at $.a[1] (value); proposed: none; too broad to propose: ignore $.a[*] (whole-array)',
    )
  })

  test('names twenty places at most, and how many more there are', () => {
    const body = (value: number): Observation =>
      jsonResponse(JSON.stringify(Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`m${n}`, `${value} ${n}`]))))
    const covered = coverNoise(noiseOf(body(1), body(2)), body(1), rulesOf('{}'))
    const told = unstableText(covered.uncovered, covered)
    expect(told).toContain('$.m19 (')
    expect(told).toContain(', 5 more; proposed: ')
    expect(told.split('; ')[0]).not.toContain('$.m20')
  })
})
