import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { sha256 } from '../core/canonical.ts'
import { ParityError } from '../errors.ts'
import type { Sha256 } from '../model.ts'

const Versions = z.record(z.string(), z.string())
const Manifest = z.looseObject({ dependencies: Versions.default({}) })
const Lock = z.looseObject({
  lockfileVersion: z.int().min(2),
  packages: z.record(
    z.string(),
    z.looseObject({
      dependencies: Versions.optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
})

/**
 * Checks that the npm map of lab.yaml, package.json and package-lock.json name the same exact versions and that the
 * lock pins every package by its integrity; else a later install could bring other dependencies.
 * Resolves to the hash of the lock, or to null when the map is empty.
 *
 * **Throws** PARITY_LAB_UNPINNED.
 */
export async function checkPins(dir: string, npm: Readonly<Record<string, string>>): Promise<Sha256 | null> {
  if (Object.keys(npm).length === 0) return null
  const manifestPath = join(dir, 'package.json')
  const lockPath = join(dir, 'package-lock.json')
  const relock = `npm install --prefix ${JSON.stringify(dir)} --package-lock-only --ignore-scripts --legacy-peer-deps`

  const manifest = parse(Manifest, await read(manifestPath), manifestPath)
  const wanted = JSON.stringify(npm)
  const differing = firstDifference(npm, manifest.dependencies)
  if (differing !== null) {
    const what = `${manifestPath} does not agree with npm: in lab.yaml: ${differing}`
    throw unpinned(what, `set "dependencies" to ${wanted}, then run: ${relock}`)
  }
  const lockText = await read(lockPath, relock)
  const lock = parse(Lock, lockText, lockPath, relock)
  const locked = firstDifference(npm, lock.packages['']?.dependencies ?? {})
  if (locked !== null) throw unpinned(`${lockPath} does not agree with npm: in lab.yaml: ${locked}`, relock)
  const loose = Object.entries(lock.packages).find(([path, entry]) => path !== '' && entry.integrity === undefined)
  if (loose !== undefined) throw unpinned(`${lockPath} does not pin ${loose[0]}: it has no integrity`, relock)
  return sha256(lockText)
}

async function read(path: string, relock?: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const fix = relock ?? `create it, private, with "dependencies" as npm: in lab.yaml`
    throw new ParityError('PARITY_LAB_UNPINNED', `${path} cannot be read`, fix, { cause })
  }
}

function parse<T>(schema: z.ZodType<T>, text: string, path: string, relock?: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ParityError('PARITY_LAB_UNPINNED', `${path} is not JSON`, relock ?? 'correct it', { cause })
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw unpinned(`${path}: ${issue?.path.join('.')}: ${issue?.message}`, relock ?? 'correct it')
}

function firstDifference(
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): string | null {
  for (const name of [...Object.keys(wanted), ...Object.keys(found)]) {
    if (wanted[name] !== found[name]) {
      return `${name}: expected ${wanted[name] ?? 'nothing'}, received ${found[name] ?? 'nothing'}`
    }
  }
  return null
}

function unpinned(what: string, fix: string): ParityError {
  return new ParityError('PARITY_LAB_UNPINNED', what, fix)
}
