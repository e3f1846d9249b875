/**
 * The suites of a function, a command and a job: one line of a candidate turns exactly the cases that it must, in exactly
 * the places that it must. Changes that touch different cases share a run, because each costs seconds.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { THOUSAND, thousandRecords } from '../scripts/settlement-input.ts'
import type { Verdict } from '../src/model.ts'
import { copiedProject, type Edit } from './copied-project.ts'
import { type Project, source } from './project.ts'

/** Two of the runs wait for what never ends. */
const RUN_MS_MAX = 120_000
const FEATURES = ['pricing', 'stock', 'settlement']
const PRICING = 'parity/pricing/candidate/pricing.ts'
const STOCK = 'parity/stock/candidate/stock.ts'
const SETTLEMENT = 'parity/settlement/candidate/settlement.ts'

interface Change {
  readonly what: string
  readonly edits: readonly Edit[]
  /** By feature and case: the kind and path of every difference, or the reason. */
  readonly turned: Readonly<Record<string, readonly string[]>>
}

function projectWith(name: string, edits: readonly Edit[]): Project {
  const folders = FEATURES.flatMap(feature => [`parity/${feature}`, `__golden__/${feature}`, `labs/${feature}-node010`])
  return copiedProject({ name, folders, edits })
}

function shown(verdict: Verdict): readonly string[] {
  if (verdict.state === 'PARITY') return []
  if (verdict.state === 'UNVERIFIABLE') return [verdict.reason]
  return verdict.differences.map(({ kind, path }) => `${kind} ${path}`)
}

const line = (at: number): string[] => ['gross', 'net'].map(field => `value_changed $.lines[${at}].${field}`)
const SUMS = ['value_changed $.subtotal', 'value_changed $.total']
const THREW = ['threw $']
const EXIT = ['exit exit']
const STDERR = ['value_changed stderr']

