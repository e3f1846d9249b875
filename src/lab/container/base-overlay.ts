import { join } from 'node:path'
import { canonicalText, sha256 } from '../../core/canonical.ts'
import { installPackages } from '../install.ts'
import { LabFailure } from '../lab-failure.ts'
import { type Host, thisHost } from '../platform.ts'
import type { Engine } from './engine.ts'
import { type Placed, tarOf } from './image-tar.ts'
import { follow } from './pulls.ts'
import type { ContainerLab, ServiceSpec } from './spec.ts'

const OVERLAY_LABEL = 'vitest-parity.overlay'
/** Raised when the way of laying over changes what comes out. */
const FORMAT = 2
const BUILD_TIMEOUT_MS = 300_000

export interface OverlayOptions {
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
  /** Of npm. Default: as `installPackages` takes it. */
  readonly cacheDir?: string
}

/**
 * The id of an image with the files and packages of a service over its base; that of the base where it has none. Made once
 * for each content, by the engine, without network.
 *
 * **Throws** LabFailure(`lab-image`, `dependency-missing`).
 */
export async function overlaid(
  engine: Engine,
  base: string,
  { service, lab }: { readonly service: ServiceSpec; readonly lab: ContainerLab },
  o: OverlayOptions,
): Promise<string> {
  const { files, npm } = service.overlay
  const packaged = Object.keys(npm).length > 0
  if (Object.keys(files).length === 0 && !packaged) return base
  // whatever is laid over stands in the folder of the lab, or is pinned by its lock
  const key = sha256(
    canonicalText({ format: FORMAT, base, files, npm, lab: lab.hash, lock: packaged ? lab.lock : null }),
  )
  const tag = `vitest-parity/overlay:${key.slice('sha256:'.length, 'sha256:'.length + 20)}`
  const known = await engine.docker
    .getImage(tag)
    .inspect()
    .catch(() => null)
  if (known?.Config.Labels?.[OVERLAY_LABEL] === key) return known.Id

  const places: Placed[] = Object.entries(files).map(([inside, path]) => ({ inside, from: join(lab.dir, path) }))
  if (packaged) {
    const installed = await installPackages(
      { dir: lab.dir, lock: lab.lock, file: { id: lab.id }, service: { npm } },
      { ...o, host: hostOf(engine) },
    )
    if (installed !== null) places.push({ inside: '/app/node_modules', from: join(installed.dir, 'node_modules') })
  }
  // a build names its base by a tag: an id alone would be looked up in a registry by some engines
  const repo = 'vitest-parity/base'
  const baseTag = base.replace(/^sha256:/, '').slice(0, 20)
  await engine.docker.getImage(base).tag({ repo, tag: baseTag })
  // each place by itself: a copied tree would give the folders above it, /tmp among them, other rights
  const copies = places.map(({ inside }, index) => `COPY ${JSON.stringify([`place-${index}`, inside])}\n`)
  const context = tarOf([
    { inside: '/Dockerfile', text: `FROM ${repo}:${baseTag}\n${copies.join('')}` },
    ...places.map((place, index) => ({ ...place, inside: `/place-${index}` })),
  ])
  const told = await follow(
    engine,
    () => engine.docker.buildImage(context, { t: tag, labels: { [OVERLAY_LABEL]: key }, networkmode: 'none' }),
    { signal: o.signal, limits: { wholeMs: BUILD_TIMEOUT_MS } },
  )
  if (!told.ok) {
    const what = `the files of ${lab.id} ${service.name} cannot be laid over its image: ${told.error}`
    throw new LabFailure('lab-image', what, 'read the words of the engine')
  }
  return (await engine.docker.getImage(tag).inspect()).Id
}

/** Where packages run: in a container of the engine, whatever this machine is. The image has to hold its libraries. */
export function hostOf(engine: Engine): Host {
  const arch = engine.platform === 'linux/arm64' ? 'arm64' : 'x64'
  return { platform: 'linux', arch, glibc: thisHost().glibc ?? '2.36' }
}
