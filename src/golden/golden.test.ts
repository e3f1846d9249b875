import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { sha256 } from '../core/canonical.ts'
import type { Case, FieldList, Observation, StepObservation } from '../model.ts'
import { acceptPending, pendingNames } from './accept.ts'
import { type Capture, type FreezeOptions, freeze } from './freeze.ts'
import { payloadOf } from './payload.ts'
import { admit, readCalibration, readFixtureSet } from './store.ts'

const root = mkdtempSync(join(tmpdir(), 'parity golden ü '))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const folder = (): string => join(root, String(folders++), 'forex')

const JSON_TYPE: FieldList = [['Content-Type', 'application/json']]
const input = sha256('input')

function answered(body: string | Uint8Array, headers: FieldList = JSON_TYPE, method = 'GET'): StepObservation {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { kind: 'response', method, response: { status: 200, headers, body: { bytes } } }
}

function capture(name: string, body: string, o: Partial<Capture> = {}): Capture {
  return { name, input, observation: [answered(body)], captures: 2, noise: [], ...o }
}

function options(dir: string, captures: readonly Capture[], o: Partial<FreezeOptions> = {}): FreezeOptions {
  return {
    dir,
    feature: 'forex',
    revision: 'forex-1',
    lab: { id: 'forex-express3', hash: sha256('lab') },
    recorder: 'vitest-parity 0.1.0',
    maskRules: 'builtin-secrets-1',
    now: '2026-11-30T10:00:00Z',
    captures,
    sameExceptNoise: () => false,
    ...o,
  }
}

function caseOf(name: string, id = input): Case {
  const steps = [{ request: { method: 'HEAD', path: '/', headers: [] } }]
  return { name, bucket: 'happy', covers: [], steps, now: null, class: null, id }
}

function filesOf(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    entries
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(dir.length + 1), readFileSync(path, 'latin1')]),
  )
}

function reasonOf(dir: string, name: string): string {
  const read = readFixtureSet(dir).read(name)
  return read.ok ? 'ok' : read.fault.reason
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

describe('what is stored of a body', () => {
  const store = (body: string | Uint8Array, headers?: FieldList, method?: string) =>
    payloadOf('001-happy-a', [answered(body, headers, method)])
  const bodyOf = (steps: string) => /,"body":(.*)\}\}\]$/.exec(steps)?.[1]
  const rows: readonly [string, string | Uint8Array, FieldList, string | undefined][] = [
    [
      'JSON keeps its tokens and loses its white space',
      '{ "b": 10.00,\n "a": "\\u00e9", "b": 1e2 }',
      JSON_TYPE,
      '{"json":{"b":10.00,"a":"\\u00e9","b":1e2}}',
    ],
    [
      'JSON under gzip is stored decoded',
      gzipSync('{"a":1}'),
      [...JSON_TYPE, ['Content-Encoding', 'gzip']],
      '{"json":{"a":1}}',
    ],
    ['JSON under text/plain is text', '{ "a": 1 }', [['Content-Type', 'text/plain']], '{"text":"{ \\"a\\": 1 }"}'],
    ['JSON without a type is text', '{ "a": 1 }', [], '{"text":"{ \\"a\\": 1 }"}'],
    ['JSON that is broken is text', '{"a":', JSON_TYPE, '{"text":"{\\"a\\":"}'],
    [
      'text of another charset is decoded',
      Buffer.from('caf\xe9', 'latin1'),
      [['Content-Type', 'text/html; charset=iso-8859-1']],
      '{"text":"café"}',
    ],
    [
      'octets that are no text are base64',
      Buffer.from([0xff, 0xfe, 0xfd]),
      [['Content-Type', 'text/plain']],
      '{"base64":"//79"}',
    ],
    ['an image is base64', 'PNG', [['Content-Type', 'image/png']], '{"base64":"UE5H"}'],
    ['an unknown coding stays as received', 'abc', [['Content-Encoding', 'sdch']], '{"base64":"YWJj"}'],
  ]
  test.each(rows)('%s', (_name, body, headers, stored) => {
    expect(bodyOf(store(body, headers).steps)).toBe(stored)
  })

  test('large octets go to a file named by their hash', () => {
    const bytes = Buffer.alloc(9_000, 7)
    const { steps, files } = store(bytes, [['Content-Type', 'image/png']])
    const file = `001-happy-a.${sha256(bytes).slice(7, 23)}.bin`
    expect([bodyOf(steps), [...files.keys()]]).toEqual([`{"file":"${file}"}`, [file]])
  })

  test('no body is stored where there is none', () => {
    const response = { status: 204, headers: [] }
    expect(payloadOf('x', [{ kind: 'response', method: 'GET', response }]).steps).toBe(
      '[{"response":{"status":204,"headers":[]}}]',
    )
  })
})

