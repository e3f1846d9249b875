import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { canonicalText, sha256 } from '../../core/canonical.ts'
import type { Sha256 } from '../../model.ts'
import { makeFolder } from '../install.ts'
import { describeExit, supervise, unlessAborted, within } from '../supervise.ts'
import type { Engine } from './engine.ts'
import { hashOf, type ImageConfig, imageArchive, type Placed, tarOf } from './image-tar.ts'
import { follow } from './pulls.ts'
import type { Recipe } from './spec.ts'

export const RECIPE_LABEL = 'vitest-parity.recipe'
const BUILD_TIMEOUT_MS = 1_200_000
const LINES_MAX = 30
/** Raised when the way of building changes what comes out. */
const FORMAT = 1
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Nothing at run time reads them, and some hold the time of the build. */
const LEFT_OUT = [
  '/usr/share/doc/*',
  // not its folders: what Java packages link there has no place otherwise
  '/usr/share/man/*/*',
  '/usr/share/info/*',
  '/usr/share/lintian/*',
  '/usr/share/locale/*/LC_MESSAGES/*',
]
const SWEPT =
  'rm -rf "$1"/var/log/* "$1"/var/cache/* "$1"/var/lib/apt/lists/* "$1"/var/lib/dpkg/*-old "$1"/etc/machine-id "$1"/tmp/* "$1"/run/*'

/** Files that become a layer over what a recipe makes. */
export interface ExtraLayer {
  /** Stands for all that is in it: found only when it is needed. */
  readonly key: string
  readonly places: () => Promise<readonly Placed[]>
}

/** What one step of the ladder came to. */
export type Built =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly error: string; readonly remedy: string }

export interface BuildOptions {
  readonly engine: Engine
  /** The folder of lab.yaml. */
  readonly dir: string
  readonly recipe: Recipe
  /** What becomes a layer over it. */
  readonly extra?: ExtraLayer
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
  /** Default: that of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>
  /** Default: $PARITY_CACHE, else ~/.cache/vitest-parity. */
  readonly cacheDir?: string
}

/** What a recipe is known by: all that decides what comes out of it. */
export async function recipeHash(
  recipe: Recipe,
  o: { readonly dir: string; readonly extra?: ExtraLayer },
): Promise<Sha256> {
  const extra = o.extra?.key ?? null
  if (recipe.kind === 'debian') return sha256(canonicalText({ format: FORMAT, recipe: { ...recipe }, extra }))
  const context = dirname(join(o.dir, recipe.dockerfile))
  const content = await hashOf([{ inside: '/context', from: context }])
  return sha256(canonicalText({ format: FORMAT, dockerfile: basename(recipe.dockerfile), content, extra }))
}

/** The tag under which what a recipe made is kept. */
export function recipeTag(hash: Sha256): string {
  return `vitest-parity/recipe:${hash.slice('sha256:'.length, 'sha256:'.length + 20)}`
}

/** `debian bullseye [mariadb-server]` */
export function recipeText(recipe: Recipe): string {
  if (recipe.kind === 'dockerfile') return recipe.dockerfile
  const more = recipe.extra.map(({ suite, packages }) => ` + ${suite} [${packages.join(', ')}]`).join('')
  return `debian ${recipe.suite} [${recipe.packages.join(', ')}]${more}`
}

/** Builds an image by its recipe and loads it into the engine. **Throws** the reason of `signal`. */
export async function build(o: BuildOptions): Promise<Built> {
  const hash = await recipeHash(o.recipe, o)
  return o.recipe.kind === 'dockerfile' ? buildDockerfile(o, o.recipe, hash) : buildDebian(o, o.recipe, hash)
}

