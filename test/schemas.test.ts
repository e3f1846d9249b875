import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GoldenSchema, InputSchema } from '../scripts/file-schemas.ts'
import { contractSchema } from '../src/contract/contract.ts'
import { decisionsSchema } from '../src/core/decisions.ts'
import { toleranceSchema } from '../src/core/tolerance.ts'
import { parseYaml, validate } from '../src/core/yaml.ts'
import { LabFileSchema } from '../src/lab/lab-file.ts'

const root = join(import.meta.dirname, '..')

/** The files of this repository and of the first suite that `init` writes, relative, that `pattern` matches. */
function files(pattern: RegExp): string[] {
  return ['parity', 'tolerance', 'labs', '__golden__', 'template']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
    )
    .filter(name => pattern.test(name) && !name.includes('node_modules'))
    .sort()
}
const read = (name: string) => readFileSync(join(root, name), 'utf8')

describe('the published schemas accept what the repository holds', () => {
  test.each([
    [/parity\/[^/]+\/inputs\/[^/]+\.json$/, InputSchema],
    [/__golden__\/[^/]+\/\d[^/]*\.json$/, GoldenSchema],
  ])('%s', (pattern, schema) => {
    const found = files(pattern)
    expect(found.length).toBeGreaterThan(0)
    for (const name of found) expect(schema.safeParse(JSON.parse(read(name))).error?.issues, name).toBeUndefined()
  })

  test.each([
    [/\/contract\.yaml$/, contractSchema],
    [/\/lab\.yaml$/, LabFileSchema],
    [/tolerance\/[^/.]+\.yaml$/, toleranceSchema],
    [/tolerance\/[^/.]+\.rules\.yaml$/, decisionsSchema],
  ])('%s', (pattern, schema) => {
    const found = files(pattern)
    expect(found.length).toBeGreaterThan(1)
    for (const name of found) {
      expect(validate<unknown>(parseYaml(read(name), basename(name)), schema, name)).toMatchObject({ ok: true })
    }
  })
})

test.each([
  ['two forms of a body', { steps: [{ request: { method: 'POST', path: '/a', body: { json: 1, text: '1' } } }] }],
  ['no steps', { steps: [] }],
  ['a path without its slash', { steps: [{ request: { method: 'GET', path: 'a' } }] }],
  ['an unknown member', { step: [{ input: 1 }], steps: [{ input: 1 }] }],
])('an input with %s does not fit', (_what, value) => {
  expect(InputSchema.safeParse(value).success).toBe(false)
})
