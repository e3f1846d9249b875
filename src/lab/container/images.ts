import { climb } from './base-ladder.ts'
import { overlaid } from './base-overlay.ts'
import { toolImage } from './base-tool.ts'
import type { LadderOptions, Wanted } from './base-wanted.ts'
import type { Engine } from './engine.ts'
import type { ContainerLab, ResolvedImage, ServiceSpec } from './spec.ts'

/**
 * The image that a service runs: its base by the ladder, with its files and packages over it.
 *
 * **Throws** LabFailure(`lab-image`, `dependency-missing`), or the reason of `signal`.
 */
export async function ensureImage(
  engine: Engine,
  o: LadderOptions & { readonly service: ServiceSpec; readonly lab: ContainerLab },
): Promise<ResolvedImage> {
  const { service, lab } = o
  const found = await climb(engine, wantedBy(lab, service), o)
  const runId = await overlaid(engine, found.id, o, o)
  return { service: service.name, tag: service.image.tag, runId, ...found }
}

/** What a service wants as its base. */
export function wantedBy(lab: ContainerLab, service: ServiceSpec): Wanted {
  const pin = lab.pins?.[service.name] ?? null
  return { name: `${lab.id} ${service.name}`, image: service.image, pin, dir: lab.dir }
}

/** The image of the gate and of the probes: Node alone. **Throws** as `ensureImage` does. */
export async function ensureToolImage(engine: Engine, o: LadderOptions): Promise<ResolvedImage> {
  const wanted = toolImage(engine, o)
  const found = await climb(engine, wanted, o)
  return { service: 'gate', tag: wanted.image.tag, runId: found.id, ...found }
}
