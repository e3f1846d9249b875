import type { FieldList, InputStep, StepObservation } from '../model.ts'
import { parseSetCookie } from './cookies.ts'
import { documentOf } from './documents.ts'
import { isObject, type Json, type NumberToken, textOf } from './json.ts'
import { isLink, linksOf, ownPath } from './links.ts'
import { nearest } from './nearest.ts'
import { type QueryNode, queryJson } from './query.ts'
import { normalisedPath, pointerOf } from './selector.ts'

/** What a binding holds: a scalar that is not null, numbers as received. */
export type Bound = string | number | boolean | NumberToken

/** Where a binding takes its value from: the body, a header, a cookie that is set, or the target of a link relation. */
export type Source =
  | { readonly kind: 'body'; readonly query: string }
  | { readonly kind: 'header' | 'cookie' | 'link'; readonly name: string }

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The source that a text names: `$.id`, `header.location`, `cookie.sid`, `link.next`. */
export function parseSource(
  text: string,
):
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly message: string; readonly fix: string } {
  if (text.startsWith('$')) {
    const query = queryJson(null, text)
    return query.ok ? { ok: true, source: { kind: 'body', query: text } } : query
  }
  const dot = text.indexOf('.')
  const [kind, name] = [text.slice(0, dot), text.slice(dot + 1)]
  if (dot > 0 && TOKEN.test(name)) {
    if (kind === 'header') return { ok: true, source: { kind, name: name.toLowerCase() } }
    if (kind === 'cookie' || kind === 'link') return { ok: true, source: { kind, name } }
  }
  const message = `${JSON.stringify(text)} names no place of an answer`
  return { ok: false, message, fix: 'write $.id, header.location, cookie.sid or link.next' }
}

/** A node of an answer that a source selects: its place as the path of a difference, without the step. */
export interface Taken {
  readonly path: string
  readonly pointer: string
  /** The way to it in the document; none in a header. */
  readonly segments: readonly (string | number)[]
  readonly value: Json
}

/** All places that a source selects in an answer; the media type settles nothing: a body stored as JSON is read as such. */
export function nodesOf(source: Source, seen: StepObservation): readonly Taken[] {
  if (source.kind === 'body') {
    const json = seen.kind === 'response' && seen.response.body !== undefined && 'json' in seen.response.body
    const queried = queryJson(documentOf(seen, { json, crossed: false }).value, source.query)
    return queried.ok ? queried.nodes.map(placedNode) : []
  }
  if (seen.kind !== 'response') return []
  const { headers } = seen.response
  if (source.kind === 'header') {
    return valuesOf(headers, source.name).map(value => ({
      path: `header.${source.name}`,
      pointer: '',
      segments: [],
      value,
    }))
  }
  if (source.kind === 'cookie') {
    const cookies = valuesOf(headers, 'set-cookie').map(parseSetCookie)
    return cookies
      .filter(({ name }) => name === source.name)
      .map(({ value }) => ({ path: 'header.set-cookie', pointer: '', segments: [], value }))
  }
  return linksOf(valuesOf(headers, 'link'))
    .filter(({ relations }) => relations.includes(source.name.toLowerCase()))
    .map(({ target }) => ({ path: 'header.link', pointer: '', segments: [], value: target }))
}

function placedNode({ segments, value }: QueryNode): Taken {
  return { path: normalisedPath(segments), pointer: pointerOf(segments), segments, value }
}

function valuesOf(headers: FieldList, name: string): string[] {
  return headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value.trim())
}

export type Binding =
  | ({ readonly ok: true; readonly value: Bound } & Omit<Taken, 'value'>)
  | { readonly ok: false; readonly message: string }

/**
 * What one side gives a binding: the one scalar that its source selects. Links and locations become a path on the side's
 * own authority, a relative one resolved against the path of the request; one that leads elsewhere gives nothing.
 */
export function take(text: string, seen: StepObservation, requestPath: string | null): Binding {
  const parsed = parseSource(text)
  if (!parsed.ok) return parsed
  const { source } = parsed
  const nodes = nodesOf(source, seen)
  const [node, ...more] = nodes
  if (node === undefined) return { ok: false, message: `${text} selects nothing in its answer` }
  if (more.length > 0) {
    const places = [...new Set(nodes.slice(0, 3).map(({ path }) => path))].join(', ')
    return { ok: false, message: `${text} selects ${nodes.length} places in its answer (${places}): it must be one` }
  }
  const { value, ...place } = node
  if (!isBound(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    return { ok: false, message: `${text} selects ${kind}: it must be a string, a number or a boolean` }
  }
  if (!isLink(source) || typeof value !== 'string') return { ok: true, value, ...place }
  const own = ownPath(value, requestPath)
  if (own === null) return { ok: false, message: `${text} leads to another host, where nothing is sent` }
  return { ok: true, value: own, ...place }
}

function isBound(value: Json): value is Bound {
  return value !== null && !Array.isArray(value) && !isObject(value)
}

/** Names between double braces; a backslash before them keeps them as they are. */
const REFERENCE = /(\\?)\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}/g

/** The names that a text refers to. */
export function referencesIn(text: string): readonly string[] {
  if (!text.includes('{{')) return []
  return [...text.matchAll(REFERENCE)].flatMap(([, mark, name]) => (mark === '' && name !== undefined ? [name] : []))
}

/** The names that what a step sends refers to, each once. */
export function referencesOf({ request, input }: InputStep): readonly string[] {
  const texts: string[] = []
  if (input !== undefined) texts.push(...stringsOf(input))
  if (request !== undefined) {
    texts.push(request.path, ...request.headers.map(([, value]) => value))
    const { body } = request
    if (body !== undefined && 'json' in body) texts.push(...stringsOf(body.json))
    else if (body !== undefined && 'text' in body) texts.push(body.text)
    else if (body !== undefined && 'form' in body) texts.push(...body.form.map(([, value]) => value))
  }
  return [...new Set(texts.flatMap(referencesIn))]
}

/** A string of a compact JSON text, with the colon that makes it the name of a member. */
const STRING_OR_NAME = /"[^"\\]*(?:\\.[^"\\]*)*":?/g

/** The text of a document with each string value, member names left out, replaced by the JSON text that `write` gives. */
export function withStrings(value: Json, write: (literal: string) => string): string {
  return textOf(value).replace(STRING_OR_NAME, token => (token.endsWith(':') ? token : write(token)))
}

/** The string values of a document, member names left out. */
function stringsOf(value: Json): readonly string[] {
  const text = textOf(value)
  if (!text.includes('{{')) return []
  const tokens = text.match(STRING_OR_NAME) ?? []
  return tokens.filter(token => !token.endsWith(':')).map(token => JSON.parse(token) as string)
}

/** The first reference of a sequence that no earlier step binds, and the nearest name that one does; null when there is none. */
export function looseReference(
  steps: readonly InputStep[],
): { readonly step: number; readonly name: string; readonly steps: number; readonly near: string | null } | null {
  const bound = new Set<string>()
  const loose = (step: number, name: string) => ({
    step,
    name,
    steps: steps.length - step,
    near: nearest(name, [...bound]),
  })
  for (const [at, step] of steps.entries()) {
    const name = referencesOf(step).find(one => !bound.has(one))
    if (name !== undefined) return loose(at, name)
    for (const own of Object.keys(step.bind ?? {})) bound.add(own)
    const missing = Object.values(step.same ?? {})
      .flatMap(referencesIn)
      .find(one => !bound.has(one))
    if (missing !== undefined) return loose(at, missing)
  }
  return null
}
