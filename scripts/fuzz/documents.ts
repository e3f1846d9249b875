/** Attacks through JSON documents: random pairs under random rules, judged by the oracle or by how they were made. */
import type { Observation } from '../../src/model.ts'
import { sameDecimal } from './decimals.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import { judge } from './oracle.ts'
import type { Random } from './random.ts'
import { governed, type RuleLine, type Trail, yamlOf } from './rules.ts'
import {
  anySpelling,
  array,
  type Member,
  number,
  object,
  type Path,
  PLAIN,
  pointerTo,
  replacedAt,
  routesIn,
  type Spelling,
  string,
  type Tree,
  textOfTree,
} from './tree.ts'
import type { Trial } from './trial.ts'

/** What a document attack hands over, so that it can be made smaller. */
export interface Pair {
  readonly golden: Tree
  readonly actual: Tree
  readonly rules: readonly RuleLine[]
  /** Set when the pair agrees or differs by construction; otherwise the oracle says it. */
  readonly expect?: 'equal' | 'different'
  readonly near?: string
  readonly why: string
}

const JSON_HEADERS = [['Content-Type', 'application/json']] as const

/** The document as the one body of one response. */
export function served(tree: Tree, spelling: Spelling = PLAIN): Observation {
  const bytes = Buffer.from(textOfTree(tree, spelling))
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers: JSON_HEADERS, body: { bytes } } }]
}

/** The trial of a pair. The oracle speaks whenever it can; where it contradicts the construction, the fuzz is wrong. */
export function trialOf(pair: Pair, spell: () => Spelling = () => PLAIN): Trial {
  const { golden, actual, rules, near } = pair
  const judged = judge(golden, actual, rules)
  const said = judged.open || judged.tied ? 'open' : judged.agree ? 'equal' : 'different'
  if (pair.expect !== undefined && said !== 'open' && said !== pair.expect)
    throw new Error(`the fuzz contradicts itself: built ${pair.expect}, judged ${said}: ${lineOf(pair)}`)
  return {
    golden: served(golden, spell()),
    actual: served(actual, spell()),
    yaml: yamlOf(rules),
    expect: judged.open || judged.tied ? 'open' : (pair.expect ?? said),
    ...(near === undefined || judged.open || judged.tied ? {} : { near }),
    refuse: judged.tied,
    why: pair.why,
  }
}

export function lineOf({ golden, actual, rules }: Pair): string {
  return `${textOfTree(golden)} | ${textOfTree(actual)} | ${yamlOf(rules).replaceAll('\n', ' ')}`
}

function judged(random: Random): Pair {
  const taste = anyTaste(random)
  const golden = anyTree(random, taste)
  return {
    golden,
    actual: random.chance(0.05) ? anyTree(random, taste) : nearCopy(random, golden, random.int(4), taste),
    rules: rulesAround(random, golden, 5),
    why: 'a copy with edits, judged by the oracle',
  }
}

function equal(random: Random): Pair {
  const golden = anyTree(random, anyTaste(random))
  const rules = rulesAround(random, golden, 5)
  return { golden, actual: equalCopy(random, golden, rules), rules, why: 'the same under the rules' }
}

/** Segment of the first array above or at the place whose elements are matched, not walked. */
function reportedAt(rules: readonly RuleLine[], golden: Tree, path: Path): Path {
  let node: Tree | undefined = golden
  for (let depth = 0; depth < path.length; depth++) {
    const key = governed(rules, path.slice(0, depth)).key
    if (node?.kind === 'array' && (key === 'order_insensitive' || key === 'structural')) return path.slice(0, depth)
    const segment: string | number | undefined = path[depth]
    node =
      node?.kind === 'array'
        ? node.items[Number(segment)]
        : node?.kind === 'object'
          ? node.members.find(([name]) => name === segment)?.[1]
          : undefined
  }
  return path
}

/** A value that nothing else in the document resembles, of another type than what stood there. */
function foreign(old: Tree): Tree {
  const marked = object(['fuzz-marker', array(number('1'))])
  return old.kind === 'object' ? array(marked) : marked
}

function mutated(random: Random): Pair {
  const golden = anyTree(random, { ...anyTaste(random), repeats: 0 })
  const rules = rulesAround(random, golden, 4)
  const at = random.pick(routesIn(golden))
  const ignored = (trail: Trail): boolean => governed(rules, trail).key === 'ignore'
  const added: Path[] = [['fuzz-marker'], ['fuzz-marker', 0], [0], [0, 'fuzz-marker'], [0, 'fuzz-marker', 0]]
  const hidden = ignored(at.path) || added.some(more => ignored([...at.path, ...more]))
  const actual = replacedAt(golden, at.route, foreign)
  const near = pointerTo(reportedAt(rules, golden, at.path))
  const why = 'one place holds another type'
  return hidden ? { golden, actual, rules, why } : { golden, actual, rules, expect: 'different', near, why }
}

