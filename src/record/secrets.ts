import { Buffer } from 'node:buffer'
import { decodeBody } from '../core/bodies.ts'
import { undoCodings } from '../core/codings.ts'
import { isObject, type Json, membersOf, NumberToken, parseJson } from '../core/json.ts'
import { normalisedPath } from '../core/selector.ts'
import type { Body, Case, FieldList, Observation } from '../model.ts'
import { CREDENTIAL_HEADERS, isSecretName, TEXT_PATTERNS } from './secret-patterns.ts'

/** The version of the patterns, as manifests name it. */
export const SECRET_RULES = 'builtin-secrets-1'

/** Where something looks like a secret, and what kind it is; never the value. */
export interface SecretHit {
  readonly kind: string
  /** `steps[0].response.header.set-cookie`, `steps[0].request.body:$.card` */
  readonly place: string
}

/** What looks like a secret in what a case sends, in document order. */
export function secretsInCase(c: Case): readonly SecretHit[] {
  return c.steps.flatMap((step, at) => {
    const place = `steps[${at}].${step.request === undefined ? 'input' : 'request'}`
    if (step.request === undefined) return step.input === undefined ? [] : jsonHits(step.input, place)
    const { path, headers, body } = step.request
    return [...queryHits(path, `${place}.path`), ...headerHits(headers, place), ...bodyHits(body, headers, place)]
  })
}

/** What looks like a secret in what was observed, in document order. */
export function secretsInObservation(observation: Observation): readonly SecretHit[] {
  return observation.flatMap((step, at) => {
    const place = `steps[${at}].${step.kind}`
    switch (step.kind) {
      case 'response':
        return [
          ...headerHits(step.response.headers, place),
          ...bodyHits(step.response.body, step.response.headers, place),
        ]
      case 'output':
        return jsonHits(step.output, place)
      case 'threw':
        return [
          ...textHits(step.threw.message, `${place}.message`),
          ...textHits(step.threw.code ?? '', `${place}.code`),
        ]
      case 'command':
        return [...bodyHits({ bytes: step.stdout }, [], `${place}.stdout`), ...textHits(step.stderr, `${place}.stderr`)]
      default:
        return step satisfies never
    }
  })
}

function headerHits(headers: FieldList, place: string): readonly SecretHit[] {
  return headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const where = `${place}.header.${lower}`
    if (CREDENTIAL_HEADERS.includes(lower) && !isConcealed(value) && value.trim() !== '') {
      return [{ kind: lower === 'cookie' ? 'cookie' : 'credential header', place: where }]
    }
    if (lower === 'set-cookie' && isSecretCookie(value)) return [{ kind: 'cookie', place: where }]
    return textHits(value, where)
  })
}

/** Nothing of it was left but the name of the principal that it is a credential of. */
function isConcealed(value: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9-]* )?\{credential:[A-Za-z0-9_-]+\}$/.test(value)
}

/** A cookie that names a session or a token, or whose value is long and opaque. */
function isSecretCookie(setCookie: string): boolean {
  const [pair = ''] = setCookie.split(';', 1)
  const equals = pair.indexOf('=')
  const value = pair.slice(equals + 1).trim()
  if (equals < 0 || value === '' || value === '""' || isConcealed(value)) return false
  return isSecretName(pair.slice(0, equals).trim()) || /^"?[\w+/=.%:~-]{20,}"?$/.test(value)
}

