import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { kindsOfGoldens, multipartOf } from '../../test/kinds.ts'
import { response, rulesOf } from '../../test/observations.ts'
import { decodeBody } from '../core/bodies.ts'
import { textOf } from '../core/json.ts'
import type { Case, FieldList, Observation, Sha256 } from '../model.ts'
import { encodeBody, startControlServer } from './control-server.ts'
import { type Pair, proveComparator } from './prove.ts'

function pairOf(name: string, observation: Observation): Pair {
  const id: Sha256 = `sha256:${createHash('sha256').update(name).digest('hex')}`
  const request = { method: 'GET', path: `/${name}`, headers: [] }
  const input: Case = {
    name,
    bucket: 'happy',
    covers: [],
    steps: observation.map(step => (step.kind === 'response' ? { request } : { input: null })),
    now: null,
    class: null,
    id,
  }
  return { input, fixture: { name, id, input: id, observation } }
}

test('every mutant of every kind of document is caught through a real server, and counted by its comparator', async () => {
  const { signal } = new AbortController()
  const pairs = Object.entries(kindsOfGoldens()).map(([name, golden]) => pairOf(name, golden))
  const proof = await proveComparator(pairs, rulesOf('{}'), { signal, timeoutMs: 10_000, places: 'every' })
  expect(proof.survivors).toEqual([])
  expect(proof.unprovable).toEqual([])
  expect(Object.keys(proof.byComparator)).toEqual([
    'status',
    'headers',
    'exit',
    'stderr',
    'json',
    'ndjson',
    'text',
    'form',
    'multipart',
    'sse',
    'xml',
    'binary',
    'empty',
    'threw',
  ])
  const totals = Object.values(proof.byComparator)
  expect(totals.reduce((sum, { total }) => sum + total, 0)).toBe(proof.total)
  expect(totals.every(({ caught, total }) => caught === total)).toBe(true)
})

test('a boundary goes over the wire as the header names it', () => {
  const [golden] = multipartOf('x y')
  if (golden?.kind !== 'response') return
  const headers: FieldList = [['Content-Type', 'multipart/form-data; boundary="x y"']]
  const octets = encodeBody({ ...golden.response, headers })
  expect(decodeBody({ headers, body: { bytes: octets }, method: 'GET', status: 200 }).kind).toBe('multipart')
})

test.each([
  ['utf-8', 'é€'],
  ['iso-8859-1', 'é€'],
  ['windows-1251', 'Ж'],
  ['utf-16le', 'é€'],
  ['utf-16be', 'é€'],
  ['shift_jis', 'plain'],
])('a text goes over the wire in %s', (charset, text) => {
  const [golden] = response({ headers: [['Content-Type', `text/plain; charset=${charset}`]], body: { text } })
  if (golden?.kind !== 'response') return
  const { headers } = golden.response
  const bytes = encodeBody(golden.response)
  const { value } = decodeBody({ headers, body: { bytes }, method: 'GET', status: 200 })
  expect(textOf(value)).toBe(JSON.stringify({ lines: [text] }))
})

test('a body under gzip is under gzip again', () => {
  const headers: FieldList = [
    ['Content-Type', 'application/x-ndjson'],
    ['Content-Encoding', 'gzip'],
  ]
  const bytes = encodeBody({ headers, body: { text: '1\n2\n' } })
  expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b])
  expect(textOf(decodeBody({ headers, body: { bytes: Buffer.from(bytes) }, method: 'GET', status: 200 }).value)).toBe(
    '[1,2]',
  )
})

test('an answer is played to the request that it was recorded for, and to no other', async () => {
  await using server = await startControlServer()
  const step = (path: string) => ({ request: { method: 'GET', path, headers: [] } })
  const observation = [response({ status: 201 }), response({ status: 409 })].flat()
  const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status
  server.play(observation, [step('/a'), step('/a')])
  expect([await statusOf('/a'), await statusOf('/a'), server.unmatched()]).toEqual([201, 409, null])
  expect(await statusOf('/a')).toBe(500)
  expect(server.unmatched()).toBe('GET /a has no recorded answer (played 2 times before); nothing more was recorded')
  server.play(observation, [step('/a'), step('/b')])
  expect([await statusOf('/b'), await statusOf('/a'), await statusOf('/b')]).toEqual([500, 201, 409])
  expect(server.unmatched()).toBe('GET /b has no recorded answer (played 0 times before); recorded next is GET /a')
})
