/** Random documents, copies of them that differ a little, and copies that must not differ at all. */
import type { ToleranceKey } from '../../src/model.ts'
import { respelled } from './decimals.ts'
import type { Random } from './random.ts'
import { governed, type RuleLine, ruleFor, type Trail } from './rules.ts'
import {
  array,
  type Member,
  NULL,
  number,
  object,
  placesIn,
  type Routed,
  replacedAt,
  routesIn,
  string,
  type Tree,
} from './tree.ts'

const PLAIN_NAMES = ['a', 'b', 'c', 'id']
const ODD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'toJSON',
  'then',
  '0',
  '1',
  '2',
  '10',
  '01',
  '-1',
  '4294967294',
  '4294967295',
  '9007199254740993',
  '',
  ' ',
  'a b',
  "it's",
  '"',
  '\\',
  '/',
  '~',
  '~1',
  '\u0000',
  '\ufeff',
  '\ufeffa',
  'é',
  'e\u0301',
  '😀',
  '$',
  '*',
  '..',
  'a.b',
  'A',
  '\ud800',
  '\udc00',
  '\ufffd',
]
const NUMBERS = [
  '0',
  '-0',
  '0.0',
  '-0.0',
  '0e999999999',
  '1',
  '1.0',
  '1e0',
  '10e-1',
  '1E0',
  '2',
  '3',
  '10',
  '0.1',
  '0.2',
  '0.3',
  '0.30000000000000004',
  '0.30',
  '1e400',
  '1e401',
  '-1e400',
  '1e-400',
  '1e-401',
  '5e-324',
  '4e-324',
  '1e999999999',
  '1e99999999999999999999',
  '1E99999999999999999999',
  '1e-99999999999999999999',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9007199254740992.0',
  '9007199254740993.0',
  '1236546565217899832645',
  '1236546565217899832640',
  '1e21',
  '1000000000000000000000',
  '1e+21',
  '1.7976931348623157e308',
  '1.7976931348623158e308',
  '1.7976931348623159e308',
  '123456789.123456789123456789',
  '123456789.12345679',
  '0.000001',
  '1e-6',
  '1e-7',
  '0.0000001',
  '100',
  '1e2',
]
const STRINGS = [
  '',
  'a',
  'b',
  'A',
  'é',
  'e\u0301',
  '😀',
  '\ud83d',
  '\ude00',
  '\ud800',
  '\ud801',
  '\ufffd',
  '\u0000',
  '\u0001',
  'a\u0000b',
  '\ufeff',
  '\ufeffa',
  ' a',
  'a ',
  '\u00a0',
  '\u2028',
  'ﬁ',
  'fi',
  '1',
  'null',
  'true',
  '\n',
  '\r\n',
  '2026-01-02T03:04:05Z',
  '2025-11-30T23:59:58+02:00',
  '2026-01-02',
  '2025-12-31',
  '03:04:05Z',
  '23:59:58Z',
  '6f1c2b3a-0000-4000-8000-0123456789ab',
  '0a1b2c3d-1111-4111-9111-ba9876543210',
  'a@example.com',
  'b.c@example.org',
  'https://example.com/x',
  'http://example.org/y?z=1',
]
/** Strings of one class: any stands for any other under `structural`. */
const CLASSES: readonly (readonly string[])[] = [
  ['a', 'b', 'A', 'é', 'plain words', '😀'],
  ['2026-01-02T03:04:05Z', '2025-11-30T23:59:58+02:00', '1999-12-31T23:59:59.123Z'],
  ['2026-01-02', '2025-12-31'],
  ['03:04:05Z', '23:59:58Z'],
  ['6f1c2b3a-0000-4000-8000-0123456789ab', '0a1b2c3d-1111-4111-9111-ba9876543210'],
  ['a@example.com', 'b.c@example.org'],
  ['https://example.com/x', 'http://example.org/y?z=1'],
]

export interface Taste {
  readonly depth: number
  readonly width: number
  /** Share of names from the odd ones. */
  readonly odd: number
  /** Share of objects that repeat a name. */
  readonly repeats: number
  /** Few values, so that many nodes are equal. */
  readonly narrow: boolean
}

export function anyTaste(random: Random): Taste {
  return {
    depth: 1 + random.int(4),
    width: 1 + random.int(4),
    odd: random.pick([0, 0, 0.3, 1]),
    repeats: random.pick([0, 0, 0, 0.2]),
    narrow: random.chance(0.5),
  }
}

const anyName = (random: Random, taste: Taste): string =>
  random.pick(random.chance(taste.odd) ? ODD_NAMES : PLAIN_NAMES)

export function anyScalar(random: Random, narrow: boolean): Tree {
  switch (random.int(narrow ? 7 : 5)) {
    case 0:
      return NULL
    case 1:
      return { kind: 'boolean', value: random.chance(0.5) }
    case 2:
      return string(random.pick(STRINGS))
    case 3:
      return number(random.pick(NUMBERS))
    case 4:
      return number(
        `${random.chance(0.2) ? '-' : ''}${random.int(20)}${random.chance(0.5) ? `.${random.int(100)}` : ''}`,
      )
    default:
      return random.chance(0.5) ? number(String(random.int(3))) : string(random.pick(['a', 'b']))
  }
}

export function anyTree(random: Random, taste: Taste, depth = taste.depth): Tree {
  if (depth === 0 || random.chance(0.15)) return anyScalar(random, taste.narrow)
  const width = random.int(taste.width + 1)
  if (random.chance(0.45)) {
    const first = anyTree(random, taste, depth - 1)
    const kin = random.chance(0.5)
    return array(
      ...Array.from({ length: width }, () =>
        kin ? nearCopy(random, first, random.int(2), taste) : anyTree(random, taste, depth - 1),
      ),
    )
  }
  const members = Array.from(
    { length: width },
    (): Member => [anyName(random, taste), anyTree(random, taste, depth - 1)],
  )
  if (random.chance(taste.repeats)) return object(...members)
  return object(...members.filter(([name], at) => members.findIndex(([other]) => other === name) === at))
}