function queryHits(path: string, place: string): readonly SecretHit[] {
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : ''
  const named = [...new URLSearchParams(query)]
    .filter(([name, value]) => isSecretName(name) && value !== '')
    .map(([name]) => ({ kind: 'named secret', place: `${place}?${name}` }))
  return [...named, ...textHits(unescaped(path), place)]
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function bodyHits(body: Body | undefined, headers: FieldList, place: string): readonly SecretHit[] {
  if (body === undefined) return []
  const where = place.endsWith('stdout') ? place : `${place}.body`
  if ('json' in body) return jsonHits(body.json, where)
  if ('text' in body) {
    const asWritten = documentHits(body.text, where)
    return asWritten.length > 0 ? asWritten : decodedHits(body, headers, where)
  }
  if ('form' in body) {
    return body.form.flatMap(([name, value]) => fieldHits(name, value, `${where}:${name}`))
  }
  const codings = headers.filter(([name]) => name.toLowerCase() === 'content-encoding').map(([, value]) => value)
  const uncoded = undoCodings(body.bytes, codings)
  const bytes = uncoded.ok ? uncoded.bytes : body.bytes
  // Octets that are no UTF-8 are looked at one by one: every pattern is ASCII.
  const utf8 = Buffer.from(bytes).toString('utf8')
  const asReceived = documentHits(utf8.includes('\ufffd') ? Buffer.from(bytes).toString('latin1') : utf8, where)
  return asReceived.length > 0 ? asReceived : decodedHits(body, headers, where)
}

/** In the document that the body is: names stand in a form or in lines of JSON, and letters of UTF-16 lie two octets apart. */
function decodedHits(body: Body, headers: FieldList, place: string): readonly SecretHit[] {
  return jsonHits(decodeBody({ headers, body, method: 'POST', status: 200 }).value, place)
}

function documentHits(text: string, place: string): readonly SecretHit[] {
  const parsed = parseJson(text)
  if (parsed.ok) return jsonHits(parsed.value, place)
  const whole = textHits(text, place)
  if (whole.length === 0) return []
  const lines = text.split(/\r\n|\n|\r/).flatMap((line, at) => textHits(line, `${place}:line ${at + 1}`))
  return lines.length > 0 ? lines : whole // what spans lines is seen in the whole alone
}

interface Node {
  readonly value: Json
  readonly parent: Node | null
  readonly segment: string | number
  /** The nearest member name above. */
  readonly name: string
}

/** Strings, numbers and member names of a document. Iterative, in document order. */
function jsonHits(value: Json, place: string): readonly SecretHit[] {
  const hits: SecretHit[] = []
  const open: Node[] = [{ value, parent: null, segment: '', name: '' }]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const kind of nodeKinds(node)) hits.push({ kind, place: `${place}:${pathOf(node)}` })
    const children: Node[] = []
    const { value: current, name } = node
    const parent = node
    if (Array.isArray(current)) {
      const items: readonly Json[] = current
      for (const [segment, item] of items.entries()) children.push({ value: item, parent, segment, name })
    } else if (isObject(current)) {
      for (const [member, item] of membersOf(current)) {
        children.push({ value: item, parent, segment: member, name: member })
      }
    }
    for (let at = children.length - 1; at >= 0; at -= 1) open.push(children[at] ?? node)
  }
  return hits
}

/** The kinds of secret that a node shows: in its own name, and in its value when that is a scalar. */
function nodeKinds({ value, segment, name }: Node): readonly string[] {
  const named = typeof segment === 'string' ? textHits(segment, '') : []
  const text = scalarText(value)
  const own = text === null ? [] : typeof value === 'string' ? fieldHits(name, text, '') : textHits(text, '')
  return [...named, ...own].map(({ kind }) => kind)
}

function scalarText(value: Json): string | null {
  if (typeof value === 'string') return value
  if (value instanceof NumberToken) return value.text
  return typeof value === 'number' ? String(value) : null
}

function pathOf(node: Node): string {
  const segments: (string | number)[] = []
  for (let at: Node | null = node; at !== null && at.parent !== null; at = at.parent) segments.push(at.segment)
  return normalisedPath(segments.reverse())
}

function fieldHits(name: string, value: string, place: string): readonly SecretHit[] {
  if (isSecretName(name) && value.length >= 8 && !isConcealed(value)) return [{ kind: 'named secret', place }]
  return textHits(value, place)
}

function textHits(text: string, place: string): readonly SecretHit[] {
  return TEXT_PATTERNS.filter(({ found }) => found(text)).map(({ kind }) => ({ kind, place }))
}
