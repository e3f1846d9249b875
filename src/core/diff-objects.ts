import { agree, childOf, differ, OverBudget, type Pair, type Task, type Walk } from './diff-walk.ts'
import { type Json, type JsonObject, MemberList, membersOf } from './json.ts'

/** Objects by key set: the members of the golden in its order, then those that only the actual has in its order. */
export function compareObjects(
  walk: Walk,
  pair: Pair,
  x: JsonObject | MemberList,
  y: JsonObject | MemberList,
): readonly Task[] {
  if (x instanceof MemberList || y instanceof MemberList) return compareMembers(walk, pair, grouped(x), grouped(y))
  const next: Task[] = []
  let common = 0
  for (const name of Object.keys(x)) {
    const own = Object.hasOwn(y, name)
    if (own) common += 1
    const left = x[name]
    const right = own ? y[name] : undefined
    // What is identical agrees under every rule.
    if (left !== right) next.push(childOf(pair, name, left, right))
  }
  const others = Object.keys(y)
  if (others.length === common) return next
  for (const name of others) {
    if (!Object.hasOwn(x, name)) next.push(childOf(pair, name, undefined, y[name]))
  }
  return next
}

type Groups = ReadonlyMap<string, readonly Json[]>

function grouped(value: JsonObject | MemberList): Groups {
  const groups = new Map<string, Json[]>()
  for (const [name, member] of membersOf(value)) {
    const known = groups.get(name)
    if (known === undefined) groups.set(name, [member])
    else known.push(member)
  }
  return groups
}

function compareMembers(walk: Walk, pair: Pair, golden: Groups, actual: Groups): Task[] {
  const next: Task[] = []
  for (const [name, left] of golden) next.push(...compareName(walk, pair, name, left, actual.get(name) ?? []))
  for (const [name, right] of actual) {
    if (!golden.has(name)) next.push(...compareName(walk, pair, name, [], right))
  }
  return next
}

/** A name that occurs more than once agrees when its values agree one by one in the order written. */
function compareName(
  walk: Walk,
  pair: Pair,
  name: string,
  left: readonly Json[],
  right: readonly Json[],
): readonly Task[] {
  if (left.length < 2 && right.length < 2) return [childOf(pair, name, left[0], right[0])]
  const whole = childOf(pair, name, membersOfName(name, left), membersOfName(name, right))
  if (whole.state.key === 'ignore' || left.length === 0 || right.length === 0) return [whole]
  if (left.length !== right.length) return [() => differ(walk, whole, 'duplicate_key')]
  const pairs = left.map((x, at): Pair => ({ ...whole, x, y: right[at] }))
  return walk.listener === null ? pairs : judgeRepeated(walk, whole, pairs)
}

/** The values of one name as the object of just these members, so that all of them are shown. */
function membersOfName(name: string, values: readonly Json[]): Json | undefined {
  return values.length === 0 ? undefined : new MemberList(values.map(value => [name, value] as const))
}

/** One difference for all values of a name; where they agree, they are walked for what the rules let pass. */
function judgeRepeated(walk: Walk, whole: Pair, pairs: readonly Pair[]): readonly Task[] {
  try {
    const alike = pairs.every(({ x = null, y = null, state }) => agree(x, y, state, walk.budget))
    return alike ? pairs : [() => differ(walk, whole, 'duplicate_key')]
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error
    return [() => walk.listener?.overBudget(whole.place)]
  }
}
