import { copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalText, compareCodePoints, sha256 } from '../core/canonical.ts'
import type { Sha256 } from '../model.ts'
import { LabFailure } from './lab-failure.ts'
import { type Host, platformProblem } from './platform.ts'
import { describeExit, LOG_SETTLE_MS, supervise, unlessAborted, within } from './supervise.ts'

/** A lab, as far as its packages go. */
export interface PackagedLab {
  /** Holds package.json and package-lock.json. */
  readonly dir: string
  /** SHA-256 of package-lock.json; null: there are no packages. */
  readonly lock: Sha256 | null
  readonly file: { readonly id: string }
  readonly service: { readonly npm: Readonly<Record<string, string>> }
}

export interface InstallOptions {
  /** Default: $PARITY_CACHE, else ~/.cache/vitest-parity. */
  readonly cacheDir?: string | undefined
  readonly host: Host
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
  /** The environment that npm runs in, with its registry and proxy settings. Default: that of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>
}

/** Packages of a lab, installed and intact. */
export interface Installed {
  /** Holds node_modules. */
  readonly dir: string
}

const INSTALL_TIMEOUT_MS = 300_000
const LOG_LINES_MAX = 50
/** A half-made install older than this was left by a process that is gone: npm itself gets no longer than INSTALL_TIMEOUT_MS. */
const STALE_MS = 3_600_000
const SEAL = 'complete.json'
const UNREACHABLE =
  /^(ENOTFOUND|ECONN\w+|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|E5\d\d|E401|E403)$/

/**
 * The packages of a lab, from the cache or freshly installed into it; null when it needs none.
 *
 * The key is the content: package.json, package-lock.json and the platform. An install becomes visible under its key
 * by one rename, sealed with a digest over every file; what does not match its seal is put aside and made anew. So two
 * processes may install at once, and a half-finished or edited install is never used.
 *
 * **Throws** LabFailure: `lab-image` when the packages cannot be had here, `dependency-missing` without npm.
 */
export async function installPackages(lab: PackagedLab, options: InstallOptions): Promise<Installed | null> {
  const problem = platformProblem(lab.service.npm, options.host)
  if (problem !== null) {
    throw new LabFailure('lab-image', `lab ${lab.file.id}: ${problem.message}`, problem.remedy)
  }
  if (lab.lock === null) return null
  const root = join(options.cacheDir ?? process.env.PARITY_CACHE ?? join(homedir(), '.cache', 'vitest-parity'), 'labs')
  const key = await cacheKey(lab, options.host)
  const dir = join(root, key)
  if (await isIntact(dir)) return { dir }

  const fresh = await makeFolder(root, key)
  try {
    for (const name of ['package.json', 'package-lock.json']) await copyFile(join(lab.dir, name), join(fresh, name))
    // The supervisor of npm deletes `fresh` when it is stopped or loses its parent: by then the install has moved on.
    await using npm = await startNpm(lab, fresh, options)
    await npm.done()
    await writeFile(join(fresh, SEAL), canonicalText({ format: 1, tree: await treeDigest(fresh) }))
    await publish(fresh, dir)
    return { dir }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function cacheKey(lab: PackagedLab, host: Host): Promise<string> {
  const manifest = await readFile(join(lab.dir, 'package.json'), 'utf8')
  const id = sha256(canonicalText({ format: 1, manifest, lock: lab.lock, platform: host.platform, arch: host.arch }))
  return id.slice('sha256:'.length, 'sha256:'.length + 32)
}

/** A new folder in a cache, hidden beside what it will become; those that ended processes left are removed. **Throws** LabFailure(`lab-image`). */
export async function makeFolder(root: string, key: string): Promise<string> {
  try {
    await mkdir(root, { recursive: true })
    await sweep(root)
    return await mkdtemp(join(root, `.${key}-`))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    const remedy = 'set PARITY_CACHE to a folder that can be written'
    throw new LabFailure('lab-image', `the lab cache ${root} cannot be written: ${code}`, remedy, { cause })
  }
}

async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith('.')) continue
    const path = join(root, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Renames `fresh` to `dir`. When another process was first, its install stays, provided that it is intact. */
async function publish(fresh: string, dir: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(fresh, dir)
      return
    } catch (cause) {
      const taken = cause instanceof Error && 'code' in cause && (cause.code === 'ENOTEMPTY' || cause.code === 'EEXIST')
      if (!taken || attempt === 5) throw cause
      if (await isIntact(dir)) return
      const aside = `${fresh}-broken-${attempt}`
      await rename(dir, aside).catch(() => {})
      await rm(aside, { recursive: true, force: true })
    }
  }
}

async function startNpm(
  lab: PackagedLab,
  dir: string,
  options: InstallOptions,
): Promise<AsyncDisposable & { done(): Promise<void> }> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--prefer-offline']
  const what = `npm ci for lab ${lab.file.id}`
  options.onLog(`${what}: ${packageList(lab)}`)
  const lines: string[] = []
  const running = await supervise({
    argv: ['npm', 'ci', '--prefix', dir, ...flags],
    cwd: dir,
    env: npmEnvironment(options.env ?? process.env),
    removeDirs: [dir],
    onLine(line) {
      if (lines.push(line) > LOG_LINES_MAX) lines.shift()
      options.onLog(line)
    },
  })
  if ('error' in running) {
    const message = `npm cannot be started (${running.error}); tried npm on PATH, to install ${packageList(lab)}`
    throw new LabFailure('dependency-missing', message, 'install npm, version 7 or later, and put it on PATH')
  }
  const done = async (): Promise<void> => {
    const end = await unlessAborted(within(running.exited, INSTALL_TIMEOUT_MS), options.signal)
    if (end?.code === 0) return
    await sleep(LOG_SETTLE_MS)
    const how = end === null ? `did not end within ${INSTALL_TIMEOUT_MS} ms` : describeExit(end)
    throw npmFailure(lab, `${what} ${how}`, lines)
  }
  return { done, [Symbol.asyncDispose]: () => running.stop() }
}

