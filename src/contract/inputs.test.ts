import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { sha256 } from '../core/canonical.ts'
import { textOf } from '../core/json.ts'
import { parseInput, readInputs } from './inputs.ts'

const root = mkdtempSync(join(tmpdir(), 'parity inputs ü '))
afterAll(() => rmSync(root, { recursive: true }))

const source = {
  file: 'parity/forex/inputs/010-error-x.json',
  name: '010-error-x',
  read(name: string): Uint8Array {
    if (name.startsWith('blob.')) return Buffer.from('octets')
    throw new Error('ENOENT')
  },
}

function inputOf(text: string, name = source.name) {
  const parsed = parseInput(text, { ...source, name })
  if (!parsed.ok) throw new Error(parsed.errors.map(error => error.message).join('\n'))
  return parsed.case
}

function refusalsOf(text: string, name = source.name): readonly string[] {
  const parsed = parseInput(text, { ...source, name })
  if (parsed.ok) return []
  return parsed.errors.map(error => `${error.line}:${error.column} ${error.message}`)
}

const request = (members: string) => `{"covers":[],"steps":[{"request":{"method":"POST","path":"/convert"${members}}}]}`

describe('an input', () => {
  test('keeps the number text of its JSON body', () => {
    const [step] = inputOf(request(',"body":{"json":{"amount": 10.00, "big": 12345678901234567890}}')).steps
    const body = step?.request?.body
    expect(body !== undefined && 'json' in body && textOf(body.json)).toBe(
      '{"amount":10.00,"big":12345678901234567890}',
    )
  })

  test('has what it does not say by default', () => {
    const text = '{"steps":[{"request":{"method":"GET","path":"/rates"}}]}'
    expect(inputOf(text)).toEqual({
      name: '010-error-x',
      bucket: 'error',
      covers: [],
      steps: [{ request: { method: 'GET', path: '/rates', headers: [] } }],
      now: null,
      class: null,
      id: sha256('{"steps":[{"request":{"method":"GET","path":"/rates"}}]}'),
    })
  })

  test('has an id of what is sent: white space, covers and class take no part; number text and instant do', () => {
    const one = inputOf('{"covers":["a.b"],"class":"c","steps":[{"input":{"a":1.0}}]}').id
    expect(inputOf('{ "steps": [ { "input": { "a": 1.0 } } ] }').id).toBe(one)
    expect(inputOf('{"steps":[{"input":{"a":1}}]}').id).not.toBe(one)
    const now = '2026-01-02T03:04:05Z'
    expect(inputOf(`{"now":"${now}","steps":[{"input":{"a":1.0}}]}`).id).toBe(
      sha256(`{"steps":[{"input":{"a":1.0}}],"now":"${now}"}`),
    )
  })

  test('may bind, repeat, name who calls and take a step as given', () => {
    const get = '{"method":"GET","path":"{{next}}"}'
    const text = `{"steps":[{"given":true,"as":"ana","request":${get},"bind":{"id":"$.id","sid":"cookie.sid"},"same":{"header.location":"/a/{{id}}"}},{"input":1}]}`
    expect(inputOf(text).steps).toEqual([
      {
        request: { method: 'GET', path: '{{next}}', headers: [] },
        bind: { id: '$.id', sid: 'cookie.sid' },
        same: { 'header.location': '/a/{{id}}' },
        as: 'ana',
        given: true,
      },
      { input: 1 },
    ])
  })

  test.each([
    ['{"bind":{"id":"id"}}', '"id" names no place of an answer'],
    ['{"bind":{"1d":"$.id"}}', '"1d" is no name of a binding'],
    ['{"bind":{"id":"$.a","id":"$.b"}}', 'the member id occurs twice'],
    ['{"bind":[]}', 'expected an object, received an array of 0'],
    ['{"same":{"$.id":"7"}}', 'it refers to no binding'],
    ['{"same":{"$.id[":"{{id}}"}}', 'steps[0].same'],
    ['{"given":"yes"}', 'expected true or false, received a string'],
    ['{"as":"ana"}', 'an input has nobody who calls'],
  ])('whose step has %s is refused', (members, message) => {
    const [refusal, ...more] = refusalsOf(`{"steps":[{"input":1,${members.slice(1)}]}`)
    expect(refusal).toContain(message)
    expect(more).toEqual([])
  })

  test('may have a body of any one form', () => {
    const bodyOf = (text: string) => inputOf(request(`,"body":${text}`)).steps[0]?.request?.body
    expect(bodyOf('{"text":"a"}')).toEqual({ text: 'a' })
    expect(bodyOf('{"form":[["a","1"],["a","2"]]}')).toEqual({
      form: [
        ['a', '1'],
        ['a', '2'],
      ],
    })
    expect(bodyOf('{"base64":"AP8="}')).toEqual({ bytes: Buffer.from([0, 255]) })
    const digits = sha256('octets').slice(7, 23)
    expect(bodyOf(`{"file":"blob.${digits}.bin"}`)).toEqual({ bytes: Buffer.from('octets') })
  })

  const wrong: readonly [string, string, string][] = [
    ['a trailing comma', '{"steps": [],}', '1:14 not JSON: '],
    ['no steps', '{"covers":[]}', '$.steps: expected an array of at least 1, received nothing'],
    ['empty steps', '{"steps":[]}', '$.steps: expected an array of at least 1, received an array of 0'],
    ['an unknown member', '{"step":[],"steps":[{"input":1}]}', '$: unknown member "step"; did you mean steps?'],
    [
      'a member twice',
      '{"now":"2026-01-02T03:04:05Z","now":"2026-01-02T03:04:05Z","steps":[{"input":1}]}',
      '$: the member now occurs twice',
    ],
    ['a local time', '{"now":"2026-01-02 03:04","steps":[{"input":1}]}', '$.now: expected an instant in UTC'],
    [
      'nothing that is compared',
      '{"steps":[{"input":1,"given":true},{"input":2,"given":true}]}',
      '$.steps: every step is given, so that nothing is compared',
    ],
    ['an empty step', '{"steps":[{}]}', '$.steps[0]: expected exactly one of request, input, received none'],
    [
      'a path without /',
      '{"steps":[{"request":{"method":"GET","path":"rates"}}]}',
      '$.steps[0].request.path: expected a path that begins with /',
    ],
    [
      'an absolute URL',
      '{"steps":[{"request":{"method":"GET","path":"http://a/"}}]}',
      '$.steps[0].request.path: expected a path',
    ],
    [
      'a line break in a path',
      '{"steps":[{"request":{"method":"GET","path":"/\\r\\n"}}]}',
      '$.steps[0].request.path: expected a path',
    ],
    [
      'two body forms',
      request(',"body":{"json":1,"text":"1"}'),
      '$.steps[0].request.body: expected exactly one of json, text, form, base64, file, received json and text',
    ],
    ['no body form', request(',"body":{}'), 'received none'],
    ['loose base64', request(',"body":{"base64":"AP8"}'), 'expected padded base64'],
    ['a file elsewhere', request(',"body":{"file":"../x.bin"}'), 'expected the name of a file beside this one'],
    [
      'a missing file',
      request(',"body":{"file":"none.0000000000000000.bin"}'),
      'there is no file none.0000000000000000.bin',
    ],
    [
      'a file with other octets',
      request(',"body":{"file":"blob.0000000000000000.bin"}'),
      'are not those that its name promises',
    ],
    [
      'a header value with a line break',
      request(',"headers":[["X","a\\nb"]]'),
      '$.steps[0].request.headers[0]: the value of X has characters',
    ],
    ['a header value over Latin-1', request(',"headers":[["X","€"]]'), 'characters that a header cannot hold'],
    ['a header name with a space', request(',"headers":[["X Y","a"]]'), '"X Y" is no header name'],
    [
      'a header as an object',
      request(',"headers":{"X":"a"}'),
      '$.steps[0].request.headers: expected an array, received an object',
    ],
    ['a framing header', request(',"headers":[["Content-Length","3"]]'), 'Content-Length follows from the body'],
    ['two hosts', request(',"headers":[["Host","a"],["host","b"]]'), 'Host occurs twice'],
  ]
  test.each(wrong)('with %s is refused', (_name, text, message) => {
    expect(refusalsOf(text).join('\n')).toContain(message)
  })

  test('with a name outside the buckets is refused, naming the nearest', () => {
    const parsed = parseInput('{"steps":[{"input":1}]}', { ...source, name: '010-eror-x' })
    expect(parsed).toMatchObject({
      ok: false,
      errors: [{ fix: 'rename the file, as 010-error-unknown-currency.json' }],
    })
  })
})

