import { objectOf } from './edits.ts'
import { type Json, type JsonObject, type MemberList, membersOf } from './json.ts'
import { addDecimals, anotherOfClass, justPast, numberValue, ofAnotherClass, rewritten } from './mutant-values.ts'
import { type Mutation, type Site, tellsApart, withRepeatedMember, writtenAlike } from './mutants-document.ts'
import { numberText, type Scalar, typeOf } from './scalars.ts'

const DIVERGED = 'DIVERGED'
const PARITY = 'PARITY'

function caught(name: string, edit: Mutation['edit']): Mutation {
  return { name, expect: DIVERGED, edit }
}
function passed(name: string, edit: Mutation['edit']): Mutation {
  return { name, expect: PARITY, edit }
}

/** What a scalar's key must catch and let pass. */
export function scalarMutations(site: Site, value: Scalar): Mutation[] {
  const { state } = site
  switch (state.key) {
    case 'ignore':
      return ignoreMutations(site)
    case 'structural':
      return [...structuralScalar(site, value), ...presenceMutations(site)]
    case 'numeric_tolerance':
      if (typeOf(value) === 'number') return [...boundedNumber(site, numberText(value)), ...presenceMutations(site)]
      return [...comparedScalar(site, value), ...presenceMutations(site)]
    case 'order_insensitive':
    case 'exact':
    case 'uncovered':
      return [...comparedScalar(site, value), ...presenceMutations(site)]
    default:
      return state.key satisfies never
  }
}

function ignoreMutations(site: Site): Mutation[] {
  const { fresh, everywhere } = site
  const value = passed('ignored value', () => fresh.text)
  return everywhere === null ? [value] : [value, passed('ignored absence', () => undefined)]
}

/** A member that goes, and a node that becomes null. Below a shape only where no element is like that already. */
function presenceMutations(site: Site): Mutation[] {
  const mutations: Mutation[] = []
  const { everywhere, reach, value } = site
  if (everywhere !== null && (reach !== 'shape' || everywhere)) mutations.push(caught('dropped', () => undefined))
  if (value !== null && (reach !== 'shape' || !site.nulls)) mutations.push(caught('nulled', () => null))
  return mutations
}

/** Another value where values are compared: below matched arrays one that stands nowhere. */
function comparedScalar(site: Site, value: Scalar): Mutation[] {
  const { fresh, manner, reach, segments, state } = site
  if (typeof value === 'string') {
    const other = reach === 'position' ? manner.changed(value, segments) : fresh.text
    return [caught('changed', () => other)]
  }
  if (typeOf(value) !== 'number') {
    if (reach === 'shape') return [caught('changed', () => fresh.text)]
    return [caught('changed', () => (typeof value === 'boolean' ? !value : fresh.text))]
  }
  const text = numberText(value)
  const other = reach === 'position' ? addDecimals(text, '1') : null
  const changed = other === null ? fresh.number('0') : numberValue(other)
  const mutations: Mutation[] = changed === null ? [] : [caught('changed', () => changed)]
  if (reach !== 'shape') mutations.push(caught('as a string', () => text))
  const written = numberValue(rewritten(text))
  if (state.key !== 'exact') mutations.push(passed('number text', () => written))
  else if (reach !== 'shape') mutations.push(caught('number text', () => written))
  return mutations
}

function boundedNumber(site: Site, text: string): Mutation[] {
  const { fresh, reach, state } = site
  const eps = state.rule?.eps ?? '0'
  const mutations: Mutation[] = []
  const step = justPast(eps)
  const near = step === null ? null : addDecimals(text, step)
  const past = reach === 'position' && near !== null ? numberValue(near) : fresh.number(eps)
  if (past !== null) mutations.push(caught('past the bound', () => past))
  if (reach !== 'shape') mutations.push(caught('as a string', () => text))
  const at = addDecimals(text, eps)
  if (at !== null) mutations.push(passed('inside the bound', () => numberValue(at === text ? rewritten(text) : at)))
  return mutations
}

function structuralScalar(site: Site, value: Scalar): Mutation[] {
  const { fresh, reach } = site
  const mutations: Mutation[] = []
  // An object with a name of its own has a shape that nothing else has.
  if (reach === 'shape') mutations.push(caught('another type', () => objectOf([[fresh.text, true]])))
  else mutations.push(caught('another type', () => (typeof value === 'string' ? 1 : fresh.text)))
  if (typeof value === 'string') {
    if (reach !== 'shape' && value !== '') mutations.push(caught('emptied', () => ''))
    if (reach !== 'shape') mutations.push(caught('another format', () => ofAnotherClass(value)))
    const alike = anotherOfClass(value)
    if (alike !== null) mutations.push(passed('same form', () => alike))
  } else if (typeOf(value) === 'number') {
    const other = addDecimals(numberText(value), '1')
    if (other !== null) mutations.push(passed('same form', () => numberValue(other)))
  } else if (typeof value === 'boolean') mutations.push(passed('same form', () => !value))
  return mutations
}

