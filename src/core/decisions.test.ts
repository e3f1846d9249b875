import { describe, expect, test } from 'vitest'
import { type Decision, liveDecisions, readDecisions } from './decisions.ts'

const decision = (id: string, more: Partial<Decision> = {}): Decision => ({
  id,
  rule: 'exact $.a',
  reason: 'because',
  evidence: 'control',
  author: 'ana',
  approved_by: null,
  ...more,
})

/** JSON is YAML: one decision a line. */
const fileOf = (...decisions: object[]): string => `[\n${decisions.map(one => JSON.stringify(one)).join(',\n')}\n]`

function errorsOf(...decisions: object[]): string[] {
  const read = readDecisions('r.yaml', fileOf(...decisions))
  return read.ok ? [] : read.errors.map(({ line, message, fix }) => `${line}: ${message} | ${fix}`)
}

describe('readDecisions', () => {
  test('gives the decisions in file order', () => {
    const one = decision('R-001')
    const two = decision('R-002', { rule: 'ignore $.b', approved_by: 'ben' })
    expect(readDecisions('r.yaml', fileOf(one, two))).toStrictEqual({ ok: true, value: [one, two] })
    expect(readDecisions('r.yaml', '')).toStrictEqual({ ok: true, value: [] })
  })

  test('refuses an id that occurs twice', () => {
    expect(errorsOf(decision('R-1'), decision('R-1', { rule: 'ignore $.b' }))).toStrictEqual([
      '3: the id R-1 occurs twice | give it the next free id',
    ])
  })

  test('refuses an approver who is the author', () => {
    expect(errorsOf(decision('R-1', { approved_by: 'ana' }))).toStrictEqual([
      '2: ana wrote R-1 and cannot approve it | write null, or the name of another person',
    ])
    expect(errorsOf(decision('R-1', { approved_by: ' ANA ' }))).toHaveLength(1)
    expect(errorsOf(decision('R-1', { approved_by: 'anna' }))).toStrictEqual([])
  })

  test('refuses a second decision for a rule, unless it supersedes the first', () => {
    expect(errorsOf(decision('R-1'), decision('R-2'))).toStrictEqual([
      '3: R-1 and R-2 both decide "exact $.a" | add supersedes: R-1 to R-2',
    ])
    expect(errorsOf(decision('R-1'), decision('R-2', { supersedes: 'R-1' }))).toStrictEqual([])
  })

  test('refuses to supersede what does not stand above, or no longer stands', () => {
    const fix = 'name one that stands above and is in force'
    expect(errorsOf(decision('R-1', { supersedes: 'R-2' }), decision('R-2', { rule: 'ignore $.b' }))).toStrictEqual([
      `2: no decision R-2 stands before R-1 | ${fix}`,
    ])
    expect(errorsOf(decision('R-1', { supersedes: 'R-1' }))).toStrictEqual([
      `2: no decision R-1 stands before R-1 | ${fix}`,
    ])
    expect(
      errorsOf(
        decision('R-1'),
        decision('R-2', { supersedes: 'R-1' }),
        decision('R-3', { supersedes: 'R-1', rule: 'ignore $.b' }),
      ),
    ).toStrictEqual([`4: no decision R-1 stands before R-3 | ${fix}`])
  })

  test('refuses unknown, missing and empty members', () => {
    const { author: _, ...anonymous } = decision('R-1')
    expect(
      errorsOf(anonymous, { ...decision('R-2', { rule: 'ignore $.b', reason: '' }), supercedes: 'R-1' }),
    ).toStrictEqual([
      '2: "author": missing: expected a string | add it',
      '3: "reason": empty | write it, or remove the key',
      '3: unknown key "supercedes"; did you mean "supersedes"? | write supersedes',
    ])
  })
})

describe('liveDecisions', () => {
  test('leaves out what a later decision supersedes', () => {
    const all = [decision('R-1'), decision('R-2', { supersedes: 'R-1' }), decision('R-3', { rule: 'ignore $.b' })]
    expect(liveDecisions(all).map(({ id }) => id)).toStrictEqual(['R-2', 'R-3'])
  })
})
