import type { ExtraLayer } from './base-recipe.ts'
import type { PullLimits } from './pulls.ts'
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
  /** Of recipes and npm. Default: $PARITY_CACHE, else ~/.cache/vitest-parity. */
  readonly cacheDir?: string
  /** Whether a tag is enough where no digest is known, and what a registry serves goes before a recipe. Default: false. */
  readonly byTag?: boolean
}

/** What one rung came to: an image, or why there is none. `failed` had something to try, and says what to do about it. */
export type Step = { readonly tried?: string } & ({ readonly id: string } | Pick<LadderStep, 'why' | 'remedy'>)

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

export function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12)
}
