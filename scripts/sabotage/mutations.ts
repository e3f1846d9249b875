import type { Sabotage } from './sabotage.ts'

const BY_VALUE = [
  'changed',
  'as a string',
  'number text',
  'dropped',
  'nulled',
  'extra member',
  'member twice',
  'element extra',
  'element dropped',
  'reordered',
]

const KEYS = {
  uncovered: BY_VALUE,
  exact: BY_VALUE,
  structural: [
    'another type',
    'another format',
    'emptied',
    'filled',
    'same form',
    'element of another shape',
    'element repeated',
    'dropped',
    'nulled',
    'extra member',
    'member twice',
  ],
  numeric_tolerance: ['past the bound', 'inside the bound', 'as a string', 'changed', 'dropped', 'nulled'],
  order_insensitive: ['reordered', 'element extra', 'element repeated', 'element dropped', 'dropped', 'nulled'],
  ignore: ['ignored value', 'ignored absence'],
} as const

/** Mutations of what is no document, by where they stand. */
const ROOTS: readonly (readonly [where: string, condition: string, names: readonly string[]])[] = [
  ['status', "mutant.path === 'status'", ['changed']],
  ['header', "mutant.path.startsWith('header.')", ['changed', 'dropped', 'added', 'same form']],
  ['exit', "mutant.path === 'exit'", ['changed']],
  ['stderr', "mutant.path === 'stderr'", ['changed']],
  ['error', 'true', ['threw', 'did not throw']],
  ['kind', 'true', ['another kind', 'body emptied', 'body added', 'undecodable body']],
  ['binary', "mutant.comparator === 'binary'", ['octet added', 'octet flipped']],
]

/** Mutations that one comparator brings beside those of its documents. */
const OWN: readonly (readonly [comparator: string, names: readonly string[]])[] = [
  [
    'headers',
    [
      'cookie lost',
      'cookie emptied',
      'cookie value',
      'cookie attribute dropped',
      'cookie expired',
      'cookie kept longer',
      'cookie attributes reordered',
    ],
  ],
  ['sse', ['cut short', 'comment']],
  ['xml', ['comment']],
  ['multipart', ['octet flipped', 'another boundary']],
  ['bindings', ['another bound value', 'bound twice']],
]

const TESTS = ['test/mutations.test.ts', 'src/core/calibrate.test.ts']

function unmade(where: string, mutation: string, condition: string, tests = TESTS): Sabotage {
  return {
    name: `mutation ${where}: ${mutation}`,
    file: 'src/core/calibrate.ts',
    from: 'for (const mutant of made) mutants.push(placed(golden, step, prefix(step), mutant))',
    to: `for (const mutant of made) {
      if (!(mutant.mutation === '${mutation}' && ${condition})) mutants.push(placed(golden, step, prefix(step), mutant))
    }`,
    tests,
  }
}

/** Each seeded mutation, not made. */
export const MUTATIONS: readonly Sabotage[] = [
  ...Object.entries(KEYS).flatMap(([key, names]) =>
    names.map(name => unmade(key, name, `mutant.state.key === '${key}' && mutant.path.startsWith('$')`)),
  ),
  ...ROOTS.flatMap(([where, condition, names]) => names.map(name => unmade(where, name, condition))),
  ...OWN.flatMap(([comparator, names]) =>
    names.map(name =>
      unmade(comparator, name, `mutant.comparator === '${comparator}'`, ['src/core/comparators.test.ts']),
    ),
  ),
]

/** The names of all of them; a test compares them with those in the sources. */
export const MUTATION_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(KEYS).flat(),
  ...ROOTS.flatMap(([, , names]) => names),
  ...OWN.flatMap(([, names]) => names),
])
