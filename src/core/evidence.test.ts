import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { jsonResponse, response, rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { type Captured, evidenceOf, type Governed } from './evidence.ts'
import { noiseOf } from './noise.ts'

/** What the captures show of the first rule of a tolerance file. */
function governed(tolerance: string, captured: readonly Captured[]): Governed {
  const { rules } = rulesOf(tolerance)
  const [rule] = rules
  if (rule === undefined) throw new Error('no rule')
  return evidenceOf(captured).governedBy(rule, rules)
}

const captured = (first: Observation, second = first): Captured => ({ golden: first, noise: noiseOf(first, second) })
const json = (first: string, second = first): Captured => captured(jsonResponse(first), jsonResponse(second))

describe('what a rule governs is noisy or stable', () => {
  test.each<[string, string, Captured[], Governed]>([
    ['noisy', 'structural: [$.id]', [json('{"id":"a"}', '{"id":"b"}')], { noisy: ['$.id'], stable: [] }],
    ['stable', 'structural: [$.id]', [json('{"id":"a"}')], { noisy: [], stable: ['$.id'] }],
    [
      'noisy in one case counts for all',
      'structural: [$.id]',
      [json('{"id":"a"}', '{"id":"b"}'), json('{"id":"a"}')],
      { noisy: ['$.id'], stable: [] },
    ],
    [
      'each leaf below it for itself',
      'ignore: [$.meta]',
      [json('{"meta":{"pid":1,"version":"1","list":[1]}}', '{"meta":{"pid":2,"version":"1","list":[]}}')],
      { noisy: ['$.meta.list[*]', '$.meta.pid'], stable: ['$.meta.version'] },
    ],
    [
      'an empty list where another capture had elements',
      'ignore: [$.meta]',
      [json('{"meta":{"list":[]}}', '{"meta":{"list":[1]}}')],
      { noisy: ['$.meta.list'], stable: [] },
    ],
    [
      'all below what came and went',
      'ignore: [$.meta]',
      [json('{"meta":{"a":{"b":1}}}', '{"meta":{}}')],
      { noisy: ['$.meta.a.b'], stable: [] },
    ],
    [
      'not what a deeper rule governs',
      'structural: [$.meta]\nexact: [$.meta.version]',
      [json('{"meta":{"pid":1,"version":"1"}}', '{"meta":{"pid":2,"version":"1"}}')],
      { noisy: ['$.meta.pid'], stable: [] },
    ],
    [
      'the list itself under order_insensitive',
      'order_insensitive: [$.a, $.b]',
      [json('{"a":[1,2],"b":[1]}', '{"a":[2,1],"b":[1]}')],
      { noisy: ['$.a'], stable: [] },
    ],
    [
      'a number under a bound',
      'numeric_tolerance: { $.n: 0.1 }',
      [json('{"n":1,"m":2}')],
      { noisy: [], stable: ['$.n'] },
    ],
    ['nothing where it selects nothing', 'structural: [$.gone]', [json('{"id":"a"}')], { noisy: [], stable: [] }],
    ['nothing where nothing was captured', 'structural: [$.id]', [], { noisy: [], stable: [] }],
    [
      'a header',
      'ignore: [header.x-a]',
      [
        captured(response({ headers: [['X-A', '1']] }), response({ headers: [['X-A', '2']] })),
        captured(response({ headers: [['X-B', '1']] })),
      ],
      { noisy: ['header.x-a'], stable: [] },
    ],
    [
      'a stable header',
      'ignore: [header.x-a]',
      [captured(response({ headers: [['X-A', '1']] }))],
      { noisy: [], stable: ['header.x-a'] },
    ],
    ['the status', 'ignore: [status]', [captured(response({}))], { noisy: [], stable: ['status'] }],
  ])('%s', (_, tolerance, captures, expected) => {
    expect(governed(tolerance, captures)).toEqual(expected)
  })

  test('lines of a text one by one', () => {
    const lines = (body: string): Observation =>
      response({ headers: [['Content-Type', 'text/plain']], body: { bytes: Buffer.from(body) } })
    expect(governed("structural: ['$.lines[*]']", [captured(lines('a\n1'), lines('a\n2'))])).toEqual({
      noisy: ['$.lines[1]'],
      stable: ['$.lines[0]'],
    })
  })

  test('steps of a sequence as one', () => {
    const first = [...jsonResponse('{"id":1}'), ...jsonResponse('{"id":1}')]
    const second = [...jsonResponse('{"id":2}'), ...jsonResponse('{"id":1}')]
    expect(governed('structural: [$.id]', [captured(first, second)])).toEqual({ noisy: ['$.id'], stable: [] })
    expect(governed("structural: ['steps[1]:$.id', 'steps[1]:$.no']", [captured(first)]).stable).toEqual(['$.id'])
  })
})
