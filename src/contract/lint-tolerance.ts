import { equalDecimals } from '../core/decimal.ts'
import { documentOf } from '../core/documents.ts'
import { nearest } from '../core/nearest.ts'
import { queryJson } from '../core/query.ts'
import { normalisedPath, parseSelector, type Selector } from '../core/selector.ts'
import type { Rule, RuleSet } from '../core/tolerance.ts'
import type { FixtureSet } from '../golden/store.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'
import { governs, liesWithin } from './reach.ts'

/** Declared fields without a rule, and rules about nothing declared. */
export function toleranceFindings(input: LintInput, files: LintFiles): readonly Finding[] {
  const { ruleSet } = input
  const declared = [...fieldsOf('outputs', input), ...fieldsOf('errors', input)]
  const bound = input.cases.flatMap(c =>
    c.steps.flatMap(({ bind = {}, same = {} }) => [...Object.values(bind), ...Object.keys(same)]),
  )
  const bare = declared
    .filter(({ selector }) => !bound.includes(selector.text) && !ruleSet.rules.some(rule => governs(rule, selector)))
    .map(
      ({ section, selector }): Finding => ({
        rule: 'output-without-tolerance',
        file: files.tolerance,
        message: `${selector.text} of ${section} has no rule`,
        fix: `add ${selector.text} under one of the five keys, under exact when in doubt`,
      }),
    )
  const stray = ruleSet.rules
    .filter(rule => !isDeclared(rule, declared, ruleSet))
    .map(
      (rule): Finding => ({
        rule: 'tolerance-without-output',
        file: `${files.tolerance}:${rule.line}:${rule.column}`,
        message: `\`${rule.text}\` is about nothing that the contract declares`,
        fix: `declare ${rule.selector.text} under outputs or errors of ${files.contract}, or remove the rule`,
      }),
    )
  return [...bare, ...stray]
}

interface DeclaredField {
  readonly section: string
  readonly selector: Selector
}

function fieldsOf(kind: 'outputs' | 'errors', { contract, fixtures }: LintInput): readonly DeclaredField[] {
  return Object.entries(contract[kind]).flatMap(([section, paths]) =>
    paths.flatMap(path => {
      const parsed = parseSelector(path)
      const selectors = parsed.ok ? [parsed.selector] : selectorsOf(path, fixtures)
      return selectors.map(selector => ({ section: `${kind}.${section}`, selector }))
    }),
  )
}

/** A query that rules do not take, as the places that it selects in the goldens. */
function selectorsOf(query: string, fixtures: FixtureSet): readonly Selector[] {
  const places = new Set<string>()
  for (const name of fixtures.names) {
    const read = fixtures.read(name)
    for (const step of read.ok ? read.fixture.observation : []) {
      const queried = queryJson(documentOf(step, { json: false, crossed: false }).value, query)
      for (const node of queried.ok ? queried.nodes : []) places.add(normalisedPath(node.segments))
    }
  }
  return [...places].flatMap(place => {
    const parsed = parseSelector(place)
    return parsed.ok ? [parsed.selector] : []
  })
}

/** Status, exit code and compared headers are answered by every feature; all else has to be declared. */
function isDeclared(rule: Rule, declared: readonly DeclaredField[], ruleSet: RuleSet): boolean {
  const { root } = rule.selector
  if (root === 'status' || root === 'exit' || root === 'stderr') return true
  if (root.startsWith('header.') && ruleSet.headers.includes(root.slice('header.'.length))) return true
  return declared.some(({ selector }) => governs(rule, selector) || liesWithin(rule, selector))
}

/** Rules that nobody decided, and decisions about nothing. */
export function decisionFindings({ rules, decisions }: RuleSet, files: LintFiles): readonly Finding[] {
  const undecided = rules
    .filter(rule => loosens(rule) && rule.id === null)
    .map(
      (rule): Finding => ({
        rule: 'rule-without-decision',
        file: `${files.tolerance}:${rule.line}:${rule.column}`,
        message: `\`${rule.text}\` loosens the comparison, and nobody has decided so`,
        fix: `add an entry with \`rule: ${rule.text}\` to ${files.decisions}`,
      }),
    )
  const superseded = new Set(decisions.map(({ supersedes }) => supersedes))
  const known = rules.map(rule => rule.text)
  const idle = decisions
    .filter(({ id, rule }) => !superseded.has(id) && !known.includes(rule) && !isSubject(rule))
    .map(({ id, rule }): Finding => {
      const near = nearest(rule, known)
      return {
        rule: 'decision-without-rule',
        file: files.decisions,
        message: `${id} decides \`${rule}\`, which ${files.tolerance} does not have${near === null ? '' : `; did you mean \`${near}\`?`}`,
        fix: `correct the rule, or add a decision that supersedes ${id}`,
      }
    })
  return [...undecided, ...idle]
}

/** Whether a rule lets values differ that are equal without it. */
export function loosens(rule: Rule): boolean {
  switch (rule.key) {
    case 'exact':
      return false
    case 'numeric_tolerance':
      return !equalDecimals(rule.eps ?? '0', '0')
    case 'structural':
    case 'order_insensitive':
    case 'ignore':
      return true
    default:
      return rule.key satisfies never
  }
}

/** Whether a decision is about no rule that stands there, but about another thing that `--base` asks to be decided. */
function isSubject(subject: string): boolean {
  return /^(?:case|contract|without|feature) \S/.test(subject)
}
