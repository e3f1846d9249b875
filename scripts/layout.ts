/**
 * The layout of the sources as a check: who may import whom, what core must not touch, and how files are named.
 * `npm run check` and `test/layout.test.ts` both run it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/** One broken rule of the layout. */
export interface LayoutFinding {
  readonly file: string
  readonly line: number
  readonly message: string
}

interface Import {
  readonly from: string
  readonly typeOnly: boolean
  readonly line: number
}

export const MIDDLE = ['mask', 'contract', 'golden', 'replay', 'lab', 'record', 'report', 'run', 'ledger'] as const
const SHARED = ['core', 'model', 'errors']
const LINES_MAX = 350
/** A test, with an engine of containers or without one. */
const TEST = /\.(?:test|docker)\.ts$/
const VAGUE = /^(?:utils?|helpers?|commons?|managers?)$/

/** What a package of `src` may import for its values. Types of another middle package are free to a middle package. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  errors: [],
  core: SHARED,
  ...Object.fromEntries(MIDDLE.map(name => [name, SHARED])),
  pipeline: [...MIDDLE, ...SHARED],
  vitest: ['pipeline', ...MIDDLE, ...SHARED],
  cli: ['pipeline', ...MIDDLE, ...SHARED],
}

/** Packages from outside that one package of `src` keeps to itself, or that it may not have. */
const CORE_MODULES = new Set([
  'node:crypto',
  'node:zlib',
  'node:buffer',
  'node:util',
  'json-p3',
  'saxes',
  'yaml',
  'zod',
])
const IMPURE: readonly (readonly [RegExp, string])[] = [
  [/\bDate\.now\b|\bnew Date\(\s*\)/, 'the clock'],
  [/\bMath\.random\b|\brandomUUID\b|\brandomBytes\b/, 'randomness'],
  [/\bprocess\./, 'the environment'],
  [/\bperformance\.|\bsetTimeout\b|\bsetInterval\b/, 'the clock'],
  [/\blocaleCompare\b|\bIntl\.|\btoLocale\w+\b/, 'the locale'],
]

/** Default exports that a tool demands: Vitest loads the class of a runner or reporter, and its own configuration, so. */
const DEFAULT_EXPORTS = new Set(['src/vitest/runner.ts', 'src/vitest/reporter.ts', 'vitest.config.ts'])

/** Every finding under `root`, sorted by file and line; empty when the layout holds. */
export function layoutFindings(root: string): LayoutFinding[] {
  const findings = filesOf(root).flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8')
    const code = withoutComments(text)
    return [
      ...nameFindings(file),
      ...sizeFindings(file, text),
      ...codeFindings(file, code),
      ...importFindings(file, code),
    ]
  })
  return findings.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line))
}

function filesOf(root: string): string[] {
  const found = existsSync(join(root, 'vitest.config.ts')) ? ['vitest.config.ts'] : []
  for (const folder of ['src', 'scripts', 'test', 'parity', 'bench']) {
    if (!existsSync(join(root, folder))) continue
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.ts') && !name.includes('node_modules')) found.push(`${folder}/${name.split(sep).join('/')}`)
    }
  }
  return found.sort()
}

function nameFindings(file: string): LayoutFinding[] {
  const findings: LayoutFinding[] = []
  for (const part of file.split('/')) {
    const stem = part.replace(/\.ts$/, '').replace(/(?:\.property)?\.(?:test|docker|parity|config)$/, '')
    if (!/^_{0,2}[a-z0-9]+(?:-[a-z0-9]+)*_{0,2}$/.test(stem)) {
      findings.push({ file, line: 1, message: `${part} is not in kebab-case` })
    }
    if (VAGUE.test(stem))
      findings.push({ file, line: 1, message: `${part} names no responsibility: say what it holds` })
  }
  return findings
}

function sizeFindings(file: string, text: string): LayoutFinding[] {
  const lines = text.split('\n').length - 1
  if (lines <= LINES_MAX) return []
  return [{ file, line: lines, message: `${lines} lines, at most ${LINES_MAX}: split it by responsibility` }]
}

function codeFindings(file: string, code: string): LayoutFinding[] {
  const findings: LayoutFinding[] = []
  const isTest = TEST.test(file)
  code.split('\n').forEach((text, index) => {
    const line = index + 1
    if (/^\s*export\s+default\b|\bas default\b/.test(text) && !DEFAULT_EXPORTS.has(file)) {
      findings.push({ file, line, message: 'a default export: name it' })
    }
    if (!file.startsWith('src/core/') || isTest) return
    for (const [pattern, what] of IMPURE) {
      if (pattern.test(text)) findings.push({ file, line, message: `core reads ${what}: pass it in` })
    }
  })
  return findings
}

function importFindings(file: string, code: string): LayoutFinding[] {
  if (!file.startsWith('src/') || TEST.test(file)) return []
  const own = packageOf(file)
  return importsOf(code).flatMap(found => {
    const message = found.from.startsWith('.') ? insideFinding(file, own, found) : outsideFinding(own, found)
    return message === null ? [] : [{ file, line: found.line, message }]
  })
}

function insideFinding(file: string, own: string, found: Import): string | null {
  const target = relative('.', join(dirname(file), found.from))
    .split(sep)
    .join('/')
  if (!target.startsWith('src/')) return `${target} lies outside src`
  if (own === 'index') return null
  const other = packageOf(target)
  if (other === own || MAY_IMPORT[own]?.includes(other)) return null
  const isMiddle = (name: string) => (MIDDLE as readonly string[]).includes(name)
  if (found.typeOnly && ((isMiddle(own) && isMiddle(other)) || (own === 'model' && other === 'core'))) return null
  if (MAY_IMPORT[own] === undefined) return `${own} is no package of the layout`
  return `${own} imports ${other}${isMiddle(own) && isMiddle(other) ? ': middle packages share types only' : ''}`
}

function outsideFinding(own: string, found: Import): string | null {
  if (/^vitest(?:\/|$)/.test(found.from) && own !== 'vitest' && own !== 'index') return 'only src/vitest knows Vitest'
  if (own === 'core' && !CORE_MODULES.has(found.from)) return `core imports ${found.from}: core is pure`
  if ((own === 'model' || own === 'errors') && found.from !== 'zod') return `${own} imports ${found.from}`
  return null
}

/** `core` of `src/core/json.ts`; `model` of `src/model.ts`. */
function packageOf(file: string): string {
  const parts = file.split('/')
  return parts.length > 2 ? (parts[1] ?? '') : basename(file, '.ts')
}

/** Static and dynamic imports and re-exports, in the order of the text. Biome keeps every specifier in single quotes. */
export function importsOf(code: string): Import[] {
  const found: Import[] = []
  const pattern =
    /^[ \t]*(?:import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm
  for (const match of code.matchAll(pattern)) {
    const from = match[2] ?? match[3]
    if (from === undefined) continue
    const line = code.slice(0, match.index).split('\n').length
    found.push({ from, typeOnly: match[1] !== undefined, line })
  }
  return found
}

/** The code with comments blanked out, line by line as before. A `//` inside a string may blank the rest of its line. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ' ')).replace(/(^|\s)\/\/[^\n]*/g, '$1')
}