describe('a set of fixtures', () => {
  const kinds: Observation = [
    answered('{"amount":10.00}'),
    { kind: 'output', output: { a: [1, null] } },
    { kind: 'threw', threw: { name: 'RangeError', code: null, message: 'no' } },
    { kind: 'command', exit: 3, stdout: Buffer.from('{"a":1}'), stderr: 'warn' },
    answered(Buffer.alloc(9_000, 7), [['Content-Type', 'image/png']]),
  ]

  test('reads back what was frozen, with the methods of the case', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '', { observation: kinds })]))
    const read = admit(readFixtureSet(dir), caseOf('001-happy-a'), { revision: 'forex-1' })
    if (!read.ok) throw new Error(read.fault.message)
    expect(payloadOf('001-happy-a', read.fixture.observation).id).toBe(read.fixture.id)
    expect(read.fixture.observation[0]).toMatchObject({ method: 'HEAD', response: { status: 200, headers: JSON_TYPE } })
    expect(read.fixture.observation.slice(1, 4)).toEqual(kinds.slice(1, 4))
  })

  test('is written deterministically', async () => {
    const dir = folder()
    const noise = [{ step: 0, path: '$.id', pointer: '/id', first: '"1"', second: '"2"' }]
    await freeze(options(dir, [capture('002-happy-b', '{"a":1}'), capture('001-happy-a', '{"id":"1"}', { noise })]))
    expect(filesOf(dir)['001-happy-a.json']).toMatchInlineSnapshot(`
      "{
        "format": 1,
        "id": "sha256:f77d7842d4fc7e452e820f955b50b7eee6e7caee8f02a3d567b9e259b9b7ed1d",
        "input": "sha256:c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20",
        "steps": [
          {
            "response": {
              "status": 200,
              "headers": [
                [
                  "Content-Type",
                  "application/json"
                ]
              ],
              "body": {
                "json": {
                  "id": "1"
                }
              }
            }
          }
        ]
      }
      "
    `)
    expect(filesOf(dir)['manifest.json']).toMatchInlineSnapshot(`
      "{
        "format": 1,
        "feature": "forex",
        "set": "sha256:3664261a80fcf7e1b47834b07a1f5c47d8448ce689e70b389aca4d18fe9240b4",
        "revision": "forex-1",
        "lab": {
          "id": "forex-express3",
          "hash": "sha256:a51146d38077ff992eba84cf1d5e9b249073503eb74868699016153b031a38f7"
        },
        "recorder": "vitest-parity 0.1.0",
        "maskRules": "builtin-secrets-1",
        "fixtures": {
          "001-happy-a": {
            "id": "sha256:f77d7842d4fc7e452e820f955b50b7eee6e7caee8f02a3d567b9e259b9b7ed1d",
            "input": "sha256:c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20",
            "revision": "forex-1",
            "retention": "none",
            "frozen": "2026-11-30T10:00:00Z",
            "expires": null
          },
          "002-happy-b": {
            "id": "sha256:e66d8407430855dc0260da57eef3da0160b8d758706cbaac707fbf649e864820",
            "input": "sha256:c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20",
            "revision": "forex-1",
            "retention": "none",
            "frozen": "2026-11-30T10:00:00Z",
            "expires": null
          }
        }
      }
      "
    `)
    expect(filesOf(dir)['calibration.json']).toMatchInlineSnapshot(`
      "{
        "format": 1,
        "feature": "forex",
        "id": "sha256:f604c412e8632ff03ad6c2f810307168ac2a699f7dfc190b975163bb0cf330ae",
        "fixtures": {
          "sha256:e66d8407430855dc0260da57eef3da0160b8d758706cbaac707fbf649e864820": {
            "captures": 2,
            "captured": "2026-11-30",
            "lab": "sha256:a51146d38077ff992eba84cf1d5e9b249073503eb74868699016153b031a38f7",
            "noise": []
          },
          "sha256:f77d7842d4fc7e452e820f955b50b7eee6e7caee8f02a3d567b9e259b9b7ed1d": {
            "captures": 2,
            "captured": "2026-11-30",
            "lab": "sha256:a51146d38077ff992eba84cf1d5e9b249073503eb74868699016153b031a38f7",
            "noise": [
              {
                "step": 0,
                "path": "$.id",
                "pointer": "/id",
                "first": "\\"1\\"",
                "second": "\\"2\\""
              }
            ]
          }
        }
      }
      "
    `)
  })

  test('that does not exist is empty', () => {
    const set = readFixtureSet(folder())
    expect([set.names, set.manifest, set.read('001-happy-a')]).toMatchObject([
      [],
      null,
      { fault: { reason: 'no-fixture' } },
    ])
  })

  const changes: readonly [string, (dir: string) => void, string][] = [
    [
      'one number of the payload',
      dir => edit(join(dir, '001-happy-a.json'), text => text.replace('10.00', '10.0')),
      'fixture-tampered',
    ],
    [
      'one header name',
      dir => edit(join(dir, '001-happy-a.json'), text => text.replace('Content-Type', 'content-type')),
      'fixture-tampered',
    ],
    ['the status', dir => edit(join(dir, '001-happy-a.json'), text => text.replace('200', '201')), 'fixture-tampered'],
    [
      'its id',
      dir => edit(join(dir, '001-happy-a.json'), text => text.replace(/sha256:./, 'sha256:g')),
      'fixture-tampered',
    ],
    [
      'its input',
      dir => edit(join(dir, '001-happy-a.json'), text => text.replace(input, sha256('other'))),
      'fixture-tampered',
    ],
    ['a brace', dir => edit(join(dir, '001-happy-a.json'), text => text.slice(0, -3)), 'fixture-tampered'],
    ['white space alone', dir => edit(join(dir, '001-happy-a.json'), text => text.replaceAll('\n', '\n ')), 'ok'],
    ['the file is gone', dir => rmSync(join(dir, '001-happy-a.json')), 'no-fixture'],
    [
      'its line of the manifest',
      dir => edit(join(dir, 'manifest.json'), text => text.replace(/("001-happy-a": \{\s+"id": "sha256:)../, '$1ff')),
      'fixture-tampered',
    ],
  ]
  test.each(changes)('with another %s turns this case and no other', async (_name, change, reason) => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":10.00}'), capture('002-happy-b', '{"b":1}')]))
    change(dir)
    expect([reasonOf(dir, '001-happy-a'), reasonOf(dir, '002-happy-b')]).toEqual([reason, 'ok'])
  })

  test('whose set id no fixture explains is tampered as a whole', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}'), capture('002-happy-b', '{"b":1}')]))
    edit(join(dir, 'manifest.json'), text => {
      const manifest = JSON.parse(text)
      delete manifest.fixtures['002-happy-b']
      return JSON.stringify(manifest)
    })
    rmSync(join(dir, '002-happy-b.json'))
    expect([reasonOf(dir, '001-happy-a'), reasonOf(dir, '002-happy-b')]).toEqual(['fixture-tampered', 'no-fixture'])
  })

  test('with a golden that the manifest does not list names it', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    cpSync(join(dir, '001-happy-a.json'), join(dir, '002-happy-b.json'))
    expect(readFixtureSet(dir).names).toEqual(['001-happy-a', '002-happy-b'])
    expect([reasonOf(dir, '001-happy-a'), reasonOf(dir, '002-happy-b')]).toEqual(['ok', 'fixture-tampered'])
  })

  test('whose body file changed, or is gone, says so', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '', { observation: kinds })]))
    const file = join(dir, `001-happy-a.${sha256(Buffer.alloc(9_000, 7)).slice(7, 23)}.bin`)
    writeFileSync(file, Buffer.alloc(9_000, 8))
    expect(reasonOf(dir, '001-happy-a')).toBe('fixture-tampered')
    rmSync(file)
    expect(reasonOf(dir, '001-happy-a')).toBe('content-missing')
  })

  test('with one key twice in the manifest is an error', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    edit(join(dir, 'manifest.json'), text => text.replace('"fixtures": {', '"fixtures": {\n "001-happy-a": {},'))
    expect(() => readFixtureSet(dir)).toThrow(/manifest\.json: "001-happy-a" occurs twice\nFix: /)
  })

  test('with a manifest that is no manifest is an error with its place', async () => {
    const dir = folder()
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'manifest.json'), '{\n "format": 1,}')
    expect(() => readFixtureSet(dir)).toThrow(/manifest\.json:2:14: not JSON/)
    writeFileSync(join(dir, 'calibration.json'), '{"format": 2}')
    expect(() => readCalibration(dir)).toThrow(/calibration\.json: format: /)
  })

  test('is stale for another input, moved for another revision, and expires after its date', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    const reason = (c: Case, revision: string, asOf?: string) => {
      const read = admit(readFixtureSet(dir), c, { revision, ...(asOf === undefined ? {} : { asOf }) })
      return read.ok ? 'ok' : read.fault.reason
    }
    expect(reason(caseOf('001-happy-a'), 'forex-1', '2030-01-01')).toBe('ok')
    expect(reason(caseOf('001-happy-a', sha256('other')), 'forex-1')).toBe('fixture-stale')
    expect(reason(caseOf('001-happy-a'), 'forex-2')).toBe('oracle-moved')
    edit(join(dir, 'manifest.json'), text => text.replace('"expires": null', '"expires": "2027-01-01"'))
    expect(reason(caseOf('001-happy-a'), 'forex-1', '2027-01-01')).toBe('ok')
    expect(reason(caseOf('001-happy-a'), 'forex-1', '2027-01-02')).toBe('fixture-expired')
  })
})

