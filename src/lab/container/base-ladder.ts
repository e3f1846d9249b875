import { LabFailure } from '../lab-failure.ts'
import { recipeHash, recipeText } from './base-recipe.ts'
import { byRecipe, fromRegistry, fromUpstream, localImage } from './base-rungs.ts'
import { type LadderOptions, type Step, shortId, type Wanted } from './base-wanted.ts'
import type { Engine } from './engine.ts'
import type { LadderStep } from './spec.ts'

/** The base of a service, and every way that was tried for it. */
export interface Found {
  readonly id: string
  readonly digest: string | null
  readonly sizeBytes: number
  readonly steps: readonly LadderStep[]
}

const PIN = 'npx vitest-parity lab pin <lab>'

/**
 * The base image, by the first rung that has it: the local one that was pinned or that the recipe made before,
 * PARITY_REGISTRY, the public one by digest, the recipe.
 *
 * **Throws** LabFailure(`lab-image`) that lists every rung, or the reason of `signal`.
 */
export async function climb(engine: Engine, wanted: Wanted, o: LadderOptions): Promise<Found> {
  const { image, pin, name } = wanted
  const hash = image.recipe === null ? null : await recipeHash(image.recipe, wanted)
  const stale = stalePin(wanted, hash)
  if (stale !== null) throw new LabFailure('lab-image', `the image of ${name} ${stale}`, `${PIN}, and record again`)
  const digest = pin?.digest ?? image.digest
  const known = { engine, wanted, hash, digest, o }
  const rungs: readonly (readonly [LadderStep['rung'], string, () => Promise<Step>])[] = [
    ['local', pin?.id ?? image.tag, () => localImage(known)],
    ['registry', 'PARITY_REGISTRY', () => fromRegistry(known)],
    ['upstream', image.tag, () => fromUpstream(known)],
    ['recipe', image.recipe === null ? 'none' : recipeText(image.recipe), () => byRecipe(known)],
  ]
  const steps: LadderStep[] = []
  for (const [rung, name, climbRung] of rungs) {
    o.signal.throwIfAborted()
    const step = await climbRung()
    const tried = step.tried ?? name
    if (!('id' in step)) {
      const { why, remedy } = step
      steps.push({ rung, tried, outcome: remedy === null ? 'skipped' : 'failed', why, remedy })
      continue
    }
    const drifted = pin !== null && pin.id !== step.id
    const why = drifted ? `rebuilt: other bytes than pinned (${shortId(pin.id)})` : null
    steps.push({ rung, tried, outcome: 'used', why, remedy: null })
    const { Size } = await engine.docker.getImage(step.id).inspect()
    return { id: step.id, digest, sizeBytes: Size, steps }
  }
  throw notHad(wanted, steps, engine)
}

/** What the lock says that lab.yaml says no more; null while they agree. */
function stalePin({ image, pin }: Wanted, hash: string | null): string | null {
  if (pin === null) return null
  if (pin.tag !== image.tag) return `is pinned as ${pin.tag}, and lab.yaml names ${image.tag} now`
  if (pin.recipe !== null && pin.recipe !== hash) return 'is pinned to another recipe than lab.yaml has now'
  if (pin.recipe === null && image.digest !== null && pin.digest !== image.digest) {
    return `is pinned to another digest than lab.yaml has now, ${image.digest}`
  }
  return null
}

function notHad({ name, image }: Wanted, steps: readonly LadderStep[], engine: Engine): LabFailure {
  const lines = steps.map(({ rung, tried, outcome, why }) => `  ${rung.padEnd(8)} ${tried}: ${outcome}: ${why}`)
  const remedies = [...new Set(steps.flatMap(({ remedy }) => (remedy === null ? [] : [remedy])))]
  const what = `the image of ${name}, ${image.tag} for ${engine.platform}, cannot be had:\n${lines.join('\n')}`
  const pin = `${PIN} where a registry can be reached, or give it a recipe (build)`
  return new LabFailure('lab-image', what, remedies.length === 0 ? pin : remedies.join('; or '))
}
