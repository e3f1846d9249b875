/** Rows D of the collected behaviours that stand on bodies and headers: each with what passes, and the mutant that is caught. */
import { Buffer } from 'node:buffer'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bodied } from '../../test/bodies.ts'
import { multipartOf } from '../../test/kinds.ts'
import { misjudged } from '../../test/misjudged.ts'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { FieldList, Observation } from '../model.ts'
import { seededMutants } from './calibrate.ts'
import { compare } from './diff.ts'

const RULES = rulesOf('{}')

interface Row {
  readonly id: string
  readonly what: string
  readonly golden: Observation
  /** Another form of the same. */
  readonly same: Observation
  /** Mutations that must be seeded, as `mutation at path`. */
  readonly mutants: readonly string[]
}

function cookies(...fields: FieldList): Observation {
  return response({ headers: fields })
}

function coded(coding: string, bytes: Uint8Array): Observation {
  const headers: FieldList = [
    ['Content-Type', 'application/json'],
    ['Content-Encoding', coding],
  ]
  return response({ headers, body: { bytes } })
}

const megabyte = (last: number) => bodied('image/png', Buffer.concat([Buffer.alloc(1_048_576, 7), Buffer.of(last)]))
const ROWS: readonly Row[] = [
  {
    id: 'D1',
    what: 'two Set-Cookie fields, one of which is lost',
    golden: cookies(['Set-Cookie', 'foo=bar; path=/'], ['Set-Cookie', 'baz=qix; path=/']),
    same: cookies(['Set-Cookie', 'baz=qix; Path=/'], ['set-cookie', 'foo=bar; Path=/']),
    mutants: ['cookie lost at header.set-cookie', 'dropped at header.set-cookie'],
  },
  {
    id: 'D3',
    what: 'names in another case',
    golden: response({ headers: [['Content-Type', 'text/x']] }),
    same: response({ headers: [['content-type', 'text/x']] }),
    mutants: ['changed at header.content-type', 'dropped at header.content-type'],
  },
  {
    id: 'D6',
    what: 'one document under two codings',
    golden: coded('br', brotliCompressSync('{"a":1}')),
    same: coded('gzip', gzipSync('{"a":1}')),
    mutants: ['changed at $.a', 'another kind at $'],
  },
  {
    id: 'D7',
    what: 'a body that is not what its coding says',
    golden: coded('gzip', gzipSync('{"a":1}')),
    same: bodied('application/json', '{"a":1}'),
    mutants: ['undecodable body at $'],
  },
  {
    id: 'D11',
    what: 'one form between two boundaries',
    golden: multipartOf('----A'),
    same: multipartOf('----B'),
    mutants: ['changed at $[0].name', 'changed at $[2].filename', 'changed at $[2].type', 'octet flipped at $[2].body'],
  },
  {
    id: 'D12',
    what: 'an error page under the type of the golden',
    golden: bodied('application/json', '{"ok":true}'),
    same: bodied('application/json', '{ "ok": true }'),
    mutants: ['another kind at $'],
  },
  {
    id: 'D13',
    what: 'one octet of a megabyte',
    golden: megabyte(7),
    same: megabyte(7),
    mutants: ['octet flipped at $.sha256', 'octet added at $.sizeBytes'],
  },
  {
    id: 'D14',
    what: 'a body that is missing is not one that is empty of letters',
    golden: bodied('text/plain', '\n'),
    same: bodied('text/plain', '\r\n'),
    mutants: ['body emptied at $'],
  },
  {
    id: 'D17',
    what: 'events one by one',
    golden: bodied('text/event-stream', 'data:1\n\ndata:2\n\n'),
    same: bodied('text/event-stream', 'data: 1\r\n\r\n: ping\r\n\r\ndata: 2\r\n\r\n'),
    mutants: ['element dropped at $[1]', 'changed at $[0].data', 'cut short at $[1].unfinished', 'body emptied at $'],
  },
]

test.each(ROWS)('$id: $what', ({ golden, same, mutants }) => {
  expect(told(compare(golden, same, RULES))).toEqual([])
  expect(told(compare(same, golden, RULES))).toEqual([])
  const seeded = seededMutants(golden, RULES).mutants.filter(({ expect: expected }) => expected === 'DIVERGED')
  expect(seeded.map(({ mutation, path }) => `${mutation} at ${path}`)).toEqual(expect.arrayContaining([...mutants]))
  expect(misjudged(golden, RULES)).toEqual([])
})
