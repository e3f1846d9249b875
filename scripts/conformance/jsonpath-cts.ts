import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, membersOf, textOf } from '../../src/core/json.ts'
import type { MatchState } from '../../src/core/matcher.ts'
import { queryJson } from '../../src/core/query.ts'
import { parseSelector, pointerOf, type Segment } from '../../src/core/selector.ts'
import { compileTolerance } from '../../src/core/tolerance.ts'
import { itemsOf, jsonIn, memberOf, stringOf } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

interface Case {
  readonly name: string
  readonly selector: string
  readonly document: Json
  readonly invalid: boolean
  /** The node lists that are right: values, and paths as pointers. */
  readonly right: readonly { readonly values: readonly Json[]; readonly pointers: readonly string[] }[]
}

/** RFC 9535 compliance suite: queries as bindings and contracts have them, and the restricted ones of rules. */
export const jsonpathCts: Suite = {
  name: 'jsonpath-cts',
  folder: 'conformance/jsonpath-cts',
  run(folder) {
    const cases = itemsOf(memberOf(jsonIn(folder, 'cts.handed.json'), 'tests')).map(caseOf)
    return [
      { name: 'jsonpath-cts', results: cases.map(queried) },
      { name: 'jsonpath-cts in rules', results: cases.map(ruled) },
    ]
  },
}

function caseOf(test: Json): Case {
  const one = memberOf(test, 'result')
  const lists = one === undefined ? itemsOf(memberOf(test, 'results')) : [one]
  const paths = one === undefined ? itemsOf(memberOf(test, 'results_paths')) : [memberOf(test, 'result_paths')]
  return {
    name: stringOf(memberOf(test, 'name')),
    selector: stringOf(memberOf(test, 'selector')),
    document: memberOf(test, 'document') ?? null,
    invalid: memberOf(test, 'invalid_selector') === true,
    right: lists.map((list, at) => ({
      values: itemsOf(list),
      pointers: itemsOf(paths[at]).map(path => pointerOfPath(stringOf(path))),
    })),
  }
}

/** The pointer of a normalised path, read by its own pattern. Source: RFC 9535 section 2.7. */
function pointerOfPath(path: string): string {
  const segments: (string | number)[] = []
  for (const [, index, name] of path.matchAll(/\[(?:(\d+)|'((?:[^'\\]|\\.)*)')\]/g)) {
    segments.push(index === undefined ? unescaped(name ?? '') : Number(index))
  }
  return pointerOf(segments)
}

function unescaped(name: string): string {
  const json = name.replace(/\\'|"/g, quote => (quote === '"' ? '\\"' : "'"))
  return String(JSON.parse(`"${json}"`))
}

function queried({ name, selector, document, invalid, right }: Case): Result {
  const found = queryJson(document, selector)
  if (invalid) return judged(name, found.ok ? [`accepts ${selector}`] : placed(found.column, selector))
  if (!found.ok) return judged(name, [`refuses ${selector}: ${found.message}`])
  const values = found.nodes.map(node => textOf(node.value))
  const pointers = found.nodes.map(node => pointerOf(node.segments))
  const agrees = right.some(
    list => isDeepStrictEqual(list.values.map(textOf), values) && isDeepStrictEqual(list.pointers, pointers),
  )
  return judged(name, agrees ? [] : [`${selector} selects ${pointers.join(' ')}`])
}

function placed(column: number, selector: string): string[] {
  return column >= 1 && column <= selector.length + 1 ? [] : [`column ${column} lies outside ${selector}`]
}

const REFUSAL = /: (a filter|a script|a slice|a negative index|a union) is refused/

/** In a rule a selector selects the same nodes, whatever their order, or is refused by name. */
function ruled({ name, selector, document, invalid, right }: Case): Result {
  const text = `order_insensitive: [${JSON.stringify(selector)}]`
  const compiled = compileTolerance({ file: 'tolerance.yaml', text })
  if (!compiled.ok) {
    const [first] = compiled.errors
    const by = REFUSAL.exec(first?.message ?? '')?.[1]
    if (invalid) return judged(name, first === undefined || first.column < 1 ? ['refused without a place'] : [])
    return by === undefined
      ? judged(name, [`refused without a name: ${first?.message}`])
      : { case: name, state: 'refused', by }
  }
  if (invalid) return judged(name, [`accepts ${selector}`])
  const selected = [...new Set(selectedBy(compiled.rules.matcher.body(0), document))].sort()
  const agrees = right.some(({ pointers }) => isDeepStrictEqual([...new Set(pointers)].sort(), selected))
  const faults = agrees ? [] : [`${selector} selects ${selected.join(' ')}`]
  return judged(name, [...faults, ...reparsed(selector)])
}

/** The nodes that one rule governs; under this key it governs those that it selects and no others. */
function selectedBy(root: MatchState, document: Json): string[] {
  const found: string[] = []
  const walk = (value: Json, state: MatchState, segments: readonly (string | number)[]): void => {
    if (state.rule !== null) found.push(pointerOf(segments))
    if (Array.isArray(value)) {
      const items: readonly Json[] = value
      for (const [at, item] of items.entries()) walk(item, state.item(at), [...segments, at])
    } else if (isObject(value)) {
      for (const [name, member] of membersOf(value)) walk(member, state.child(name), [...segments, name])
    }
  }
  walk(document, root, [])
  return found
}

/** A selector written out from what was read is read as the same. */
function reparsed(selector: string): string[] {
  const first = parseSelector(selector)
  if (!first.ok) return [`refuses ${selector} outside a file`]
  const again = parseSelector(`$${first.selector.segments.map(written).join('')}`)
  const same = again.ok && isDeepStrictEqual(again.selector.segments, first.selector.segments)
  return same ? [] : [`${selector} is not read again as the same`]
}

function written(segment: Segment): string {
  const inner =
    segment.kind === 'wildcard' ? '*' : segment.kind === 'index' ? String(segment.index) : JSON.stringify(segment.name)
  return `${segment.descendant ? '..' : ''}[${inner}]`
}
