import { describe, expect, test } from 'vitest'
import { bodied } from '../../test/bodies.ts'
import { jsonResponse, response, rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { controlFault } from './live.ts'

const none = response({ headers: [['Content-Type', 'application/json']] })

function faultOf(first: Observation, control: Observation, tolerance = '{}'): string | null {
  const fault = controlFault({ first, control }, { steps: first.map(() => ({})) }, rulesOf(tolerance))
  return fault === null ? null : `${fault.reason} ${fault.step} ${fault.message}`
}

describe('a live legacy is a reference', () => {
  test.each<[string, string, string, string]>([
    ['when it answers alike twice', '{"n":1}', '{"n":1}', '{}'],
    ['when a rule covers where it differs', '{"id":"r-1","n":1}', '{"id":"r-2","n":1}', 'structural: [$.id]'],
    ['when it lies within the bound', '{"n":1.0}', '{"n":1.2}', 'numeric_tolerance: { $.n: 0.5 }'],
    ['in another order that does not matter', '[1,2]', '[2,1]', 'order_insensitive: [$]'],
  ])('%s', (_what, first, control, tolerance) => {
    expect(faultOf(jsonResponse(first), jsonResponse(control), tolerance)).toBeNull()
  })

  test.each<[string, Observation, Observation, string, string]>([
    [
      'when it counts',
      jsonResponse('{"n":1,"id":"r-1"}'),
      jsonResponse('{"n":2,"id":"r-2"}'),
      'structural: [$.id]',
      'control-unstable 0 the legacy differs from itself at $.n (counter); proposed: structural $.n',
    ],
    [
      'when it steps over the bound',
      jsonResponse('{"n":1.0}'),
      jsonResponse('{"n":1.6}'),
      'numeric_tolerance: { $.n: 0.5 }',
      'control-unstable 0 the legacy differs from itself at $.n (value); proposed: structural $.n',
    ],
    [
      'when its second answer is empty',
      jsonResponse('[1]'),
      jsonResponse('[]'),
      'order_insensitive: [$]',
      'control-degraded 0 the control answered empty where the legacy has json',
    ],
    [
      'when its first answer is empty: a candidate that answers empty too would agree',
      none,
      jsonResponse('[1]'),
      '{}',
      'control-degraded 0 the legacy answered empty where the control has json',
    ],
    [
      'when its answer broke off',
      response({ body: { text: 'x' }, broken: 'it broke off' }),
      response({ body: { text: 'x' }, broken: 'it broke off' }),
      '{}',
      'corrupt-recording 0 the recorded response broke off',
    ],
  ])('but not %s', (_what, first, control, tolerance, fault) => {
    expect(faultOf(first, control, tolerance)).toBe(fault)
  })

  test('and the step that differs is named', () => {
    const step = (n: number) => [...bodied('text/plain', 'a'), ...jsonResponse(`{"n":${n}}`)]
    expect(faultOf(step(1), step(2))).toMatch(/^control-unstable 1 the legacy differs from itself at steps\[1\]:\$\.n/)
  })
})
