import { describe, expect, test } from 'vitest'
import type { Difference } from '../model.ts'
import { decide, decisionsId, readDivergences } from './divergences.ts'

const ENTRY = {
  id: 'D-001',
  case: '010-error-x',
  path: '$.error.code',
  kind: 'value_changed',
  legacy: '"E_CCY"',
  candidate: '"UNKNOWN"',
  reason: 'agreed with the callers',
  author: 'ana',
  approved_by: null,
} as const

const DIFFERENCE: Difference = {
  kind: 'value_changed',
  step: 0,
  path: '$.error.code',
  pointer: '/error/code',
  legacy: '"E_CCY"',
  candidate: '"UNKNOWN"',
  rule: 'uncovered',
}

const found = (...differences: readonly Difference[]) => ({ differences, moreDifferences: 0 })

describe('decide', () => {
  test('decides a case when every difference is the one decided', () => {
    expect(decide([ENTRY], found(DIFFERENCE))).toEqual({ decided: 'D-001', stale: [] })
  })

  test('leaves a case undecided when one difference more occurs', () => {
    const other = { ...DIFFERENCE, path: '$.error.message', pointer: '/error/message' }
    expect(decide([ENTRY], found(DIFFERENCE, other))).toEqual({ decided: null, stale: [] })
  })

  test('leaves a case undecided when differences were not reported', () => {
    const other = { ...DIFFERENCE, path: '$.b' }
    expect(decide([ENTRY], { differences: [DIFFERENCE], moreDifferences: 1 }).decided).toBeNull()
    expect(decide([ENTRY], { differences: [other], moreDifferences: 1 })).toEqual({ decided: null, stale: [] })
  })

  test('says that an entry no longer occurs', () => {
    const line = 'D-001: value_changed at $.error.code of 010-error-x no longer occurs: remove the entry'
    expect(decide([ENTRY], found())).toEqual({ decided: null, stale: [line] })
  })

  test.each([
    ['another candidate token', { ...DIFFERENCE, candidate: '"OTHER"' }],
    ['another legacy token', { ...DIFFERENCE, legacy: '"E_CCX"' }],
    ['an absent candidate', { ...DIFFERENCE, candidate: null }],
  ])('says that an entry occurs otherwise: %s', (_, difference) => {
    const line = 'D-001: value_changed at $.error.code of 010-error-x occurs with other tokens'
    expect(decide([ENTRY], found(difference))).toEqual({ decided: null, stale: [line] })
  })

  test('takes another kind at the same place for another difference', () => {
    const missing = { ...DIFFERENCE, kind: 'missing' as const, candidate: null }
    expect(decide([ENTRY], found(missing)).stale).toHaveLength(1)
  })

  const anyString = { ...ENTRY, candidate: { type: 'string' as const } }
  test.each([
    ['"a"', 'D-001'],
    ['"b"', 'D-001'],
    [`"${'x'.repeat(400)}… (cut, 500 characters)`, 'D-001'],
    ['1', null],
    ['null', null],
    ['{"a":1}', null],
    [null, null],
  ])('lets a side of type string be %s: %s', (candidate, decided) => {
    expect(decide([anyString], found({ ...DIFFERENCE, candidate })).decided).toBe(decided)
  })

  test('says nothing of a case without entries', () => {
    expect(decide([], found(DIFFERENCE))).toEqual({ decided: null, stale: [] })
    expect(decide([], found())).toEqual({ decided: null, stale: [] })
  })
})

describe('decisionsId', () => {
  test('changes with what is decided, not with people, reasons or the order of the entries', () => {
    const second = { ...ENTRY, id: 'D-002', path: '$.b' }
    const id = decisionsId([ENTRY, second])
    expect(decisionsId([second, { ...ENTRY, id: 'X', reason: 'r', author: 'bo', approved_by: 'cy' }])).toBe(id)
    expect(decisionsId([{ ...ENTRY, candidate: '"OTHER"' }, second])).not.toBe(id)
    expect(decisionsId([{ ...ENTRY, candidate: { type: 'string' } }, second])).not.toBe(id)
  })
})

const YAML = `- id: D-001
  case: 010-error-x
  path: $.error.code
  kind: value_changed
  legacy: '"E_CCY"'
  candidate: { type: string }
  reason: agreed
  author: ana
  approved_by: null
`

describe('readDivergences', () => {
  test('reads one entry for each case of a list, under one id', () => {
    const name = /case: (\S+)/.exec(YAML)?.[1]
    const read = readDivergences('d.yaml', YAML.replace(`case: ${name}`, 'case: [010-error-a, 011-error-b]'))
    expect(read.ok && read.value.map(each => `${each.id} ${each.case} ${each.path}`)).toEqual([
      'D-001 010-error-a $.error.code',
      'D-001 011-error-b $.error.code',
    ])
  })

  test('reads the entries of a file, and none of an empty one', () => {
    expect(readDivergences('d.yaml', YAML)).toMatchObject({ ok: true, value: [{ candidate: { type: 'string' } }] })
    expect(readDivergences('d.yaml', '')).toEqual({ ok: true, value: [] })
  })

  test.each([
    ['an unknown kind', YAML.replace('value_changed', 'value_change'), 4],
    ['an unknown key', YAML.replace('reason:', 'reasons:'), 7],
    ['an id that occurs twice', YAML + YAML.replace('$.error.code', '$.b'), 10],
    ['a place that is decided twice', YAML + YAML.replace('D-001', 'D-002'), 12],
    ['an author who approves', YAML.replace('approved_by: null', 'approved_by: ana'), 9],
    ['an author who approves under capitals', YAML.replace('approved_by: null', 'approved_by: ANA'), 9],
  ])('refuses %s with its line', (_, text, line) => {
    const read = readDivergences('d.yaml', text)
    expect(read.ok ? [] : read.errors.map(error => error.line)).toContain(line)
  })
})
