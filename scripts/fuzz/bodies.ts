/** Attacks through bodies: media types, charsets and content codings, whole and broken. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { parseJson } from '../../src/core/json.ts'
import type { FieldList, Observation, Response } from '../../src/model.ts'
import { trialOf } from './documents.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import { judge } from './oracle.ts'
import type { Random } from './random.ts'
import { yamlOf } from './rules.ts'
import { anySpelling, number, object, string, textOfTree } from './tree.ts'
import type { Trial } from './trial.ts'

export type Headers = [string, string][]

export const response = (response: Response, method = 'GET'): Observation => [{ kind: 'response', method, response }]

export const cased = (random: Random, name: string): string =>
  random.pick([name, name.toLowerCase(), name.toUpperCase(), name.replace(/^./, first => first.toLowerCase())])
/** One frame, or several that mean the same when read one after the other. */
function framed(random: Random, bytes: Uint8Array, compress: (part: Uint8Array) => Buffer): Buffer {
  if (random.chance(0.6)) return compress(bytes)
  const cut = random.int(bytes.length + 1)
  return Buffer.concat([compress(bytes.subarray(0, cut)), compress(bytes.subarray(cut))])
}

const gzipped = (random: Random, bytes: Uint8Array): Buffer =>
  framed(random, bytes, part => gzipSync(part, { level: random.int(10) }))

const CODINGS: Readonly<Record<string, (random: Random, bytes: Uint8Array) => Buffer>> = {
  gzip: gzipped,
  'x-gzip': gzipped,
  br: (_, bytes) => brotliCompressSync(bytes),
  deflate: (random, bytes) => (random.chance(0.5) ? deflateSync(bytes) : deflateRawSync(bytes)),
  zstd: (random, bytes) => framed(random, bytes, zstdCompressSync),
}

/** The bytes under no coding, one or two, and the header that says so. */
function coded(random: Random, bytes: Uint8Array): { bytes: Uint8Array; headers: Headers } {
  if (random.chance(0.35)) return { bytes, headers: random.chance(0.2) ? [['Content-Encoding', 'identity']] : [] }
  const names = Array.from({ length: random.chance(0.15) ? 2 : 1 }, () => random.pick(Object.keys(CODINGS)))
  let now: Uint8Array = bytes
  for (const name of names) now = CODINGS[name]?.(random, now) ?? now
  const value = names.map(name => (random.chance(0.1) ? name.toUpperCase() : name)).join(', ')
  return { bytes: now, headers: [[cased(random, 'Content-Encoding'), value]] }
}

/** One JSON document sent in two ways that must not matter, or two documents that the oracle tells apart. */
function coding(random: Random): Trial {
  const golden = anyTree(random, anyTaste(random))
  const rules = rulesAround(random, golden, 3)
  const actual = random.chance(0.5) ? equalCopy(random, golden, rules) : nearCopy(random, golden, 2, anyTaste(random))
  const trial = trialOf({ golden, actual, rules, why: 'one document under two codings' })
  const type = random.pick(['application/json', 'application/problem+json', 'application/vnd.a.b+json'])
  const [first, second] = [golden, actual].map(tree => {
    const text = textOfTree(tree, anySpelling(random))
    const { bytes, headers } = coded(random, Buffer.from(text))
    const fields: FieldList = random.shuffled<[string, string]>([
      ...headers,
      [cased(random, 'Content-Type'), random.chance(0.2) ? type.toUpperCase() : type],
      ['Content-Length', String(random.int(1000))],
      ['Date', `now ${random.int(9)}`],
    ])
    return response({ status: 200, headers: fields, body: { bytes } })
  })
  return { ...trial, golden: first ?? [], actual: second ?? [] }
}

