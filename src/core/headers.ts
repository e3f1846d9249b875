import type { DifferenceKind, FieldList } from '../model.ts'
import { type CookieFinding, compareCookies, parseSetCookie } from './cookies.ts'
import { formatClass } from './formats.ts'
import type { MatchState } from './matcher.ts'
import { parameterOf, parseMediaType, splitOutsideQuotes } from './media-type.ts'
import { pointerOf } from './selector.ts'

/** Of the framing or derived from the body: never a note when one side lacks it. */
const FRAMING: readonly string[] = [
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]

export interface HeaderFinding {
  /** In lower case. */
  readonly name: string
  readonly state: MatchState
  readonly found:
    | {
        readonly outcome: 'different'
        readonly kind: DifferenceKind
        /** Within the header: `/sid/path` for an attribute of a cookie; else empty. */
        readonly pointer: string
        readonly legacy: string | null
        readonly candidate: string | null
      }
    | { readonly outcome: 'tolerated' }
    | { readonly outcome: 'note'; readonly id: string; readonly detail: string }
}

export interface HeaderInput {
  readonly golden: FieldList
  readonly actual: FieldList
  /** Names in lower case that are compared; `all` compares every one that is not of the framing. */
  readonly compared: readonly string[] | 'all'
  /** What governs a header. A rule other than `ignore` makes a header compared. */
  state(name: string): MatchState
}

/**
 * How two header sections compare, in the order of the golden, then of what only the actual has.
 *
 * 1. Names are case-insensitive; a repeated header is one list.
 * 2. A header that is not compared and stands on one side only is a note, by name.
 * 3. `ignore` passes. Otherwise it must stand on both sides.
 * 4. `exact`: the same list of values. `structural`: as many values, each of one format class.
 * 5. Content-Type: media type and parameters; the boundary does not count, another charset is a note.
 *    Cache-Control and Allow: the same members in any order. WWW-Authenticate: by value, the scheme in any case.
 *    Set-Cookie: cookies by name; attributes by value, the cookie value and expiry by structure.
 *    Any other: the same list of values.
 */
export function compareHeaders(o: HeaderInput): HeaderFinding[] {
  const golden = listed(o.golden)
  const actual = listed(o.actual)
  const findings: HeaderFinding[] = []
  for (const name of new Set([...golden.keys(), ...actual.keys()])) {
    const state = o.state(name)
    const left = golden.get(name)
    const right = actual.get(name)
    for (const found of compareOne(name, left, right, state, isCompared(name, o.compared, state))) {
      findings.push({ name, state, found })
    }
  }
  return findings
}

function isCompared(name: string, compared: readonly string[] | 'all', state: MatchState): boolean {
  if (compared === 'all') return !FRAMING.includes(name)
  return compared.includes(name) || (state.rule !== null && state.key !== 'ignore')
}

function listed(fields: FieldList): Map<string, string[]> {
  const lists = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    const known = lists.get(key)
    if (known === undefined) lists.set(key, [value.trim()])
    else known.push(value.trim())
  }
  return lists
}

/** The token of a header: a string, or a list of them when it is repeated. */
export function headerToken(values: readonly string[]): string {
  return values.length === 1 ? JSON.stringify(values[0]) : JSON.stringify(values)
}

function compareOne(
  name: string,
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
  state: MatchState,
  compared: boolean,
): HeaderFinding['found'][] {
  if (!compared) {
    if ((left === undefined) === (right === undefined) || FRAMING.includes(name)) return []
    const side = left === undefined ? 'candidate' : 'legacy'
    return [{ outcome: 'note', id: 'builtin:uncompared-header', detail: `only on the ${side}` }]
  }
  const legacy = left === undefined ? null : headerToken(left)
  const candidate = right === undefined ? null : headerToken(right)
  if (legacy === candidate) return []
  if (state.key === 'ignore') return [{ outcome: 'tolerated' }]
  const difference = (kind: DifferenceKind): HeaderFinding['found'][] => [
    { outcome: 'different', kind, pointer: '', legacy, candidate },
  ]
  if (left === undefined) return difference('header_extra')
  if (right === undefined) return difference('header_missing')
  if (state.key === 'exact') return difference('header_changed')
  if (state.key === 'structural') {
    const alike =
      left.length === right.length && left.every((value, at) => formatClass(value) === formatClass(right[at] ?? ''))
    return alike ? [{ outcome: 'tolerated' }] : difference('header_changed')
  }
  if (name === 'set-cookie') return compareSetCookies(left, right)
  if (canonical(name, left) !== canonical(name, right)) return difference('header_changed')
  const charsets = [left, right].map(values => charsetOf(name, values))
  if (charsets[0] !== charsets[1]) {
    return [
      {
        outcome: 'note',
        id: 'builtin:charset',
        detail: `${charsets[0] ?? 'no charset'}/${charsets[1] ?? 'no charset'}`,
      },
    ]
  }
  return [{ outcome: 'note', id: 'builtin:header-form', detail: `${legacy}/${candidate}` }]
}

