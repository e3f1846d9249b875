import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { misjudged } from '../../test/misjudged.ts'
import { response, rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { decodeBody } from './bodies.ts'
import { compare } from './diff.ts'
import { type Json, textOf } from './json.ts'
import { parseMediaType } from './media-type.ts'
import { writeParts, writeText } from './written.ts'

const NONE = rulesOf('{}', [])

const text = fc.string({ unit: 'grapheme', maxLength: 6 }).map(value => value.replaceAll('\0', ''))
const line = text.map(value => value.replace(/[\r\n]/g, ''))
const json = fc.jsonValue({ maxDepth: 2 }).map(value => JSON.parse(JSON.stringify(value)) as Json)
const name = fc.stringMatching(/^[a-z_][a-z0-9.-]{0,3}$/)

interface Kind {
  readonly type: string
  readonly value: fc.Arbitrary<Json>
}

/** A list of texts and elements as it is read: no two texts side by side, none empty, no indentation. */
function children(element: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  const solid = line.map(value => `t${value.replace(/[^\t -\ud7ff\ue000-\ufffd]/g, '')}`)
  return fc.array(fc.oneof(solid, element), { maxLength: 4 }).map(list => {
    return list.filter((child, at) => typeof child !== 'string' || typeof list[at - 1] !== 'string')
  })
}

const attributes = fc
  .dictionary(name, fc.stringMatching(/^[\t\n\r -~é]{0,4}$/), { maxKeys: 3 })
  .map(members => Object.fromEntries(Object.entries(members)))
const xml = fc.letrec<{ element: Json }>(tie => ({
  element: fc.record({
    name,
    attributes,
    children: fc.oneof({ depthSize: 'small' }, fc.constant([]), children(tie('element'))),
  }) as fc.Arbitrary<Json>,
})).element

const event = fc.record({
  event: line.map(value => (value === '' ? 'message' : value)),
  id: line,
  data: text.map(value => value.replaceAll('\r', '')),
  retry: fc.option(fc.nat()),
})

const part = fc.oneof(
  fc.record({ body: json, type: fc.constant('application/json') }),
  fc.record({
    body: fc.array(line, { minLength: 1, maxLength: 3 }).map(lines => ({ lines })),
    type: fc.constant('text/plain; a=b'),
  }),
  fc.record({ body: xml, type: fc.constant('text/xml') }),
)
const named = fc.tuple(part, fc.option(line), fc.option(line)).map(([{ type, body }, own, filename]): Json => {
  return { name: own, filename, type, body }
})

const KINDS: Readonly<Record<'ndjson' | 'sse' | 'xml' | 'multipart' | 'form' | 'text', Kind>> = {
  ndjson: { type: 'application/x-ndjson', value: fc.array(json, { maxLength: 4 }) },
  sse: { type: 'text/event-stream', value: fc.array(event, { minLength: 1, maxLength: 4 }) },
  xml: { type: 'application/xml', value: xml },
  multipart: { type: 'multipart/form-data; boundary=--b0', value: fc.array(named, { maxLength: 3 }) },
  form: {
    type: 'application/x-www-form-urlencoded',
    value: fc.dictionary(fc.stringMatching(/^[a-z&=+% é]{1,3}$/), fc.array(text, { minLength: 1, maxLength: 3 }), {
      minKeys: 1,
      maxKeys: 3,
    }),
  },
  text: {
    type: 'text/plain',
    value: fc.array(line, { minLength: 1, maxLength: 4 }).map(lines => ({ lines: [...lines, 'end'] })),
  },
}
const names = Object.keys(KINDS) as (keyof typeof KINDS)[]

function octetsOf(kind: keyof typeof KINDS, value: Json): Uint8Array {
  const type = parseMediaType(KINDS[kind].type)
  const written =
    kind === 'multipart' ? type && writeParts(value, type, new Map()) : writeText(kind, value, type?.essence ?? '')
  if (written === null) throw new Error(`not written: ${textOf(value)}`)
  return typeof written === 'string' ? Buffer.from(written, 'utf8') : written
}

function observed(kind: keyof typeof KINDS, value: Json): Observation {
  return response({ headers: [['Content-Type', KINDS[kind].type]], body: { bytes: octetsOf(kind, value) } })
}

function decoded(kind: keyof typeof KINDS, bytes: Uint8Array) {
  return decodeBody({ headers: [['Content-Type', KINDS[kind].type]], body: { bytes }, method: 'GET', status: 200 })
}

describe.each(names)('random documents: %s', kind => {
  const { value } = KINDS[kind]

  test('what is written is read as it was', () => {
    fc.assert(
      fc.property(value, document => {
        const read = decoded(kind, octetsOf(kind, document))
        expect([read.kind, textOf(read.value)]).toEqual([kind, textOf(document)])
      }),
      { numRuns: 300 },
    )
  })

  test('a document is itself, and two differ both ways or not at all, exactly when their values do', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [left, right] = [observed(kind, one), observed(kind, other)]
        expect(compare(left, left, NONE).differences).toEqual([])
        const there = compare(left, right, NONE).differences
        const back = compare(right, left, NONE).differences
        const swapped = back.map(({ legacy, candidate, ...rest }) => `${rest.path} ${candidate} ${legacy}`)
        expect(there.map(({ legacy, candidate, ...rest }) => `${rest.path} ${legacy} ${candidate}`).sort()).toEqual(
          swapped.sort(),
        )
        if (textOf(one) === textOf(other)) expect(there).toEqual([])
        else if (kind !== 'xml' && kind !== 'multipart' && kind !== 'form' && kind !== 'ndjson')
          expect(there).not.toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('every mutant is judged as it must be', () => {
    fc.assert(
      fc.property(value, document => {
        expect(misjudged(observed(kind, document), NONE)).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  test('any octets are read, as something', () => {
    const spoilt = fc.tuple(value, fc.nat(), fc.nat({ max: 255 }), fc.boolean()).map(([document, at, octet, cut]) => {
      const bytes = Uint8Array.from(octetsOf(kind, document))
      if (cut) return bytes.subarray(0, at % (bytes.length + 1))
      if (bytes.length > 0) bytes[at % bytes.length] = octet
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), spoilt), bytes => {
        const golden = response({ headers: [['Content-Type', KINDS[kind].type]], body: { bytes } })
        expect(decoded(kind, bytes).fault).toBeUndefined()
        expect(compare(golden, golden, NONE).differences).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
