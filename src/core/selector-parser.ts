import type { ParsedSelector, Segment, Selector, SelectorRoot } from './selector.ts'

/**
 * The selector that a text names: `$…` (RFC 9535, restricted to names, indexes from 0, wildcards and descendants),
 * `status`, `exit`, `stderr` or `header.<name>`, each after an optional `steps[n]:`. What JSONPath has beyond that is
 * refused by name: a rule must not depend on values, and selects one child or all of them. Columns count from 1.
 *
 * Source: RFC 9535 sections 2.2, 2.3 and 2.5.
 */
export function parseSelector(text: string): ParsedSelector {
  const cursor: Cursor = { text, at: 0 }
  const step = readStep(cursor)
  const selector = isFault(step) ? step : readSelector(cursor, step)
  return isFault(selector) ? { ok: false, ...selector } : { ok: true, selector }
}

interface Cursor {
  readonly text: string
  at: number
}

interface Fault {
  readonly column: number
  readonly message: string
  readonly fix: string
}

function isFault(value: object | string | number | null): value is Fault {
  return typeof value === 'object' && value !== null && 'fix' in value
}

function faultAt(at: number, message: string, fix: string): Fault {
  return { column: at + 1, message, fix }
}

/** Takes what matches at the cursor; null when nothing does. The pattern is sticky. */
function take(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0] ?? null
  cursor.at += found?.length ?? 0
  return found
}

const STEP = /steps\[(?:0|[1-9][0-9]{0,8})\]:/y
const SPACE = /[ \t\n\r]*/y
const INDEX = /0|[1-9][0-9]*/y
const HEADER_NAME = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
/** ALPHA, `_` and everything beyond ASCII except surrogates, which come in pairs or not at all. */
const SHORT_NAME =
  /(?:[A-Za-z_\u0080-\ud7ff\ue000-\uffff]|[\ud800-\udbff][\udc00-\udfff])(?:[0-9A-Za-z_\u0080-\ud7ff\ue000-\uffff]|[\ud800-\udbff][\udc00-\udfff])*/y

function readStep(cursor: Cursor): number | null | Fault {
  const prefix = take(cursor, STEP)
  if (prefix !== null) return Number(prefix.slice('steps['.length, -']:'.length))
  if (!cursor.text.startsWith('steps')) return null
  return faultAt(0, 'a step prefix reads "steps[n]:", n counted from 0', 'write it as in steps[2]:$.id')
}

function readSelector(cursor: Cursor, step: number | null): Selector | Fault {
  const { text } = cursor
  const root = readRoot(cursor)
  if (isFault(root)) return root
  const segments: Segment[] = []
  while (cursor.at < text.length) {
    if (root !== 'body') return faultAt(cursor.at, `nothing may follow "${root}"`, `write ${root} alone`)
    const segment = readSegment(cursor)
    if (isFault(segment)) return segment
    segments.push(segment)
  }
  return { text, step, root, segments }
}

function readRoot(cursor: Cursor): SelectorRoot | Fault {
  const { text, at } = cursor
  if (text.startsWith('$', at)) {
    cursor.at += 1
    return 'body'
  }
  for (const word of ['status', 'exit', 'stderr'] as const) {
    if (!text.startsWith(word, at)) continue
    cursor.at += word.length
    return word
  }
  if (text.startsWith('header.', at)) {
    cursor.at += 'header.'.length
    const name = take(cursor, HEADER_NAME)
    if (name === null) return faultAt(cursor.at, 'a header name is missing', 'write it as in header.content-type')
    return `header.${name.toLowerCase()}`
  }
  const rest = text.slice(at)
  const fix = SHORTHAND_PATH.test(rest) ? `write $.${rest}` : 'write a path such as $.error.code'
  return faultAt(at, 'a path begins with $, status, exit, stderr or header.<name>', fix)
}

const SHORTHAND_PATH = /^[A-Za-z_][A-Za-z0-9_.[\]*]*$/

function readSegment(cursor: Cursor): Segment | Fault {
  const { text } = cursor
  const before = cursor.at
  take(cursor, SPACE)
  if (text.startsWith('[', cursor.at)) return readBracket(cursor, false)
  if (!text.startsWith('.', cursor.at)) {
    if (cursor.at > before) return faultAt(before, 'white space after the path', 'remove it')
    return faultAt(cursor.at, 'expected ".", ".." or "["', "write a name that is no plain word in brackets: ['a b']")
  }
  const descendant = text.startsWith('..', cursor.at)
  cursor.at += descendant ? 2 : 1
  if (text.startsWith('*', cursor.at)) {
    cursor.at += 1
    return { descendant, kind: 'wildcard' }
  }
  if (descendant && text.startsWith('[', cursor.at)) return readBracket(cursor, true)
  const name = take(cursor, SHORT_NAME)
  if (name !== null) return { descendant, kind: 'name', name }
  return faultAt(
    cursor.at,
    'expected a name or * after the dot',
    "write a name that is no plain word in brackets: ['a b']",
  )
}