async function buildDockerfile(
  { engine, dir, signal, onLog }: BuildOptions,
  recipe: Extract<Recipe, { kind: 'dockerfile' }>,
  hash: Sha256,
): Promise<Built> {
  const path = join(dir, recipe.dockerfile)
  const tag = recipeTag(hash)
  const context = tarOf([{ inside: '/', from: dirname(path) }])
  const told = await follow(
    engine,
    () => engine.docker.buildImage(context, { t: tag, dockerfile: basename(path), labels: { [RECIPE_LABEL]: hash } }),
    { signal, onLog, limits: { idleMs: BUILD_TIMEOUT_MS, wholeMs: BUILD_TIMEOUT_MS } },
  )
  if (!told.ok) {
    const log = told.lines.map(line => `\n  ${line}`).join('')
    return { ok: false, error: `${told.error}${log}`, remedy: `repair ${recipe.dockerfile}` }
  }
  const { Id } = await engine.docker.getImage(tag).inspect()
  return { ok: true, id: Id }
}

/** From the archive of an earlier build, or anew; a new one is kept as an archive. */
async function buildDebian(o: BuildOptions, recipe: Extract<Recipe, { kind: 'debian' }>, hash: Sha256): Promise<Built> {
  const env = o.env ?? process.env
  const root = join(o.cacheDir ?? env.PARITY_CACHE ?? join(homedir(), '.cache', 'vitest-parity'), 'images')
  const [, architecture = 'amd64'] = o.engine.platform.split('/')
  const key = `${hash.slice('sha256:'.length, 'sha256:'.length + 32)}-${architecture}`
  const kept = join(root, `${key}.tar.gz`)
  if (existsSync(kept)) {
    const loaded = await load(o, kept, hash)
    if (loaded.ok) return loaded
    o.onLog(`the archive ${kept} cannot be loaded (${loaded.error}); it is made anew`)
    await rm(kept, { force: true })
  }
  const scratch = await makeFolder(root, key)
  try {
    const layer = join(scratch, 'root.tar')
    const failed = await debianRoot(recipe, layer, o)
    if (failed !== null) return failed
    const layers = [layer]
    if (o.extra !== undefined) layers.push(await written(await o.extra.places(), join(scratch, 'extra.tar')))
    const config: ImageConfig = { architecture, env: [PATH], labels: { [RECIPE_LABEL]: hash }, tag: recipeTag(hash) }
    const { archive } = await imageArchive(layers, config)
    const file = join(scratch, 'image.tar.gz')
    await pipeline(archive, createGzip({ level: 1 }), createWriteStream(file), { signal: o.signal })
    await rename(file, kept)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return load(o, kept, hash)
}

async function load({ engine, signal }: BuildOptions, archive: string, hash: Sha256): Promise<Built> {
  const remedy = 'read the words of the engine'
  const told = await follow(engine, () => engine.docker.loadImage(createReadStream(archive)), { signal })
  if (!told.ok) return { ok: false, error: told.error, remedy }
  const found = await engine.docker
    .getImage(recipeTag(hash))
    .inspect()
    .catch(() => null)
  if (found?.Config.Labels?.[RECIPE_LABEL] === hash) return { ok: true, id: found.Id }
  return { ok: false, error: `${archive} does not hold what the recipe makes`, remedy }
}

async function written(places: readonly Placed[], path: string): Promise<string> {
  await pipeline(tarOf(places), createWriteStream(path))
  return path
}

/** Makes the root file system as a tar; null when it worked. */
async function debianRoot(
  recipe: Extract<Recipe, { kind: 'debian' }>,
  target: string,
  o: BuildOptions,
): Promise<Extract<Built, { ok: false }> | null> {
  const env = o.env ?? process.env
  const mirror = env.PARITY_DEBIAN_MIRROR ?? 'http://deb.debian.org/debian'
  const lines: string[] = []
  const running = await supervise({
    argv: ['mmdebstrap', ...argumentsOf(recipe, target, mirror, o.engine.platform)],
    cwd: dirname(target),
    env: { ...cleanEnvironment(env), TMPDIR: dirname(target) },
    onLine(line) {
      if (lines.push(line) > LINES_MAX) lines.shift()
      o.onLog(line)
    },
  })
  if ('error' in running) {
    const error = `mmdebstrap cannot be started (${running.error})`
    return {
      ok: false,
      error,
      remedy: 'install it: apt-get install mmdebstrap debian-archive-keyring (Debian, Ubuntu)',
    }
  }
  await using _ = running
  const end = await unlessAborted(within(running.exited, BUILD_TIMEOUT_MS), o.signal)
  if (end?.code === 0) return null
  const how = end === null ? `had not ended after ${BUILD_TIMEOUT_MS} ms` : describeExit(end)
  const log = lines.filter(line => /^(E|W|Err)/.test(line)).slice(-6)
  const shown = (log.length === 0 ? lines.slice(-6) : log).map(line => `\n  ${line}`).join('')
  const remedy = MAKE_REMEDIES.find(([words]) => words.test(lines.join('\n')))?.[1]({ mirror, suite: recipe.suite })
  return { ok: false, error: `mmdebstrap ${how}${shown}`, remedy: remedy ?? 'read its words above, then try again' }
}

type MakeRemedy = (o: { readonly mirror: string; readonly suite: string }) => string

/** Words of apt and mmdebstrap, and what to do about each. */
const MAKE_REMEDIES: readonly (readonly [words: RegExp, remedy: MakeRemedy])[] = [
  [
    /NO_PUBKEY|EXPKEYSIG|not signed|signatures couldn't be verified/i,
    () => 'install the keys of Debian: apt-get install debian-archive-keyring',
  ],
  [
    /Unable to locate package|no installation candidate/i,
    ({ suite }) => `correct packages: of that recipe in lab.yaml: ${suite} does not have all of them`,
  ],
  [/No space left/i, () => 'free some space, or set PARITY_CACHE to a folder on a disk that has it'],
  [/newuidmap|newgidmap|subuid|unshare/i, () => 'run it as root, or: apt-get install uidmap'],
  [
    /does not have a Release file|404 +Not Found|Could not resolve|failure resolving|Could not connect|timed out/i,
    ({ mirror, suite }) => `make ${mirror} reachable, or set PARITY_DEBIAN_MIRROR to a mirror that still has ${suite}`,
  ],
]

function argumentsOf(
  { suite, variant, packages, extra }: Extract<Recipe, { kind: 'debian' }>,
  target: string,
  mirror: string,
  platform: string,
): string[] {
  const more = extra.flatMap(each => unpackHooks(each, mirror))
  return [
    `--variant=${variant}`,
    `--include=${packages.join(',')}`,
    `--architectures=${platform.split('/')[1] ?? 'amd64'}`,
    // an end-of-life suite has a Release file that expired
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--aptopt=Acquire::Retries "3"',
    '--aptopt=APT::Install-Recommends "false"',
    ...LEFT_OUT.map(path => `--dpkgopt=path-exclude=${path}`),
    ...more.map(hook => `--customize-hook=${hook}`),
    `--customize-hook=${SWEPT}`,
    suite,
    target,
    `deb ${mirror} ${suite} main`,
  ]
}

/** Unpacks packages of another suite over the root, without what they depend on. */
function unpackHooks(each: { readonly suite: string; readonly packages: readonly string[] }, mirror: string): string[] {
  const source = `deb ${mirror} ${each.suite} main`
  return [
    `echo '${source}' > "$1"/etc/apt/sources.list.d/extra.list`,
    `chroot "$1" apt-get -o Acquire::Check-Valid-Until=false update`,
    `chroot "$1" sh -c 'cd /tmp && apt-get download ${each.packages.map(name => `${name}/${each.suite}`).join(' ')} && for f in *.deb; do dpkg-deb -x "$f" /; done && rm -f *.deb'`,
    'rm -f "$1"/etc/apt/sources.list.d/extra.list',
  ]
}

/** What a build sees of this machine: the way to programs and to the network, and nothing else. */
export function cleanEnvironment(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const kept: Record<string, string> = {
    PATH: env.PATH ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/nonexistent',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
    SOURCE_DATE_EPOCH: '0',
  }
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    const value = env[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}