function charsetOf(name: string, values: readonly string[]): string | null {
  if (name !== 'content-type') return null
  return parameterOf(parseMediaType(values.at(-1) ?? ''), 'charset')?.toLowerCase() ?? null
}

/** The value of a header without what does not count; equal for equal meaning. */
function canonical(name: string, values: readonly string[]): string {
  switch (name) {
    case 'content-type':
      return JSON.stringify(values.map(canonicalMediaType))
    case 'cache-control':
      return JSON.stringify(membersOfList(values).map(lowerName).sort())
    case 'allow':
      return JSON.stringify([...new Set(membersOfList(values))].sort())
    case 'www-authenticate':
      return JSON.stringify(values.map(value => value.replace(/^\S+/, scheme => scheme.toLowerCase())))
    default:
      return JSON.stringify(values)
  }
}

function canonicalMediaType(value: string): unknown {
  const type = parseMediaType(value)
  if (type === null) return value
  const parameters = type.parameters.filter(([name]) => name !== 'boundary' && name !== 'charset')
  return [type.essence, parameters.map(([name, setting]) => `${name}=${setting}`).sort()]
}

function membersOfList(values: readonly string[]): string[] {
  return values
    .flatMap(value => splitOutsideQuotes(value, ','))
    .map(member => member.trim())
    .filter(member => member !== '')
}

function lowerName(directive: string): string {
  const at = directive.indexOf('=')
  return at === -1 ? directive.toLowerCase() : directive.slice(0, at).toLowerCase() + directive.slice(at)
}

function compareSetCookies(left: readonly string[], right: readonly string[]): HeaderFinding['found'][] {
  const golden = byName(left)
  const actual = byName(right)
  const found: HeaderFinding['found'][] = []
  for (const name of new Set([...golden.keys(), ...actual.keys()])) {
    const ours = golden.get(name) ?? []
    const theirs = actual.get(name) ?? []
    for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
      found.push(...comparePair(name, ours[at], theirs[at]))
    }
  }
  return found
}

function comparePair(name: string, ours: string | undefined, theirs: string | undefined): HeaderFinding['found'][] {
  const pointer = pointerOf([name])
  if (theirs === undefined || ours === undefined) {
    const kind = ours === undefined ? 'header_extra' : 'header_missing'
    return [{ outcome: 'different', kind, pointer, legacy: tokenOf(ours), candidate: tokenOf(theirs) }]
  }
  return compareCookies(parseSetCookie(ours), parseSetCookie(theirs)).map(finding => cookieFinding(name, finding))
}

function cookieFinding(name: string, finding: CookieFinding): HeaderFinding['found'] {
  const part = finding.part === '' ? 'value' : finding.part
  if ('tolerated' in finding) return { outcome: 'note', id: 'builtin:cookie-value', detail: `${name}: ${part}` }
  const pointer = pointerOf([name, part])
  const [legacy, candidate] = [tokenOf(finding.legacy), tokenOf(finding.candidate)]
  return { outcome: 'different', kind: 'header_changed', pointer, legacy, candidate }
}

function tokenOf(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : JSON.stringify(text)
}

function byName(values: readonly string[]): Map<string, string[]> {
  const cookies = new Map<string, string[]>()
  for (const value of values) {
    const { name } = parseSetCookie(value)
    cookies.set(name, [...(cookies.get(name) ?? []), value])
  }
  return cookies
}

/**
 * Headers in which a reference to the sender itself names `{self}` instead, so that two sides on different ports agree:
 * `http://127.0.0.1:4711/a` from `http://127.0.0.1:4711` becomes `{self}/a`. In Location and Content-Location the whole
 * value is one reference; in Link it is each target, and the context that `anchor` names. A Host that a server sends back
 * names the authority alone.
 */
export function withSelf(headers: FieldList, origin: string): FieldList {
  const own = origin.replace(/\/+$/, '').toLowerCase()
  const authority = own.replace(/^[a-z]+:\/\//, '')
  return headers.map(([name, value]) => {
    if (/^(?:content-)?location$/i.test(name)) return [name, selfReference(value, own)]
    if (/^host$/i.test(name)) return [name, value.toLowerCase() === authority ? '{self}' : value]
    return [name, /^link$/i.test(name) ? selfLinks(value, own) : value]
  })
}

function selfReference(reference: string, own: string): string {
  const rest = reference.slice(own.length)
  return reference.toLowerCase().startsWith(own) && /^(?:[/?#]|$)/.test(rest) ? `{self}${rest}` : reference
}

/** **Source** RFC 8288 section 3. What other quoted parameters hold, as a title, is no reference. */
function selfLinks(value: string, own: string): string {
  const parts = /<\s*([^>]*)>|(\banchor\s*=\s*")([^"\\]*)"|"(?:[^"\\]|\\.)*"/gi
  return value.replace(parts, (whole, target?: string, anchor?: string, context?: string) => {
    if (target !== undefined) return `<${selfReference(target, own)}>`
    return anchor === undefined ? whole : `${anchor}${selfReference(context ?? '', own)}"`
  })
}
