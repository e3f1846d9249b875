import { childAt, edited, objectOf } from './edits.ts'
import { isObject, type Json, MemberList, membersOf, textOf } from './json.ts'
import type { MatchState } from './matcher.ts'
import { type Fresh, freshFor } from './mutant-values.ts'
import { arrayMutations, objectMutations, scalarMutations } from './mutations.ts'
import { isScalar } from './scalars.ts'

/** Levels below the root at which mutants are seeded; deeper nodes are compared, and not seeded. */
export const SEEDED_DEPTH_MAX = 200

/** A change of a document and what it must come to. */
export interface DocumentMutant {
  readonly state: MatchState
  readonly mutation: string
  /** Where the change stands; `within` above it is the outermost array that is matched and not compared by position. */
  readonly segments: readonly (string | number)[]
  readonly within: readonly (string | number)[]
  readonly expect: 'DIVERGED' | 'PARITY'
  value(): Json | null
}

/** How the arrays above a node are compared: by position, as multisets, or (somewhere) by shape. */
export type Reach = 'position' | 'multiset' | 'shape'

/** How a document is changed so that it stays one of its kind. */
export interface Manner {
  /** What a new member holds. */
  readonly member: Json
  /** Another text than the one that stands at a place. */
  changed(text: string, segments: readonly (string | number)[]): string
  /** What a new element holds, made of a text that stands nowhere. */
  element(fresh: string, segments: readonly (string | number)[]): Json
}

export const JSON_MANNER: Manner = { member: true, changed: text => `${text}?`, element: fresh => fresh }

/** A node of the golden at which something can be changed. */
export interface Site {
  readonly value: Json
  readonly state: MatchState
  readonly segments: readonly (string | number)[]
  readonly reach: Reach
  readonly within: readonly (string | number)[] | null
  readonly fresh: Fresh
  readonly manner: Manner
  /** Every object at the place above, whatever the indexes, has this member; null at the root and for an element. */
  readonly everywhere: boolean | null
  /** Some node at this place, whatever the indexes, is null, or is an empty array. */
  readonly nulls: boolean
  readonly empties: boolean
}

/** One change of a site: `segment` names the child it adds, if it adds one. */
export interface Mutation {
  readonly name: string
  readonly expect: 'DIVERGED' | 'PARITY'
  readonly segment?: string | number
  readonly state?: MatchState
  edit(value: Json | undefined): Json | undefined
}

/**
 * The seeded mutants of a document, in document order: for each node what its key must catch, and what it must let pass.
 * They differ by construction. Below an array that is matched and not compared by position, the change puts there what
 * no element has; a place where that cannot be had gives no mutant.
 */
export function documentMutants(document: Json, root: MatchState, manner = JSON_MANNER): DocumentMutant[] {
  const fresh = freshFor(document)
  const census = takeCensus(document)
  const mutants: DocumentMutant[] = []
  const start: Site = {
    value: document,
    state: root,
    segments: [],
    reach: 'position',
    within: null,
    fresh,
    manner,
    everywhere: null,
    nulls: document === null,
    empties: false,
  }
  const stack: Site[] = [start]
  for (let site = stack.pop(); site !== undefined; site = stack.pop()) {
    mutants.push(...mutantsAt(document, site))
    if (site.state.key !== 'ignore' && site.segments.length < SEEDED_DEPTH_MAX)
      stack.push(...sitesBelow(site, census).reverse())
  }
  return mutants
}

function mutantsAt(document: Json, site: Site): DocumentMutant[] {
  const { value, segments } = site
  const mutations = isScalar(value)
    ? scalarMutations(site, value)
    : Array.isArray(value)
      ? arrayMutations(site, value)
      : isObject(value)
        ? objectMutations(site, value)
        : []
  return mutations.map(({ name, expect, segment, state, edit }) => {
    const place = segment === undefined ? segments : [...segments, segment]
    return {
      state: state ?? site.state,
      mutation: name,
      segments: place,
      within: site.within ?? (segment === undefined || typeof segment === 'number' ? segments : place),
      expect,
      value: () => edited(document, segments, edit),
    }
  })
}