/** Bodies of many types around a hole, where any two different letters make two different documents. */
const HOLES: readonly (readonly [type: string, before: string, after: string])[] = [
  ['application/json', '{"a":"', '","b":[1,2]}'],
  ['application/json', '{"a":1,"', '":2}'],
  ['application/hal+json', '["', '"]'],
  ['application/x-ndjson', '{"a":1}\n{"b":"', '"}\n'],
  ['application/x-ndjson', '{"', '":1}\n{"b":2}\n'],
  ['text/plain', 'one\ntwo ', ' three\nfour\n'],
  ['text/plain', '', ''],
  ['text/html', '<p class="x">', '</p>'],
  ['text/csv', 'a,b\n1,', '\n'],
  ['application/x-www-form-urlencoded', 'a=1&b=', '&c=3'],
  ['application/x-www-form-urlencoded', 'a=1&', '=2&c=3'],
  ['multipart/form-data; boundary=XX', '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n', '\r\n--XX--\r\n'],
  ['multipart/form-data; boundary=XX', '--XX\r\nContent-Disposition: form-data; name="', '"\r\n\r\nv\r\n--XX--\r\n'],
  [
    'multipart/form-data; boundary=XX',
    '--XX\r\nContent-Disposition: form-data; name="f"; filename="',
    '"\r\nContent-Type: text/plain\r\n\r\nv\r\n--XX--\r\n',
  ],
  ['text/event-stream', 'event: e\nid: 1\ndata: ', '\n\n'],
  ['text/event-stream', 'event: ', '\ndata: x\n\n'],
  ['application/xml', '<r><a>', '</a><b c="d"/></r>'],
  ['text/xml', '<r><a b="', '"/></r>'],
  ['image/svg+xml', '<svg><', '/></svg>'],
  ['application/octet-stream', 'before', 'after'],
  ['image/png', '\u0089PNG', ''],
  ['application/pdf', '%PDF', ''],
  ['nonsense', 'before', 'after'],
  ['', 'before', 'after'],
  ['application/yaml', 'a: ', '\n'],
]
const CHARSETS = [
  'utf-8',
  'UTF8',
  'iso-8859-1',
  'latin1',
  'us-ascii',
  'windows-1252',
  'utf-16',
  'utf-16le',
  'utf-16be',
  'shift_jis',
  'gbk',
  'euc-kr',
  'big5',
  'iso-2022-jp',
  'x-user-defined',
  'utf-7',
  'utf-32',
  'bogus',
  '"utf-8"',
  '',
]
/** Pairs of octets that no decoder may take for one another. */
const OCTETS: readonly (readonly [string, string])[] = [
  ['ff', 'fe'],
  ['fffe', 'feff'],
  ['c328', 'a028'],
  ['c3', 'c4'],
  ['eda080', 'eda081'],
  ['c080', 'c081'],
  ['f4908080', 'f4908081'],
  ['80', '81'],
  ['81', '8d'],
  ['efbfbd', 'ff'],
  ['e282', 'e283'],
  ['00', '01'],
  ['6100', '61'],
  ['00d8', '01d8'],
  ['d800', 'd801'],
  ['1b2442', '1b2840'],
]
const LETTERS: readonly (readonly [string, string])[] = [
  ['a', 'b'],
  ['a', 'A'],
  ['qq', 'q'],
  ['é', 'e\u0301'],
  ['x\ufeffa', 'xa'],
  ['😀', '😁'],
  ['a\u200b', 'a'],
  ['x', 'x\u00ad'],
  ['1', '2'],
  ['\ufffd', '?'],
]

