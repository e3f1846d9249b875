/** Attacks through what surrounds a document: media types, charsets, codings, headers, cookies, statuses, programs, errors. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { parseJson } from '../../src/core/json.ts'
import type { FieldList, Observation, Response, StepObservation } from '../../src/model.ts'
import { trialOf } from './documents.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import { judge } from './oracle.ts'
import type { Random } from './random.ts'
import { yamlOf } from './rules.ts'
import { anySpelling, number, object, string, textOfTree } from './tree.ts'
import type { Trial } from './trial.ts'

type Headers = [string, string][]

const response = (response: Response, method = 'GET'): Observation => [{ kind: 'response', method, response }]

const cased = (random: Random, name: string): string =>
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

/** The same response, or one of which a part that DESIGN compares was changed. */
function headers(random: Random): Trial {
  const base: Headers = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-store'],
    ['Location', '/orders/7'],
    ['Allow', 'GET'],
    ['WWW-Authenticate', 'Basic realm="x"'],
    ['Set-Cookie', 'sid=abc; Path=/; HttpOnly'],
    ['Set-Cookie', 'theme=dark; Max-Age=60; Secure; SameSite=Lax'],
    ['X-Trace', '1'],
  ]
  const start = base.filter(([name]) => name === 'Content-Type' || random.chance(0.7))
  const at = (name: string): number => start.findIndex(([other]) => other === name)
  const replaced = (from: RegExp, to: string): Headers => start.map(([name, value]) => [name, value.replace(from, to)])
  const same: (() => Headers)[] = [
    () => start.map(([name, value]) => [cased(random, name), value]),
    () => [...start, [random.pick(['Date', 'ETag', 'Connection', 'Content-Length', 'X-Other', '__proto__']), '7']],
    () => replaced(/application\/json/, 'Application/JSON'),
    () => replaced(/application\/json/, 'application/json; charset=utf-8'),
    () => replaced(/^1$/, '2'),
    () => replaced(/sid=abc/, 'sid=xyz'),
    () => start.filter(([name]) => name !== 'X-Trace'),
    () => {
      const cookies = start.filter(([name]) => name === 'Set-Cookie')
      return [...cookies, ...start.filter(([name]) => name !== 'Set-Cookie')]
    },
  ]
  const other: (readonly [string, () => Headers])[] = [
    ['Cache-Control', () => replaced(/no-store/, 'no-cache')],
    ['Location', () => replaced(/orders\/7/, 'orders/8')],
    ['Location', () => replaced(/orders/, 'Orders')],
    ['Allow', () => replaced(/^GET$/, 'POST')],
    ['WWW-Authenticate', () => replaced(/Basic/, 'Bearer')],
    ['Set-Cookie', () => replaced(/sid=abc/, 'sid=')],
    ['Set-Cookie', () => replaced(/sid=/, 'sid2=')],
    ['Set-Cookie', () => replaced(/HttpOnly/, 'Secure')],
    ['Set-Cookie', () => replaced(/SameSite=Lax/, 'SameSite=None')],
    ['Set-Cookie', () => replaced(/Path=\//, 'Path=/a')],
    ['Set-Cookie', () => replaced(/; HttpOnly/, '')],
    ['Set-Cookie', () => start.filter((_, index) => index !== at('Set-Cookie'))],
    ['Set-Cookie', () => [...start, ['Set-Cookie', 'new=1']]],
    ['Content-Type', () => replaced(/application\/json/, 'application/problem+json')],
    ['Content-Type', () => replaced(/application\/json/, 'application/json; version=2')],
    ['Content-Type', () => start.filter(([name]) => name !== 'Content-Type')],
    ['Cache-Control', () => start.filter(([name]) => name !== 'Cache-Control')],
  ]
  const body = { text: '{"a":1}' }
  const golden = response({ status: 200, headers: start, body })
  const changed = random.pick(other)
  const expect = random.pick(['equal', 'different', 'status'] as const)
  const has = expect === 'different' && at(changed[0]) >= 0
  const now = has ? changed[1]() : expect === 'equal' ? random.pick(same)() : start
  const differs = has && JSON.stringify(now) !== JSON.stringify(start)
  const status = expect === 'status' ? random.pick([201, 404, 500]) : 200
  const actual = response({ status, headers: now, body })
  const yaml = random.pick(['', '', 'exact:\n  - $.a\n', 'numeric_tolerance:\n  $.a: 1\n'])
  const why = differs ? `${changed[0]} changed` : expect
  return { golden, actual, yaml, expect: differs || status !== 200 ? 'different' : 'equal', why }
}

/** Cookies and compared headers of any sort: nothing is expected but what holds for every pair. */
function fields(random: Random): Trial {
  const values = [
    '',
    ' ',
    ';',
    ';;=;',
    '=',
    'a',
    'a=',
    '=a',
    'a=1; Path=/; path=/x',
    'a=1; EXPIRES=Wed, 21 Oct 2015 07:28:00 GMT',
    'a="1; b"; Secure',
    '__proto__=1; __proto__=2',
    'a=1; Max-Age=1e9',
    'a=\u0000; \u00ff',
    '\ud800',
    'application/json; charset',
    'application/json;charset="utf-8',
    'multipart/form-data',
    'multipart/form-data; boundary=""',
    'multipart/mixed; boundary=a; boundary=b',
    'text/event-stream',
    '/',
    '//',
    'http://',
    'http://[',
    'https://h:99999/',
    'Basic, Bearer realm="a, b", =',
    'x'.repeat(20_000),
    `${'a=1; '.repeat(3000)}`,
  ]
  const names = ['Set-Cookie', 'set-cookie', 'Content-Type', 'Location', 'Allow', 'Cache-Control', 'WWW-Authenticate']
  const odd = ['', '__proto__', 'constructor', 'Content-Encoding', 'Transfer-Encoding', 'a b', 'é']
  const list = (): Headers =>
    Array.from({ length: random.int(5) }, () => [random.pick(random.chance(0.8) ? names : odd), random.pick(values)])
  const text = (): string => random.pick(['', '{', '{"a":1}', '--', 'data: 1\n\n', '<a/>', '\u0000', 'a=b&a'])
  const side = (from?: Headers): Observation => {
    const fields =
      from === undefined ? list() : random.chance(0.4) ? random.shuffled(from) : [...from, ...list().slice(0, 1)]
    const body = random.pick([{ text: text() }, { bytes: Buffer.from(text()) }, { form: fields }, undefined])
    const head: Response = { status: random.pick([200, 200, 204, 304, 0, -1]), headers: fields }
    return response(body === undefined ? head : { ...head, body }, random.pick(['GET', 'HEAD', 'head', '']))
  }
  const first = list()
  const yaml = random.pick([
    '',
    'ignore:\n  - header.set-cookie\n',
    'structural:\n  - header.location\n  - header.set-cookie\n',
    'ignore:\n  - status\n',
    'exact:\n  - header.content-type\n',
  ])
  const [golden, actual] = [side(first), side(first)]
  // An unknown coding is a fault on one side and a difference on the other.
  const broken = /content-encoding/i.test(JSON.stringify([golden, actual]))
  return { golden, actual, yaml, expect: 'open', broken, why: 'any headers' }
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

/** Bodies that are absent, or that the method or status gives no meaning. */
function empty(random: Random): Trial {
  const headers: Headers = random.pick([
    [],
    [['Content-Type', 'application/json']],
    [['Content-Type', 'text/plain']],
  ]) as Headers
  const [method, status] = random.pick([
    ['GET', 200],
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
    ['POST', 201],
  ] as const)
  const none: readonly Pick<Response, 'body'>[] = [{}, { body: { bytes: new Uint8Array() } }, { body: { text: '' } }]
  const some: readonly Pick<Response, 'body'>[] = [
    { body: { bytes: Buffer.from('{"a":1}') } },
    { body: { text: '0' } },
    { body: { bytes: Buffer.from([0]) } },
  ]
  const filled = random.chance(0.5)
  const bodiless = method === 'HEAD' || status === 204 || status === 304
  const golden = response({ status, headers, ...random.pick(none) }, method)
  const actual = response({ status, headers, ...random.pick(filled ? some : none) }, method)
  const expect = !filled || method === 'HEAD' ? 'equal' : bodiless ? 'open' : 'different'
  const [first, second] = random.chance(0.5) ? [golden, actual] : [actual, golden]
  return {
    golden: first,
    actual: second,
    yaml: '',
    expect,
    why: `${method} ${status}, ${filled ? 'one body' : 'no body'}`,
  }
}

/** Form bodies: name to values, order of one name kept, order between names free. */
function forms(random: Random): Trial {
  const type: Headers = [['Content-Type', 'application/x-www-form-urlencoded']]
  const names = ['a', 'b', '__proto__', 'a b', 'é', '0', '1', 'length']
  const pairs = Array.from({ length: random.int(5) }, (): [string, string] => [
    random.pick(names),
    random.pick(['', '1', '2', 'x y', 'é', '+', '&', '=', '%', '\u0000', '\r\n', '😀']),
  ])
  const encoded = (value: string): string =>
    [...Buffer.from(value)]
      .map(byte => {
        const char = String.fromCharCode(byte)
        if (/[A-Za-z0-9]/.test(char) && !random.chance(0.2)) return char
        if (char === ' ' && random.chance(0.5)) return '+'
        const hex = byte.toString(16).padStart(2, '0')
        return `%${random.chance(0.5) ? hex.toUpperCase() : hex}`
      })
      .join('')
  const text = (list: readonly (readonly [string, string])[]): string =>
    list.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  const regrouped = random
    .shuffled([...new Set(pairs.map(([name]) => name))])
    .flatMap(name => pairs.filter(([other]) => other === name))
  const edit = random.pick(['none', 'value', 'drop', 'swap', 'octet'] as const)
  const last = regrouped.at(-1)
  const other: (readonly [string, string])[] =
    last === undefined || edit === 'none'
      ? regrouped
      : edit === 'value'
        ? [...regrouped.slice(0, -1), [last[0], `${last[1]}x`]]
        : edit === 'drop'
          ? regrouped.slice(0, -1)
          : edit === 'swap'
            ? [...regrouped, [last[0], 'new'], [last[0], 'newer']]
            : regrouped
  const base =
    edit === 'swap' && last !== undefined ? [...pairs, [last[0], 'newer'] as const, [last[0], 'new'] as const] : pairs
  const octets =
    edit === 'octet'
      ? random.pick([
          ['%FF', '%FE'],
          ['%C3', '%C4'],
          ['%ED%A0%80', '%ED%A0%81'],
          ['%EF%BF%BD', '%FF'],
        ] as const)
      : null
  const side = (list: readonly (readonly [string, string])[], tail: string | undefined): Observation => {
    const whole = tail === undefined ? text(list) : `${text([...list, ['tail', '']])}${tail}`
    const body = random.chance(0.3) && tail === undefined ? { form: list } : { bytes: Buffer.from(whole) }
    return response({ status: 200, headers: type, body })
  }
  const changed = octets !== null || (last !== undefined && edit !== 'none')
  // No pair at all is an empty body: its kind is another matter.
  const expect = pairs.length === 0 || other.length === 0 ? 'open' : changed ? 'different' : 'equal'
  return {
    golden: side(base, octets?.[0]),
    actual: side(other, octets?.[1]),
    yaml: '',
    expect,
    broken: octets !== null,
    why: `form, ${edit}`,
  }
}

/** Programs, errors, functions, sequences. */
function steps(random: Random): Trial {
  const thrown = { name: 'RangeError', code: random.pick([null, 'E_X']), message: 'out of range' }
  const stdout = Buffer.from(random.pick(['{"a":1}', '[1,2]', 'plain\n', '']))
  const any: readonly StepObservation[] = [
    { kind: 'output', output: { a: 1, b: ['x'] } },
    { kind: 'output', output: null },
    { kind: 'threw', threw: thrown },
    { kind: 'command', exit: random.int(3), stdout, stderr: random.pick(['', 'warning\n', '\ud800']) },
    { kind: 'response', method: 'GET', response: { status: 200, headers: [], body: { text: 'x' } } },
  ]
  const list = Array.from({ length: 1 + random.int(3) }, () => random.pick(any))
  const at = random.int(list.length)
  const changed = (step: StepObservation): StepObservation => {
    switch (step.kind) {
      case 'output':
        return random.pick<StepObservation>([
          { kind: 'output', output: { a: 1, b: ['y'] } },
          { kind: 'output', output: [] },
          { kind: 'output', output: { a: 1, b: ['x'], c: null } },
          { kind: 'output', output: null, unserialisable: { path: '$', what: 'a function' } },
        ])
      case 'threw':
        return random.pick<StepObservation>([
          { kind: 'threw', threw: { ...step.threw, message: 'other' } },
          { kind: 'threw', threw: { ...step.threw, name: 'TypeError' } },
          { kind: 'threw', threw: { ...step.threw, code: 'E_Y' } },
          { kind: 'output', output: null },
        ])
      case 'command':
        return random.pick<StepObservation>([
          { ...step, exit: step.exit + 1 },
          { ...step, stderr: `${step.stderr}x` },
          { ...step, stdout: Buffer.concat([step.stdout, Buffer.from('x')]) },
        ])
      default:
        return random.pick<StepObservation>([
          { ...step, response: { ...step.response, status: 500 } },
          { ...step, response: { ...step.response, broken: 'short body' } },
          { ...step, response: { ...step.response, body: { text: 'y' } } },
          { kind: 'threw', threw: thrown },
        ])
    }
  }
  const edit = random.pick(['none', 'change', 'more', 'fewer', 'mixed'] as const)
  const mixed = Array.from({ length: random.int(4) }, () => random.pick(any))
  const actual =
    edit === 'none'
      ? [...list]
      : edit === 'change'
        ? list.map((step, index) => (index === at ? changed(step) : step))
        : edit === 'more'
          ? [...list, random.pick(any)]
          : edit === 'fewer'
            ? list.slice(0, -1)
            : mixed
  const yaml = random.pick(['', '', 'ignore:\n  - "steps[7]:$.id"\n', 'exact:\n  - exit\n'])
  const expect = edit === 'none' ? 'equal' : edit === 'mixed' ? 'open' : 'different'
  // A broken response is never a recording, so its swap is nothing that can happen.
  const lame = actual.some(
    step =>
      (step.kind === 'response' && step.response.broken !== undefined) ||
      (step.kind === 'output' && step.unserialisable !== undefined),
  )
  return {
    golden: list,
    actual,
    yaml,
    expect,
    broken: lame || edit === 'mixed' || actual.length === 0,
    why: `steps, ${edit}`,
  }
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

export const HTTP_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = {
  coding,
  holes,
  headers,
  fields,
  broken,
  empty,
  forms,
  steps,
  bodies,
}
