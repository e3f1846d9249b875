import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml'

export { validate } from './validate.ts'

/** What is wrong in one of our own files, where, and how to repair it. Line and column count from 1. */
export interface Located {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fix: string
}

export interface Place {
  readonly line: number
  readonly column: number
}

export type YamlPath = readonly (string | number)[]

export type ParsedYaml =
  | {
      readonly ok: true
      readonly value: unknown
      /** Where a key or value stands; when it does not exist, where its nearest parent stands. Default `value`. */
      at(path: YamlPath, of?: 'key' | 'value'): Place
      /** The text of a scalar as written, without quotes: `1e-7` stays `1e-7`. Empty when the path names no scalar. */
      source(path: YamlPath): string
    }
  | { readonly ok: false; readonly errors: readonly Located[] }

/** Deeper nesting is refused: no file of ours needs it, and the YAML parser is recursive. */
const LEVELS_MAX = 50

/**
 * The value of a strict YAML 1.2 text (core schema), with the place of everything in it; names of keys as written. Never
 * throws. Refused, each with its place: tabs, duplicate keys, anchors, aliases, merge keys, tags, directives, keys that
 * are no plain text, several documents, and more than 50 levels. An empty text is null.
 */
export function parseYaml(text: string, file: string): ParsedYaml {
  const lines = new LineCounter()
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const refuse = ({ offset, message, fix }: Refusal): ParsedYaml => {
    return { ok: false, errors: [{ file, ...(offset === 0 ? { line: 1, column: 1 } : place(offset)), message, fix }] }
  }
  const tab = text.indexOf('\t')
  if (tab !== -1) {
    lines.lineStarts.push(...lineStarts(text))
    return refuse({ offset: tab, message: 'a tab', fix: 'use spaces; inside double quotes write \\t' })
  }
  const document = composed(text, lines)
  if ('fix' in document) return refuse(document)
  const root = document.contents
  const refusal = refusalIn(root)
  if (refusal !== null) return refuse(refusal)
  return {
    ok: true,
    value: plainValue(root),
    at: (path, of = 'value') => place(offsetOf(find(root, path), of)),
    source: path => {
      const { node, exists } = find(root, path)
      return exists && isScalar(node) ? (node.source ?? '') : ''
    },
  }
}

interface Refusal {
  readonly offset: number
  readonly message: string
  readonly fix: string
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

const SYNTAX_FIX =
  'correct the YAML there; text that begins with a special character, or holds ": " or " #", needs quotes'

const TOO_DEEP = { offset: 0, message: `nested deeper than ${LEVELS_MAX} levels`, fix: 'flatten it' }

function composed(text: string, lineCounter: LineCounter): Document.Parsed | Refusal {
  let document: Document.Parsed
  try {
    const options = { lineCounter, uniqueKeys: false, prettyErrors: false, merge: false, version: '1.2' } as const
    document = parseDocument(text, options)
  } catch {
    return TOO_DEEP
  }
  const [fault] = [...document.errors, ...document.warnings]
  if (fault?.message.startsWith('Maximum call stack') === true) return TOO_DEEP
  if (fault?.code === 'MULTIPLE_DOCS') {
    return { offset: fault.pos[0], message: 'a second document', fix: 'keep one document, without "---" after it' }
  }
  if (fault?.code === 'BAD_DIRECTIVE') return { offset: fault.pos[0], message: 'a directive', fix: 'remove it' }
  if (fault !== undefined) return { offset: fault.pos[0], message: fault.message, fix: SYNTAX_FIX }
  const { yaml, tags } = document.directives
  if (!yaml.explicit && Object.keys(tags).length === 1) return document
  const offset = Math.max(text.search(/^%/m), 0)
  return { offset, message: yaml.explicit ? 'a %YAML directive' : 'a directive', fix: 'remove it' }
}

/** The first thing in the document that YAML has and our files do not. */
function refusalIn(node: ParsedNode | null, level = 0): Refusal | null {
  if (node === null) return null
  const offset = node.range[0]
  if (isAlias(node)) return { offset, message: 'an alias', fix: 'write the value out' }
  if (node.anchor !== undefined) return { offset, message: 'an anchor', fix: `remove "&${node.anchor}"` }
  if (node.tag !== undefined) return { offset, message: 'a tag', fix: 'remove it' }
  if (level > LEVELS_MAX) return { ...TOO_DEEP, offset }
  if (isSeq(node)) {
    for (const item of node.items) {
      const refusal = refusalIn(item, level + 1)
      if (refusal !== null) return refusal
    }
  }
  return isMap(node) ? refusalInMap(node, level) : null
}

function refusalInMap(map: YAMLMap.Parsed, level: number): Refusal | null {
  const first = new Map<string, number>()
  for (const { key, value } of map.items) {
    const offset = key.range[0]
    const inKey = refusalIn(key, level + 1)
    if (inKey !== null) return inKey
    if (!isScalar(key)) return { offset, message: 'a key that is a list or a mapping', fix: 'use a plain word' }
    const name = nameOf(key)
    if (name === '<<') return { offset, message: 'a merge key', fix: 'write the keys out' }
    if (name === '' || name === '__proto__') return { offset, message: `"${name}" is no key`, fix: 'give it a name' }
    if (first.has(name)) return { offset, message: `the key "${name}" occurs twice`, fix: 'keep one of the two' }
    first.set(name, offset)
    const inValue = refusalIn(value, level + 1)
    if (inValue !== null) return inValue
  }
  return null
}

/** The name that a key spells: as written, so that `1.0` stays `1.0`. */
function nameOf(key: Scalar.Parsed): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? '')
}

function plainValue(node: ParsedNode | null): unknown {
  if (isSeq(node)) return node.items.map(plainValue)
  if (!isMap(node)) return isScalar(node) ? node.value : null
  return Object.fromEntries(
    node.items.map(({ key, value }) => [isScalar(key) ? nameOf(key) : '', plainValue(value)] as const),
  )
}

interface Found {
  /** The node at the path, else the deepest on the way to it; null where a key has no value. */
  readonly node: ParsedNode | null
  /** The key that leads to `node`; null at the root and in lists. */
  readonly key: ParsedNode | null
  readonly exists: boolean
}

function find(root: ParsedNode | null, path: YamlPath): Found {
  let found: Found = { node: root, key: null, exists: true }
  for (const segment of path) {
    const { node } = found
    let next: Found | null = null
    if (isSeq(node)) {
      const item = node.items[Number(segment)]
      if (item !== undefined) next = { node: item, key: null, exists: true }
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && nameOf(key) === String(segment))
      if (pair !== undefined) next = { node: pair.value, key: pair.key, exists: true }
    }
    if (next === null) return { ...found, exists: false }
    found = next
  }
  return found
}

function offsetOf({ node, key, exists }: Found, of: 'key' | 'value'): number {
  const wanted = of === 'key' || !exists ? (key ?? node) : (node ?? key)
  return wanted?.range[0] ?? 0
}
