import type { Sha256, ToleranceKey } from '../model.ts'
import type { Matcher } from './matcher.ts'
import type { Selector } from './selector.ts'
import type { Located } from './yaml.ts'

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

/** One entry of `tolerance/<feature>.rules.yaml`. */
export interface Decision {
  readonly id: string
  readonly rule: string
  readonly reason: string
  readonly evidence: string
  readonly author: string
  readonly approved_by: string | null
  readonly supersedes?: string | undefined
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

export function compileTolerance(input: ToleranceInput): CompiledTolerance {
  throw new Error(`not written yet (${input.file})`)
}
