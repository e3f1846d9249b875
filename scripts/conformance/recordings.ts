import { Buffer } from 'node:buffer'
import { parse } from 'yaml'
import { isObject, type Json, membersOf, parseJson, toJson } from '../../src/core/json.ts'
import type { Body, FieldList, Observation, StepObservation } from '../../src/model.ts'
import { itemsOf, memberOf, stringOf } from './observed.ts'

/** An exchange of a recording, as far as the judgements speak of it. */
interface Recorded {
  readonly request: Json
  readonly status: number
  readonly headers: FieldList
  readonly body: Body | null
}

/**
 * A recording as an observation with two steps for each exchange: the request as an output
 * `{method, url, reqHeaders, reqBody}`, then the response. A plain document is one response.
 */
export function observedIn(format: string, text: string): Observation {
  if (format === 'json') return [response({ request: null, status: 200, headers: JSON_TYPE, body: { text } })]
  return exchangesIn(format, text).flatMap(each => [{ kind: 'output', output: each.request }, response(each)])
}

const JSON_TYPE: FieldList = [['content-type', 'application/json']]

function response({ status, headers, body }: Recorded): StepObservation {
  return { kind: 'response', method: 'GET', response: { status, headers, ...(body === null ? {} : { body }) } }
}

function exchangesIn(format: string, text: string): Recorded[] {
  switch (format) {
    case 'nock':
      return itemsOf(treeOf(text)).map(nock)
    case 'betamax':
      return itemsOf(memberOf(treeOf(text), 'http_interactions')).map(interaction)
    case 'vcrpy': {
      const made = toJson(parse(text))
      return made.ok ? itemsOf(memberOf(made.value, 'interactions')).map(interaction) : []
    }
    default:
      throw new Error(`no recordings of the format ${format} are read`)
  }
}

function treeOf(text: string): Json {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}`)
}

function nock(each: Json): Recorded {
  const raw = itemsOf(memberOf(each, 'rawHeaders')).map(stringOf)
  const answer = memberOf(each, 'response') ?? null
  const binary = memberOf(each, 'responseIsBinary') === true
  const answered = typeof answer === 'string' ? textBody(answer, binary ? 'hex' : null) : { json: answer }
  return {
    request: requestOf({
      method: memberOf(each, 'method'),
      url: stringOf(memberOf(each, 'scope')) + stringOf(memberOf(each, 'path')),
      headers: memberOf(each, 'reqheaders'),
      body: memberOf(each, 'body'),
    }),
    status: statusOf(memberOf(each, 'status')),
    headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [])),
    body: answered,
  }
}

/** VCR and Betamax write an interaction alike, but for where the octets and the status stand. */
function interaction(each: Json): Recorded {
  const [request, answer] = [memberOf(each, 'request'), memberOf(each, 'response')]
  const body = memberOf(answer, 'body')
  const coded = memberOf(body, 'base64_string')
  return {
    request: requestOf({
      method: memberOf(request, 'method'),
      url: stringOf(memberOf(request, 'uri')),
      headers: memberOf(request, 'headers'),
      body: memberOf(memberOf(request, 'body'), 'string') ?? memberOf(request, 'body'),
    }),
    status: statusOf(memberOf(memberOf(answer, 'status'), 'code')),
    headers: fieldsOf(memberOf(answer, 'headers')),
    body:
      coded === undefined ? textBody(stringOf(memberOf(body, 'string')), null) : textBody(stringOf(coded), 'base64'),
  }
}

function textBody(text: string, coding: 'hex' | 'base64' | null): Body | null {
  if (text === '') return null
  return coding === null ? { text } : { bytes: Buffer.from(text, coding) }
}

function statusOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

/** Header fields of an object whose values are texts or lists of texts. */
function fieldsOf(headers: Json | undefined): FieldList {
  if (headers === undefined || !isObject(headers)) return []
  return membersOf(headers).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? itemsOf(value) : [value]
    return values.map(each => [name, stringOf(each)] as const)
  })
}

interface RequestParts {
  readonly method: Json | undefined
  readonly url: string
  readonly headers: Json | undefined
  readonly body: Json | undefined
}

function requestOf({ method, url, headers, body }: RequestParts): Json {
  const fields = Object.fromEntries(fieldsOf(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const parsed = typeof body === 'string' ? parseJson(body) : null
  const reqBody = parsed?.ok ? parsed.value : (body ?? '')
  return { method: stringOf(method).toUpperCase(), url, reqHeaders: fields, reqBody }
}
