import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bodied } from '../../test/bodies.ts'
import { kindsOfGoldens } from '../../test/kinds.ts'
import { response, rulesOf } from '../../test/observations.ts'
import { compare } from '../core/diff.ts'
import { parseJson } from '../core/json.ts'
import { Reader } from '../core/json-reader.ts'
import { noiseOf } from '../core/noise.ts'
import type { Observation } from '../model.ts'
import { observationOf, payloadOf } from './payload.ts'

/** What a golden of an observation holds, and the observation that is read from it. */
function stored(observation: Observation): { readonly steps: string; readonly read: Observation } {
  const { steps, files } = payloadOf('001-happy-x', observation)
  const parsed = parseJson(steps)
  const reader = new Reader(parsed.ok ? parsed.value : null, 'steps', [])
  return { steps, read: observationOf(reader, { read: name => files.get(name) ?? new Uint8Array(0) }) }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
test.each<[string, Observation]>([
  ...Object.entries(kindsOfGoldens()),
  ['XML in a charset it declares', bodied('text/xml', latin1('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'))],
  [
    'lines of JSON under gzip',
    response({
      headers: [
        ['Content-Type', 'application/x-ndjson'],
        ['Content-Encoding', 'gzip'],
      ],
      body: { bytes: gzipSync('1\n2\n') },
    }),
  ],
  ['one line of JSON', bodied('application/x-ndjson', '{"a":1}')],
  ['a multipart body that is none', bodied('multipart/form-data', 'x')],
  [
    'a part in latin1',
    bodied('multipart/mixed; boundary=b', latin1('--b\r\nContent-Type: text/plain; charset=latin1\r\n\r\né\r\n--b--')),
  ],
])('a golden of %s is read as what was received', (_, observation) => {
  const { read } = stored(observation)
  expect(noiseOf(observation, read)).toEqual([])
  const { notes } = compare(observation, observation, rulesOf('{}'))
  expect(compare(observation, read, rulesOf('{}'))).toMatchObject({ differences: [], faults: [], notes })
})

test('what is text is kept as text, what is not as octets', () => {
  const kinds = kindsOfGoldens()
  for (const kind of ['ndjson', 'sse', 'xml']) expect(stored(kinds[kind] ?? []).steps).toContain('"body":{"text":')
  expect(stored(kinds.multipart ?? []).steps).toContain('"body":{"base64":')
})
