import { isObject, type Json, MemberList, membersOf } from './json.ts'

/** An edit of one node: what stands there afterwards, or undefined to take it out. */
export type Edit = (value: Json | undefined) => Json | undefined

/**
 * A document with the node at a place edited. A name that is not there yet is added at the end, an element is inserted at
 * its index; with every occurrence of a name edited alike. Null when the way does not lead there. Iterative.
 */
export function edited(document: Json, segments: readonly (string | number)[], edit: Edit): Json | null {
  const above: Json[] = []
  let here: Json | undefined = document
  for (const segment of segments) {
    if (here === undefined) return null
    above.push(here)
    if (typeof segment === 'number' ? !Array.isArray(here) : !isObject(here)) return null
    here = childAt(here, segment)
  }
  let value = edit(here)
  for (let at = segments.length - 1; at >= 0; at -= 1) {
    const [holder, segment] = [above[at], segments[at]]
    if (holder === undefined || segment === undefined) return null
    value = withChild(holder, segment, value)
  }
  return value ?? null
}

/** The child of a value; the first of a name that occurs twice. */
export function childAt(value: Json, segment: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined
  if (!isObject(value)) return undefined
  return membersOf(value).find(([name]) => name === String(segment))?.[1]
}

function withChild(holder: Json, segment: string | number, child: Json | undefined): Json {
  if (Array.isArray(holder)) {
    const at = Number(segment)
    const before = childAt(holder, at)
    return holder.toSpliced(at, before === undefined ? 0 : 1, ...(child === undefined ? [] : [child]))
  }
  if (!isObject(holder)) return holder
  const known = membersOf(holder)
  const name = String(segment)
  if (!known.some(([one]) => one === name)) return child === undefined ? holder : objectOf([...known, [name, child]])
  const members = known.flatMap(([one, value]): [string, Json][] => {
    if (one !== name) return [[one, value]]
    return child === undefined ? [] : [[one, child]]
  })
  return objectOf(members)
}

/** An object of members in their order, as a plain one where that keeps them. */
export function objectOf(members: readonly (readonly [string, Json])[]): Json {
  const names = members.map(([name]) => name)
  const plain = new Set(names).size === names.length && !names.some(name => /^\d+$/.test(name))
  return plain ? Object.fromEntries(members) : new MemberList(members)
}
