import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { compare } from '../../src/core/diff.ts'
import { isObject, type Json, membersOf, parseJson } from '../../src/core/json.ts'
import { compileTolerance, type RuleSet } from '../../src/core/tolerance.ts'
import type { Body, Comparison, FieldList, Observation } from '../../src/model.ts'

/** Files below a folder, with `/` between names, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort()
}

export function textIn(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8').replace(/^\ufeff/, '')
}

/** A file of a corpus as a lossless tree. **Throws** when it is no JSON: the corpus is broken. */
export function jsonIn(folder: string, file: string): Json {
  const parsed = parseJson(textIn(folder, file))
  if (parsed.ok) return parsed.value
  throw new Error(`${file}:${parsed.line}:${parsed.column} ${parsed.message}`)
}

/** A member of an object; undefined when there is none. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (value === undefined || !isObject(value)) return undefined
  return membersOf(value).find(([known]) => known === name)?.[1]
}

export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A response of octets, or of no body. */
export function respond(headers: FieldList, bytes?: Uint8Array): Observation {
  const body: { body?: Body } = bytes === undefined ? {} : { body: { bytes } }
  return [{ kind: 'response', method: 'GET', response: { status: 200, headers, ...body } }]
}

export function respondJson(text: string | Uint8Array): Observation {
  return respond([['Content-Type', 'application/json']], typeof text === 'string' ? Buffer.from(text, 'utf8') : text)
}

/** The rule set of a tolerance text. **Throws** when it does not compile. */
export function rulesOf(text = '', headers?: readonly string[]): RuleSet {
  const compiled = compileTolerance({ file: 'tolerance.yaml', text, ...(headers === undefined ? {} : { headers }) })
  if (compiled.ok) return compiled.rules
  throw new Error(compiled.errors.map(({ message }) => message).join('; '))
}

const NO_RULES = rulesOf()

/** A comparison as lines: each difference by kind and path, then each fault. Empty when nothing differs. */
export function toldOf({ differences, faults }: Comparison): string[] {
  return [
    ...differences.map(({ kind, path }) => `${kind} at ${path}`),
    ...faults.map(({ reason, message }) => `fault ${reason}: ${message}`),
  ]
}

/** What differs between two observations, as lines. */
export function differencesOf(golden: Observation, actual: Observation, rules: RuleSet = NO_RULES): string[] {
  return toldOf(compare(golden, actual, rules))
}

/** The ids of the notes of a comparison. */
export function notesOf(golden: Observation, actual: Observation, rules: RuleSet = NO_RULES): string[] {
  return compare(golden, actual, rules).notes.map(({ id }) => id)
}
