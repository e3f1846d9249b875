import { describe, expect, test } from 'vitest'
import { compareTexts } from '../../test/comparison-table.ts'
import { jsonOf, responseStep, rulesOf, told } from '../../test/observations.ts'
import { compare } from './diff.ts'

describe('bounds', () => {
  test('reports 100 differences and counts the rest', () => {
    const numbers = (from: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`k${at}`, at + from])))
    const { differences, moreDifferences } = compareTexts(numbers(0), numbers(1))
    expect([differences.length, moreDifferences]).toEqual([100, 150])
    expect(differences[0]).toMatchObject({ path: '$.k0', legacy: '0', candidate: '1' })
  })

  test('cuts a long token and says so', () => {
    const { differences } = compareTexts(JSON.stringify(['x'.repeat(1000)]), '[1]')
    expect(differences[0]?.legacy).toBe(`"${'x'.repeat(399)}… (cut, 1002 characters)`)
  })

  test('finds the difference below 1,000,000 levels', { timeout: 60_000 }, () => {
    const deep = (leaf: string) => jsonOf(`${'['.repeat(1_000_000)}${leaf}${']'.repeat(1_000_000)}`)
    const [golden, actual] = [deep('1'), deep('2')].map(output => [{ kind: 'output', output } as const])
    const { differences } = compare(golden ?? [], actual ?? [], rulesOf('{}'))
    expect(differences).toMatchObject([{ kind: 'value_changed', legacy: '1', candidate: '2' }])
  })

  test('compares deep objects with duplicates and deep unordered arrays without a throw', () => {
    const nested = (open: string, close: string, leaf: string, times: number) =>
      open.repeat(times) + leaf + close.repeat(times)
    const duplicates = (leaf: string) => nested('{"b":0,"b":0,"a":', '}', leaf, 100_000)
    expect(compareTexts(duplicates('1'), duplicates('2')).differences).toHaveLength(1)
    const lists = (leaf: string) => nested('[', ']', leaf, 100_000)
    const { differences, faults } = compareTexts(
      `{"a":${lists('1')}}`,
      `{"a":${lists('2')}}`,
      'order_insensitive: [$.a, $.a..*]',
    )
    expect(differences).toEqual([])
    expect(faults).toMatchObject([{ reason: 'budget', step: 0 }])
  })

  test('C7: matches 1,000 bounded elements in reverse order within a second', () => {
    const elements = Array.from({ length: 1000 }, (_, at) => ({ x: at, y: at * 2, name: 'same' }))
    const started = performance.now()
    const rules = "{order_insensitive: [$.a], numeric_tolerance: {'$.a[*].x': 0.5, '$.a[*].y': 0.5}}"
    const { differences } = compareTexts(
      JSON.stringify({ a: elements }),
      JSON.stringify({ a: elements.toReversed() }),
      rules,
    )
    expect(differences).toEqual([])
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('steps and other observations', () => {
  const none = rulesOf('{}')
  const output = (text: string) => ({ kind: 'output', output: jsonOf(text) }) as const
  const threw = (name: string, code: string | null, message: string) =>
    ({ kind: 'threw', threw: { name, code, message } }) as const
  const command = (exit: number, stdout: string, stderr = '') =>
    ({ kind: 'command', exit, stdout: Buffer.from(stdout), stderr }) as const

  test('paths name the step when there are several', () => {
    const one = responseStep({ status: 200 })
    const comparison = compare([one, one], [one, responseStep({ status: 404 })], none)
    expect(told(comparison)).toEqual(['status steps[1]:status 200 → 404'])
  })

  test('a step on one side only is told', () => {
    const one = responseStep({})
    expect(told(compare([one, one], [one], none))).toEqual(['missing steps[1]:$ "response" → null'])
    expect(told(compare([one], [one, one], none))).toEqual(['extra steps[1]:$ null → "response"'])
  })

  test('a recording without steps is no evidence', () => {
    expect(compare([], [], none)).toMatchObject({ differences: [], faults: [{ reason: 'content-missing' }] })
  })

  test('outputs are compared by value', () => {
    expect(told(compare([output('{"a":1.0}')], [output('{"a":1}')], none))).toEqual([])
    expect(told(compare([output('{"a":1}')], [output('{"a":2}')], none))).toEqual(['value_changed $.a 1 → 2'])
  })

  test('an output without a JSON form is of another kind', () => {
    const actual = { kind: 'output', output: null, unserialisable: { path: '$.map', what: 'a Map' } } as const
    expect(told(compare([output('null')], [actual], none))).toEqual(['content_kind $.map "json" → "a Map"'])
  })

  test('errors agree by name, code and message', () => {
    const golden = [threw('RangeError', 'E_CCY', 'unknown XXX')]
    expect(told(compare(golden, golden, none))).toEqual([])
    expect(told(compare(golden, [threw('RangeError', null, 'unknown XXX')], none))).toEqual([
      'threw $.threw.code "E_CCY" → null',
    ])
    expect(told(compare(golden, [threw('RangeError', 'E_CCY', 'no')], rulesOf('ignore: [$.threw.message]')))).toEqual(
      [],
    )
  })

  test('an error against an output is told once', () => {
    expect(told(compare([output('1')], [threw('Error', null, 'm')], none))).toEqual([
      'threw $ 1 → {"threw":{"name":"Error","code":null,"message":"m"}}',
    ])
  })

  test('programs are compared by exit code, standard error and document', () => {
    expect(told(compare([command(0, '{"a":1}')], [command(0, ' {"a":1}\n')], none))).toEqual([])
    expect(told(compare([command(0, '{"a":1}')], [command(3, '{"a":2}', 'oops')], none))).toEqual([
      'exit exit 0 → 3',
      'value_changed stderr "" → "oops"',
      'value_changed $.a 1 → 2',
    ])
    expect(told(compare([command(0, '1')], [command(1, '1')], rulesOf('ignore: [exit]')))).toEqual([])
  })

  test('a program stands for an output by its document alone', () => {
    expect(told(compare([command(0, '{"a":1}', 'warning')], [output('{"a":1}')], none))).toEqual([])
    expect(told(compare([command(0, '{"a":1}')], [output('{"a":2}')], none))).toEqual(['value_changed $.a 1 → 2'])
  })

  test('a program that fails with {threw} threw that', () => {
    const golden = [command(1, '{"threw":{"name":"RangeError","message":"m"}}')]
    expect(told(compare(golden, [threw('RangeError', null, 'm')], none))).toEqual([])
    expect(told(compare(golden, [threw('TypeError', null, 'm')], none))).toEqual([
      'threw $.threw.name "RangeError" → "TypeError"',
    ])
    expect(told(compare(golden, [output('{"threw":{"name":"RangeError","message":"m"}}')], none))).toHaveLength(1)
  })

  test('a program that fails without a word equals no output', () => {
    expect(told(compare([command(2, '5')], [output('5')], none))).toEqual(['threw $ 5 → 5'])
  })

  test('a response against an output is of another kind', () => {
    expect(told(compare([responseStep({})], [output('1')], none))).toEqual(['content_kind $ "response" → "output"'])
  })
})