function holes(random: Random): Trial {
  const [type, before, after] = random.pick(HOLES)
  const raw = random.chance(0.5)
  const pair = random.pick(raw ? OCTETS : LETTERS)
  const charset = random.chance(0.5) ? random.pick(CHARSETS) : null
  const wide = !raw && charset !== null && /16/.test(charset)
  const encoded = (text: string): Buffer => {
    if (!wide) return Buffer.from(text)
    const bytes = Buffer.from(text, 'utf16le')
    return charset === 'utf-16be' ? bytes.swap16() : bytes
  }
  // Before the first line of an event stream octets only make its name unknown, and what is unknown is no event.
  const marked = random.chance(0.1) && type !== 'text/event-stream'
  const mark = marked ? [Buffer.from(random.pick(['efbbbf', 'fffe', 'feff']), 'hex')] : []
  const extra = random.pick([[], [], [], [['Content-Type', 'text/plain']], [['Content-Type', type]]]) as Headers
  const lie = random.chance(0.15)
    ? random.pick(['text/plain', 'application/json', 'text/xml', 'application/x-www-form-urlencoded'])
    : type
  const value = charset === null ? lie : `${lie}; charset=${charset}`
  const typed: Headers = lie === '' ? [] : [[cased(random, 'Content-Type'), value]]
  const codingOf = random.chance(0.3)
  const [golden, actual] = pair.map(side => {
    const hole = raw ? Buffer.from(side, 'hex') : encoded(side)
    const whole = Buffer.concat([...mark, encoded(before), hole, encoded(after)])
    const { bytes, headers } = codingOf ? coded(random, whole) : { bytes: whole, headers: [] }
    return response({ status: 200, headers: [...typed, ...extra, ...headers], body: { bytes } })
  })
  // Octets that a charset drops or shifts (escapes of iso-2022-jp, halves of a wide character) may decode to one text.
  const stateful = /2022|utf-7/.test(charset ?? '')
  // Where nothing stands before them, these two are byte order marks.
  const markOnly = before === '' && pair[0] === 'fffe'
  const numbersOnly = !raw || !wide
  return {
    golden: golden ?? [],
    actual: actual ?? [],
    yaml: '',
    expect: stateful || !numbersOnly || markOnly ? 'open' : 'different',
    broken: true,
    why: `${value}: ${pair.join(' against ')}${raw ? ' as octets' : ''}`,
  }
}
/** Coded bodies that are cut, run together or not what the header says. The candidate's fault must be a difference. */
function broken(random: Random): Trial {
  const bytes = Buffer.from(`{"a":[${'1,'.repeat(random.int(200))}1]}`)
  const name = random.pick(Object.keys(CODINGS))
  const whole = CODINGS[name]?.(random, bytes) ?? bytes
  const headers: Headers = [
    ['Content-Type', 'application/json'],
    ['Content-Encoding', name],
  ]
  const cut = 1 + random.int(whole.length - 1)
  const golden = response({ status: 200, headers, body: { bytes: whole } })
  const spoiled = random.pick([
    () => whole.subarray(0, cut),
    () => Buffer.concat([whole.subarray(0, cut), Buffer.from([0, 255, 0, 255])]),
    () => Buffer.from('plain text, no coding at all'),
    () => Buffer.concat([Buffer.from([255]), whole]),
    () => Buffer.concat([whole, Buffer.from(random.pick(['x', 'abc', '\u0000x', '{"a":1}']))]),
    () => Buffer.concat([whole, whole]),
    () => Buffer.concat([whole, CODINGS[name]?.(random, Buffer.from(',1')) ?? bytes]),
    () => Buffer.concat([whole, Buffer.alloc(1), whole]),
  ])()
  const unknown = random.chance(0.2)
  const fields: Headers = unknown
    ? [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', random.pick(['lzma', 'exi', '__proto__', 'toString'])],
      ]
    : headers
  const actual = response({ status: 200, headers: fields, body: { bytes: spoiled } })
  return random.chance(0.3)
    ? {
        golden: actual,
        actual: golden,
        yaml: '',
        expect: 'open',
        broken: true,
        why: `a recording under a broken ${name}`,
      }
    : { golden, actual, yaml: '', expect: 'different', broken: true, why: `a candidate under a broken ${name}` }
}
/** One document as JSON value, as text and as bytes. */
function bodies(random: Random): Trial {
  const golden = anyTree(random, { ...anyTaste(random), repeats: 0 })
  const tree = object(['d', golden], ['n', number('1')], ['s', string('x')])
  const text = textOfTree(tree)
  const headers: Headers = [['Content-Type', 'application/json']]
  const body = (): NonNullable<Response['body']> => {
    const written = textOfTree(tree, anySpelling(random))
    const read = parseJson(text)
    return random.pick([{ text: written }, { bytes: Buffer.from(written) }, ...(read.ok ? [{ json: read.value }] : [])])
  }
  const judged = judge(tree, tree, [])
  return {
    golden: response({ status: 200, headers, body: body() }),
    actual: response({ status: 200, headers, body: body() }),
    yaml: yamlOf([]),
    expect: judged.agree ? 'equal' : 'open',
    why: 'one document as value, text and bytes',
  }
}

export const BODY_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = { coding, holes, broken, bodies }
