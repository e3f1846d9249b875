import type { DifferenceKind } from '../model.ts'
import { equalDecimals, withinDecimals } from './decimal.ts'
import { formatClass, sameInstant } from './formats.ts'
import { type Json, NumberToken } from './json.ts'
import type { MatchState } from './matcher.ts'

export type Scalar = null | boolean | string | number | NumberToken

export type JsonType = 'null' | 'boolean' | 'string' | 'number' | 'array' | 'object'

export function typeOf(value: Json): JsonType {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    default:
      if (value instanceof NumberToken) return 'number'
      return Array.isArray(value) ? 'array' : 'object'
  }
}

export function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null || value instanceof NumberToken
}

/** How two scalars compare: alike, alike by value only, passed only because of the rule, or different. */
export type ScalarFinding =
  | { readonly outcome: 'same' | 'same-value' | 'tolerated' }
  | { readonly outcome: 'different'; readonly kind: DifferenceKind; readonly hint?: string }

const SAME: ScalarFinding = { outcome: 'same' }
const SAME_VALUE: ScalarFinding = { outcome: 'same-value' }
const TOLERATED: ScalarFinding = { outcome: 'tolerated' }

/**
 * Compares two scalars under what governs them.
 *
 * 1. `ignore`: whatever they are.
 * 2. Another JSON type is a difference under every other key; null is a type of its own.
 * 3. Strings, by code point, and booleans: equal, or tolerated under `structural`, for strings within one format class.
 * 4. Numbers: of one text; else of one value, which is a difference under `exact` alone; else within the bound of a
 *    `numeric_tolerance`; else tolerated under `structural`.
 */
export function compareScalars(x: Scalar, y: Scalar, state: MatchState): ScalarFinding {
  if (x === y) return SAME
  if (state.key === 'ignore') return TOLERATED
  const type = typeOf(x)
  if (type !== typeOf(y)) return typeChange(x, y)
  if (type === 'number') return compareNumbers(x, y, state)
  if (typeof x === 'string' && typeof y === 'string') return compareStrings(x, y, state)
  return state.key === 'structural' ? TOLERATED : { outcome: 'different', kind: 'value_changed' }
}

/** The JSON text of a number; empty for anything else. */
export function numberText(value: Json): string {
  if (value instanceof NumberToken) return value.text
  return typeof value === 'number' ? String(value) : ''
}

const VALUE_CHANGED: ScalarFinding = { outcome: 'different', kind: 'value_changed' }

function compareNumbers(left: Scalar, right: Scalar, state: MatchState): ScalarFinding {
  // Two doubles that differ are two values: the text of either is that of no other double.
  const native = typeof left === 'number' && typeof right === 'number'
  if (native && state.key !== 'numeric_tolerance') return state.key === 'structural' ? TOLERATED : VALUE_CHANGED
  const x = numberText(left)
  const y = numberText(right)
  if (x === y) return SAME
  if (!native && equalDecimals(x, y)) {
    switch (state.key) {
      case 'exact':
        return { outcome: 'different', kind: 'format_changed' }
      case 'structural':
      case 'numeric_tolerance':
        return SAME
      default:
        return SAME_VALUE
    }
  }
  if (state.key === 'structural') return TOLERATED
  if (state.key === 'numeric_tolerance' && withinDecimals(x, y, state.rule?.eps ?? '0')) return TOLERATED
  return { outcome: 'different', kind: 'value_changed' }
}

function compareStrings(x: string, y: string, state: MatchState): ScalarFinding {
  if (state.key !== 'structural') {
    if (!sameInstant(x, y)) return { outcome: 'different', kind: 'value_changed' }
    return { outcome: 'different', kind: 'value_changed', hint: 'same instant, different format' }
  }
  const left = formatClass(x)
  const right = formatClass(y)
  if (left === right) return TOLERATED
  if (left === 'empty' || right === 'empty') {
    return { outcome: 'different', kind: 'value_changed', hint: 'empty against non-empty' }
  }
  return { outcome: 'different', kind: 'type_changed', hint: `format class ${left} against ${right}` }
}

function typeChange(x: Scalar, y: Scalar): ScalarFinding {
  const texts = [x, y].map(value => (typeof value === 'string' ? value : numberText(value)))
  const numeric = typeOf(x) === 'number' || typeOf(y) === 'number'
  return numeric && texts[0] === texts[1] && texts[0] !== ''
    ? { outcome: 'different', kind: 'type_changed', hint: 'the same text, once a number and once a string' }
    : { outcome: 'different', kind: 'type_changed' }
}

/** A state in which all below is compared by value, as where no rule stands. */
export const UNCOVERED: MatchState = {
  key: 'uncovered',
  rule: null,
  inert: true,
  child: () => UNCOVERED,
  item: () => UNCOVERED,
}

/** A state in which all below is compared by value and number text, without a rule. */
export const EXACT: MatchState = { key: 'exact', rule: null, inert: true, child: () => EXACT, item: () => EXACT }
