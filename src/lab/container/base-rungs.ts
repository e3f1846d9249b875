import type { ImageInspectInfo } from 'dockerode'
import type { Sha256 } from '../../model.ts'
import { build, RECIPE_LABEL, recipeTag, recipeText } from './base-recipe.ts'
import { type LadderOptions, referenceIn, repositoryOf, type Step, shortId, type Wanted } from './base-wanted.ts'
import type { Engine } from './engine.ts'
import { follow, isMissing, remedyOf } from './pulls.ts'

/** What every rung knows. */
interface Known {
  readonly engine: Engine
  readonly wanted: Wanted
  /** Of the recipe; null where there is none. */
  readonly hash: Sha256 | null
  readonly digest: string | null
  readonly o: LadderOptions
}

/** The image of a reference, when the engine has it. */
export async function inspected(engine: Engine, reference: string): Promise<ImageInspectInfo | null> {
  try {
    return await engine.docker.getImage(reference).inspect()
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode === 404) return null
    throw error
  }
}

function misfit(engine: Engine, found: ImageInspectInfo): string | null {
  const platform = `${found.Os}/${found.Architecture}`
  return platform === engine.platform ? null : `it is made for ${platform}, and the engine runs ${engine.platform}`
}

/** What the recipe made before; a tag alone proves nothing, its label does. */
async function madeBefore({ engine, hash }: Pick<Known, 'engine' | 'hash'>): Promise<string | null> {
  if (hash === null) return null
  const found = await inspected(engine, recipeTag(hash))
  return found !== null && found.Config.Labels?.[RECIPE_LABEL] === hash ? found.Id : null
}

/** What the engine has already: as pinned, by digest, or made by the recipe before. */
export async function localImage({ engine, wanted, digest, hash, o }: Known): Promise<Step> {
  const { image, pin } = wanted
  const references = [
    ...(pin === null ? [] : [pin.id]),
    ...(digest === null ? [] : [`${repositoryOf(image.tag)}@${digest}`]),
    ...(pin === null && digest === null && o.byTag === true ? [image.tag] : []),
  ]
  let unfit: Step | null = null
  for (const reference of references) {
    const found = await inspected(engine, reference)
    if (found === null) continue
    const why = misfit(engine, found)
    if (why === null) return { id: found.Id, tried: reference }
    const remedy = remedyOf('no matching manifest', { reference: image.tag, platform: engine.platform })
    unfit ??= { why, remedy, tried: reference }
  }
  const made = o.byTag === true ? null : await madeBefore({ engine, hash })
  if (made !== null && hash !== null) return { id: made, tried: recipeTag(hash) }
  if (unfit !== null) return unfit
  return { why: references.length === 0 && hash === null ? 'nothing is pinned' : 'it is not here', remedy: null }
}

/**
 * From PARITY_REGISTRY: by digest; by tag, where nothing else is known or the pinned id proves what came (a registry that
 * was filled by a push may give the same image another digest); or what the recipe made on another machine.
 */
export async function fromRegistry(known: Known): Promise<Step> {
  const { wanted, hash, digest, o } = known
  const { image, pin } = wanted
  const registry = (o.env ?? process.env).PARITY_REGISTRY ?? ''
  if (registry === '') return { why: 'PARITY_REGISTRY is not set', remedy: null }
  const references: string[] = []
  const pulled = pin === null || pin.recipe === null
  if (pulled && digest !== null) references.push(referenceIn(registry, image.tag, digest))
  if (pulled && (digest === null || pin !== null)) references.push(referenceIn(registry, image.tag, null))
  const made = hash === null || !(pin === null || pin.recipe !== null) ? null : `${registry}/${recipeTag(hash)}`
  let first: Step | null = null
  for (const reference of references) {
    const step = await pull(known, reference)
    if ('id' in step) return step
    first ??= step
    if (!isMissing(step.why ?? '')) return first
  }
  if (made !== null && hash !== null) {
    const step = await pull(known, made)
    if ('id' in step) return recipeFrom(known, step.id, hash)
    first ??= step
  }
  return first ?? { why: 'it has nothing to be asked for', remedy: null }
}

async function recipeFrom({ engine }: Known, id: string, hash: Sha256): Promise<Step> {
  const found = await inspected(engine, id)
  if (found?.Config.Labels?.[RECIPE_LABEL] !== hash) {
    return { why: 'what stands there was not made by this recipe', remedy: 'push it anew: vitest-parity lab mirror' }
  }
  const [repo = '', tag = ''] = recipeTag(hash).split(':')
  await engine.docker.getImage(id).tag({ repo, tag })
  return { id }
}

export async function fromUpstream(known: Known): Promise<Step> {
  const { wanted, digest, o } = known
  if (digest !== null) return pull(known, `${repositoryOf(wanted.image.tag)}@${digest}`)
  if (o.byTag === true) return pull(known, wanted.image.tag)
  return { why: 'no digest is known: lab pin writes it', remedy: null }
}

/** Pulls a reference. What comes has to be what was pinned. */
async function pull({ engine, wanted, o }: Known, reference: string): Promise<Step> {
  o.onLog(`pulling ${reference}`)
  const failed = (error: string): Step => ({
    tried: reference,
    why: error,
    remedy: remedyOf(error, { reference, platform: engine.platform }),
  })
  const told = await follow(engine, () => engine.docker.pull(reference, { platform: engine.platform }), {
    signal: o.signal,
    ...(o.limits === undefined ? {} : { limits: o.limits }),
  })
  if (!told.ok) return failed(told.error)
  const found = await inspected(engine, reference)
  if (found === null) return failed(`the engine pulled ${reference} and does not have it`)
  const why = misfit(engine, found)
  if (why !== null) return failed(`does not match the specified platform: ${why}`)
  const { pin } = wanted
  if (pin !== null && pin.recipe === null && pin.id !== found.Id) {
    const remedy = 'find out who replaced it; to take it: npx vitest-parity lab pin <lab>'
    return { tried: reference, why: `it serves ${shortId(found.Id)}, and ${shortId(pin.id)} is pinned`, remedy }
  }
  return { id: found.Id, tried: reference }
}

export async function byRecipe({ engine, wanted, hash, o }: Known): Promise<Step> {
  const { dir, extra } = wanted
  const { recipe } = wanted.image
  if (recipe === null) return { why: 'lab.yaml has no recipe', remedy: null }
  const made = await madeBefore({ engine, hash })
  if (made !== null) return { id: made }
  o.onLog(`building ${recipeText(recipe)}`)
  const { signal, onLog, env, cacheDir } = o
  const built = await build({
    engine,
    dir,
    recipe,
    signal,
    onLog,
    ...(extra === undefined ? {} : { extra }),
    ...(env === undefined ? {} : { env }),
    ...(cacheDir === undefined ? {} : { cacheDir }),
  })
  return built.ok ? { id: built.id } : { why: built.error, remedy: built.remedy }
}