const RUNS: Readonly<Record<string, readonly Change[]>> = {
  'an error code, an exit code and one record of a thousand': [
    {
      what: 'another code of one error',
      edits: [{ file: PRICING, from: "PricingError('E_COUPON'", to: "PricingError('E_COUPONS'" }],
      turned: { 'pricing 015-error-unknown-coupon': ['threw $.threw.code'] },
    },
    {
      what: 'another message of an error, which is only logged',
      edits: [{ file: PRICING, from: ': price $', to: ' costs $' }],
      turned: {},
    },
    {
      what: 'exit code 2 in place of 3',
      edits: [{ file: STOCK, from: 'notFound: 3', to: 'notFound: 2' }],
      turned: {
        'stock 015-error-not-found': EXIT,
        'stock 016-error-none-of-several': EXIT,
        'stock 017-error-bin-not-found': EXIT,
      },
    },
    {
      what: 'one record of a thousand off by 0.01',
      edits: [{ file: SETTLEMENT, from: 'sign * amount,', to: "sign * amount + (id === 'T-0503' ? 1 : 0)," }],
      turned: {
        'settlement 022-edge-thousand-records': [
          'value_changed $.results[253].amount',
          'value_changed $.totals.currencies[0].amount',
        ],
      },
    },
  ],
  'an error class, a line of stderr and the day of the job': [
    {
      what: 'another class of all errors of one class',
      edits: [{ file: PRICING, from: "name = 'PricingError'", to: "name = 'PriceError'" }],
      turned: {
        'pricing 010-error-unknown-currency': ['threw $.threw.name'],
        'pricing 011-error-negative-price': ['threw $.threw.name'],
        'pricing 012-error-part-of-a-piece': ['threw $.threw.name'],
        'pricing 013-error-discount-over-hundred': ['threw $.threw.name'],
        'pricing 015-error-unknown-coupon': ['threw $.threw.name'],
        'pricing 019-error-price-as-text': ['threw $.threw.name'],
      },
    },
    {
      what: 'an error without any message',
      edits: [{ file: PRICING, from: '`the cart is worth more than $', to: "'' && `$" }],
      turned: { 'pricing 014-error-over-limit': ['threw $.threw.message'] },
    },
    {
      what: 'another word on stderr',
      edits: [{ file: STOCK, from: '{sku}: not found', to: '{sku}: unknown' }],
      turned: {
        'stock 015-error-not-found': STDERR,
        'stock 016-error-none-of-several': STDERR,
        'stock 018-error-partial': STDERR,
        'stock 032-edge-unicode-not-found': STDERR,
        'stock 041-rule-exit-of-partial': STDERR,
      },
    },
    {
      what: 'a job that is not told the instant of its case',
      edits: [{ file: SETTLEMENT, from: 'today = (clock ??', to: "today = ('2026-01-02' ??" }],
      turned: {
        'settlement 023-edge-another-day': [
          'value_changed $.settledOn',
          'missing $.results[0]',
          'extra $.rejects[0]',
          'value_changed $.totals.accepted',
          'value_changed $.totals.rejected',
          'missing $.totals.currencies[0]',
        ],
      },
    },
  ],
  'a throw for a return, a return for a throw, and halves': [
    {
      what: 'a throw where the legacy returned',
      edits: [
        {
          file: PRICING,
          from: 'money = rounding(cart.currency)\n',
          to: "money = rounding(cart.currency)\n  if (cart.lines.length === 0) throw new RangeError('nothing')\n",
        },
      ],
      turned: { 'pricing 020-edge-empty-cart': THREW },
    },
    {
      what: 'a half that is seen only where doubles hit it',
      edits: [{ file: PRICING, from: 'HALF_SLACK = 1e-9', to: 'HALF_SLACK = 0' }],
      turned: {
        'pricing 025-edge-return': [...line(0), ...SUMS],
        'pricing 030-rule-half-even-down': [...line(0), ...SUMS],
        'pricing 032-rule-half-beside-a-double': [...line(1), ...SUMS],
        'pricing 033-rule-no-minor-unit': [...line(0), ...SUMS],
        'pricing 034-rule-three-digits': [...line(0), ...line(1), ...SUMS],
        'pricing 038-rule-tax-after-discount': [
          'value_changed $.lines[0].net',
          ...SUMS,
          'value_changed $.saved',
          'value_changed $.tax',
        ],
      },
    },
    {
      what: 'a partial success that exits as a whole one',
      edits: [{ file: STOCK, from: 'partial: 1', to: 'partial: 0' }],
      turned: {
        'stock 018-error-partial': EXIT,
        'stock 032-edge-unicode-not-found': EXIT,
        'stock 041-rule-exit-of-partial': EXIT,
      },
    },
    {
      what: 'a return where the legacy threw',
      edits: [
        {
          file: SETTLEMENT,
          from: "throw new BatchError('E_CONTROL', ",
          to: 'return Object({ batch, control }, ',
        },
      ],
      turned: { 'settlement 011-error-control': THREW },
    },
  ],
  'what never ends': [
    {
      what: 'a promise that never settles',
      edits: [
        { file: 'parity/pricing/pricing.parity.ts', from: 'fn(price)', to: 'fn(price), timeoutMs: 2000' },
        {
          file: PRICING,
          from: '  return {\n    currency: cart.currency,\n',
          to: "  if (cart.customer?.tier === 'silver') return new Promise(() => {}) as never\n  return {\n    currency: cart.currency,\n",
        },
      ],
      turned: { 'pricing 005-happy-tier': ['timeout'] },
    },
    {
      what: 'a program that waits for ever',
      edits: [
        { file: 'parity/stock/stock.parity.ts', from: 'concurrency: 2', to: 'concurrency: 2, timeoutMs: 6000' },
        {
          file: STOCK,
          from: "if (words.includes('--help'))",
          to: "if (words.includes('--help')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n  if (words.includes('--help'))",
        },
      ],
      turned: { 'stock 034-edge-help-among-words': ['timeout'] },
    },
  ],
}

describe('one line of a candidate turns exactly its cases, at exactly its places', () => {
  test(
    'and without one all three suites are PARITY',
    async () => {
      using project = projectWith('functions', [])
      const { code } = await project.run(['run', '--project', 'parity'])
      const { verdicts, summary } = project.report()
      expect(verdicts.filter(({ state }) => state !== 'PARITY')).toEqual([])
      expect(summary).toMatchObject({ selected: 81, parity: 81 })
      expect(code).toBe(0)
    },
    RUN_MS_MAX,
  )

  test.each(Object.entries(RUNS))(
    '%s',
    async (_, changes) => {
      using project = projectWith(
        'functions',
        changes.flatMap(({ edits }) => edits),
      )
      const { code } = await project.run(['run', '--project', 'parity'])
      const { verdicts } = project.report()
      expect(verdicts).toHaveLength(81)
      const turned = verdicts.filter(({ state }) => state !== 'PARITY')
      expect(Object.fromEntries(turned.map(verdict => [`${verdict.feature} ${verdict.case}`, shown(verdict)]))).toEqual(
        Object.assign({}, ...changes.map(change => change.turned)),
      )
      expect(code).toBe(turned.some(({ state }) => state === 'DIVERGED') ? 1 : 2)
    },
    RUN_MS_MAX,
  )
})

test('the batch of a thousand records is what its script writes', () => {
  expect(readFileSync(source(THOUSAND), 'utf8')).toBe(thousandRecords())
  expect(JSON.parse(thousandRecords()).steps[0].input.records).toHaveLength(1000)
})