/** What an object's key must catch: a member more, a member twice. */
export function objectMutations(site: Site, value: JsonObject | MemberList): Mutation[] {
  const { fresh, manner, reach, state } = site
  if (state.key === 'ignore') return ignoreMutations(site)
  const mutations = presenceMutations(site)
  const added = state.child(fresh.text)
  if (added.key !== 'ignore') {
    mutations.push({
      ...caught('extra member', () => objectOf([...membersOf(value), [fresh.text, manner.member]])),
      segment: fresh.text,
      state: added,
    })
  }
  const first = membersOf(value)[0]?.[0]
  if (first !== undefined && state.child(first).key !== 'ignore' && reach !== 'shape') {
    mutations.push({
      ...caught('member twice', () => withRepeatedMember(value, first)),
      segment: first,
      state: state.child(first),
    })
  }
  return mutations
}

/** What an array's key must catch: its length, its order, its multiplicity, its shapes. */
export function arrayMutations(site: Site, value: readonly Json[]): Mutation[] {
  const { state } = site
  switch (state.key) {
    case 'ignore':
      return ignoreMutations(site)
    case 'structural':
      return [...presenceMutations(site), ...shapeMutations(site, value)]
    case 'order_insensitive':
      return [...presenceMutations(site), ...multisetMutations(site, value)]
    case 'exact':
    case 'uncovered':
    case 'numeric_tolerance':
      return [...presenceMutations(site), ...orderedMutations(site, value)]
    default:
      return state.key satisfies never
  }
}

function shapeMutations(site: Site, value: readonly Json[]): Mutation[] {
  const { fresh, reach, state } = site
  const mutations: Mutation[] = []
  if (value.length === 0) {
    if (reach !== 'shape') mutations.push(caught('filled', () => [fresh.text]))
    return mutations
  }
  if (reach !== 'shape' || !site.empties) mutations.push(caught('emptied', () => []))
  const element = state.item(value.length)
  if (element.key !== 'ignore') {
    mutations.push(caught('element of another shape', () => [...value, objectOf([[fresh.text, true]])]))
  }
  mutations.push(passed('element repeated', () => [...value, ...value.slice(-1)]))
  return mutations
}

function multisetMutations(site: Site, value: readonly Json[]): Mutation[] {
  const { fresh, manner, reach, segments, state } = site
  const mutations: Mutation[] = []
  const [first, ...rest] = value
  if (first !== undefined && rest.some(one => !writtenAlike(one, first))) {
    mutations.push(passed('reordered', () => [...rest, first]))
  }
  if (state.item(0).key === 'ignore') return mutations
  mutations.push(caught('element extra', () => [...value, manner.element(fresh.text, segments)]))
  if (reach !== 'shape' && first !== undefined) {
    mutations.push(caught('element repeated', () => [...value, first]))
    mutations.push(caught('element dropped', () => rest))
  }
  return mutations
}

function orderedMutations(site: Site, value: readonly Json[]): Mutation[] {
  const { fresh, manner, reach, segments, state } = site
  const mutations: Mutation[] = []
  const next = value.length
  if (state.item(next).key !== 'ignore') {
    mutations.push({
      ...caught('element extra', () => [...value, manner.element(fresh.text, segments)]),
      segment: next,
      state: state.item(next),
    })
  }
  if (reach === 'shape') return mutations
  if (next > 0 && state.item(next - 1).key !== 'ignore') {
    mutations.push({
      ...caught('element dropped', () => value.slice(0, -1)),
      segment: next - 1,
      state: state.item(next - 1),
    })
  }
  const moved = movable(site, value)
  if (moved !== null) {
    const [left, right] = moved
    mutations.push(caught('reordered', () => value.with(left, value[right] ?? null).with(right, value[left] ?? null)))
  }
  return mutations
}

/** Two elements whose exchange no rule lets pass. */
function movable(site: Site, value: readonly Json[]): readonly [number, number] | null {
  const [first] = value
  if (first === undefined) return null
  const state = site.state.item(0)
  for (let at = 1; at < value.length; at += 1) {
    if (site.state.item(at) !== state) continue
    if (tellsApart(first, value[at] ?? null, state)) return [0, at]
  }
  return null
}