describe('freezing again', () => {
  const first = [capture('001-happy-a', '{"id":"r-1","v":1}'), capture('002-happy-b', '{"b":1}')]

  test('the same payloads changes no byte but dates', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    expect(await freeze(options(dir, first))).toEqual({
      written: [],
      unchanged: ['001-happy-a', '002-happy-b'],
      noiseOnly: [],
      pending: [],
    })
    expect(filesOf(dir)).toEqual(before)
    await freeze(options(dir, first, { now: '2027-01-01T00:00:00Z' }))
    const changed = Object.entries(filesOf(dir)).filter(([path, text]) => before[path] !== text)
    expect(changed.map(([path]) => path)).toEqual(['calibration.json'])
  })

  test('covered noise leaves the golden byte for byte and refreshes the calibration', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    const noise = [{ step: 0, path: '$.id', pointer: '/id', first: '"r-2"', second: '"r-3"' }]
    const again = [capture('001-happy-a', '{"id":"r-2","v":1}', { noise })]
    const seen: string[] = []
    const report = await freeze(
      options(dir, again, {
        sameExceptNoise: (_old, _fresh, name) => {
          seen.push(name)
          return true
        },
      }),
    )
    expect([report.noiseOnly, seen]).toEqual([['001-happy-a'], ['001-happy-a']])
    const after = filesOf(dir)
    expect(after['001-happy-a.json']).toBe(before['001-happy-a.json'])
    const id = readFixtureSet(dir).manifest?.fixtures['001-happy-a']?.id ?? sha256('')
    expect(readCalibration(dir)?.fixtures[id]?.noise).toEqual(noise)
  })

  test('cases with one payload share the noise of both', async () => {
    const dir = folder()
    const noiseAt = (path: string) => [{ step: 0, path, pointer: '', first: '1', second: '2' }]
    const body = '{"a":1}'
    await freeze(
      options(dir, [
        capture('001-happy-a', body, { noise: noiseAt('$.a') }),
        capture('002-happy-b', body, { noise: noiseAt('$.b') }),
        capture('003-happy-c', body),
      ]),
    )
    const [entry] = Object.values(readCalibration(dir)?.fixtures ?? {})
    expect(entry?.noise.map(({ path }) => path)).toEqual(['$.a', '$.b'])
  })

  test('another payload waits in pending, and the golden stands', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    const before = filesOf(dir)
    const report = await freeze(options(dir, [capture('001-happy-a', '{"id":"r-1","v":2}')]))
    expect([report.pending, pendingNames(dir)]).toEqual([['001-happy-a'], ['001-happy-a']])
    const after = filesOf(dir)
    for (const [path, text] of Object.entries(before)) expect(after[path]).toBe(text)
    expect(reasonOf(join(dir, 'pending'), '001-happy-a')).toBe('ok')
  })

  test('the payload of the golden again takes back what waits', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    await freeze(options(dir, [capture('001-happy-a', '{"v":2}'), capture('002-happy-b', '{"v":2}')]))
    await freeze(options(dir, first.slice(0, 1)))
    expect(pendingNames(dir)).toEqual(['002-happy-b'])
    await freeze(options(dir, first))
    expect(existsSync(join(dir, 'pending'))).toBe(false)
  })

  test('over a golden that was tampered with, or for another input, writes nothing but pending', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    edit(join(dir, '001-happy-a.json'), text => text.replace('"v": 1', '"v": 9'))
    const tampered = readFileSync(join(dir, '001-happy-a.json'), 'utf8')
    const other = { ...first[1], input: sha256('other') } as Capture
    const report = await freeze(options(dir, [...first.slice(0, 1), other], { sameExceptNoise: () => true }))
    expect(report.pending).toEqual(['001-happy-a', '002-happy-b'])
    expect(readFileSync(join(dir, '001-happy-a.json'), 'utf8')).toBe(tampered)
  })

  test('a golden that was deleted comes back only as it was', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    rmSync(join(dir, '001-happy-a.json'))
    rmSync(join(dir, '002-happy-b.json'))
    const report = await freeze(options(dir, [...first.slice(0, 1), capture('002-happy-b', '{"b":2}')]))
    expect([report.written, report.pending]).toEqual([['001-happy-a'], ['002-happy-b']])
  })

  test('after a new revision, the payloads that are still the same are admitted again', async () => {
    const dir = folder()
    await freeze(options(dir, first))
    await freeze(options(dir, first.slice(0, 1), { revision: 'forex-2' }))
    const set = readFixtureSet(dir)
    const reason = (name: string) => admit(set, caseOf(name), { revision: 'forex-2' })
    expect([reason('001-happy-a').ok, reason('002-happy-b')]).toMatchObject([
      true,
      { fault: { reason: 'oracle-moved' } },
    ])
  })
})

