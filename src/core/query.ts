import { JSONPathError, jsonpath, TokenKind } from 'json-p3'
import { isObject, type Json, type JsonObject, MemberList, membersOf } from './json.ts'
import { holds } from './query-filter.ts'

/** A node that a query selects: its value, and the way to it from the root. */
export interface QueryNode {
  readonly value: Json
  readonly segments: readonly (string | number)[]
}

/** Columns count from 1. */
export type Queried =
  | { readonly ok: true; readonly nodes: readonly QueryNode[] }
  | { readonly ok: false; readonly column: number; readonly message: string; readonly fix: string }

/** A query that keeps more nodes than this at once is refused: `$..*..*` on a large document. */
const NODES_MAX = 1_000_000

/**
 * The nodes of a document that a JSONPath query selects: all of RFC 9535, for bindings and contracts. Rules have less of
 * it (`parseSelector`). Never throws; evaluation is iterative, for any depth of the document.
 *
 * **Order**: as the RFC says, and where it leaves a choice, in document order.
 * **Numbers** compare as exact decimals of any length. Where a name occurs more than once, the name selects the last, as
 * `JSON.parse` does; a wildcard selects each.
 *
 * **Source**: RFC 9535; json-p3 parses and type-checks the query.
 */
export function queryJson(value: Json, selector: string): Queried {
  try {
    const query = jsonpath.compile(selector)
    const nodes = evaluate(query.segments, { value, name: null, above: null }, value)
    return { ok: true, nodes: nodes.map(node => ({ value: node.value, segments: segmentsOf(node) })) }
  } catch (error) {
    if (error instanceof TooMany) {
      const message = `the query holds more than ${NODES_MAX} nodes at once`
      return { ok: false, column: 1, message, fix: 'name the fields in place of ".." and "*"' }
    }
    const column = error instanceof JSONPathError ? Math.min(error.token.index, selector.length) + 1 : 1
    return { ok: false, column, message: messageOf(error), fix: 'write a query as RFC 9535 has it: $.items[0].id' }
  }
}

class TooMany extends Error {}

/** What the parser says, without the excerpt that it ends with. */
function messageOf(error: unknown): string {
  if (error instanceof JSONPathError && !error.message.startsWith("can't backup")) {
    return error.message.replace(/ \('[\s\S]*':\d+\)$/, '')
  }
  return error instanceof RangeError ? 'the query is nested too deeply' : 'not a JSONPath query'
}

/** A node on the way down: the path is the chain of names. */
export interface Reached {
  readonly value: Json
  readonly name: string | number | null
  readonly above: Reached | null
}

function segmentsOf(node: Reached): (string | number)[] {
  const names: (string | number)[] = []
  for (let at: Reached | null = node; at !== null; at = at.above) if (at.name !== null) names.push(at.name)
  return names.reverse()
}

/** The nodes that the segments select from a node; `root` is what `$` means inside a filter. */
export function evaluate(segments: readonly jsonpath.JSONPathSegment[], from: Reached, root: Json): Reached[] {
  let nodes: Reached[] = [from]
  for (const segment of segments) {
    const next: Reached[] = []
    const descends = segment.token.kind === TokenKind.DDOT
    for (const node of nodes) {
      for (const visited of descends ? descendants(node) : [node]) {
        for (const selector of segment.selectors) {
          for (const selected of select(selector, visited, root)) next.push(selected)
          if (next.length > NODES_MAX) throw new TooMany()
        }
      }
    }
    nodes = next
  }
  return nodes
}

/** A node and all below it, each before what it holds. */
function* descendants(from: Reached): Generator<Reached> {
  const stack = [from]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node
    for (const child of childrenOf(node).reverse()) stack.push(child)
    if (stack.length > NODES_MAX) throw new TooMany()
  }
}

function childrenOf(node: Reached): Reached[] {
  const { value } = node
  if (Array.isArray(value)) return value.map((item, at) => ({ value: item, name: at, above: node }))
  if (!isObject(value)) return []
  return membersOf(value).map(([name, member]) => ({ value: member, name, above: node }))
}

const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = jsonpath.selectors

function select(selector: jsonpath.JSONPathSelector, node: Reached, root: Json): Reached[] {
  if (selector instanceof NameSelector) return named(node, selector.name)
  if (selector instanceof WildcardSelector) return childrenOf(node)
  if (selector instanceof IndexSelector) return Array.isArray(node.value) ? indexed(node, selector.index) : []
  if (selector instanceof SliceSelector) return sliced(node, selector)
  if (selector instanceof FilterSelector) {
    return childrenOf(node).filter(({ value }) => holds(selector.expression.expression, value, root))
  }
  return []
}

function named(node: Reached, name: string): Reached[] {
  const { value } = node
  if (!isObject(value)) return []
  const member =
    value instanceof MemberList ? value.members.findLast(([known]) => known === name)?.[1] : own(value, name)
  return member === undefined ? [] : [{ value: member, name, above: node }]
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function indexed(node: Reached, index: number): Reached[] {
  if (!Array.isArray(node.value)) return []
  const items: readonly Json[] = node.value
  const at = index < 0 ? index + items.length : index
  const value = at < 0 ? undefined : items[at]
  return value === undefined ? [] : [{ value, name: at, above: node }]
}

interface Slice {
  readonly start?: number | undefined
  readonly stop?: number | undefined
  readonly step?: number | undefined
}

/** Source: RFC 9535 section 2.3.4.2.2. */
function sliced(node: Reached, { start, stop, step = 1 }: Slice): Reached[] {
  if (!Array.isArray(node.value) || step === 0) return []
  const { length } = node.value
  const forward = step > 0
  const within = (bound: number): number => {
    const from = bound < 0 ? bound + length : bound
    return forward ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1)
  }
  const first = start === undefined ? (forward ? 0 : length - 1) : within(start)
  const end = stop === undefined ? (forward ? length : -1) : within(stop)
  const found: Reached[] = []
  for (let at = first; forward ? at < end : at > end; at += step) found.push(...indexed(node, at))
  return found
}
