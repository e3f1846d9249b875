import { Buffer } from 'node:buffer'
import { type Json, parseJson } from '../src/core/json.ts'
import { compileTolerance, type RuleSet } from '../src/core/tolerance.ts'
import type { Body, Comparison, FieldList, Observation, StepObservation } from '../src/model.ts'

/** The rule set of a tolerance file in flow style: `structural: [$.id]`. */
export function rulesOf(text: string, headers?: readonly string[]): RuleSet {
  const compiled = compileTolerance({ file: 'tolerance/t.yaml', text, ...(headers === undefined ? {} : { headers }) })
  if (compiled.ok) return compiled.rules
  throw new Error(compiled.errors.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'))
}

export function jsonOf(text: string): Json {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}`)
}

export interface ResponseParts {
  readonly status?: number
  readonly method?: string
  readonly headers?: FieldList
  readonly body?: Body
  readonly broken?: string
}

export function responseStep(parts: ResponseParts): StepObservation {
  const { status = 200, method = 'GET', headers = [], body, broken } = parts
  return {
    kind: 'response',
    method,
    response: {
      status,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(broken === undefined ? {} : { broken }),
    },
  }
}

export function response(parts: ResponseParts): Observation {
  return [responseStep(parts)]
}

/** A response of JSON text, as octets. */
export function jsonResponse(text: string): Observation {
  return response({ headers: [['Content-Type', 'application/json']], body: { bytes: Buffer.from(text, 'utf8') } })
}

/** Each difference on one line: kind, path, both tokens. */
export function told(comparison: Comparison): string[] {
  return comparison.differences.map(({ kind, path, legacy, candidate }) => `${kind} ${path} ${legacy} → ${candidate}`)
}