describe('accepting', () => {
  const name = '001-happy-a'
  const accept = (dir: string, o: Partial<Parameters<typeof acceptPending>[0]> = {}) =>
    acceptPending({
      dir,
      feature: 'forex',
      name,
      reason: 'rates are new',
      author: 'ana',
      now: '2026-12-01T00:00:00Z',
      ci: false,
      ...o,
    })
  const waiting = async () => {
    const dir = folder()
    const big = [answered(Buffer.alloc(9_000, 1), [['Content-Type', 'image/png']])]
    const bigger = [answered(Buffer.alloc(9_000, 2), [['Content-Type', 'image/png']])]
    await freeze(options(dir, [capture(name, '', { observation: big }), capture('002-happy-b', '{"b":1}')]))
    await freeze(options(dir, [capture(name, '', { observation: bigger }), capture('002-happy-b', '{"b":2}')]))
    return dir
  }

  test('makes the one payload that waits the golden, and says who did and why', async () => {
    const dir = await waiting()
    const { from, to } = await accept(dir)
    expect([reasonOf(dir, name), reasonOf(dir, '002-happy-b'), pendingNames(dir)]).toEqual([
      'ok',
      'ok',
      ['002-happy-b'],
    ])
    expect(readFixtureSet(dir).manifest?.fixtures[name]?.id).toBe(to)
    expect(Object.hasOwn(readCalibration(dir)?.fixtures ?? {}, to)).toBe(true)
    expect(readdirSync(dir).filter(file => file.endsWith('.bin')).length).toBe(1)
    await accept(dir, { name: '002-happy-b', author: 'ben' })
    expect(existsSync(join(dir, 'pending'))).toBe(false)
    const lines = readFileSync(join(dir, 'accepted.ndjson'), 'utf8').trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { at: '2026-12-01T00:00:00Z', case: name, from, to, author: 'ana', reason: 'rates are new' },
      { case: '002-happy-b', author: 'ben' },
    ])
  })

  const refusals: readonly [string, Parameters<typeof accept>[1], string][] = [
    ['in CI', { ci: true }, 'CI accepts nothing'],
    ['without a reason', { reason: ' ' }, 'there is no reason'],
    ['without an author', { author: '' }, 'there is no author'],
    [
      'for a case that does not wait',
      { name: '009-happy-z' },
      'nothing waits for this case (waiting: 001-happy-a, 002-happy-b)',
    ],
  ]
  test.each(refusals)('is refused %s, and nothing changes', async (_name, o, message) => {
    const dir = await waiting()
    const before = filesOf(dir)
    await expect(accept(dir, o)).rejects.toMatchObject({ code: 'PARITY_ACCEPT_REFUSED' })
    await expect(accept(dir, o)).rejects.toThrow(message)
    expect(filesOf(dir)).toEqual(before)
  })

  test('is refused for a payload that was edited by hand', async () => {
    const dir = await waiting()
    edit(join(dir, 'pending', '002-happy-b.json'), text => text.replace('"b": 2', '"b": 3'))
    await expect(accept(dir, { name: '002-happy-b' })).rejects.toThrow(/is not the one that its id names/)
  })
})

