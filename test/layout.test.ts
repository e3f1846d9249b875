import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { layoutFindings } from '../scripts/layout.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function messagesFor(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'layout-'))
  folders.push(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return layoutFindings(root).map(found => `${found.file}:${found.line} ${found.message}`)
}

test('this repository keeps its layout', () => {
  expect(layoutFindings(join(import.meta.dirname, '..'))).toEqual([])
})

test.each([
  [
    'a middle package may not import the values of another',
    { 'src/golden/a.ts': "import { b } from '../lab/b.ts'\n" },
    'src/golden/a.ts:1 golden imports lab: middle packages share types only',
  ],
  [
    'an import that spreads over lines is seen',
    { 'src/golden/a.ts': "\nimport {\n  b,\n  c,\n} from '../lab/b.ts'\n" },
    'src/golden/a.ts:2 golden imports lab: middle packages share types only',
  ],
  [
    'a dynamic import is an import',
    { 'src/golden/a.ts': "const b = await import('../lab/b.ts')\n" },
    'src/golden/a.ts:1 golden imports lab: middle packages share types only',
  ],
  [
    'a re-export is an import',
    { 'src/core/a.ts': "export { b } from '../pipeline/b.ts'\n" },
    'src/core/a.ts:1 core imports pipeline',
  ],
  [
    'pipeline does not know the command line',
    { 'src/pipeline/a.ts': "import '../cli/b.ts'\n" },
    'src/pipeline/a.ts:1 pipeline imports cli',
  ],
  [
    'core reads no file',
    { 'src/core/a.ts': "import { x } from 'node:fs'\n" },
    'src/core/a.ts:1 core imports node:fs: core is pure',
  ],
  [
    'core reads no clock',
    { 'src/core/a.ts': 'export const a = Date.now()\n' },
    'src/core/a.ts:1 core reads the clock: pass it in',
  ],
  [
    'core reads no environment',
    { 'src/core/a.ts': 'export const a = process.env.TZ\n' },
    'src/core/a.ts:1 core reads the environment: pass it in',
  ],
  [
    'core is deaf to the locale',
    { 'src/core/a.ts': "export const a = 'x'.localeCompare('y')\n" },
    'src/core/a.ts:1 core reads the locale: pass it in',
  ],
  [
    'only src/vitest knows Vitest',
    { 'src/cli/a.ts': "import { expect } from 'vitest'\n" },
    'src/cli/a.ts:1 only src/vitest knows Vitest',
  ],
  ['exports have names', { 'src/run/a.ts': 'export default 1\n' }, 'src/run/a.ts:1 a default export: name it'],
  ['files are in kebab-case', { 'src/run/aB.ts': '\n' }, 'src/run/aB.ts:1 aB.ts is not in kebab-case'],
  [
    'a vague name is refused',
    { 'src/run/utils.ts': '\n' },
    'src/run/utils.ts:1 utils.ts names no responsibility: say what it holds',
  ],
  [
    'a long file is refused',
    { 'src/run/a.ts': '\n'.repeat(351) },
    'src/run/a.ts:351 351 lines, at most 350: split it by responsibility',
  ],
  [
    'an unplanned package is refused',
    { 'src/bus/a.ts': "import '../core/b.ts'\n" },
    'src/bus/a.ts:1 bus is no package of the layout',
  ],
])('%s', (_fact, files, finding) => {
  expect(messagesFor(files)).toContain(finding)
})

test('middle packages share types, tests may import anything, and comments are not code', () => {
  expect(
    messagesFor({
      'src/golden/a.ts': "import type { B } from '../lab/b.ts'\n// import { b } from '../lab/b.ts'\n",
      'src/golden/a.test.ts': "import { b } from '../lab/b.ts'\nimport { expect } from 'vitest'\n",
      'src/lab/container/a.docker.ts': "import { b } from '../../pipeline/b.ts'\nimport { expect } from 'vitest'\n",
      'src/core/a.ts': '/** Not Date.now() and not process.env. */\nexport const a = 1 // Math.random()\n',
      'src/vitest/runner.ts': 'export default class {}\n',
    }),
  ).toEqual([])
})
