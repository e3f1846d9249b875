import type { ImageInspectInfo } from 'dockerode'
import { LabFailure } from '../lab-failure.ts'
import { build, type ExtraLayer, RECIPE_LABEL, recipeHash, recipeTag } from './base-recipe.ts'
import type { Engine } from './engine.ts'
import { follow, type PullLimits, remedyOf } from './pulls.ts'
import type { ImageSpec, LadderStep, PinnedImage } from './spec.ts'

/** An image that is wanted: where it may come from, and what it was pinned to. */
export interface Wanted {
  /** Whose it is, in messages. */
  readonly name: string
  readonly image: ImageSpec
  readonly pin: PinnedImage | null
  /** The folder of lab.yaml. */
  readonly dir: string
  readonly extra?: ExtraLayer
}

export interface LadderOptions {
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
  readonly limits?: PullLimits
  /** Default: that of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>
}

/** The base of a service, and every way that was tried for it. */
export interface Found {
  readonly id: string
  readonly digest: string | null
  readonly sizeBytes: number
  readonly steps: readonly LadderStep[]
}

type Step = { readonly id: string } | Omit<LadderStep, 'rung' | 'tried' | 'outcome'>

/**
 * The base image, by the first rung that has it: the local one that was pinned or that the recipe made before,
 * PARITY_REGISTRY, the public one by digest, the recipe.
 *
 * **Throws** LabFailure(`lab-image`) that lists every rung, or the reason of `signal`.
 */
export async function climb(engine: Engine, wanted: Wanted, o: LadderOptions): Promise<Found> {
  const { image, pin, name } = wanted
  const hash = image.recipe === null ? null : await recipeHash(image.recipe, wanted)
  if (pin !== null && pin.recipe !== null && pin.recipe !== hash) {
    const what = `the image of ${name} is pinned to another recipe than lab.yaml has now`
    throw new LabFailure('lab-image', what, 'npx vitest-parity lab pin <lab>, and record again')
  }
  const digest = pin?.digest ?? image.digest
  const registry = (o.env ?? process.env).PARITY_REGISTRY ?? ''
  const steps: LadderStep[] = []
  const rungs: readonly (readonly [LadderStep['rung'], string, () => Promise<Step>])[] = [
    [
      'local',
      pin?.id ?? (hash === null ? image.tag : recipeTag(hash)),
      () => localImage(engine, wanted, { digest, hash }),
    ],
    ['registry', referenceIn(registry, image.tag, digest), () => fromRegistry(engine, wanted, { registry, digest, o })],
    ['upstream', `${repositoryOf(image.tag)}@${digest ?? ''}`, () => fromUpstream(engine, wanted, { digest, o })],
    ['recipe', image.recipe === null ? 'none' : recipeText(image), () => byRecipe(engine, wanted, o)],
  ]
  for (const [rung, tried, climbRung] of rungs) {
    o.signal.throwIfAborted()
    const step = await climbRung()
    if (!('id' in step)) {
      // `failed` had something to try, `skipped` had not
      steps.push({ rung, tried, outcome: step.remedy === null ? 'skipped' : 'failed', ...step })
      continue
    }
    const drifted = rung === 'recipe' && pin !== null && pin.id !== step.id
    const why = drifted ? `rebuilt: other bytes than pinned (${shortId(pin.id)})` : null
    steps.push({ rung, tried, outcome: 'used', why, remedy: null })
    const { Size } = await engine.docker.getImage(step.id).inspect()
    return { id: step.id, digest, sizeBytes: Size, steps }
  }
  throw notHad(wanted, steps, engine)
}

function notHad({ name, image }: Wanted, steps: readonly LadderStep[], engine: Engine): LabFailure {
  const lines = steps.map(({ rung, tried, outcome, why }) => `  ${rung.padEnd(8)} ${tried}: ${outcome}: ${why}`)
  const remedies = [...new Set(steps.flatMap(({ remedy }) => (remedy === null ? [] : [remedy])))]
  const what = `the image of ${name}, ${image.tag} for ${engine.platform}, cannot be had:\n${lines.join('\n')}`
  const pin = 'npx vitest-parity lab pin <lab> where a registry can be reached, or give it a recipe (build)'
  return new LabFailure('lab-image', what, remedies.length === 0 ? pin : remedies.join('; or '))
}

/** The image of a reference, when the engine has it. */
async function inspected(engine: Engine, reference: string): Promise<ImageInspectInfo | null> {
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

async function localImage(
  engine: Engine,
  { image, pin }: Wanted,
  { digest, hash }: { readonly digest: string | null; readonly hash: string | null },
): Promise<Step> {
  const references = [
    ...(pin === null ? [] : [pin.id]),
    ...(digest === null ? [] : [`${repositoryOf(image.tag)}@${digest}`]),
    ...(hash === null ? [] : [recipeTag(hash as `sha256:${string}`)]),
  ]
  for (const reference of references) {
    const found = await inspected(engine, reference)
    if (found === null) continue
    if (reference.startsWith('vitest-parity/') && found.Config.Labels?.[RECIPE_LABEL] !== hash) continue
    const why = misfit(engine, found)
    if (why === null) return { id: found.Id }
    return { why, remedy: remedyOf('no matching manifest', { reference: image.tag, platform: engine.platform }) }
  }
  return { why: references.length === 0 ? 'nothing is pinned' : 'it is not here', remedy: null }
}

interface Pull {
  readonly digest: string | null
  readonly o: LadderOptions
}

async function fromRegistry(
  engine: Engine,
  wanted: Wanted,
  { registry, digest, o }: Pull & { readonly registry: string },
): Promise<Step> {
  if (registry === '') return { why: 'PARITY_REGISTRY is not set', remedy: null }
  return pull(engine, referenceIn(registry, wanted.image.tag, digest), wanted, o)
}

async function fromUpstream(engine: Engine, wanted: Wanted, { digest, o }: Pull): Promise<Step> {
  if (digest === null) return { why: 'no digest is known: lab pin writes it', remedy: null }
  return pull(engine, `${repositoryOf(wanted.image.tag)}@${digest}`, wanted, o)
}

/** Pulls a reference. What comes has to be what was pinned. */
export async function pull(
  engine: Engine,
  reference: string,
  { pin }: Pick<Wanted, 'pin'>,
  o: LadderOptions,
): Promise<Step> {
  o.onLog(`pulling ${reference}`)
  const failed = (error: string): Step => ({
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
  if (pin !== null && pin.id !== found.Id) {
    const remedy = 'find out who replaced it; to take it: npx vitest-parity lab pin <lab>'
    return { why: `it serves ${shortId(found.Id)}, and ${shortId(pin.id)} is pinned`, remedy }
  }
  return { id: found.Id }
}

async function byRecipe(engine: Engine, { image, dir, extra }: Wanted, o: LadderOptions): Promise<Step> {
  const { recipe } = image
  if (recipe === null) return { why: 'lab.yaml has no recipe', remedy: null }
  o.onLog(`building ${recipeText(image)}`)
  const { signal, onLog, env } = o
  const built = await build({
    engine,
    dir,
    recipe,
    signal,
    onLog,
    ...(extra === undefined ? {} : { extra }),
    ...(env === undefined ? {} : { env }),
  })
  return built.ok ? { id: built.id } : { why: built.error, remedy: built.remedy }
}

function recipeText({ recipe }: ImageSpec): string {
  if (recipe === null) return 'none'
  if (recipe.kind === 'dockerfile') return recipe.dockerfile
  const more = recipe.extra.map(({ suite, packages }) => ` + ${suite} [${packages.join(', ')}]`).join('')
  return `debian ${recipe.suite} [${recipe.packages.join(', ')}]${more}`
}

/** `docker.io/library/mariadb:10.5` → `docker.io/library/mariadb` */
export function repositoryOf(tag: string): string {
  const colon = tag.lastIndexOf(':')
  return colon > tag.lastIndexOf('/') ? tag.slice(0, colon) : tag
}

/** Where an image stands in another registry: under the path that it has in its own. */
export function referenceIn(registry: string, tag: string, digest: string | null): string {
  const path = tag.slice(tag.indexOf('/') + 1)
  return `${registry}/${digest === null ? path : `${repositoryOf(path)}@${digest}`}`
}

function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12)
}
