import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import type { Dirs } from './suite.ts'

const DEFAULTS = { golden: '__golden__', tolerance: 'tolerance', labs: 'labs' } as const

/**
 * Where goldens, tolerances and labs lie, from the root: what `given` says, else `"vitest-parity": {"dirs": …}` in
 * package.json, which runs and commands read alike, else the standard folders.
 *
 * **Throws** PARITY_OPTION_INVALID for dirs in package.json that are none.
 */
export function dirsOf(root: string, given: Dirs): Required<Dirs> {
  return { ...DEFAULTS, ...declaredDirs(root), ...given }
}

function declaredDirs(root: string): Dirs {
  let text: string
  try {
    text = readFileSync(join(root, 'package.json'), 'utf8')
  } catch {
    return {}
  }
  const dirs = declared(text)
  if (dirs === undefined) return {}
  if (typeof dirs !== 'object' || dirs === null) throw invalid(`dirs is ${JSON.stringify(dirs)}`, 'golden')
  for (const [name, dir] of Object.entries(dirs)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw invalid(`there is no \`${name}\``, nearest(name, Object.keys(DEFAULTS)))
    if (typeof dir !== 'string' || dir === '') throw invalid(`${name} is ${JSON.stringify(dir)}`, name)
  }
  return dirs
}

/** The member of package.json; a file that is no JSON declares nothing, and npm says so itself. */
function declared(text: string): unknown {
  try {
    const file = JSON.parse(text) as { 'vitest-parity'?: { dirs?: unknown } } | null
    return file?.['vitest-parity']?.dirs
  } catch {
    return undefined
  }
}

function invalid(what: string, name: string | null): ParityError {
  return new ParityError(
    'PARITY_OPTION_INVALID',
    `package.json: vitest-parity.dirs: ${what}`,
    `write "vitest-parity": { "dirs": { "${name ?? 'golden'}": "a/folder" } }`,
  )
}
