import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { LabFailure } from '../lab-failure.ts'
import { climb } from './base-ladder.ts'
import { RECIPE_LABEL, recipeHash, recipeTag } from './base-recipe.ts'
import { inspected } from './base-rungs.ts'
import { toolImage } from './base-tool.ts'
import { type LadderOptions, referenceIn, type Wanted } from './base-wanted.ts'
import type { Engine } from './engine.ts'
import { wantedBy } from './images.ts'
import { follow, remedyOf } from './pulls.ts'
import type { ContainerLab } from './spec.ts'

/** The base of a service, or of the gate, where it can be had without what it was made from. */
export interface Mirrored {
  /** The service; `gate` for the image of the gate and the probes. */
  readonly service: string
  readonly id: string
  /** Where it stands in the registry, or its name in the archive. */
  readonly reference: string
}

interface Base {
  readonly service: string
  readonly wanted: Wanted
  readonly id: string
  /** The name that what a recipe made has everywhere; null where the image was pulled. */
  readonly recipe: string | null
}

/** The images of a lab and that of its gate, found by the ladder. */
async function basesOf(engine: Engine, lab: ContainerLab, o: LadderOptions): Promise<Base[]> {
  const wanted = [
    ...lab.services.map(service => ({ service: service.name, wanted: wantedBy(lab, service) })),
    { service: 'gate', wanted: toolImage(engine, o) },
  ]
  const bases: Base[] = []
  for (const each of wanted) {
    const { id } = await climb(engine, each.wanted, o)
    const { recipe } = each.wanted.image
    const hash = recipe === null ? null : await recipeHash(recipe, each.wanted)
    const made = hash !== null && (await inspected(engine, id))?.Config.Labels?.[RECIPE_LABEL] === hash
    bases.push({ ...each, id, recipe: made ? recipeTag(hash) : null })
  }
  return bases
}

/**
 * Pushes what a lab boots from to a registry, so that PARITY_REGISTRY gives it elsewhere: pulled images under their own path
 * and tag, what a recipe made under the name of the recipe.
 *
 * **Throws** LabFailure(`lab-image`), or the reason of `signal`.
 */
export async function mirrorToRegistry(
  engine: Engine,
  lab: ContainerLab,
  o: LadderOptions & { readonly registry: string },
): Promise<readonly Mirrored[]> {
  const mirrored: Mirrored[] = []
  for (const { service, wanted, id, recipe } of await basesOf(engine, lab, o)) {
    const reference = recipe === null ? referenceIn(o.registry, wanted.image.tag, null) : `${o.registry}/${recipe}`
    o.onLog(`pushing ${reference}`)
    await push(engine, { id, reference }, o)
    mirrored.push({ service, id, reference })
  }
  return mirrored
}

async function push(
  engine: Engine,
  { id, reference }: { readonly id: string; readonly reference: string },
  o: LadderOptions,
): Promise<void> {
  const colon = reference.lastIndexOf(':')
  await engine.docker.getImage(id).tag({ repo: reference.slice(0, colon), tag: reference.slice(colon + 1) })
  const there = engine.docker.getImage(reference)
  try {
    // the engine wants some account, also for a registry that asks for none
    const authconfig = { username: '', password: '', serveraddress: reference.split('/', 1)[0] ?? '' }
    const told = await follow(engine, () => there.push({ authconfig }), {
      signal: o.signal,
      ...(o.limits === undefined ? {} : { limits: o.limits }),
    })
    if (told.ok) return
    const remedy = remedyOf(told.error, { reference, platform: engine.platform })
    throw new LabFailure('lab-image', `${reference} cannot be pushed: ${told.error}`, remedy)
  } finally {
    const tags = (await inspected(engine, id))?.RepoTags ?? []
    if (tags.length > 1) await there.remove({ noprune: true }).catch(() => {})
  }
}

/**
 * Saves what a lab boots from as one archive that `docker load` takes; where it was loaded, no registry is needed.
 *
 * **Throws** LabFailure(`lab-image`), or the reason of `signal`; there is then no archive.
 */
export async function mirrorToArchive(
  engine: Engine,
  lab: ContainerLab,
  o: LadderOptions & { readonly archive: string },
): Promise<readonly Mirrored[]> {
  const mirrored: Mirrored[] = []
  for (const { service, wanted, id, recipe } of await basesOf(engine, lab, o)) {
    const { tag } = wanted.image
    const named = (await inspected(engine, tag))?.Id === id
    // one that is pinned is found by its id, whatever it is called
    mirrored.push({ service, id, reference: recipe ?? (named ? tag : id) })
  }
  const names = [...new Set(mirrored.map(({ reference }) => reference))]
  const scratch = `${o.archive}.${process.pid}.tmp`
  try {
    o.onLog(`saving ${o.archive}`)
    await pipeline(await exported(engine, names), createWriteStream(scratch), { signal: o.signal })
    await rename(scratch, o.archive)
  } catch (cause) {
    o.signal.throwIfAborted()
    const words = cause instanceof Error ? cause.message : String(cause)
    const remedy = 'name a file in a folder that can be written, on a disk that has room'
    throw new LabFailure('lab-image', `${o.archive} cannot be written: ${words}`, remedy, { cause })
  } finally {
    await rm(scratch, { force: true })
  }
  return mirrored
}

/** Several images in one archive. Its layers are told once; the types of the package leave this call out. */
function exported(engine: Engine, names: readonly string[]): Promise<NodeJS.ReadableStream> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadableStream>()
  const call = { path: '/images/get?', method: 'GET', options: { names: [...names] }, isStream: true }
  engine.docker.modem.dial(
    { ...call, statusCodes: { 200: true, 400: 'bad parameter', 500: 'server error' } },
    (error, data) => {
      if (error === null || error === undefined) resolve(data as NodeJS.ReadableStream)
      else reject(error)
    },
  )
  return promise
}
