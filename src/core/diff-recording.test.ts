import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { FieldList, Observation } from '../model.ts'
import { compare } from './diff.ts'

const rules = rulesOf('{}')
const TEXT = ['Content-Type', 'text/plain'] as const
const coded = (coding: string): Observation => {
  const headers: FieldList = [TEXT, ['Content-Encoding', coding]]
  return response({ headers, body: { bytes: Buffer.from('no such coding') } })
}
const plain = response({ headers: [TEXT], body: { text: 'as it was' } })
const other = response({ status: 500, headers: [TEXT], body: { text: 'something else' } })

describe('a recording that cannot be compared is a fault, and never a difference', () => {
  test.each<[string, Observation, string]>([
    [
      'it broke off',
      response({ headers: [TEXT], body: { text: 'as' }, broken: 'the end is missing' }),
      'corrupt-recording',
    ],
    ['its coding is not known', coded('parity'), 'undecodable'],
    ['its body is not what its coding says', coded('gzip'), 'corrupt-recording'],
    ['it is coded more often than the bound', coded('gzip, br, gzip, br, gzip'), 'over-limit'],
    ['it has no steps', [], 'content-missing'],
  ])('%s', (_why, golden, reason) => {
    for (const actual of [golden, plain, other]) {
      const comparison = compare(golden, actual, rules)
      expect(comparison.faults.map(fault => fault.reason)).toContain(reason)
      expect(told(comparison)).toEqual([])
    }
  })
})

describe('an answer of the candidate that cannot be compared', () => {
  test('is DIVERGED where it does not decode or broke off', () => {
    expect(told(compare(plain, coded('gzip'), rules))[0]).toMatch(/^undecodable_body \$ /)
    const broken = response({ headers: [TEXT], body: { text: 'as' }, broken: 'the end is missing' })
    expect(told(compare(plain, broken, rules))).toEqual(['protocol_error $ null → "the end is missing"'])
  })

  test('is a fault where it is beyond a bound of ours', () => {
    const comparison = compare(plain, coded('gzip, br, gzip, br, gzip'), rules)
    expect(comparison.faults.map(fault => fault.reason)).toEqual(['over-limit'])
    expect(told(comparison)).toEqual([])
  })
})
