import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dirsOf } from './dirs.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parity dirs ü '))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const declare = (text: string) => writeFileSync(join(root, 'package.json'), text)
const STANDARD = { golden: '__golden__', tolerance: 'tolerance', labs: 'labs' }

test('are the standard folders where nobody says otherwise', () => {
  expect(dirsOf(root, {})).toEqual(STANDARD)
  declare('{"name":"x"}')
  expect(dirsOf(root, {})).toEqual(STANDARD)
  declare('not JSON')
  expect(dirsOf(root, {})).toEqual(STANDARD)
})

test('are what package.json says, and what is given before that', () => {
  declare('{"vitest-parity":{"dirs":{"golden":"goldens","labs":"legacy"}}}')
  expect(dirsOf(root, { labs: 'l' })).toEqual({ golden: 'goldens', tolerance: 'tolerance', labs: 'l' })
})

test.each([
  ['{"vitest-parity":{"dirs":{"goldens":"x"}}}', 'there is no `goldens`', '"golden"'],
  ['{"vitest-parity":{"dirs":{"labs":1}}}', 'labs is 1', '"labs"'],
  ['{"vitest-parity":{"dirs":"x"}}', 'dirs is "x"', '"golden"'],
])('that are none are refused: %s', (text, what, fix) => {
  declare(text)
  expect(() => dirsOf(root, {})).toThrow(what)
  expect(() => dirsOf(root, {})).toThrow(fix)
})
