import { documentOf } from '../core/documents.ts'
import { isObject, type Json, membersOf, NumberToken } from '../core/json.ts'
import type { MatchState } from '../core/matcher.ts'
import type { Rule, RuleSet } from '../core/tolerance.ts'
import type { StepObservation } from '../model.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'
import { loosens } from './lint-tolerance.ts'

/**
 * Loosening rules of which the goldens show only one side. A rule is triggered where it governs a value that it can let
 * differ: a number under a bound, a list of two under any order, all but null under `structural`, anything under `ignore`.
 * It is spared in an answer that has a value under another rule or under none, and in one where it governs nothing.
 */
export function reachFindings({ ruleSet, cases, fixtures }: LintInput, files: LintFiles): readonly Finding[] {
  const seen = cases.flatMap(c => {
    const read = fixtures.read(c.name)
    const steps = read.ok ? read.fixture.observation : []
    return steps.flatMap((step, at) => (c.steps[at]?.given === true ? [] : [sightOf(step, at, ruleSet)]))
  })
  if (seen.length === 0) return []
  return ruleSet.rules.filter(loosens).flatMap((rule): Finding[] => {
    const file = `${files.tolerance}:${rule.line}:${rule.column}`
    if (!seen.some(({ triggered }) => triggered.has(rule))) {
      const message = `\`${rule.text}\` loosens nothing in any golden${wantedBy(rule)}`
      return [{ rule: 'loosening-untriggered', file, message, fix: 'record a case that needs it, or remove the rule' }]
    }
    if (seen.some(({ governing }) => !governing.has(rule) || governing.size > 1)) return []
    const message = `\`${rule.text}\` governs all that any golden answers: nothing shows where it ends`
    return [
      { rule: 'loosening-everywhere', file, message, fix: 'narrow it, or record a case that answers more than that' },
    ]
  })
}

function wantedBy({ key }: Rule): string {
  if (key === 'order_insensitive') return ': it selects no list of two elements or more'
  return key === 'numeric_tolerance' ? ': it selects no number' : ''
}

/** What the rules do in one answer. */
interface Sight {
  readonly triggered: ReadonlySet<Rule>
  /** What governs the values of the answer; null stands for no rule. */
  readonly governing: ReadonlySet<Rule | null>
}

function sightOf(step: StepObservation, at: number, { matcher }: RuleSet): Sight {
  const triggered = new Set<Rule>()
  const governing = new Set<Rule | null>()
  for (const root of rootsOf(step)) {
    const { rule } = matcher.scalar(at, root)
    governing.add(rule)
    if (rule !== null) triggered.add(rule)
  }
  const json = step.kind === 'response' && step.response.body !== undefined && 'json' in step.response.body
  const { value, kind } = documentOf(step, { json, crossed: false })
  const open: { readonly value: Json; readonly state: MatchState }[] =
    kind === 'empty' ? [] : [{ value, state: matcher.body(at) }]
  const inBody = new Set<Rule | null>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { rule } = next.state
    if (rule !== null && canDiffer(rule, next.value)) triggered.add(rule)
    const children = childrenOf(next.value, next.state)
    if (children.length === 0) inBody.add(rule)
    open.push(...children)
  }
  // what stands beside a body (status, headers) is no measure of what a rule of the body leaves over
  return { triggered, governing: inBody.size > 0 ? inBody : governing }
}

function rootsOf(step: StepObservation): readonly string[] {
  if (step.kind === 'command') return ['exit', 'stderr']
  if (step.kind !== 'response') return []
  return ['status', ...step.response.headers.map(([name]) => `header.${name.toLowerCase()}`)]
}

function childrenOf(value: Json, state: MatchState): { readonly value: Json; readonly state: MatchState }[] {
  if (Array.isArray(value)) return value.map((item: Json, at) => ({ value: item, state: state.item(at) }))
  if (!isObject(value)) return []
  return [...membersOf(value)].map(([name, member]) => ({ value: member, state: state.child(name) }))
}

function canDiffer(rule: Rule, value: Json): boolean {
  switch (rule.key) {
    case 'exact':
      return false
    case 'numeric_tolerance':
      return typeof value === 'number' || value instanceof NumberToken
    case 'order_insensitive':
      return Array.isArray(value) && value.length > 1
    case 'structural':
      return value !== null
    case 'ignore':
      return true
    default:
      return rule.key satisfies never
  }
}
