/** The Vitest configuration of a project that `init` meets: found, written, or edited where that is safe. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type ConfigOutcome =
  | { readonly state: 'created' | 'edited' | 'kept'; readonly file: string }
  /** The file is written in a way that a text edit cannot be sure of; `edit` is what the user has to add. */
  | { readonly state: 'by-hand'; readonly file: string; readonly edit: string }

const IMPORT = "import { parity } from 'vitest-parity/plugin'"
const EXTENSIONS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']
const BY_HAND = `at the top:        ${IMPORT}\nin the config:     plugins: [parity()],`

/**
 * Makes the configuration in `cwd` load the plugin. Vitest prefers its own file over that of Vite, so that an existing
 * `vite.config` is edited rather than hidden by a new file.
 */
export function addPlugin(cwd: string): ConfigOutcome {
  const file = ['vitest.config', 'vite.config']
    .flatMap(stem => EXTENSIONS.map(extension => `${stem}.${extension}`))
    .find(name => existsSync(join(cwd, name)))
  if (file === undefined) return created(cwd)
  const text = readFileSync(join(cwd, file), 'utf8')
  if (/['"]vitest-parity\/plugin['"]/.test(text)) return { state: 'kept', file }
  const edited = withPlugin(text)
  if (edited === null) return { state: 'by-hand', file, edit: BY_HAND }
  writeFileSync(join(cwd, file), edited)
  return { state: 'edited', file }
}

/** In a CommonJS package only `.mts` is sure to be read as a module. */
function created(cwd: string): ConfigOutcome {
  const text = existsSync(join(cwd, 'package.json')) ? readFileSync(join(cwd, 'package.json'), 'utf8') : ''
  const file = /"type"\s*:\s*"module"/.test(text) ? 'vitest.config.ts' : 'vitest.config.mts'
  const lines = [
    IMPORT,
    "import { defineConfig } from 'vitest/config'",
    '',
    'export default defineConfig({ plugins: [parity()] })',
  ]
  writeFileSync(join(cwd, file), `${lines.join('\n')}\n`, { flag: 'wx' })
  return { state: 'created', file }
}

/**
 * The text of a configuration with the plugin in it, or null where that is not certain: no single `defineConfig({` or
 * `export default {`, a spread that could bring plugins of its own, or `plugins` that is not an array literal.
 */
export function withPlugin(text: string): string | null {
  const starts = [...text.matchAll(/\bdefineConfig\(\s*\{|^export default \{/gm)]
  const start = starts[0]
  if (start === undefined || starts.length > 1 || /\bmodule\.exports\b|\brequire\(/.test(text)) return null
  const open = start.index + start[0].length
  const keys = topKeys(text, open)
  if (keys === null || keys.some(key => key.name === '...')) return null
  const plugins = keys.filter(key => key.name === 'plugins')
  const found = plugins[0]
  let edited: string
  if (found === undefined) {
    const rest = text.slice(open)
    edited = `${text.slice(0, open)}${/^\s*\n/.test(rest) ? '\n  ' : ' '}plugins: [parity()],${rest}`
  } else {
    const array = /^(?:plugins|'plugins'|"plugins")\s*:\s*\[/.exec(text.slice(found.at))
    if (array === null || plugins.length > 1) return null
    const inside = found.at + array[0].length
    const isEmpty = /^\s*\]/.test(text.slice(inside))
    edited = `${text.slice(0, inside)}parity()${isEmpty ? '' : ', '}${text.slice(inside)}`
  }
  const firstImport = /^import\b/m.exec(edited)
  const at = firstImport?.index ?? 0
  return `${edited.slice(0, at)}${IMPORT}\n${edited.slice(at)}`
}

interface Key {
  readonly name: string
  readonly at: number
}

/** The keys of the object that opens just before `open`, in order, or null when its end is not found where it should be. */
function topKeys(text: string, open: number): Key[] | null {
  const keys: Key[] = []
  let depth = 1
  let expectsKey = true
  let at = open
  while (at < text.length) {
    const skipped = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(text.slice(at))
    if (skipped !== null) {
      at += skipped[0].length
      continue
    }
    if (depth === 1 && expectsKey && text[at] !== '}') {
      const key = /^(?:\.\.\.|[A-Za-z_$][\w$]*|'[^'\n]*'|"[^"\n]*")/.exec(text.slice(at))
      if (key === null) return null
      keys.push({ name: key[0].replace(/['"]/g, ''), at })
      at += key[0].length
      expectsKey = false
      continue
    }
    const string = /^(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/.exec(text.slice(at))
    if (string !== null) {
      at += string[0].length
      continue
    }
    const character = text.charAt(at)
    if ('{[('.includes(character)) depth += 1
    if ('}])'.includes(character)) depth -= 1
    if (depth === 0) return character === '}' && /^\}\s*(?:\)|$|;|\n)/.test(text.slice(at)) ? keys : null
    if (depth === 1 && character === ',') expectsKey = true
    at += 1
  }
  return null
}
