import { stripVTControlCharacters } from 'node:util'
import type { Delta } from 'jsondiffpatch'
import { format } from 'jsondiffpatch/formatters/console'
import { withoutStep } from '../core/selector.ts'
import type { Difference } from '../model.ts'
import { escapeLines, escapeText } from './escape.ts'

/** A delta under construction: members of objects by name, of arrays by `_` and index as jsondiffpatch writes them. */
interface Node {
  [name: string]: unknown
}

/**
 * The differences of a verdict as one delta for people, drawn by jsondiffpatch: the places nested as in the document, old
 * and new tokens below. It only draws; what differs was decided by the comparison.
 */
export function deltaText(differences: readonly Difference[]): string {
  const root: Node = {}
  for (const difference of differences) insert(root, difference)
  return escapeLines(stripVTControlCharacters(format(root as Delta) ?? '').trimEnd())
}

function insert(root: Node, { step, path, pointer, legacy, candidate }: Difference): void {
  const top = path.startsWith('steps[') ? `step ${step}` : ''
  const own = withoutStep(path)
  const places = own.startsWith('$') ? ['$', ...segmentsOf(own, pointer)] : [own]
  const names = top === '' ? places : [top, ...places]
  let node = root
  for (const [at, name] of names.entries()) {
    const shown = escapeText(name)
    if (at === names.length - 1) node[shown] = leaf(legacy, candidate)
    else {
      // a difference at a node and one below it: the node comes first, and says enough
      if (Array.isArray(node[shown])) return
      node[shown] ??= {}
      node = node[shown] as Node
    }
  }
}

/** The segments below `$`: the names of the pointer, an index written as in the path. */
function segmentsOf(path: string, pointer: string): string[] {
  const names = pointer
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const indexes = [...path.matchAll(/\[(\d+)\]|\['(?:[^'\\]|\\.)*'\]|\.[A-Za-z0-9_]+/g)].map(([, index]) => index)
  return names.map((name, at) => {
    if (indexes[at] !== undefined) return `[${name}]`
    return /^\d+$/.test(name) ? `'${name}'` : name // digits alone would come first, whatever their place
  })
}

/** As jsondiffpatch writes it: `[new]` is added, `[old, new]` changed, `[old, 0, 0]` removed. */
function leaf(legacy: string | null, candidate: string | null): unknown[] {
  if (legacy === null) return [raw(candidate)]
  return candidate === null ? [raw(legacy), 0, 0] : [raw(legacy), raw(candidate)]
}

/** A value that prints as the token itself, so that `10.00` stays `10.00`; a token that was cut prints as text. */
function raw(token: string | null): unknown {
  if (token === null) return null
  const { parse, rawJSON } = JSON as unknown as {
    parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): unknown
  }
  try {
    return parse(token, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined ? rawJSON(source) : value,
    )
  } catch {
    return token
  }
}
