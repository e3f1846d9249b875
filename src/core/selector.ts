export { parseSelector } from './selector-parser.ts'

/** What a selector reads: `$` in the decoded body, or one scalar beside it. Header names are in lower case. */
export type SelectorRoot = 'body' | 'status' | 'exit' | 'stderr' | `header.${string}`

/** One step down. `descendant` (`..`): from the node or any node below it. */
export type Segment = { readonly descendant: boolean } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'wildcard' }
)

export interface Selector {
  /** As written. */
  readonly text: string
  /** Index of the step that a prefix `steps[2]:` names; null for every step. */
  readonly step: number | null
  readonly root: SelectorRoot
  /** Empty for roots other than the body. */
  readonly segments: readonly Segment[]
}

export type ParsedSelector =
  | { readonly ok: true; readonly selector: Selector }
  | { readonly ok: false; readonly column: number; readonly message: string; readonly fix: string }

const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
}

/**
 * The path of one node: `$.error.code`, `$['a b'][0]`. Names of letters, digits and `_` are written short, all others as
 * a normalised path writes them. A lone surrogate is escaped, so that the path is well-formed text.
 *
 * Source: RFC 9535 section 2.7.
 */
export function normalisedPath(segments: readonly (string | number)[]): string {
  let path = '$'
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`
    else path += SHORTHAND.test(segment) ? `.${segment}` : `['${quoted(segment)}']`
  }
  return path
}

function quoted(name: string): string {
  let out = ''
  for (const point of name) {
    const unit = point.charCodeAt(0)
    const bare = unit < 0x20 || (point.length === 1 && unit >= 0xd800 && unit <= 0xdfff)
    out += SHORT_ESCAPES[point] ?? (bare ? `\\u${unit.toString(16).padStart(4, '0')}` : point)
  }
  return out
}

/** Whether `path` is `above` or lies below it; both as differences carry them. */
export function isWithin(path: string, above: string): boolean {
  return path === above || (path.startsWith(above) && /^[.[]/.test(path.slice(above.length)))
}

/** The path of a difference without the prefix of its step. */
export function withoutStep(path: string): string {
  return path.replace(/^steps\[\d+\]:/, '')
}

/** The path of a difference with `[*]` for each index: the same place in every element. The prefix of its step stays. */
export function withoutIndexes(path: string): string {
  const own = withoutStep(path)
  return path.slice(0, path.length - own.length) + own.replaceAll(/\[\d+\]/g, '[*]')
}

/** The pointer of one node; empty at the root. Source: RFC 6901 section 3. */
export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.map(segment => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
