import type { Source } from './bindings.ts'

export interface Link {
  readonly target: string
  /** In lower case. */
  readonly relations: readonly string[]
}

/** The links of all `Link` headers, in order. **Source** RFC 8288 section 3. */
export function linksOf(values: readonly string[]): readonly Link[] {
  return values.flatMap(value =>
    [...value.matchAll(/<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g)].map(
      ([, target = '', parameters = '']) => ({ target: target.trim(), relations: relationsOf(parameters) }),
    ),
  )
}

function relationsOf(parameters: string): readonly string[] {
  const found = /;\s*rel\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/i.exec(parameters)
  const text = found?.[1] ?? found?.[2] ?? ''
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Whether what a source gives is a reference to a place on the same side. */
export function isLink(source: Source): boolean {
  return source.kind === 'link' || (source.kind === 'header' && /^(?:content-)?location$/.test(source.name))
}

/**
 * Path and query of a reference on the side's own authority, which stands as `{self}`; a relative one is resolved against
 * the path of the request. Null when it leads elsewhere.
 */
export function ownPath(reference: string, requestPath: string | null): string | null {
  const below = reference.startsWith('{self}') ? reference.slice('{self}'.length) : reference
  const base = URL.parse(requestPath ?? '/', 'http://self.invalid')
  const url = base === null ? null : URL.parse(below === '' ? '/' : below, base.href)
  if (url === null || url.origin !== 'http://self.invalid') return null
  // as written where it is a path already: a URL parser would rewrite dots and escapes
  if (/^\/(?!\/)[\x21-\x7e]*$/.test(below) && !below.includes('\\')) return below.split('#', 1)[0] ?? '/'
  return `${url.pathname}${url.search}`
}
