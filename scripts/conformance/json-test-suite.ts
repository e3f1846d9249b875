import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { isDeepStrictEqual } from 'node:util'
import { decodeBody } from '../../src/core/bodies.ts'
import { textOf } from '../../src/core/json.ts'
import { differencesOf, filesIn, respondJson } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

/** Longer than this on one small file is a hang. */
const HANG_MS = 2_000

/** JSON Parsing Test Suite: octets as the body of a JSON response. */
export const jsonTestSuite: Suite = {
  name: 'json-test-suite',
  folder: 'conformance/json-test-suite',
  run(folder) {
    const files = filesIn(folder).filter(file => file.endsWith('.json'))
    return [{ name: 'json-test-suite', results: files.map(file => read(folder, file)) }]
  },
}

function read(folder: string, file: string): Result {
  const bytes = readFileSync(join(folder, file))
  const start = performance.now()
  const { kind, value, notes } = decodeBody({ ...JSON_RESPONSE, body: { bytes } })
  const faults = differencesOf(respondJson(bytes), respondJson(bytes)).map(line => `against itself: ${line}`)
  const elapsedMs = performance.now() - start
  if (elapsedMs > HANG_MS) faults.push(`took ${elapsedMs.toFixed(0)} ms`)
  const name = file.replace(/^.*\//, '')
  const isJson = kind === 'json'
  if (name.startsWith('y_')) {
    if (!isJson) faults.push(`must parse, and is ${kind}`)
    else if (!isDeepStrictEqual(JSON.parse(textOf(value)), JSON.parse(bytes.toString('utf8'))))
      faults.push('another value')
  } else if (name.startsWith('n_')) {
    if (isJson) faults.push('must be refused, and parses')
    else if (bytes.length > 0 && notes.every(({ id }) => id !== 'builtin:content-type'))
      faults.push('refused without a note')
  } else if (faults.length === 0) {
    const transform = file.startsWith('test_transform')
    return {
      case: name,
      state: 'unasserted',
      why: `${transform ? 'transform' : 'i_'}, ${isJson ? 'parses' : `read as ${kind}`}`,
    }
  }
  return judged(name, faults)
}

const JSON_RESPONSE = { headers: [['Content-Type', 'application/json']], method: 'GET', status: 200 } as const
