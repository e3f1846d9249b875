import { z } from 'zod'
import { type Sha256, TOLERANCE_KEYS, type ToleranceKey } from '../model.ts'
import { canonicalText, compareCodePoints, sha256 } from './canonical.ts'
import { conflictsOf } from './conflicts.ts'
import { type Decision, liveDecisions, readDecisions } from './decisions.ts'
import { compileMatcher, type Matcher } from './matcher.ts'
import { parseSelector, type Selector } from './selector.ts'
import { type Located, type ParsedYaml, parseYaml, validate, type YamlPath } from './yaml.ts'

export type { Decision } from './decisions.ts'

/** One line of the tolerance file, compiled. */
export interface Rule {
  readonly key: ToleranceKey
  readonly selector: Selector
  /** The bound of a numeric tolerance as its source text; null for every other key. */
  readonly eps: string | null
  /** Key and selector as written: `structural $.requestId`. */
  readonly text: string
  /** `R-001`: the decision in the rules file whose `rule` is `text` and that nothing supersedes; null when there is none. */
  readonly id: string | null
  readonly line: number
  readonly column: number
}

export interface RuleSet {
  /** Hash of the compiled rules and the compared headers, in sorted order; authors and reasons are not part of it. */
  readonly id: Sha256
  /** In file order. */
  readonly rules: readonly Rule[]
  /** Compared headers in lower case, sorted. */
  readonly headers: readonly string[]
  readonly matcher: Matcher
  readonly decisions: readonly Decision[]
}

/** The headers that are compared unless the contract lists its own. */
export const DEFAULT_HEADERS: readonly string[] = [
  'allow',
  'cache-control',
  'content-type',
  'location',
  'set-cookie',
  'www-authenticate',
]

export interface ToleranceInput {
  /** Name of the tolerance file in messages. */
  readonly file: string
  readonly text: string
  /** Name and text of the file of decisions, when there is one. */
  readonly rulesFile?: string
  readonly rulesText?: string
  /** The compared headers; default `DEFAULT_HEADERS`. */
  readonly headers?: readonly string[]
}

export type CompiledTolerance =
  | { readonly ok: true; readonly rules: RuleSet }
  | { readonly ok: false; readonly errors: readonly Located[] }

/** `tolerance/<feature>.yaml`: the five keys and nothing else. An empty file has no rules. */
export const toleranceSchema = z.strictObject({
  exact: z.array(z.string()).optional(),
  structural: z.array(z.string()).optional(),
  numeric_tolerance: z.record(z.string(), z.number()).optional(),
  order_insensitive: z.array(z.string()).optional(),
  ignore: z.array(z.string()).optional(),
})

/**
 * The rule set of a feature, or everything that is wrong with its files, in file order, each with place and repair.
 * Refused beside what YAML and the five keys refuse: a path that does not parse, a rule over a whole body under `ignore`
 * or `structural`, a key that means nothing at its root, a bound that is no plain number from 0, and what `conflictsOf`
 * finds.
 */
export function compileTolerance(input: ToleranceInput): CompiledTolerance {
  const decisions = readDecisions(input.rulesFile ?? '', input.rulesText ?? '')
  const read = readRules(input)
  if (!read.ok || !decisions.ok) {
    return { ok: false, errors: [...(read.ok ? [] : read.errors), ...(decisions.ok ? [] : decisions.errors)] }
  }
  const ids = new Map(liveDecisions(decisions.value).map(({ rule, id }) => [rule, id]))
  const rules = read.value.map(rule => ({ ...rule, id: ids.get(rule.text) ?? null }))
  const headers = [...new Set((input.headers ?? DEFAULT_HEADERS).map(name => name.toLowerCase()))].sort(
    compareCodePoints,
  )
  const compiled = rules.map(({ text, eps }) => ({ text, eps })).sort((a, b) => compareCodePoints(a.text, b.text))
  const id = sha256(canonicalText({ rules: compiled, headers }))
  return { ok: true, rules: { id, rules, headers, matcher: compileMatcher(rules), decisions: decisions.value } }
}

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly Located[] }

