import { describe, expect, test } from 'vitest'
import type { Difference, Verdict } from '../model.ts'
import { clustersOf } from './clusters.ts'
import { judge } from './verdict.ts'

function difference(path: string, more: Partial<Difference> = {}): Difference {
  return { kind: 'value_changed', step: 0, path, pointer: '', legacy: '1', candidate: '2', rule: 'uncovered', ...more }
}

function diverged(name: string, differences: readonly Difference[], decided: string | null = null): Verdict {
  return judge({
    feature: 'f',
    case: name,
    fixture: null,
    basis: {
      fixtureSet: null,
      calibration: null,
      ruleSet: null,
      decisions: null,
      contract: null,
      adapter: { comparator: 'c', candidate: 'k' },
      asOf: '2026-01-02',
    },
    dimensions: { compared: ['response'], notRun: [] },
    outcome: { comparison: { differences, moreDifferences: 0, faults: [], notes: [], ruleUses: [] } },
    decided,
  })
}

const shape = (verdicts: readonly Verdict[]) =>
  clustersOf(verdicts).map(({ kind, path, cases, occurrences, folded }) => ({ kind, path, cases, occurrences, folded }))

describe('clustersOf', () => {
  test('L1: gathers one cause over cases and indexes, the widest first', () => {
    const verdicts = [
      diverged('002', [difference('$.items[0].id'), difference('$.items[7].id')]),
      diverged('001', [difference('$.items[3].id')]),
      diverged('003', [difference('status', { kind: 'status' })]),
    ]
    expect(shape(verdicts)).toEqual([
      { kind: 'value_changed', path: '$.items[*].id', cases: ['001', '002'], occurrences: 3, folded: 0 },
      { kind: 'status', path: 'status', cases: ['003'], occurrences: 1, folded: 0 },
    ])
  })

  test('keeps apart what differs in kind at one place', () => {
    const verdicts = [diverged('001', [difference('$.a')]), diverged('002', [difference('$.a', { kind: 'missing' })])]
    expect(shape(verdicts).map(({ kind }) => kind)).toEqual(['missing', 'value_changed'])
  })

  test('L5: folds what follows the first step that differs', () => {
    const verdict = diverged('001', [
      difference('steps[1]:$.id', { step: 1 }),
      difference('steps[2]:$.id', { step: 2 }),
      difference('steps[3]:status', { step: 3, kind: 'status' }),
    ])
    expect(shape([verdict])).toEqual([
      { kind: 'value_changed', path: 'steps[1]:$.id', cases: ['001'], occurrences: 1, folded: 2 },
    ])
  })

  test('E17: folds a derived header where the body differs, and only there', () => {
    const etag = difference('header.etag', { kind: 'header_changed' })
    expect(shape([diverged('001', [etag, difference('$.a')])])).toEqual([
      { kind: 'value_changed', path: '$.a', cases: ['001'], occurrences: 1, folded: 1 },
    ])
    expect(shape([diverged('001', [etag])]).map(({ path }) => path)).toEqual(['header.etag'])
    const type = difference('header.content-type', { kind: 'header_changed' })
    expect(shape([diverged('001', [type, difference('$.a')])])).toHaveLength(2)
  })

  test('names the counterexample with the fewest differences, then the shortest tokens', () => {
    const verdicts = [
      diverged('001', [difference('$.a'), difference('$.b')]),
      diverged('002', [difference('$.a', { legacy: '100' })]),
      diverged('003', [difference('$.a')]),
    ]
    const [cluster] = clustersOf(verdicts)
    expect(cluster?.smallest.case).toBe('003')
  })

  test('is decided when every occurrence is', () => {
    const decided = diverged('001', [difference('$.a')], 'D-001')
    expect(clustersOf([decided])[0]?.decided).toBe(true)
    expect(clustersOf([decided, diverged('002', [difference('$.a')])])[0]?.decided).toBe(false)
  })

  test('has an id that depends on feature, kind and place alone', () => {
    const id = (verdicts: readonly Verdict[]) => clustersOf(verdicts)[0]?.id
    expect(id([diverged('001', [difference('$.a[0]')])])).toBe(id([diverged('009', [difference('$.a[5]')])]))
    expect(id([diverged('001', [difference('$.a')])])).not.toBe(id([diverged('001', [difference('$.b')])]))
  })
})
