import { writeLock } from '../lab-lock.ts'
import { climb } from './base-ladder.ts'
import { RECIPE_LABEL, recipeHash } from './base-recipe.ts'
import { inspected } from './base-rungs.ts'
import { type LadderOptions, repositoryOf } from './base-wanted.ts'
import type { Engine } from './engine.ts'
import { wantedBy } from './images.ts'
import type { ContainerLab, LadderStep, PinnedImage, ServiceSpec } from './spec.ts'

/** What a service was pinned to now. */
export interface Pinning {
  readonly service: string
  readonly pin: PinnedImage
  /** Null: it was not pinned before. */
  readonly before: PinnedImage | null
  readonly sizeBytes: number
  readonly steps: readonly LadderStep[]
}

/**
 * Finds the image of every service anew, by tag where lab.yaml gives no digest, and writes lab.lock.yaml. What a registry
 * serves goes before what a recipe makes.
 *
 * **Throws** LabFailure(`lab-image`), or the reason of `signal`; the lock is then as it was.
 */
export async function pinImages(
  engine: Engine,
  lab: ContainerLab,
  o: LadderOptions,
): Promise<{ readonly changed: boolean; readonly pinnings: readonly Pinning[] }> {
  const pinnings: Pinning[] = []
  for (const service of lab.services) {
    const before = lab.pins?.[service.name] ?? null
    const found = await climb(engine, { ...wantedBy(lab, service), pin: null }, { ...o, byTag: true })
    const pin = await pinOf(engine, found.id, { lab, service })
    pinnings.push({ service: service.name, pin, before, sizeBytes: found.sizeBytes, steps: found.steps })
  }
  const pins = Object.fromEntries(pinnings.map(({ service, pin }) => [service, pin]))
  return { changed: await writeLock(lab.dir, pins), pinnings }
}

async function pinOf(
  engine: Engine,
  id: string,
  { lab, service }: { readonly lab: ContainerLab; readonly service: ServiceSpec },
): Promise<PinnedImage> {
  const { image } = service
  const found = await inspected(engine, id)
  const hash = image.recipe === null ? null : await recipeHash(image.recipe, { dir: lab.dir })
  const made = hash !== null && found?.Config.Labels?.[RECIPE_LABEL] === hash
  return {
    tag: image.tag,
    digest: made ? null : (image.digest ?? digestOf(found?.RepoDigests ?? [], image.tag)),
    id,
    recipe: made ? hash : null,
    platform: engine.platform,
  }
}

/**
 * The digest under which the image was pulled: from the repository of its tag, else from another one that has its path.
 * Null: nobody served it.
 */
export function digestOf(repoDigests: readonly string[], tag: string): string | null {
  const repository = repositoryOf(tag)
  const path = repository.slice(repository.indexOf('/') + 1)
  const named = repoDigests.map(text => {
    const [name = '', digest = ''] = text.split('@')
    return { name, digest }
  })
  // the engine shortens the names of the public registry
  const short = repository.replace(/^docker\.io\/(library\/)?/, '')
  const own = named.find(({ name }) => name === repository || name === short)
  return (own ?? named.find(({ name }) => name.endsWith(`/${path}`)))?.digest ?? null
}
