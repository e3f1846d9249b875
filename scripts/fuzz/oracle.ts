/**
 * A second comparison, written from DESIGN §5 alone and with no thought of speed: exact decimals by BigInt, key sets,
 * positions, multisets by trying every permutation. It tells whether two documents agree, not where.
 */
import { sameDecimal, withinDecimal } from './decimals.ts'
import { ANYWHERE, type Governed, governed, type RuleLine, type Trail } from './rules.ts'
import type { Member, Tree } from './tree.ts'

export interface Judged {
  readonly agree: boolean
  /** DESIGN does not say, or this oracle cannot tell: nothing is expected then. */
  readonly open: boolean
  /** Two rules tie at a node that was visited, whatever the design leaves open. */
  readonly tied: boolean
}

const FORMATS: readonly (readonly [string, RegExp])[] = [
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/],
  ['uuid', /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/],
  ['e-mail', /^[a-z0-9.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/],
  ['uri', /^[a-z]+:\/\/[!-~]+$/],
]

/** Format class of one of the strings that the generators write; they keep off the edges of the classes. */
export function formatClass(value: string): string {
  return FORMATS.find(([, form]) => form.test(value))?.[0] ?? 'none'
}

function permutations(length: number): number[][] {
  if (length === 0) return [[]]
  return permutations(length - 1).flatMap(shorter =>
    Array.from({ length }, (_, at) => [...shorter.slice(0, at), length - 1, ...shorter.slice(at)]),
  )
}

const PERMUTATIONS = Array.from({ length: 7 }, (_, length) => permutations(length))

export function judge(golden: Tree, actual: Tree, rules: readonly RuleLine[]): Judged {
  let open = false
  let tied = false
  const rulesAt = (trail: Trail): Governed => {
    const found = governed(rules, trail)
    open ||= found.open
    tied ||= found.tied
    return found
  }
  const numbers = (a: string, b: string, rule: Governed): boolean => {
    if (rule.key === 'structural') return true
    if (rule.key === 'exact') return a === b
    if (rule.key !== 'numeric_tolerance' || rule.eps === null) return sameDecimal(a, b)
    const within = withinDecimal(a, b, rule.eps)
    if (within === null) open = true
    return within ?? false
  }
  const matched = (a: readonly Tree[], b: readonly Tree[], trail: Trail, rule: Governed): boolean => {
    const below: Trail = [...trail, ANYWHERE]
    if (a.length !== b.length && rulesAt(below).key === 'ignore') open = true
    const agrees = a.map(x => b.map(y => agree(x, y, below)))
    if (rule.key === 'structural') {
      if ((a.length === 0) !== (b.length === 0)) return false
      return agrees.every(row => row.includes(true)) && b.every((_, at) => agrees.some(row => row[at] === true))
    }
    if (a.length !== b.length) return false
    if (a.length >= PERMUTATIONS.length) {
      open = true
      return false
    }
    return (PERMUTATIONS[a.length] ?? []).some(order => order.every((to, from) => agrees[from]?.[to] === true))
  }
  const objects = (a: readonly Member[], b: readonly Member[], trail: Trail, rule: Governed): boolean => {
    if (rule.key === 'structural' && (a.length === 0) !== (b.length === 0))
      if ([...a, ...b].every(([name]) => rulesAt([...trail, name]).key === 'ignore')) open = true
    return [...new Set([...a, ...b].map(([name]) => name))].every(name => {
      const [x, y] = [a, b].map(members => members.filter(([other]) => other === name).map(([, value]) => value))
      if (x === undefined || y === undefined || rulesAt([...trail, name]).key === 'ignore') return true
      if (x.length !== y.length) return false
      return x.every((value, at) => {
        const other = y[at]
        return other !== undefined && agree(value, other, [...trail, name])
      })
    })
  }
  const agree = (a: Tree, b: Tree, trail: Trail): boolean => {
    const rule = rulesAt(trail)
    if (rule.key === 'ignore') return true
    if (a.kind === 'object' && b.kind === 'object') return objects(a.members, b.members, trail, rule)
    if (a.kind === 'array' && b.kind === 'array') {
      if (rule.key === 'structural' || rule.key === 'order_insensitive') return matched(a.items, b.items, trail, rule)
      const length = Math.max(a.items.length, b.items.length)
      return Array.from({ length }, (_, at) => [a.items[at], b.items[at]] as const).every(([x, y], at) =>
        x === undefined || y === undefined ? rulesAt([...trail, at]).key === 'ignore' : agree(x, y, [...trail, at]),
      )
    }
    if (a.kind === 'number' && b.kind === 'number') {
      if (rule.key === 'order_insensitive' && rule.subtree !== 'uncovered') open = true
      return numbers(a.text, b.text, rule)
    }
    if (a.kind === 'string' && b.kind === 'string') {
      if (rule.key !== 'structural') return a.value === b.value
      return formatClass(a.value) === formatClass(b.value) && (a.value === '') === (b.value === '')
    }
    if (a.kind === 'boolean' && b.kind === 'boolean') return rule.key === 'structural' || a.value === b.value
    return a.kind === b.kind
  }
  const agreed = agree(golden, actual, [])
  return { agree: agreed, open, tied: tied && !open }
}