function sitesBelow(site: Site, census: Census): Site[] {
  const { value, state } = site
  const matched = state.key === 'structural' || state.key === 'order_insensitive'
  const below = (segment: string | number, child: Json, reach: Reach, within: Site['within']): Site => {
    const segments = [...site.segments, segment]
    const counted = census.get(placeOf(segments))
    const parents = census.get(placeOf(site.segments))
    return {
      ...site,
      value: child,
      state: typeof segment === 'number' ? state.item(segment) : state.child(segment),
      segments,
      reach,
      within,
      everywhere: typeof segment === 'number' ? null : counted?.nodes === parents?.objects,
      nulls: (counted?.nulls ?? 0) > 0,
      empties: (counted?.empties ?? 0) > 0,
    }
  }
  if (Array.isArray(value)) {
    const reach: Reach =
      site.reach === 'shape' || state.key === 'structural' ? 'shape' : matched ? 'multiset' : site.reach
    const within = site.within ?? (matched ? site.segments : null)
    return value.map((element, at) => below(at, element, reach, within))
  }
  if (!isObject(value)) return []
  const members = membersOf(value)
  const names = members.map(([name]) => name)
  // A name that occurs twice has no place of its own.
  const once = members.filter(
    ([name]) => !(value instanceof MemberList) || names.indexOf(name) === names.lastIndexOf(name),
  )
  return once.map(([name, child]) => below(name, child, site.reach, site.within))
}

type Census = ReadonlyMap<string, { nodes: number; objects: number; nulls: number; empties: number }>

/** Counts the nodes at each place, indexes left out. */
function takeCensus(document: Json): Census {
  const census = new Map<string, { nodes: number; objects: number; nulls: number; empties: number }>()
  const stack: { readonly value: Json; readonly segments: readonly (string | number)[] }[] = [
    { value: document, segments: [] },
  ]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, segments } = node
    const place = placeOf(segments)
    const count = census.get(place) ?? { nodes: 0, objects: 0, nulls: 0, empties: 0 }
    census.set(place, count)
    count.nodes += 1
    if (value === null) count.nulls += 1
    if (segments.length > SEEDED_DEPTH_MAX) continue
    if (Array.isArray(value)) {
      if (value.length === 0) count.empties += 1
      for (const [at, element] of value.entries()) stack.push({ value: element, segments: [...segments, at] })
    } else if (isObject(value)) {
      count.objects += 1
      for (const [name, child] of membersOf(value)) stack.push({ value: child, segments: [...segments, name] })
    }
  }
  return census
}

function placeOf(segments: readonly (string | number)[]): string {
  return JSON.stringify(segments.map(segment => (typeof segment === 'number' ? 0 : segment)))
}

/** Whether two elements hold, at one place, scalars that are compared by value and differ: then no rule makes them alike. */
export function tellsApart(x: Json, y: Json, state: MatchState): boolean {
  const stack: { readonly x: Json; readonly y: Json; readonly state: MatchState }[] = [{ x, y, state }]
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const { x: left, y: right, state: governing } = pair
    if (isScalar(left) && isScalar(right)) {
      const byValue = governing.key === 'exact' || governing.key === 'uncovered'
      if (
        byValue &&
        typeof left === typeof right &&
        (typeof left === 'string' || typeof left === 'number') &&
        left !== right
      )
        return true
    } else if (isObject(left) && isObject(right)) {
      for (const [name, child] of membersOf(left)) {
        const other = childAt(right, name)
        if (other !== undefined) stack.push({ x: child, y: other, state: governing.child(name) })
      }
    }
  }
  return false
}

/** An object with its first member once more at the end. */
export function withRepeatedMember(value: Json, name: string): Json {
  if (!isObject(value)) return value
  const member = childAt(value, name)
  return member === undefined ? value : objectOf([...membersOf(value), [name, member]])
}

/** Whether two values are written alike. */
export function writtenAlike(x: Json, y: Json): boolean {
  return textOf(x) === textOf(y)
}