/** The forms of JSONPath that rules do not have, by the characters that show them. */
const REFUSED: readonly (readonly [start: RegExp, what: string, why: string, fix: string])[] = [
  [/\?/y, 'a filter', 'a rule must not depend on values', 'name the fields, or use [*] for every element'],
  [/\(/y, 'a script', 'a rule must not depend on values', 'name the fields, or use [*] for every element'],
  [/-?[0-9]*[ \t\n\r]*:/y, 'a slice', 'a rule selects one element or all', 'use [*], or one rule for each index'],
  [/-/y, 'a negative index', 'it depends on the length of the array', 'use [*], or count from the start'],
  [/,/y, 'a union', 'a rule selects one child or all', 'write one rule for each'],
]

function refusedAt(cursor: Cursor): Fault | null {
  for (const [start, what, why, fix] of REFUSED) {
    start.lastIndex = cursor.at
    if (start.test(cursor.text)) return faultAt(cursor.at, `${what} is refused: ${why}`, fix)
  }
  return null
}

function readBracket(cursor: Cursor, descendant: boolean): Segment | Fault {
  const { text } = cursor
  cursor.at += 1
  take(cursor, SPACE)
  const refused = refusedAt(cursor)
  if (refused !== null) return refused
  const segment = readBracketed(cursor, descendant)
  if (isFault(segment)) return segment
  take(cursor, SPACE)
  const joined = refusedAt(cursor)
  if (joined !== null) return joined
  if (!text.startsWith(']', cursor.at)) return faultAt(cursor.at, 'expected "]"', 'close the bracket')
  cursor.at += 1
  return segment
}

function readBracketed(cursor: Cursor, descendant: boolean): Segment | Fault {
  const { text, at } = cursor
  if (text.startsWith('*', at)) {
    cursor.at += 1
    return { descendant, kind: 'wildcard' }
  }
  const index = take(cursor, INDEX)
  if (index !== null) {
    if (Number(index) <= Number.MAX_SAFE_INTEGER) return { descendant, kind: 'index', index: Number(index) }
    return faultAt(at, 'an index is at most 9007199254740991', 'use a smaller one')
  }
  if (text.startsWith("'", at) || text.startsWith('"', at)) {
    const name = readQuoted(cursor)
    return isFault(name) ? name : { descendant, kind: 'name', name: name.name }
  }
  const word = take(cursor, SHORT_NAME)
  if (word !== null) return faultAt(at, 'a name in brackets stands in quotes', `write ['${word}']`)
  return faultAt(at, 'expected a name in quotes, an index or *', "write it as in [0], [*] or ['a b']")
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '/': '/',
  '\\': '\\',
  '"': '"',
  "'": "'",
}
const PAIRED_ESCAPE = /\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}/y
const PLAIN_ESCAPE = /\\u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}/y
/** Any character but quotes, backslash, controls and lone surrogates. */
const UNESCAPED = /(?:[ !#-&(-[\]-\ud7ff\ue000-\uffff]|[\ud800-\udbff][\udc00-\udfff])+/y

function readQuoted(cursor: Cursor): { readonly name: string } | Fault {
  const { text } = cursor
  const start = cursor.at
  const quote = text.charAt(start)
  const other = quote === '"' ? "'" : '"'
  cursor.at += 1
  let name = ''
  while (!text.startsWith(quote, cursor.at)) {
    const at = cursor.at
    if (at >= text.length) return faultAt(start, 'the quote does not end', `close it with ${quote}`)
    const plain = take(cursor, UNESCAPED)
    const escaped = plain ?? take(cursor, PAIRED_ESCAPE) ?? take(cursor, PLAIN_ESCAPE)
    if (plain !== null) name += plain
    else if (escaped !== null) {
      for (const unit of escaped.matchAll(/u([0-9A-Fa-f]{4})/g))
        name += String.fromCharCode(Number.parseInt(unit[1] ?? '', 16))
    } else if (text.charAt(at) === other) {
      name += other
      cursor.at += 1
    } else {
      const letter = text.charAt(at + 1)
      const value = text.charAt(at) === '\\' && letter !== other ? ESCAPES[letter] : undefined
      if (value === undefined)
        return faultAt(at, 'no such escape, or a character that must be escaped', 'see RFC 9535 section 2.3.1.1')
      name += value
      cursor.at += 2
    }
  }
  cursor.at += 1
  return { name }
}
