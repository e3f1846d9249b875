import { type Pair, trialOf } from './documents.ts'
import { array, type Member, NULL, number, object, replacedAt, routesIn, string, type Tree } from './tree.ts'
import { examine, type Finding } from './trial.ts'

const TRIES_MAX = 4000

function simpler(tree: Tree): (Tree | null)[] {
  const whole: (Tree | null)[] = [null]
  if (tree.kind === 'array') whole.push(...tree.items, array())
  if (tree.kind === 'object') whole.push(...tree.members.map(([, value]) => value), object())
  if (tree.kind !== 'null') whole.push(NULL)
  if (tree.kind === 'number' && tree.text.length > 1) whole.push(number('0'), number('1'))
  if (tree.kind === 'string' && tree.value.length > 0) whole.push(string(''), string('a'))
  if (tree.kind === 'object') whole.push(...tree.members.flatMap((member, at) => renamed(tree.members, member, at)))
  return whole
}

function renamed(members: readonly Member[], [name, value]: Member, at: number): Tree[] {
  const short = ['a', 'b'].find(other => other < name && !members.some(([taken]) => taken === other))
  if (short === undefined || name.length <= 1) return []
  return [object(...members.map((member, index): Member => (index === at ? [short, value] : member)))]
}

/** Pairs a little smaller than this one: both sides changed alike, then one side, then a rule left out. */
function* candidates(pair: Pair): Generator<Pair> {
  for (let rule = 0; rule < pair.rules.length; rule++)
    yield { ...pair, rules: pair.rules.filter((_, index) => index !== rule) }
  for (const { route } of routesIn(pair.golden)) {
    const here = routesIn(pair.golden).find(at => at.route.join() === route.join())
    if (here === undefined) continue
    for (const by of simpler(here.tree)) {
      if (by === null && route.length === 0) continue
      const golden = replacedAt(pair.golden, route, () => by)
      yield { ...pair, golden, actual: replacedAt(pair.actual, route, () => by) }
      yield { ...pair, golden }
    }
  }
  for (const { route, tree } of routesIn(pair.actual))
    for (const by of simpler(tree))
      if (by !== null || route.length > 0) yield { ...pair, actual: replacedAt(pair.actual, route, () => by) }
  for (const [at, rule] of pair.rules.entries())
    for (let step = 0; step < rule.steps.length; step++) {
      const steps = rule.steps.filter((_, index) => index !== step)
      yield { ...pair, rules: pair.rules.map((other, index) => (index === at ? { ...rule, steps } : other)) }
    }
}

const weight = ({ golden, actual, rules }: Pair): number =>
  JSON.stringify([golden, actual]).length + 20 * rules.length + 5 * rules.flatMap(({ steps }) => steps).length

/** The smallest pair found that still shows a finding of this kind. */
export function smaller(pair: Pair, kind: Finding['kind']): Pair {
  let best = pair
  let tries = 0
  for (let again = true; again && tries < TRIES_MAX; ) {
    again = false
    for (const candidate of candidates(best)) {
      if (++tries > TRIES_MAX) break
      if (weight(candidate) >= weight(best)) continue
      const outcome = examineQuietly(candidate)
      if (outcome !== kind) continue
      best = candidate
      again = true
      break
    }
  }
  return best
}

function examineQuietly(pair: Pair): string {
  try {
    const outcome = examine(trialOf(pair))
    return typeof outcome === 'string' ? outcome : outcome.kind
  } catch {
    return 'not a pair'
  }
}