describe('writing', () => {
  test('where nothing can be written is a clear error, and nothing is lost', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    const blocked = join(dir, '001-happy-a.json', 'forex')
    await expect(freeze(options(blocked, [capture('001-happy-a', '{"a":1}')]))).rejects.toMatchObject({
      code: 'PARITY_GOLDEN_WRITE',
      message: expect.stringContaining('the goldens cannot be written: a part of its path is a file'),
    })
    expect(reasonOf(dir, '001-happy-a')).toBe('ok')
  })

  test('by two processes at once is refused; what a dead one left is removed', async () => {
    const dir = folder()
    mkdirSync(join(dir, `.staging-${process.ppid}`), { recursive: true })
    await expect(freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))).rejects.toThrow(/is writing these goldens/)
    rmSync(join(dir, `.staging-${process.ppid}`), { recursive: true })
    mkdirSync(join(dir, '.staging-999999999'))
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    expect(readdirSync(dir).sort()).toEqual(['001-happy-a.json', 'calibration.json', 'manifest.json'])
  })

  test('killed at any point leaves a set that reads as old, as new, or names what is amiss; freezing again completes it', async () => {
    const dir = folder()
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}')]))
    const script = join(root, 'freeze.ts')
    const modules = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    writeFileSync(
      script,
      `import { freeze } from ${modules('./freeze.ts')}
       const captures = Array.from({ length: 40 }, (_, n) => ({ name: String(100 + n) + '-happy-x', input: '${input}', captures: 2, noise: [],
         observation: [{ kind: 'response', method: 'GET', response: { status: 200, headers: [], body: { bytes: Buffer.from('n' + n) } } }] }))
       console.log('ready')
       await freeze({ ...${JSON.stringify(options(dir, []))}, captures, sameExceptNoise: () => false })`,
    )
    const states = new Set<string>()
    for (let afterMs = 0; afterMs < 60; afterMs += 6) {
      const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] })
      await new Promise<void>(resolve => {
        child.stdout.once('data', () => setTimeout(() => resolve(void child.kill('SIGKILL')), afterMs))
      })
      await new Promise(resolve => child.once('close', resolve))
      expect(reasonOf(dir, '001-happy-a')).toBe('ok')
      const set = readFixtureSet(dir)
      for (const name of set.names) {
        const listed = Object.hasOwn(set.manifest?.fixtures ?? {}, name)
        states.add(`${listed ? 'listed' : 'unlisted'} ${reasonOf(dir, name)}`)
      }
    }
    expect([...states].filter(state => state !== 'listed ok' && state !== 'unlisted fixture-tampered')).toEqual([])
    const body = (n: number) => answered(`n${n}`, [])
    const captures = Array.from({ length: 40 }, (_, n) => capture(`${100 + n}-happy-x`, '', { observation: [body(n)] }))
    const report = await freeze(options(dir, captures))
    expect([report.pending, report.written.length + report.unchanged.length]).toEqual([[], 40])
    expect(captures.every(({ name }) => reasonOf(dir, name) === 'ok')).toBe(true)
  })
})
