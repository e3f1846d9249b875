import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addPlugin, withPlugin } from './vitest-config.ts'

describe('a configuration that can be edited', () => {
  test.each([
    [
      'without plugins, on one line',
      "import { defineConfig } from 'vitest/config'\nexport default defineConfig({ test: { globals: true } })\n",
      "import { parity } from 'vitest-parity/plugin'\nimport { defineConfig } from 'vitest/config'\nexport default defineConfig({ plugins: [parity()], test: { globals: true } })\n",
    ],
    [
      'without plugins, over lines, its own nested ones left alone',
      "// ours\nimport { defineConfig } from 'vitest/config'\nexport default defineConfig({\n  css: { postcss: { plugins: [] } }, // plugins: none\n})\n",
      "// ours\nimport { parity } from 'vitest-parity/plugin'\nimport { defineConfig } from 'vitest/config'\nexport default defineConfig({\n  plugins: [parity()],\n  css: { postcss: { plugins: [] } }, // plugins: none\n})\n",
    ],
    [
      'with plugins',
      "import vue from 'vue'\nexport default defineConfig({\n  test: { name: 'plugins: [' },\n  plugins: [vue({ a: [1] })],\n})\n",
      "import { parity } from 'vitest-parity/plugin'\nimport vue from 'vue'\nexport default defineConfig({\n  test: { name: 'plugins: [' },\n  plugins: [parity(), vue({ a: [1] })],\n})\n",
    ],
    [
      'with an empty list',
      "export default {\n  'plugins': [ ],\n}\n",
      "import { parity } from 'vitest-parity/plugin'\nexport default {\n  'plugins': [parity() ],\n}\n",
    ],
    [
      'that is empty',
      'export default defineConfig({})',
      "import { parity } from 'vitest-parity/plugin'\nexport default defineConfig({ plugins: [parity()],})",
    ],
  ])('%s', (_what, before, after) => {
    expect(withPlugin(before)).toBe(after)
  })
})

test.each([
  ['a function', 'export default defineConfig(({ mode }) => ({ test: {} }))'],
  ['a spread that may bring plugins', 'export default defineConfig({ ...base, test: {} })'],
  ['plugins from elsewhere', 'export default defineConfig({ plugins: shared })'],
  ['two configurations', 'const a = defineConfig({})\nexport default mergeConfig(a, defineConfig({}))'],
  ['CommonJS', "const { defineConfig } = require('vitest/config')\nmodule.exports = defineConfig({})"],
  ['shorthand plugins', 'export default defineConfig({ plugins, test: {} })'],
  ['an end that is not found', 'export default defineConfig({ test: {} '],
])('leaves %s to the user', (_what, text) => {
  expect(withPlugin(text)).toBeNull()
})

describe('on disk', () => {
  let cwd = ''
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'init-'))
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  })
  afterEach(() => rmSync(cwd, { recursive: true }))

  test('creates a configuration where there is none, and leaves it the second time', () => {
    expect(addPlugin(cwd)).toEqual({ state: 'created', file: 'vitest.config.ts' })
    expect(addPlugin(cwd)).toEqual({ state: 'kept', file: 'vitest.config.ts' })
  })

  test('a CommonJS package gets a file that is a module all the same', () => {
    writeFileSync(join(cwd, 'package.json'), '{}')
    expect(addPlugin(cwd)).toEqual({ state: 'created', file: 'vitest.config.mts' })
  })

  test('edits the configuration of Vite rather than hiding it behind a new file', () => {
    writeFileSync(join(cwd, 'vite.config.js'), 'export default { base: "/app" }\n')
    expect(addPlugin(cwd)).toEqual({ state: 'edited', file: 'vite.config.js' })
    expect(addPlugin(cwd)).toEqual({ state: 'kept', file: 'vite.config.js' })
  })

  test('says the edit where it is not safe, and touches nothing', () => {
    const text = 'export default defineConfig({ ...base })\n'
    writeFileSync(join(cwd, 'vitest.config.ts'), text)
    expect(addPlugin(cwd)).toMatchObject({ state: 'by-hand', file: 'vitest.config.ts' })
    expect(readFileSync(join(cwd, 'vitest.config.ts'), 'utf8')).toBe(text)
  })
})