describe('a folder of inputs', () => {
  test('is read in code point order; other files are no cases', () => {
    const folder = join(root, 'forex', 'inputs')
    mkdirSync(folder, { recursive: true })
    for (const name of ['020-edge-b', '003-happy-a', '010-rule-c']) {
      writeFileSync(join(folder, `${name}.json`), '{"steps":[{"input":1}]}')
    }
    writeFileSync(join(folder, 'notes.md'), 'x')
    expect(readInputs(root, 'forex').map(c => [c.name, c.bucket])).toEqual([
      ['003-happy-a', 'happy'],
      ['010-rule-c', 'rule'],
      ['020-edge-b', 'edge'],
    ])
  })

  test('that does not exist holds no cases', () => {
    expect(readInputs(root, 'none')).toEqual([])
  })

  test('with bad files is refused with every place', () => {
    const folder = join(root, 'bad', 'inputs')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '001-happy-a.json'), '{"steps":\n  [}')
    writeFileSync(join(folder, '002-happy-b.json'), '{"steps":[]}')
    let message = ''
    try {
      readInputs(root, 'bad')
    } catch (error) {
      message = String(error).replaceAll(folder, 'inputs')
    }
    expect(message).toMatchInlineSnapshot(`
      "ParityError: inputs/001-happy-a.json:2:4: not JSON: expected a value, received "}"
      inputs/002-happy-b.json:1:1: $.steps: expected an array of at least 1, received an array of 0
      Fix: correct the JSON
           write an array of at least 1"
    `)
  })
})
