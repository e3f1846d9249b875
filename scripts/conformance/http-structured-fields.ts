import type { Json } from '../../src/core/json.ts'
import { differencesOf, filesIn, itemsOf, jsonIn, memberOf, respond, rulesOf, stringOf } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

const RULES = rulesOf('', ['example'])

/**
 * Structured field tests, as far as they apply: a compared header is a list of values. It equals itself; another spelling
 * of the same structure is told, for the structure is not read.
 */
export const httpStructuredFields: Suite = {
  name: 'http-structured-fields',
  folder: 'conformance/http-structured-fields',
  run(folder) {
    const tests = filesIn(folder).flatMap(file => itemsOf(jsonIn(folder, file)).map(test => ({ file, test })))
    return [{ name: 'http-structured-fields', results: tests.map(({ file, test }) => compared(file, test)) }]
  },
}

function compared(file: string, test: Json): Result {
  const name = `${file} ${stringOf(memberOf(test, 'name'))}`
  const raw = memberOf(test, 'raw')
  if (raw === undefined) return { case: name, state: 'unasserted', why: 'writing a field: we write none' }
  const given = itemsOf(raw).map(stringOf)
  const faults = told(given, given).map(line => `against itself: ${line}`)
  if (told(given, [...given, 'x']).length === 0) faults.push('an added value is not told')
  const canonical = memberOf(test, 'canonical')
  if (canonical === undefined) return judged(name, faults)
  const spelling = itemsOf(canonical).map(stringOf)
  const same = JSON.stringify(given.map(value => value.trim())) === JSON.stringify(spelling.map(value => value.trim()))
  if (told(given, spelling).length > 0 === same)
    faults.push(same ? 'the same values are told' : 'another spelling is not told')
  if (faults.length > 0 || same) return judged(name, faults)
  return { case: name, state: 'refused', by: 'another spelling of one structure, told as header_changed' }
}

function told(golden: readonly string[], actual: readonly string[]): string[] {
  const [left, right] = [golden, actual].map(values => respond(values.map(value => ['Example', value] as const)))
  return left === undefined || right === undefined ? [] : differencesOf(left, right, RULES)
}
