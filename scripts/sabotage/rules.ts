import type { Sabotage } from './sabotage.ts'

/** Filters of Vitest: all tables of the comparison, and not its properties, which take longer. */
export const DIFF_TESTS = ['src/core/diff-', 'src/core/diff.test.ts']
const MATCHER = 'src/core/matcher.ts'
const SCALARS = 'src/core/scalars.ts'
const WALK = 'src/core/diff-walk.ts'

/** Takes a key away as a whole: what it governs is governed by another one. */
function without(key: string, by: string): Sabotage {
  return {
    name: `rule ${key}: it governs as ${by}`,
    file: MATCHER,
    from: "key: rule?.key ?? 'uncovered'",
    to: `key: (rule?.key ?? 'uncovered') === '${key}' ? '${by}' : (rule?.key ?? 'uncovered')`,
    tests: DIFF_TESTS,
  }
}

/** Each kind of rule, taken away, and blind or deaf where it compares. */
export const RULES: readonly Sabotage[] = [
  without('exact', 'uncovered'),
  without('structural', 'uncovered'),
  without('numeric_tolerance', 'uncovered'),
  without('order_insensitive', 'uncovered'),
  without('ignore', 'uncovered'),
  without('uncovered', 'ignore'),
  without('uncovered', 'structural'),
  {
    name: 'rule exact: the text of a number does not count',
    file: SCALARS,
    from: "return { outcome: 'different', kind: 'format_changed' }",
    to: 'return SAME',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule exact: every number passes',
    file: SCALARS,
    from: "if (state.key === 'structural') return TOLERATED\n",
    to: "if (state.key === 'structural' || state.key === 'exact') return TOLERATED\n",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule exact: every string passes',
    file: SCALARS,
    from: "if (state.key !== 'structural') {\n",
    to: "if (state.key === 'exact') return TOLERATED\n  if (state.key !== 'structural') {\n",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule structural: the class of a string does not count',
    file: SCALARS,
    from: 'if (left === right) return TOLERATED',
    to: "if (left === right || (left !== 'empty' && right !== 'empty')) return TOLERATED",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule structural: an empty string is as any other',
    file: SCALARS,
    from: "if (left === 'empty' || right === 'empty') {",
    to: "if (left === 'empty' || right === 'empty') return TOLERATED\n  if (left === right) {",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule structural: an empty array is as any other',
    file: 'src/core/diff-structural.ts',
    from: 'if ((x.length === 0) !== (y.length === 0)) {',
    to: 'if ((x.length === 0) !== (y.length === 0)) return NOTHING\n  if (x.length < 0) {',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule structural: elements are matched one way only',
    file: 'src/core/diff-structural.ts',
    from: 'const owners = partnersOf(y, x, state, walk.budget)',
    to: 'const owners = y.map(() => 0)',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule numeric_tolerance: every number is within the bound',
    file: SCALARS,
    from: "withinDecimals(x, y, state.rule?.eps ?? '0')",
    to: 'true',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule numeric_tolerance: the bound is nothing',
    file: SCALARS,
    from: "withinDecimals(x, y, state.rule?.eps ?? '0')",
    to: 'false',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule order_insensitive: the order counts',
    file: WALK,
    from: "if (state.key === 'order_insensitive') return compareMultisets(walk, pair, x, y)",
    to: '',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule order_insensitive: how often an element occurs does not count',
    file: WALK,
    from: "if (state.key === 'order_insensitive') return compareMultisets(walk, pair, x, y)",
    to: "if (state.key === 'order_insensitive') return compareShapes(walk, pair, x, y)",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule ignore: what is below it is compared',
    file: WALK,
    from: "if (state.key === 'ignore') {\n    if (walk.listener",
    to: "if (state.key === 'ignore' && isScalar(x ?? null) && isScalar(y ?? null)) {\n    if (walk.listener",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule ignore: what it hid is not counted',
    file: WALK,
    from: 'if (walk.listener !== null && !equalValues(walk, x, y)) tolerated(walk, pair)',
    to: '',
    tests: DIFF_TESTS,
  },
  {
    name: 'rule uncovered: absence passes',
    file: WALK,
    from: 'if (x === undefined || y === undefined) return absent(walk, pair)',
    to: "if (x === undefined || y === undefined) return state.key === 'uncovered' ? NOTHING : absent(walk, pair)",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule uncovered: another type passes',
    file: SCALARS,
    from: 'if (type !== typeOf(y)) return typeChange(x, y)',
    to: "if (type !== typeOf(y)) return state.key === 'uncovered' ? SAME : typeChange(x, y)",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule uncovered: the text of a number counts',
    file: SCALARS,
    from: 'return SAME_VALUE\n',
    to: "return { outcome: 'different', kind: 'value_changed' }\n",
    tests: DIFF_TESTS,
  },
  {
    name: 'rule precedence: the first of two rules wins, whichever it is',
    file: 'src/core/automaton.ts',
    from: 'sort((a, b) => compareSpecificity(a.selector, b.selector))',
    to: 'sort(() => 0)',
    tests: ['src/core/matcher.test.ts'],
  },
]
