import { Buffer } from 'node:buffer'
import type { Body, FieldList, StepObservation } from '../model.ts'
import type { DocumentKind } from './bodies.ts'
import { isObject, type Json, MemberList, membersOf, textOf } from './json.ts'

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

/** A step that shows another document of the same kind; null when no step of its sort can show it. */
export function withDocument(step: StepObservation, kind: DocumentKind, value: Json): StepObservation | null {
  switch (step.kind) {
    case 'response': {
      const body = bodyOf(kind, value)
      return body === null ? null : { ...step, response: { ...step.response, body } }
    }
    case 'output':
      return { kind: 'output', output: value }
    case 'threw':
      return thrownStep(value)
    case 'command': {
      const body = bodyOf(kind, value)
      if (body === null || 'form' in body || 'bytes' in body) return null
      const text = 'json' in body ? textOf(body.json) : body.text
      return { ...step, stdout: Buffer.from(text, 'utf8') }
    }
    default:
      return step satisfies never
  }
}

function bodyOf(kind: DocumentKind, value: Json): Body | null {
  switch (kind) {
    case 'json':
      return { json: value }
    case 'text':
      return textBody(value)
    case 'form':
      return formBody(value)
    case 'binary':
    case 'empty':
      return null
    default:
      return kind satisfies never
  }
}

function textBody(value: Json): Body | null {
  const lines = childAt(value, 'lines')
  if (!isObject(value) || membersOf(value).length !== 1 || !Array.isArray(lines)) return null
  if (!lines.every(line => typeof line === 'string' && !/[\r\n]/.test(line))) return null
  const text = lines.join('\n')
  return text === '' ? null : { text }
}

function formBody(value: Json): Body | null {
  if (!isObject(value)) return null
  const fields: [string, string][] = []
  for (const [name, values] of membersOf(value)) {
    if (!Array.isArray(values) || values.length === 0) return null
    for (const one of values) {
      if (typeof one !== 'string') return null
      fields.push([name, one])
    }
  }
  const form: FieldList = fields
  const repeated = new Set(membersOf(value).map(([name]) => name)).size !== membersOf(value).length
  return form.length === 0 || repeated ? null : { form }
}

function thrownStep(value: Json): StepObservation | null {
  const threw = childAt(value, 'threw')
  if (!isObject(value) || membersOf(value).length !== 1 || threw === undefined || !isObject(threw)) return null
  const { name, code, message, ...more } = Object.fromEntries(membersOf(threw))
  const whole = membersOf(threw).length === 3 && Object.keys(more).length === 0
  if (!whole || typeof name !== 'string' || typeof message !== 'string') return null
  if (code !== null && typeof code !== 'string') return null
  return { kind: 'threw', threw: { name, code, message } }
}
