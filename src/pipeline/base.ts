import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Side } from '../contract/base.ts'
import { locatedError } from '../contract/located.ts'
import { type Decision, readDecisions } from '../core/decisions.ts'
import { ParityError } from '../errors.ts'
import { readAccepted } from '../golden/accept.ts'
import { dirsOf } from './dirs.ts'
import { type Feature, featureNames, PARITY_DIR, readFeature } from './feature.ts'

/** The files of all features as they stood where the branch left its base. In a folder of its own until it is disposed. */
export interface Base extends Disposable {
  /** The commit that branch and base have in common. */
  readonly commit: string
  /** The folder that holds the files; it begins the paths in messages about them. */
  readonly root: string
  readonly features: readonly string[]
}

/**
 * Reads the files of all features at the commit where HEAD left `ref`, the branch that it is to be merged into. The
 * project may lie anywhere in its repository. Nothing in the repository is written.
 *
 * **Throws** PARITY_LINT_BASE where there is no repository, no such ref, or not enough history.
 */
export function openBase(project: string, ref: string): Base {
  const commit = forkOf(project, ref)
  const root = mkdtempSync(join(tmpdir(), 'parity-base-'))
  const dispose = () => rmSync(root, { recursive: true, force: true })
  try {
    extract(project, { commit, into: root, paths: ['package.json'], wanted: /./ })
    const { golden, tolerance, labs } = dirsOf(root, {})
    extract(project, { commit, into: root, paths: [PARITY_DIR], wanted: OF_FEATURES })
    extract(project, { commit, into: root, paths: [golden, tolerance, labs], wanted: /\.(?:json|ndjson|bin|yaml)$/ })
    return { commit, root, features: featureNames(root), [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/** What a feature says of itself, to be held against what it said before. */
export function sideOf({ contract, cases, fixtures, calibration, rules, divergences, paths }: Feature): Side {
  return { contract, cases, fixtures, calibration, ruleSet: rules, divergences, accepted: readAccepted(paths.golden) }
}

/** What the feature said at the base; null when there was no such feature. **Throws** what `readFeature` throws. */
export function sideAt(base: Base, feature: string): Side | null {
  return base.features.includes(feature) ? sideOf(readFeature({ root: base.root, dirs: {}, feature })) : null
}

/** The decisions that a feature left behind. **Throws** PARITY_TOLERANCE_INVALID. */
export function decisionsLeft(project: string, feature: string): readonly Decision[] {
  const file = join(dirsOf(project, {}).tolerance, `${feature}.rules.yaml`)
  const path = join(project, file)
  const read = readDecisions(file, existsSync(path) ? readFileSync(path, 'utf8') : '')
  if (!read.ok) throw locatedError('PARITY_TOLERANCE_INVALID', read.errors)
  return read.value
}

const OUTPUT_BYTES_MAX = 1024 * 1024 * 1024
const GIT_MS_MAX = 120_000

/** What git prints. Throws when it fails. */
function git(cwd: string, args: readonly string[], input?: string): Buffer {
  return execFileSync('git', [...args], {
    cwd,
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: GIT_MS_MAX,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input === undefined ? {} : { input }),
  })
}

/** What git prints, without the line end; null when it fails. */
function answerOf(cwd: string, args: readonly string[]): string | null {
  try {
    return git(cwd, args).toString().trim()
  } catch {
    return null
  }
}

function refused(what: string, fix: string, cause?: unknown): ParityError {
  return new ParityError('PARITY_LINT_BASE', what, fix, cause === undefined ? {} : { cause })
}

/** The newest commit that HEAD and `ref` have in common. */
function forkOf(project: string, ref: string): string {
  try {
    git(project, ['rev-parse', '--is-inside-work-tree'])
  } catch (error) {
    throw outside(error)
  }
  const branch = ref.replace(/^(?:refs\/remotes\/)?origin\//, '').replace(/^refs\/heads\//, '')
  const shallow = answerOf(project, ['rev-parse', '--is-shallow-repository']) === 'true'
  const tip = answerOf(project, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
  if (tip === null || tip === '') {
    const remote = answerOf(project, ['rev-parse', '--verify', '--quiet', '--end-of-options', `origin/${ref}^{commit}`])
    if (remote !== null && remote !== '') throw refused(`there is no ref \`${ref}\` here`, `write --base origin/${ref}`)
    const cut = shallow ? ': the checkout is shallow' : ''
    const fix = `git fetch origin ${branch}:refs/remotes/origin/${branch}, and write --base origin/${branch}`
    throw refused(`there is no ref \`${ref}\` here${cut}`, fix)
  }
  if (answerOf(project, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']) === null) {
    throw refused('this branch has no commit yet', 'commit something first')
  }
  const fork = answerOf(project, ['merge-base', tip, 'HEAD'])
  if (fork !== null && fork !== '') return fork
  if (!shallow) throw refused(`HEAD and \`${ref}\` have no commit in common`, 'name the branch that this one came from')
  throw refused(
    `the checkout is shallow: the commit where HEAD left \`${ref}\` is not in it`,
    `git fetch --unshallow origin ${branch} (in CI: check out the whole history, as fetch-depth: 0)`,
  )
}

function outside(error: unknown): ParityError {
  const { code, stderr } = error as { code?: string; stderr?: Buffer }
  if (code === 'ENOENT') return refused('git is not installed', 'install git', error)
  const said = (stderr?.toString() ?? '').trim()
  if (/not a git repository/.test(said)) {
    return refused('this folder is in no git repository', 'run it in a checkout of the project', error)
  }
  const owner = /safe\.directory \S+/.exec(said)?.[0]
  const fix =
    owner === undefined ? 'run `git status` here, and repair what it says' : `git config --global --add ${owner}`
  return refused(`git cannot read the repository: ${said.split('\n')[0] ?? ''}`, fix, error)
}

/** The files below `parity/` that say what a feature is; the candidate may lie beside them. */
const OF_FEATURES = new RegExp(`^${PARITY_DIR}/[^/]+/(?:contract\\.yaml|divergences\\.yaml|inputs/[^/]+)$`)

interface Extraction {
  readonly commit: string
  readonly into: string
  readonly paths: readonly string[]
  readonly wanted: RegExp
}

/** Writes what stands below `paths` at a commit, seen from the folder of the project. */
function extract(project: string, { commit, into, paths, wanted }: Extraction): void {
  const listed = git(project, ['ls-tree', '-r', '-z', commit, '--', ...paths])
    .toString()
    .split('\0')
  const files = listed.flatMap(line => {
    const [, mode, hash, path] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    // a link has the text of its target for a content
    const plain = mode === '100644' || mode === '100755'
    return plain && hash !== undefined && path !== undefined && !path.startsWith('..') && wanted.test(path)
      ? [{ hash, path }]
      : []
  })
  if (files.length === 0) return
  const asked = `${files.map(({ hash }) => hash).join('\n')}\n`
  const contents = git(project, ['cat-file', '--batch'], asked)
  let at = 0
  for (const { path } of files) {
    const end = contents.indexOf(10, at)
    const size = Number(contents.subarray(at, end).toString().split(' ')[2])
    const file = join(into, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
}