/** Arrays in which a pairing that takes the first fit goes wrong: two tolerant fields, or several shapes. */
function matched(random: Random): Pair {
  const size = 2 + random.int(4)
  const value = (): string => random.pick(['0', '1', '2', '3', '1.5', '0.5'])
  const element = (): Tree => {
    const members: Member[] = [
      ['x', number(value())],
      ['y', number(value())],
    ]
    if (random.chance(0.2)) members.push(['z', random.chance(0.5) ? array(number(value())) : string('z')])
    return object(...(random.chance(0.1) ? members.slice(1) : members))
  }
  const nudged = (tree: Tree): Tree =>
    tree.kind === 'object'
      ? object(...tree.members.map(([name, old]): Member => [name, random.chance(0.7) ? old : number(value())]))
      : tree
  const inner = random.chance(0.4)
  const list = (): Tree[] => Array.from({ length: size }, element)
  const wrap = (items: readonly Tree[]): Tree =>
    inner
      ? object(['a', array(array(...items.slice(0, 2)), array(...items.slice(2, 4)), array(...items.slice(4)))])
      : object(['a', array(...items)])
  const first = list()
  const second = random.chance(0.15) ? list() : random.shuffled(first).map(nudged)
  const item = inner ? '[*][*]' : '[*]'
  const path = (last: string) => [
    { descendant: false, select: 'a' },
    ...(inner ? [{ descendant: false, select: null }] : []),
    ...(last === ''
      ? []
      : [
          { descendant: false, select: null },
          { descendant: false, select: last },
        ]),
  ]
  const key = random.pick(['order_insensitive', 'order_insensitive', 'structural'] as const)
  const rules: RuleLine[] = [{ key, steps: path(''), eps: null }]
  if (inner && random.chance(0.7))
    rules.push({ key: 'order_insensitive', steps: [{ descendant: false, select: 'a' }], eps: null })
  for (const last of ['x', 'y'])
    if (random.chance(0.8))
      rules.push({ key: 'numeric_tolerance', steps: path(last), eps: random.pick(['1', '0.5', '2', '1.5']) })
  if (random.chance(0.2))
    rules.push({ key: random.pick(['structural', 'exact', 'ignore']), steps: path('z'), eps: null })
  return { golden: wrap(first), actual: wrap(second), rules, why: `elements of ${item} within each other's bounds` }
}

/** Two numbers, random digits close to each other, under every key that speaks of numbers. */
function numbers(random: Random): Pair {
  const digits = (count: number): string => Array.from({ length: count }, () => random.int(10)).join('')
  const whole = (text: string): string => text.replace(/^0+(?=\d)/, '')
  const base = whole(digits(1 + random.int(random.chance(0.2) ? 60 : 20)))
  const power = random.pick([
    '',
    '',
    '',
    'e0',
    'e1',
    'e-1',
    'e5',
    'e-5',
    'E+20',
    'e308',
    'e-324',
    'e400',
    'e99999999999',
  ])
  const point = (text: string): string => {
    const at = random.int(text.length)
    return at === 0 || random.chance(0.4) ? text : `${whole(text.slice(0, at))}.${text.slice(at)}`
  }
  const sign = random.chance(0.3) ? '-' : ''
  const first = `${sign}${point(base)}${power}`
  const moved = (BigInt(base) + BigInt(random.int(5) - 2)).toString().replace('-', '')
  const second = random.chance(0.6)
    ? first.replace(/\d(?=\D*$)/, digit => String((Number(digit) + random.int(3)) % 10))
    : `${sign}${point(moved)}${power}`
  const eps = random.pick([
    '0',
    '1',
    '2',
    '1e-5',
    '0.1',
    '1e5',
    '1e20',
    '10',
    `${whole(digits(3))}.${digits(2)}`,
    '1e400',
  ])
  const keys = ['exact', 'numeric_tolerance', 'order_insensitive', 'structural'] as const
  const key = random.pick(keys)
  const steps = [{ descendant: false, select: 'n' }]
  const rules: RuleLine[] = random.chance(0.3) ? [] : [{ key, steps, eps: key === 'numeric_tolerance' ? eps : null }]
  const wrap = (text: string): Tree => object(['n', number(text)])
  const why = sameDecimal(first, second) ? 'one number written twice' : 'two numbers'
  return { golden: wrap(first), actual: wrap(second), rules, why }
}

export const PAIRS: Readonly<Record<string, (random: Random) => Pair>> = { judged, equal, mutated, matched, numbers }

export const spellingOf = (random: Random) => (): Spelling => anySpelling(random)
