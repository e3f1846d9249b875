/** The rules of governing as they are defined, without automata: what the tests of matcher and conflicts compare with. */
import type { Segment } from '../../src/core/selector.ts'
import type { Rule } from '../../src/core/tolerance.ts'

export type Path = readonly (string | number)[]

/** Every path of names a, b, x and indexes 0, 1 with at most that many segments. */
export function pathsUpTo(length: number): Path[] {
  const all: Path[] = [[]]
  let longest: Path[] = [[]]
  for (let more = 0; more < length; more += 1) {
    longest = longest.flatMap(path => ['a', 'b', 'x', 0, 1].map(part => [...path, part]))
    all.push(...longest)
  }
  return all
}

export function selects(segments: readonly Segment[], path: Path): boolean {
  const [first, ...rest] = segments
  if (first === undefined) return path.length === 0
  const [part, ...below] = path
  if (part === undefined) return false
  const matched = first.kind === 'wildcard' || (first.kind === 'name' ? first.name === part : first.index === part)
  return (matched && selects(rest, below)) || (first.descendant && selects(segments, below))
}

/** One letter a segment from the leaf up; the greater text wins. */
function rankOf({ selector }: Rule): string {
  const letters = selector.segments.map(({ kind, descendant }) => {
    const at = { wildcard: 1, index: 3, name: 5 }[kind]
    return String(descendant ? at : at + 1)
  })
  return letters.reverse().join('')
}

/** The rule that governs a node, by the definition; null when none does. */
export function governingOf(rules: readonly Rule[], path: Path): Rule | null {
  for (let depth = 0; depth < path.length; depth += 1) {
    const above = deepestOf(rules, path.slice(0, depth))
    if (above?.key === 'ignore') return above
  }
  return deepestOf(rules, path)
}

function deepestOf(rules: readonly Rule[], path: Path): Rule | null {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    let best: Rule | null = null
    for (const rule of rules) {
      const alone = rule.key === 'numeric_tolerance' || rule.key === 'order_insensitive'
      if (depth < path.length && alone) continue
      if (!selects(rule.selector.segments, path.slice(0, depth))) continue
      if (best === null || rankOf(rule) > rankOf(best)) best = rule
    }
    if (best !== null) return best
  }
  return null
}
