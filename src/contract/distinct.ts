import { decodeBody, decodeStdout } from '../core/bodies.ts'
import { compareCodePoints } from '../core/canonical.ts'
import { isObject, type Json, membersOf, NumberToken } from '../core/json.ts'
import type { Case, FieldList, InputStep, Observation, Request, StepObservation } from '../model.ts'

/** Deeper values have one shape: the inputs of edge cases may nest without end. */
const LEVELS_MAX = 40

/**
 * What tells a case apart from a near-copy: step by step the method, route, status, and the shapes of what was asked and
 * answered. Two cases of one key differ in values alone.
 *
 * A route is a path without query, numbers and UUIDs in it erased. A shape is the JSON type of every member, arrays by
 * the set of the shapes of their elements, empty apart from non-empty; of a request also its query names, header names
 * and content type.
 */
export function distinctKey(c: Case, observation: Observation): string {
  return JSON.stringify(c.steps.map((step, at) => [askedShape(step), answeredShape(observation[at], step)]))
}

function askedShape({ request, input }: InputStep): unknown {
  if (request === undefined) return ['input', shapeOf(input ?? null), optionsIn(input ?? null)]
  const query = request.path.includes('?') ? request.path.slice(request.path.indexOf('?') + 1) : ''
  const names = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value === '' ? 'empty' : 'value'}`)
  const headers = request.headers.map(([name]) => name.toLowerCase()).sort(compareCodePoints)
  const decoded = decodeBody({ headers: request.headers, body: request.body, method: 'POST', status: 200 })
  const body = [decoded.kind, shapeOf(decoded.value)]
  return [request.method, routeOf(request), names, headers, headerValue(request.headers, 'content-type'), body]
}

/** The path without its query; segments that are a number or a UUID are `*`. */
export function routeOf(request: Request): string {
  const path = request.path.split('?', 1)[0] ?? ''
  return path.replaceAll(/(?<=\/)(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\/|$)/gi, '*')
}

function answeredShape(seen: StepObservation | undefined, step: InputStep): unknown {
  switch (seen?.kind) {
    case undefined:
      return null
    case 'response': {
      const { status, headers, body } = seen.response
      const { kind, value, mediaType } = decodeBody({
        headers,
        body,
        status,
        method: step.request?.method ?? seen.method,
      })
      return [status, mediaType, kind, kind === 'json' ? shapeOf(value) : null]
    }
    case 'output':
      return ['output', shapeOf(seen.output)]
    case 'threw':
      return ['threw', seen.threw.name, seen.threw.code]
    case 'command': {
      const { kind, value } = decodeStdout(seen.stdout)
      return ['command', seen.exit, kind, kind === 'json' ? shapeOf(value) : null, seen.stderr === '']
    }
    default:
      return seen satisfies never
  }
}

/** The options among the words of a command line: `--bin`, not what follows it. */
function optionsIn(input: Json): readonly string[] {
  const args = isObject(input) ? [...membersOf(input)].find(([name]) => name === 'args')?.[1] : input
  const words: readonly Json[] = Array.isArray(args) ? args : []
  return words.flatMap(word => /^--?[A-Za-z][^=]*/.exec(typeof word === 'string' ? word : '')?.[0] ?? [])
}

function headerValue(headers: FieldList, wanted: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1].toLowerCase() ?? null
}

function shapeOf(value: Json, level = 0): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value === '' ? 'empty' : 'string'
  if (typeof value === 'number' || value instanceof NumberToken) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (level >= LEVELS_MAX) return 'deep'
  if (Array.isArray(value)) {
    const items: readonly Json[] = value
    return `[${[...new Set(items.map(item => shapeOf(item, level + 1)))].sort(compareCodePoints).join()}]`
  }
  if (!isObject(value)) return 'value'
  const members = [...membersOf(value)].map(([name, member]) => `${JSON.stringify(name)}:${shapeOf(member, level + 1)}`)
  return `{${members.sort(compareCodePoints).join()}}`
}
