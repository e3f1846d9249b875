/**
 * `node scripts/record-again.ts <feature>`: records a feature from its real legacy in a copy of the project and says what
 * moved. Goldens have to stay byte for byte; in the manifest and the calibration only provenance and noise may change.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const PROJECT = ['parity', 'tolerance', 'labs', '__golden__', 'package.json']
/** What the manifest says about time; everything else in it is about content. */
const PROVENANCE = new Set(['frozen', 'expires', 'recorder'])

/** The files of a folder and what in them has to stay: whole goldens, and the manifest without its provenance. */
function contentOf(folder: string): Map<string, string> {
  const content = new Map<string, string>()
  if (!existsSync(folder)) return content
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name === 'calibration.json') continue
    const path = join(folder, name)
    if (!/\.(?:json|bin)$/.test(name)) content.set(name, 'a folder')
    else if (name === 'manifest.json') content.set(name, withoutProvenance(readFileSync(path, 'utf8')))
    else content.set(name, readFileSync(path, 'base64'))
  }
  return content
}

function withoutProvenance(text: string): string {
  return JSON.stringify(
    JSON.parse(text, (key, value: unknown) => (PROVENANCE.has(key) ? undefined : value)),
    null,
    1,
  )
}

function recordAgain(feature: string): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'record-again-'))
  try {
    for (const name of PROJECT) cpSync(join(root, name), join(copy, name), { recursive: true })
    const done = spawnSync(process.execPath, [join(root, 'src/cli/main.ts'), 'record', feature], {
      cwd: copy,
      stdio: 'inherit',
    })
    if (done.status !== 0) return [`record ${feature} exited ${done.status ?? done.signal}`]
    const before = contentOf(join(root, '__golden__', feature))
    const after = contentOf(join(copy, '__golden__', feature))
    const moved = [...new Set([...before.keys(), ...after.keys()])].sort()
    return moved
      .filter(name => before.get(name) !== after.get(name))
      .map(name => `${name}: ${before.has(name) ? (after.has(name) ? 'changed' : 'gone') : 'new'}`)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const feature = process.argv[2]
if (feature === undefined) {
  console.error('Usage: node scripts/record-again.ts <feature>')
  process.exitCode = 2
} else {
  const moved = recordAgain(feature)
  for (const line of moved) console.error(`__golden__/${feature}/${line}`)
  console.log(moved.length === 0 ? `${feature}: the legacy still answers what was recorded` : `${moved.length} moved`)
  process.exitCode = moved.length === 0 ? 0 : 1
}
