import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  answered,
  capture,
  caseOf,
  edit,
  filesOf,
  folder,
  input,
  JSON_TYPE,
  options,
  reasonOf,
} from '../../test/golden-folder.ts'
import { sha256 } from '../core/canonical.ts'
import type { Case, Observation } from '../model.ts'
import { freeze } from './freeze.ts'
import { payloadOf } from './payload.ts'
import { admit, readCalibration, readFixtureSet } from './store.ts'

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
                ["Content-Type", "application/json"]
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

  test('D14: whose body file changed, or is gone, says so', async () => {
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

  test('with a calibration whose noise was edited by hand is an error', async () => {
    const dir = folder()
    const noise = [{ step: 0, path: '$.id', pointer: '/id', first: '1', second: '2' }]
    await freeze(options(dir, [capture('001-happy-a', '{"a":1}', { noise })]))
    edit(join(dir, 'calibration.json'), text => text.replace('"$.id"', '"$.amount"'))
    expect(() => readCalibration(dir)).toThrow(/calibration\.json: the id is not that of the noise listed\nFix: /)
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