function npmFailure(lab: PackagedLab, what: string, lines: readonly string[]): LabFailure {
  const code = lines.map(line => /^npm (?:error|ERR!) code (\S+)/.exec(line)?.[1]).find(found => found !== undefined)
  const log = lines.length === 0 ? '' : `\n${lines.map(line => `  ${line}`).join('\n')}`
  const message = `${what}${code === undefined ? '' : ` (${code})`}; wanted ${packageList(lab)}${log}`
  if (code !== undefined && UNREACHABLE.test(code)) {
    const remedy = 'make the npm registry reachable (npm config get registry), or fill the cache on another machine'
    return new LabFailure('lab-image', message, remedy)
  }
  if (code === 'EINTEGRITY') {
    const remedy = 'the registry serves other bytes than package-lock.json pins: find out why before changing the lock'
    return new LabFailure('lab-image', message, remedy)
  }
  return new LabFailure('lab-image', message, 'read the log of npm above, then try again')
}

function packageList(lab: PackagedLab): string {
  return Object.entries(lab.service.npm)
    .map(([name, version]) => `${name}@${version}`)
    .join(', ')
}

/** What npm is handed on: where it finds programs and its own files, the way to the registry, and the right to read there. */
const HANDED_ON =
  /^(?:PATH|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|TMPDIR|TEMP|TMP|SYSTEMROOT|PATHEXT|COMSPEC|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|NPM_TOKEN|NODE_AUTH_TOKEN|npm_config_.+)$/i
/** What a surrounding `npm run` says of its own package. */
const OF_ANOTHER = /^npm_config_(?:local_)?prefix$/i

function npmEnvironment(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && HANDED_ON.test(name) && !OF_ANOTHER.test(name)) kept[name] = value
  }
  return kept
}

async function isIntact(dir: string): Promise<boolean> {
  try {
    const seal: unknown = JSON.parse(await readFile(join(dir, SEAL), 'utf8'))
    if (typeof seal !== 'object' || seal === null || !('tree' in seal)) return false
    return seal.tree === (await treeDigest(dir))
  } catch {
    return false
  }
}

/** Over the path and content of every file of node_modules; npm's own record there is left out. */
async function treeDigest(dir: string): Promise<Sha256> {
  const entries = await readdir(join(dir, 'node_modules'), { withFileTypes: true, recursive: true })
  const lines: string[] = []
  for (const entry of entries) {
    if (entry.isDirectory() || entry.name === '.package-lock.json') continue
    const path = join(entry.parentPath, entry.name)
    const content = entry.isSymbolicLink() ? `link:${await readlink(path)}` : sha256(await readFile(path))
    lines.push(`${path.slice(dir.length)} ${content}`)
  }
  return sha256(lines.sort(compareCodePoints).join('\n'))
}
