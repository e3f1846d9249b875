import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalDecimals, withinDecimals } from './decimal.ts'

describe('equalDecimals', () => {
  const rows: [a: string, b: string, equal: boolean, why: string][] = [
    ['42.0', '42', true, 'trailing zeros'],
    ['10.00', '1e1', true, 'an exponent'],
    ['0.1e-1', '0.01', true, 'leading zeros'],
    ['-0', '0', true, 'zero has no sign'],
    ['0e5', '-0.00', true, 'every zero is zero'],
    ['1', '-1', false, 'the sign'],
    ['9007199254740993', '9007199254740992', false, 'one apart beyond 2^53'],
    ['1e400', '1e500', false, 'both beyond a double'],
    ['1e-400', '0', false, 'below a double'],
    ['0.1', '0.10000000000000000001', false, 'closer than a double tells'],
    ['1e999999999', '1E+999999999', true, 'a great exponent'],
    ['1e99999999999999999999999', '10e99999999999999999999998', true, 'an exponent beyond a double'],
    ['1e99999999999999999999999', '1e99999999999999999999998', false, 'exponents beyond a double'],
    ['100e-2', '1.0', true, 'a negative exponent'],
  ]
  for (const [a, b, equal, why] of rows) {
    test(`${a} and ${b} are ${equal ? 'equal' : 'different'}: ${why}`, () => {
      expect(equalDecimals(a, b)).toBe(equal)
      expect(equalDecimals(b, a)).toBe(equal)
      expect(withinDecimals(a, b, '0')).toBe(equal)
    })
  }
})

describe('withinDecimals', () => {
  const rows: [a: string, b: string, eps: string, within: boolean, why: string][] = [
    ['0.3', '0.29', '0.01', true, 'doubles say no'],
    ['0.29', '0.3', '0.01', true, 'the order does not matter'],
    ['1.005', '1.004', '0.001', true, 'just at the bound'],
    ['1.005', '1.004', '0.000999999999999999999999', false, 'just past the bound'],
    ['1', '1.0000000000000000000001', '1e-22', true, 'at a bound below a double'],
    ['1', '1.0000000000000000000001', '9e-23', false, 'past a bound below a double'],
    ['-1', '1', '2', true, 'across zero'],
    ['-1', '1', '1.99', false, 'across zero, past the bound'],
    ['5', '5.0', '0', true, 'a bound of 0 is equality by value'],
    ['5', '5.0000000001', '0', false, 'a bound of 0 is equality by value'],
    ['5', '5', '-1', false, 'no distance is negative'],
    ['5', '5', '-0', true, '-0 is 0'],
    ['1e999999999', '0', '1', false, 'a great distance'],
    ['1e999999999', '1e999999999', '1', true, 'no distance'],
    ['1e999999999', '0', '1e999999999', true, 'a great bound'],
    ['1e999999999', '-1e-999999999', '1e999999999', false, 'past a great bound by very little'],
    ['1e999999999', '1e-999999999', '1e999999999', true, 'inside a great bound by very little'],
    ['1e999999999', '1e-999999999', '1e999999998', false, 'nine tenths past the bound'],
    ['1', '0.99', '0.01', true, 'a borrow'],
    ['1000', '999.999', '0.001', true, 'a long borrow'],
    ['1000', '999.999', '0.0009', false, 'a long borrow, past the bound'],
    ['1e99999999999999999999', '1e99999999999999999998', '1', false, 'exponents beyond a double'],
    ['1e-99999999999999999999', '0', '1e-99999999999999999998', true, 'exponents below a double'],
    ['1e-99999999999999999998', '0', '1e-99999999999999999999', false, 'exponents below a double'],
    ['1', '1', '1e-99999999999999999999', true, 'equal under a tiny bound'],
    ['1', '1.1', '1e-99999999999999999999', false, 'different under a tiny bound'],
  ]
  for (const [a, b, eps, within, why] of rows) {
    test(`|${a} - ${b}| is ${within ? 'within' : 'past'} ${eps}: ${why}`, () => {
      expect(withinDecimals(a, b, eps)).toBe(within)
      expect(withinDecimals(b, a, eps)).toBe(within)
    })
  }

  test('takes a moment for a million digits', () => {
    const digits = '123456789'.repeat(111_112)
    expect(withinDecimals(`${digits}.5`, `${digits}.4`, '0.1')).toBe(true)
    expect(withinDecimals(`${digits}.5`, `${digits}.4`, '0.09')).toBe(false)
    expect(equalDecimals(`${digits}.50`, `${digits}.5`)).toBe(true)
    expect(withinDecimals(`1e${'9'.repeat(10_000)}`, '1', '1')).toBe(false)
  })
})

describe('agreement with whole-number arithmetic', () => {
  interface Scaled {
    readonly text: string
    /** The value times 10^40. */
    readonly value: bigint
  }
  const scaled = fc
    .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: -20, max: 20 }))
    .map(
      ([digits, exponent]): Scaled => ({ text: `${digits}e${exponent}`, value: digits * 10n ** BigInt(exponent + 40) }),
    )
  const near = scaled.chain(a =>
    fc.integer({ min: -3, max: 3 }).map((step): [Scaled, Scaled] => {
      const value = a.value + BigInt(step)
      return [a, { text: `${value}e-40`, value }]
    }),
  )
  const abs = (value: bigint): bigint => (value < 0n ? -value : value)

  test('compares any two numbers under any bound', () => {
    fc.assert(
      fc.property(scaled, scaled, scaled, (a, b, eps) => {
        expect(equalDecimals(a.text, b.text)).toBe(a.value === b.value)
        expect(withinDecimals(a.text, b.text, eps.text)).toBe(abs(a.value - b.value) <= eps.value)
      }),
      { numRuns: 2000 },
    )
  })

  test('compares close numbers under close bounds', () => {
    fc.assert(
      fc.property(near, fc.integer({ min: 0, max: 4 }), ([a, b], bound) => {
        expect(equalDecimals(a.text, b.text)).toBe(a.value === b.value)
        expect(withinDecimals(a.text, b.text, `${bound}e-40`)).toBe(abs(a.value - b.value) <= BigInt(bound))
      }),
      { numRuns: 2000 },
    )
  })

  test('finds the bound that is exactly the distance', () => {
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        const distance = abs(a.value - b.value)
        expect(withinDecimals(a.text, b.text, `${distance}e-40`)).toBe(true)
        if (distance > 0n) expect(withinDecimals(a.text, b.text, `${distance - 1n}e-40`)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
