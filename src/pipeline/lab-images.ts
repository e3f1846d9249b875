/** The images of a lab: pinned, and put where a machine without the way to them finds them. */
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { openEngine } from '../lab/container/engine.ts'
import { type Mirrored, mirrorToArchive, mirrorToRegistry } from '../lab/container/mirror.ts'
import { type Pinning, pinImages } from '../lab/container/pin.ts'
import { LOCK_FILE, readLock } from '../lab/lab-lock.ts'
import { dirsOf } from './dirs.ts'
import { containerLab } from './lab-lifecycle.ts'

export interface OfLab {
  readonly root: string
  readonly name: string
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
}

/** Finds the images of a lab anew and writes them to lab.lock.yaml beside its lab.yaml. */
export async function pinLab(
  o: OfLab,
): Promise<{ readonly lab: string; readonly changed: boolean; readonly pinnings: readonly Pinning[] }> {
  await dropBrokenLock(join(o.root, dirsOf(o.root, {}).labs, o.name), o.onLog)
  const lab = await containerLab(o.root, o.name)
  const engine = await openEngine({ signal: o.signal })
  return { lab: lab.id, ...(await pinImages(engine, lab, o)) }
}

/** A lock that cannot be read would keep its lab from being read, and so from being pinned. */
async function dropBrokenLock(dir: string, onLog: (line: string) => void): Promise<void> {
  try {
    readLock(dir)
  } catch (error) {
    onLog(`${LOCK_FILE} is written anew: ${error instanceof Error ? error.message : String(error)}`)
    await rm(join(dir, LOCK_FILE), { force: true })
  }
}

/** Pushes the images of a lab to a registry, or saves them as an archive. */
export async function mirrorLab(
  o: OfLab & { readonly to: { readonly registry: string } | { readonly archive: string } },
): Promise<{ readonly lab: string; readonly images: readonly Mirrored[] }> {
  const lab = await containerLab(o.root, o.name)
  const engine = await openEngine({ signal: o.signal })
  const images =
    'registry' in o.to
      ? await mirrorToRegistry(engine, lab, { ...o, registry: o.to.registry })
      : await mirrorToArchive(engine, lab, { ...o, archive: resolve(o.root, o.to.archive) })
  return { lab: lab.id, images }
}
