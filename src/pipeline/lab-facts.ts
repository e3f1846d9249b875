/** What is known of a lab without booting it. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { LintLab } from '../contract/lint-lab.ts'
import { ParityError } from '../errors.ts'
import { type Lab, type LabFile, loadLab } from '../lab/lab-file.ts'
import { isPinned, type Pins, readLock } from '../lab/lab-lock.ts'
import { fidelityOf } from '../lab/rung.ts'
import { dirsOf } from './dirs.ts'
import type { Feature } from './feature.ts'

/** What lint looks at of the lab of a feature; null when it has none. **Throws** PARITY_LAB_INVALID for lab.lock.yaml. */
export function lintLabOf({ contract, lab, paths }: Feature, root: string): LintLab | null {
  if (contract.lab === null || lab === null) return null
  const dir = join(paths.labs, contract.lab)
  return {
    file: relative(root, join(dir, 'lab.yaml')),
    id: contract.lab,
    fidelity: fidelityOf(lab),
    services: Object.keys(lab.services),
    unpinned: unpinnedServices(lab, readLock(dir)),
  }
}

/** The services of a container lab whose image is not in its lock, as lab.yaml names it now. */
function unpinnedServices(lab: LabFile, pins: Pins | null): readonly string[] {
  if (lab.driver === 'process') return []
  return Object.entries(lab.services).flatMap(([name, { image }]) =>
    isPinned(pins, { name, tag: image.tag }) ? [] : [name],
  )
}

/** Why a lab cannot be loaded; null when it can. */
export async function labFault(dir: string): Promise<ParityError | null> {
  const outcome = await loaded(dir)
  return outcome instanceof ParityError ? outcome : null
}

async function loaded(dir: string): Promise<Lab | ParityError> {
  try {
    return await loadLab(dir)
  } catch (error) {
    if (error instanceof ParityError) return error
    throw error
  }
}

/** A lab of the project as its files have it, or what is wrong with them. */
export type KnownLab = { readonly name: string } & (
  | { readonly fault: ParityError }
  | { readonly fault: null; readonly file: LabFile; readonly rung: string; readonly unpinned: readonly string[] }
)

/** Every lab of the project, by name. */
export async function knownLabs(root: string): Promise<readonly KnownLab[]> {
  const folder = join(root, dirsOf(root, {}).labs)
  const known: KnownLab[] = []
  for (const name of labNames(folder)) {
    const lab = await loaded(join(folder, name))
    if (lab instanceof ParityError) known.push({ name, fault: lab })
    else {
      const { file } = lab
      const pins = lab.driver === 'container' ? lab.pins : null
      known.push({ name, fault: null, file, rung: fidelityOf(file).rung, unpinned: unpinnedServices(file, pins) })
    }
  }
  return known
}

/** Names of the folders that hold a lab.yaml. */
function labNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && readdirSync(join(folder, entry.name)).includes('lab.yaml'))
      .map(entry => entry.name)
      .sort()
  } catch {
    return []
  }
}
