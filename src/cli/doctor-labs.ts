/** What `doctor` says of container labs: their engine, the packages that reach it, and each lab of the project. */
import { createRequire } from 'node:module'
import { openEngine } from '../lab/container/engine.ts'
import { LabFailure } from '../lab/lab-failure.ts'
import type { KnownLab } from '../pipeline/lab-facts.ts'
import { type Finding, finding } from './findings.ts'

/** The packages that reach an engine, which a project installs when it has container labs. */
export const ENGINE_PACKAGES = ['testcontainers', 'dockerode'] as const

/** An engine that answered, or why none did. */
export type EngineSeen =
  | { readonly version: string; readonly apiVersion: string; readonly platform: string }
  | { readonly why: string; readonly remedy: string }

/** Asks the engine of this machine. Bounded by `openEngine`: 5 s. */
export async function seeEngine(signal: AbortSignal): Promise<EngineSeen> {
  try {
    const { version, apiVersion, platform } = await openEngine({ signal })
    return { version, apiVersion, platform }
  } catch (error) {
    if (!(error instanceof LabFailure)) throw error
    return { why: error.message, remedy: error.remedy }
  }
}

/** The version of a package as this one resolves it; null when it is not installed. */
export function packageVersion(name: string): string | null {
  const require = createRequire(import.meta.url)
  try {
    const found: unknown = require(`${name}/package.json`)
    return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : null
  } catch {
    return null
  }
}

export function engineFinding(seen: EngineSeen): Finding {
  const answers = 'version' in seen
  return finding({
    id: 'docker',
    detail: answers ? `engine ${seen.version}, API ${seen.apiVersion}, ${seen.platform}` : seen.why,
    serves: 'container labs',
    fix: answers ? null : seen.remedy,
  })
}

export function packageFinding(name: string, version: string | null): Finding {
  return finding({
    id: name,
    detail: version === null ? 'not installed' : `${name} ${version}`,
    serves: 'reaches the engine of container labs',
    fix: version === null ? `npm install -D ${name}; replay and process labs do without it` : null,
  })
}

export function mmdebstrapFinding(version: string | null): Finding {
  return finding({
    id: 'mmdebstrap',
    detail: version ?? 'not found',
    serves: 'builds images of Debian packages, where no registry has them',
    fix: version === null ? 'apt-get install mmdebstrap; an image that a registry serves does without it' : null,
  })
}

/** One lab: what runs it, how near it comes, and whether its images are pinned. */
export function labFinding(lab: KnownLab): Finding {
  const serves = 'a legacy to record from'
  const id = `lab ${lab.name}`
  if (lab.fault !== null) {
    const { fault } = lab
    const [detail = ''] = fault.message.split('\n', 1)
    return finding({ id, detail, serves, fix: fault.fix })
  }
  const { file, rung, unpinned } = lab
  const parts = [file.driver, rung, `isolation ${file.isolation}`]
  if (file.driver === 'container') parts.push(unpinned.length === 0 ? 'pinned' : `not pinned: ${unpinned.join(', ')}`)
  const fix = unpinned.length === 0 ? null : `npx vitest-parity lab pin ${lab.name}, and commit lab.lock.yaml`
  return finding({ id, detail: parts.join(', '), serves, fix })
}