function readRules({ file, text }: ToleranceInput): Read<readonly Rule[]> {
  const parsed = parseYaml(text, file)
  if (parsed.ok && parsed.value === null) return { ok: true, value: [] }
  const shaped = validate(parsed, toleranceSchema, file)
  if (!shaped.ok || !parsed.ok) return { ok: false, errors: shaped.ok ? [] : shaped.errors }
  const errors: Located[] = []
  const rules: Rule[] = []
  for (const entry of entriesOf(shaped.value, parsed)) {
    const faults: Flaw[] = []
    const rule = ruleOf(entry, text, faults)
    if (rule !== null) rules.push(rule)
    for (const flaw of faults) errors.push({ file, ...flaw })
  }
  rules.sort((a, b) => a.line - b.line || a.column - b.column)
  for (const { rule, message, fix } of conflictsOf(rules)) {
    errors.push({ file, line: rule.line, column: rule.column, message, fix })
  }
  errors.sort((a, b) => a.line - b.line || a.column - b.column)
  return errors.length === 0 ? { ok: true, value: rules } : { ok: false, errors }
}

type Flaw = Omit<Located, 'file'>

/** One rule as it stands in the file: where its path and its bound are. */
interface Entry {
  readonly key: ToleranceKey
  readonly selector: string
  readonly line: number
  readonly column: number
  readonly eps: { readonly text: string; readonly line: number; readonly column: number } | null
}

function entriesOf(shape: z.infer<typeof toleranceSchema>, parsed: ParsedYaml & { readonly ok: true }): Entry[] {
  return TOLERANCE_KEYS.flatMap((key): Entry[] => {
    if (key !== 'numeric_tolerance') {
      const list = shape[key] ?? []
      return list.map((selector, index) => ({ key, selector, ...parsed.at([key, index]), eps: null }))
    }
    return Object.keys(shape[key] ?? {}).map(selector => {
      const path: YamlPath = [key, selector]
      return { key, selector, ...parsed.at(path, 'key'), eps: { text: parsed.source(path), ...parsed.at(path) } }
    })
  })
}

/** The rule of an entry; null, with what is wrong in `flaws`, when it cannot stand. */
function ruleOf(entry: Entry, source: string, flaws: Flaw[]): Rule | null {
  const { key, line, column } = entry
  const parsed = parseSelector(entry.selector)
  if (!parsed.ok) {
    const quoted = /["']/.test(source.split('\n')[line - 1]?.charAt(column - 1) ?? '')
    const { message, fix } = parsed
    flaws.push({
      line,
      column: column + Number(quoted) + parsed.column - 1,
      message: `"${entry.selector}": ${message}`,
      fix,
    })
    return null
  }
  const { selector } = parsed
  const misplaced = rootFlaw(key, selector) ?? breadthFlaw(key, selector)
  if (misplaced !== null) flaws.push({ line, column, ...misplaced })
  const bound = entry.eps === null ? null : epsFlaw(entry.eps.text)
  if (bound !== null && entry.eps !== null) flaws.push({ line: entry.eps.line, column: entry.eps.column, ...bound })
  if (misplaced !== null || bound !== null) return null
  return { key, selector, eps: entry.eps?.text ?? null, text: `${key} ${selector.text}`, id: null, line, column }
}

type Reproof = Pick<Located, 'message' | 'fix'>

/** Which keys mean something outside a body: a status or exit code has no structure, and none of them is a list. */
function rootFlaw(key: ToleranceKey, { root, text }: Selector): Reproof | null {
  if (root === 'body') return null
  const shaped = root !== 'status' && root !== 'exit'
  if (key === 'exact' || key === 'ignore' || (key === 'structural' && shaped)) return null
  const keys = shaped ? 'exact, structural or ignore' : 'exact or ignore'
  return { message: `${key} means nothing for ${text}`, fix: `move it under ${keys}` }
}

/** A path of wildcards alone names nothing: under a loose key it covers any body whole. */
function breadthFlaw(key: ToleranceKey, { root, segments, text }: Selector): Reproof | null {
  if (root !== 'body' || (key !== 'ignore' && key !== 'structural')) return null
  if (segments.some(({ kind }) => kind !== 'wildcard')) return null
  return { message: `${key} over a whole body: ${text}`, fix: 'name the fields that it is meant for' }
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

function epsFlaw(text: string): Reproof | null {
  const fix = 'write a plain number from 0, as 0.01'
  if (!JSON_NUMBER.test(text)) return { message: `the bound "${text}" is no plain decimal number`, fix }
  return text.startsWith('-') ? { message: `the bound ${text} is negative`, fix } : null
}
