import { expect, test } from 'vitest'
import { LabFailure } from '../lab-failure.ts'
import { concealing, secretsOf } from './secrets.ts'
import type { SecretSpec } from './spec.ts'

const lab = (...services: readonly (readonly SecretSpec[])[]) => ({
  id: 'shop',
  services: services.map(secrets => ({ secrets })),
})
const generated = (name: string): SecretSpec => ({ name, from: 'generated' })
const given = (name: string): SecretSpec => ({ name, from: 'environment' })

test('makes a secret anew for each boot, of letters that a URL takes', () => {
  const spec = lab([generated('DB_PASSWORD')])
  const [first, second] = [secretsOf(spec, {}), secretsOf(spec, {})]
  expect(first.get('DB_PASSWORD')).toMatch(/^[\w-]{32}$/)
  expect(second.get('DB_PASSWORD')).not.toBe(first.get('DB_PASSWORD'))
})

test('has one value for all services that name the same secret', () => {
  expect([...secretsOf(lab([generated('A')], [generated('A'), generated('B')]), {}).keys()]).toEqual(['A', 'B'])
})

test('takes a secret of the environment from the namespace of the legacy, and from nowhere else', () => {
  expect(secretsOf(lab([given('LICENCE')]), { LEGACY_LICENCE: 'abc', LICENCE: 'of the candidate' })).toEqual(
    new Map([['LICENCE', 'abc']]),
  )
})

test('names every secret that is missing, under the reason environment', () => {
  const spec = lab([given('LICENCE'), given('AN_ID')])
  let failure: unknown
  try {
    secretsOf(spec, { LEGACY_LICENCE: '', LICENCE: 'of the candidate' })
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(LabFailure)
  expect(failure).toMatchObject({
    reason: 'environment',
    message: 'lab shop takes secrets from the environment that are not set: LEGACY_AN_ID, LEGACY_LICENCE',
    remedy: 'set LEGACY_AN_ID, LEGACY_LICENCE; their values are shown nowhere',
  })
})

test('puts the name of a secret where its value stands, in whatever coding', () => {
  const conceal = concealing(
    new Map([
      ['SHORT', 'pass'],
      ['LONG', 'pass word/1'],
    ]),
  )
  expect(conceal('pass and pass word/1')).toBe('‹SHORT› and ‹LONG›')
  expect(conceal('db://u:pass%20word%2F1@db')).toBe('db://u:‹LONG›@db')
  // printf 'pass word/1' | base64
  expect(conceal('Basic cGFzcyB3b3JkLzE=')).toBe('Basic ‹LONG›')
})
