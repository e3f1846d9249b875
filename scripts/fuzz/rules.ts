/** Tolerance files of the fuzz, and a second reading of DESIGN §5 of what governs a node: every rule tried at every node. */
import type { ToleranceKey } from '../../src/model.ts'
import type { Random } from './random.ts'
import type { Path } from './tree.ts'

export type Step = { readonly descendant: boolean; readonly select: string | number | null }
export interface RuleLine {
  readonly key: ToleranceKey
  readonly steps: readonly Step[]
  readonly eps: string | null
}

/** A position that no index names: an element of an array that is matched, not walked. */
export const ANYWHERE = Symbol('anywhere')
export type Trail = readonly (string | number | typeof ANYWHERE)[]

function quoted(name: string): string {
  const escaped = [...name].map(char => {
    const code = char.codePointAt(0) ?? 0
    if (char === "'" || char === '\\') return `\\${char}`
    return code < 0x20 ? `\\u${code.toString(16).padStart(4, '0')}` : char
  })
  return `['${escaped.join('')}']`
}

export function selectorText(steps: readonly Step[]): string {
  return `$${steps
    .map(({ descendant, select }) => {
      if (typeof select === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(select))
        return `${descendant ? '..' : '.'}${select}`
      const bracket = select === null ? '[*]' : typeof select === 'number' ? `[${select}]` : quoted(select)
      return `${descendant ? '..' : ''}${bracket}`
    })
    .join('')}`
}

function yamlString(text: string): string {
  const parts = [...text].map(char => {
    const code = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') return `\\${char}`
    if (code >= 0x20 && code < 0x7f) return char
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
  return `"${parts.join('')}"`
}

/** The tolerance file. */
export function yamlOf(rules: readonly RuleLine[]): string {
  const blocks = (['exact', 'structural', 'numeric_tolerance', 'order_insensitive', 'ignore'] as const).map(key => {
    const lines = rules
      .filter(rule => rule.key === key)
      .map(({ steps, eps }) => {
        const path = yamlString(selectorText(steps))
        return key === 'numeric_tolerance' ? `  ${path}: ${eps}\n` : `  - ${path}\n`
      })
    return lines.length === 0 ? '' : `${key}:\n${lines.join('')}`
  })
  return blocks.join('')
}

const EPSILONS = ['0', '0.01', '0.1', '1', '1e-7', '0.000001', '10', '2.5', '1e300', '0.30']

/** A rule for a place of a document, or for a whole family of places. */
export function ruleFor(random: Random, path: Path, key: ToleranceKey): RuleLine {
  let steps: Step[] = path.map(segment => ({
    descendant: false,
    select: random.chance(typeof segment === 'number' ? 0.75 : 0.12) ? null : segment,
  }))
  if (steps.length > 1 && random.chance(0.3)) {
    const from = random.int(steps.length)
    const cut = random.int(from + 1)
    steps = [
      ...steps.slice(0, cut),
      ...steps.slice(from).map((step, at) => (at === 0 ? { ...step, descendant: true } : step)),
    ]
  } else if (steps.length > 0 && random.chance(0.1)) steps = steps.map(step => ({ ...step, descendant: true }))
  return { key, steps, eps: key === 'numeric_tolerance' ? random.pick(EPSILONS) : null }
}

function selects(step: Step, segment: string | number | typeof ANYWHERE): boolean {
  return step.select === null || step.select === segment
}

type Selects = typeof selects

function reaches(steps: readonly Step[], trail: Trail, by: Selects = selects, at = 0, from = 0): boolean {
  const step = steps[at]
  if (step === undefined) return from === trail.length
  const segment = trail[from]
  if (segment === undefined) return false
  if (by(step, segment) && reaches(steps, trail, by, at + 1, from + 1)) return true
  return step.descendant && reaches(steps, trail, by, at, from + 1)
}

/** As if every index could be that of a matched element: a rule that selects only so must not compile. */
const selectsAnyhow: Selects = (step, segment) =>
  selects(step, segment) || (segment === ANYWHERE && typeof step.select === 'number')

const rank = (select: Step['select']): number => (select === null ? 0 : typeof select === 'number' ? 1 : 2)

/** Above zero when `a` goes before `b` at one node; null where DESIGN leaves it open. */
function precedence(a: readonly Step[], b: readonly Step[]): number | null {
  const shared = Math.min(a.length, b.length)
  let bySelector = 0
  let byAxis = 0
  let woven = 0
  for (let back = 1; back <= shared; back++) {
    const [x, y] = [a[a.length - back], b[b.length - back]]
    if (x === undefined || y === undefined) break
    const selector = rank(x.select) - rank(y.select)
    const axis = Number(y.descendant) - Number(x.descendant)
    if (bySelector === 0) bySelector = selector
    if (byAxis === 0) byAxis = axis
    if (woven === 0) woven = selector === 0 ? axis : selector
  }
  const selectorFirst = bySelector === 0 ? byAxis : bySelector
  if (Math.sign(selectorFirst) !== Math.sign(woven)) return null
  if (woven === 0 && a.length !== b.length) return null
  return woven
}

export interface Governed {
  readonly key: ToleranceKey | 'uncovered'
  readonly eps: string | null
  /** What goes on below. */
  readonly subtree: ToleranceKey | 'uncovered'
  /** DESIGN does not say which rule governs here. */
  readonly open: boolean
  /** Two rules that agree in everything but what they say, or an index among matched elements: such a file must not compile. */
  readonly tied: boolean
}

const NODE_ALONE = new Set<string>(['numeric_tolerance', 'order_insensitive'])

/** What governs a node, from the root down. */
export function governed(rules: readonly RuleLine[], trail: Trail): Governed {
  let now: Governed = { key: 'uncovered', eps: null, subtree: 'uncovered', open: false, tied: false }
  for (let depth = 0; depth <= trail.length; depth++) {
    const node = trail.slice(0, depth)
    const inherited: Governed = { ...now, key: now.subtree, eps: null }
    if (inherited.key === 'ignore') return inherited
    const here = rules.filter(({ steps }) => reaches(steps, node))
    let best: RuleLine | null = null
    let { open, tied } = now
    tied ||= rules.some(rule => !here.includes(rule) && reaches(rule.steps, node, selectsAnyhow))
    for (const rule of here) {
      if (best === null) best = rule
      else {
        const order = precedence(rule.steps, best.steps)
        const same = rule.key === best.key && rule.eps === best.eps
        if (order === null) open ||= !same
        else if (order === 0) tied ||= !same
        else if (order > 0) best = rule
      }
    }
    if (best === null) now = { ...inherited, open, tied }
    else if (NODE_ALONE.has(best.key)) {
      const loser = here.some(({ key }) => !NODE_ALONE.has(key))
      now = { key: best.key, eps: best.eps, subtree: inherited.subtree, open: open || loser, tied }
    } else now = { key: best.key, eps: null, subtree: best.key, open, tied }
  }
  return now
}