function edited(random: Random, at: Routed, taste: Taste): (old: Tree) => Tree | null {
  const { tree } = at
  const fresh = (): Tree => anyTree(random, taste, random.int(2))
  const any: ((old: Tree) => Tree | null)[] = [() => null, () => NULL, fresh, () => anyScalar(random, taste.narrow)]
  if (tree.kind === 'number')
    any.push(
      () => number(respelled(tree.text, random.int(7))),
      () => number(random.pick(NUMBERS)),
    )
  if (tree.kind === 'string')
    any.push(
      () => string(random.pick(STRINGS)),
      () => string(`${tree.value}x`),
    )
  if (tree.kind === 'array') {
    const { items } = tree
    any.push(
      () => array(...random.shuffled(items)),
      () => array(...items, ...items.slice(0, 1)),
      () => array(fresh(), ...items),
      () => array(...items.slice(0, -1)),
      () => array(),
    )
  }
  if (tree.kind === 'object') {
    const { members } = tree
    any.push(
      () => object(...random.shuffled(members)),
      () => object(...members, [anyName(random, { ...taste, repeats: 1 }), fresh()]),
      () => object(...members.slice(1)),
      () =>
        object(
          ...members.map(([name, value], at): Member => (at === 0 ? [anyName(random, taste), value] : [name, value])),
        ),
      () => object(),
    )
  }
  return random.pick(any)
}

/** A copy with so many edits, each of any sort; it may still be equal. */
export function nearCopy(random: Random, tree: Tree, edits: number, taste: Taste): Tree {
  let now = tree
  for (let edit = 0; edit < edits; edit++) {
    const at = random.pick(routesIn(now))
    now = replacedAt(now, at.route, edited(random, at, taste))
  }
  return now
}

const KEYS: readonly ToleranceKey[] = ['exact', 'structural', 'numeric_tolerance', 'order_insensitive', 'ignore']

/** Rules for places of a document; those for arrays and numbers often fall on one. */
export function rulesAround(random: Random, tree: Tree, most: number): RuleLine[] {
  const places = placesIn(tree)
  const count = random.int(most + 1)
  return Array.from({ length: count }, () => {
    const key = random.pick(KEYS)
    const fitting = places.filter(
      ({ tree: at }) =>
        (key === 'order_insensitive' && at.kind === 'array') || (key === 'numeric_tolerance' && at.kind === 'number'),
    )
    const rule = ruleFor(random, random.pick(fitting.length > 0 && random.chance(0.9) ? fitting : places).path, key)
    // A name that no selector can be written for.
    return rule.steps.some(({ select }) => typeof select === 'string' && !select.isWellFormed()) ? null : rule
  }).filter(rule => rule !== null)
}

function just(bound: string, text: string, random: Random): string | null {
  // The distance keeps within the bound because it is a whole multiple of a tenth of it, at most ten tenths.
  if (!/^\d+(\.\d+)?$/.test(bound) || !/^-?\d+(\.\d+)?$/.test(text)) return null
  const places = Math.max(bound.split('.')[1]?.length ?? 0, text.split('.')[1]?.length ?? 0) + 1
  const scaled = (value: string): bigint => {
    const [whole = '', fraction = ''] = value.split('.')
    return BigInt(whole + fraction.padEnd(places, '0'))
  }
  const moved = scaled(text) + (scaled(bound) / 10n) * BigInt(random.int(21) - 10)
  const digits = (moved < 0n ? -moved : moved).toString().padStart(places + 1, '0')
  return `${moved < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** A copy that says the same under the rules, by construction: noise where a rule allows it, and no change elsewhere. */
export function equalCopy(random: Random, tree: Tree, rules: readonly RuleLine[], trail: Trail = []): Tree {
  const rule = governed(rules, trail)
  if (rule.key === 'ignore') return random.chance(0.5) ? anyTree(random, anyTaste(random), 2) : tree
  switch (tree.kind) {
    case 'object': {
      const members = tree.members.map(
        ([name, value]): Member => [name, equalCopy(random, value, rules, [...trail, name])],
      )
      const unique = new Set(members.map(([name]) => name)).size === members.length
      return object(...(unique && random.chance(0.6) ? random.shuffled(members) : members))
    }
    case 'array': {
      const loose = rule.key === 'structural' || rule.key === 'order_insensitive'
      const items = tree.items.map((item, at) => equalCopy(random, item, rules, [...trail, at]))
      if (!loose) return array(...items)
      const again = rule.key === 'structural' && random.chance(0.5) ? items.slice(0, 1) : []
      return array(...random.shuffled([...items, ...again]))
    }
    case 'number': {
      if (rule.key === 'exact') return tree
      if (rule.key === 'structural') return number(random.pick(NUMBERS))
      const moved = rule.key === 'numeric_tolerance' && rule.eps !== null ? just(rule.eps, tree.text, random) : null
      return number(moved ?? (random.chance(0.5) ? respelled(tree.text, random.int(7)) : tree.text))
    }
    case 'string': {
      const kin = CLASSES.find(strings => strings.includes(tree.value))
      return rule.key === 'structural' && kin !== undefined ? string(random.pick(kin)) : tree
    }
    case 'boolean':
      return rule.key === 'structural' ? { kind: 'boolean', value: random.chance(0.5) } : tree
    default:
      return tree
  }
}
