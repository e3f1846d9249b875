import { describe, expect, test } from 'vitest'
import type { Comparison, Difference, Fault } from '../model.ts'
import { judge, type Outcome, remedyOf, worstOf } from './verdict.ts'

const clean: Comparison = { differences: [], moreDifferences: 0, faults: [], notes: [], ruleUses: [] }
const difference: Difference = {
  kind: 'status',
  step: 0,
  path: 'status',
  pointer: '',
  legacy: '200',
  candidate: '500',
  rule: 'uncovered',
}
const budget: Fault = { reason: 'budget', step: 0, message: 'too many' }
const adapter = { comparator: '1', candidate: 'c' }

function judged(outcome: Outcome, more: { decided?: string; compared?: readonly string[] } = {}) {
  return judge({
    feature: 'forex',
    case: '001-happy-usd',
    fixture: null,
    basis: {
      fixtureSet: null,
      calibration: null,
      ruleSet: null,
      decisions: null,
      contract: null,
      adapter,
      asOf: '2026-01-02',
    },
    dimensions: { compared: more.compared ?? ['response'], notRun: [] },
    outcome,
    ...(more.decided === undefined ? {} : { decided: more.decided }),
  })
}

describe('judge', () => {
  test('a comparison without a difference is PARITY', () => {
    expect(judged({ comparison: clean })).toMatchObject({ state: 'PARITY', faults: [], decided: null })
  })

  test('a difference is DIVERGED, and the faults stand beside it', () => {
    const verdict = judged({
      comparison: { ...clean, differences: [difference], moreDifferences: 3, faults: [budget] },
    })
    expect(verdict).toMatchObject({
      state: 'DIVERGED',
      differences: [difference],
      moreDifferences: 3,
      faults: [budget],
    })
  })

  test('a decided divergence stays DIVERGED and says by which decision', () => {
    const comparison = { ...clean, differences: [difference] }
    expect(judged({ comparison }, { decided: 'D-1' })).toMatchObject({ state: 'DIVERGED', decided: 'D-1' })
    expect(judged({ comparison: clean }, { decided: 'D-1' }).decided).toBeNull()
  })

  test('a fault of the comparison is UNVERIFIABLE, never PARITY', () => {
    const verdict = judged({ comparison: { ...clean, faults: [budget] } })
    expect(verdict).toMatchObject({ state: 'UNVERIFIABLE', reason: 'budget', message: 'too many', cause: null })
  })

  test('a fault in the way of the comparison is UNVERIFIABLE with its remedy', () => {
    const verdict = judged({ fault: { reason: 'no-fixture', step: 0, message: 'no golden' } })
    expect(verdict).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'no-fixture',
      remedy: 'record it: npx vitest-parity record forex 001-happy-usd',
    })
  })

  test('what is blocked names the gate and its reason', () => {
    const cause = { gate: 'candidate', reason: 'timeout' } as const
    expect(judged({ fault: { reason: 'blocked', step: 0, message: 'm' }, cause })).toMatchObject({ cause })
  })

  test('where no dimension was compared there is no PARITY', () => {
    expect(judged({ comparison: clean }, { compared: [] })).toMatchObject({
      state: 'UNVERIFIABLE',
      reason: 'no-assertion',
    })
  })

  test('the id is that of the content', () => {
    expect(judged({ comparison: clean }).id).toBe(judged({ comparison: clean }).id)
    expect(judged({ comparison: clean }).id).not.toBe(judged({ comparison: { ...clean, faults: [budget] } }).id)
    expect(judged({ comparison: clean }).id).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})

test('the worst of several is the first DIVERGED, else the first UNVERIFIABLE, else the last', () => {
  const parity = judged({ comparison: clean })
  const diverged = judged({ comparison: { ...clean, differences: [difference] } })
  const unsure = judged({ comparison: { ...clean, faults: [budget] } })
  expect(worstOf([parity, unsure, diverged])).toBe(diverged)
  expect(worstOf([parity, unsure, parity])).toBe(unsure)
  expect(worstOf([unsure, parity])).toBe(unsure)
  expect(worstOf([parity])).toBe(parity)
  expect(worstOf([])).toBeNull()
})

test('a remedy names feature and case as they are', () => {
  expect(remedyOf('no-fixture', 'forex', "$'x")).toBe("record it: npx vitest-parity record forex $'x")
})
