import { describe, expect, test } from 'vitest'
import { bodied } from '../../test/bodies.ts'
import { response } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { degradedControl, degradedNoise } from './degraded.ts'
import { noiseOf } from './noise.ts'

const none = response({ headers: [['Content-Type', 'application/json']] })
const json = (text: string) => bodied('application/json', text)

describe('a control that answers empty where the fixture has content is degraded', () => {
  test.each<[string, Observation, Observation, string]>([
    ['no body', json('{"a":1}'), none, 'json'],
    ['an empty list', json('[1]'), json('[]'), 'json'],
    ['an empty object', json('{"a":1}'), json('{}'), 'json'],
    ['null', json('[1]'), json('null'), 'json'],
    ['blank lines', bodied('text/plain', 'a'), bodied('text/plain', ' \n\n'), 'text'],
    ['no lines of JSON', bodied('application/jsonl', '1\n'), bodied('application/jsonl', '\n'), 'ndjson'],
    ['no events', bodied('text/event-stream', 'data: 1\n\n'), bodied('text/event-stream', ': ping\n\n'), 'sse'],
    ['no octets', bodied('image/png', 'x'), bodied('image/png', ''), 'binary'],
    ['no output', [{ kind: 'output', output: { a: 1 } }], [{ kind: 'output', output: null }], 'json'],
  ])('%s', (_, fixture, control, kind) => {
    const fault = {
      reason: 'control-degraded',
      step: 0,
      message: `the control answered empty where the fixture has ${kind}`,
    }
    expect(degradedControl(fixture, control)).toEqual(fault)
    expect(degradedNoise(fixture, noiseOf(fixture, control))).toEqual(fault)
    expect(degradedControl(control, control)).toBeNull()
    expect(degradedControl(fixture, fixture)).toBeNull()
  })

  test.each<[string, Observation, Observation]>([
    ['other content', json('{"a":1}'), json('{"a":2}')],
    ['less content', json('[1,2]'), json('[1]')],
    ['content where the fixture has none', json('[]'), json('[1]')],
    ['an empty member', json('{"a":[1]}'), json('{"a":[]}')],
    ['the texts json and empty', json('"json"'), json('"empty"')],
    ['zero and false are something', json('1'), json('0')],
  ])('and not with %s', (_, fixture, control) => {
    expect(degradedControl(fixture, control)).toBeNull()
    expect(degradedNoise(fixture, noiseOf(fixture, control))).toBeNull()
  })

  test('the step is named', () => {
    const fixture = [...json('1'), ...json('[1]')]
    expect(degradedControl(fixture, [...json('1'), ...none])?.step).toBe(1)
    expect(degradedNoise(fixture, noiseOf(fixture, [...json('1'), ...none]))?.step).toBe(1)
  })
})
