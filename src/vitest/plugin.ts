import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { TestProject, Vitest, VitestPluginContext } from 'vitest/node'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import { ALLOWABLE_REASONS, type AllowableReason } from '../model.ts'
import { dirsOf } from '../pipeline/dirs.ts'
import type { Dirs } from '../pipeline/suite.ts'
import ParityReporter, { isParityReporter } from './reporter.ts'
import { isSelected, refuseUpdate } from './selection.ts'
import { type ParityProvided, PROJECT_NAME } from './state.ts'

export interface ParityOptions {
  /** Files of the parity project. Default every `*.parity.ts` and its other endings. */
  readonly include?: readonly string[]
  /**
   * Where goldens, tolerances and labs lie. Default: `"vitest-parity": {"dirs": …}` in package.json, which the commands
   * read too, else `__golden__`, `tolerance`, `labs`.
   */
  readonly dirs?: Dirs
  /** What an UNVERIFIABLE does to the run. Default `fail`; a list of reasons lets these pass as skipped. */
  readonly unverifiable?: 'fail' | { readonly allow: readonly AllowableReason[] }
  /** The date that verdicts are judged at, `YYYY-MM-DD`. Default: the UTC date at the start of the run. */
  readonly asOf?: string
  /** How long a file may give no sign of life before its worker is ended. Default 60_000. */
  readonly watchdogMs?: number
}

const INCLUDE = ['**/*.parity.?(c|m)[jt]s?(x)']
/** A comparison may boot a candidate and prove the rules first. */
const TEST_TIMEOUT_MS = 60_000
const WATCHDOG_MS = 60_000

/** The part of a Vite plugin that is used here; written out so that its type needs no copy of Vite. */
export interface ParityPlugin {
  readonly name: string
  config(user: { test?: ProjectTest }): { test: { projects: unknown[] } } | undefined
  configureVitest(context: VitestPluginContext): void
}

interface ProjectTest {
  name?: unknown
  projects?: unknown[]
  include?: string[]
}

/**
 * Adds the project `parity` and the reporter that judges the run. Beside `projects` of your own it is one more;
 * without any, your tests become the project `unit`.
 *
 * @throws ParityError PARITY_OPTION_UNKNOWN, PARITY_OPTION_INVALID, PARITY_UPDATE_REFUSED
 */
export function parity(options: ParityOptions = {}): ParityPlugin {
  checkOptions(options)
  return {
    name: 'vitest-parity',
    config(user) {
      if (nameOf(user.test) === PROJECT_NAME) return ownInclude(user, options)
      if (user.test?.name !== undefined) return undefined // another project that extends the root
      const projects = user.test?.projects
      if (projects?.some(each => nameOf((each as { test?: ProjectTest }).test) === PROJECT_NAME)) return undefined
      const own = parityProject(options)
      return { test: { projects: projects === undefined ? [{ extends: true, test: { name: 'unit' } }, own] : [own] } }
    },
    configureVitest({ vitest, project }) {
      if (project.name === PROJECT_NAME) configure(vitest, project, options)
    },
  }
}

/**
 * The project that `parity()` adds, for a configuration that lists its projects itself.
 *
 * @throws ParityError PARITY_OPTION_UNKNOWN, PARITY_OPTION_INVALID
 */
export function parityProject(options: ParityOptions = {}): TestProjectInlineConfiguration {
  checkOptions(options)
  return {
    extends: true,
    plugins: [
      {
        name: 'vitest-parity:project',
        config: (user: { test?: ProjectTest }) => ownInclude(user, options),
        configureVitest: ({ vitest, project }: VitestPluginContext) => {
          if (project.name === PROJECT_NAME) configure(vitest, project, options)
        },
      },
    ],
    test: {
      name: PROJECT_NAME,
      include: [...(options.include ?? INCLUDE)],
      pool: 'forks', // a thread that runs out of memory takes the main process with it
      runner: beside('runner'),
      execArgv: ['--import', pathToFileURL(beside('setup')).href],
      retry: 0,
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
    },
  }
}

/** The lists of a project are joined with those of the root configuration; of the files only ours are meant. */
function ownInclude(user: { test?: ProjectTest }, options: ParityOptions): undefined {
  if (user.test !== undefined) user.test.include = [...(options.include ?? INCLUDE)]
}

function nameOf(test: ProjectTest | undefined): string | undefined {
  const name = test?.name
  if (typeof name === 'object' && name !== null && 'label' in name) return String(name.label)
  return name === undefined ? undefined : String(name)
}

function beside(module: string): string {
  return fileURLToPath(new URL(`./${module}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
}

/** May be called twice for one project: by the plugin of the root, and by that of the project itself. */
function configure(vitest: Vitest, project: TestProject, options: ParityOptions): void {
  if (project.getProvidedContext().parity !== undefined) return
  const { update } = vitest.config as { readonly update?: unknown }
  // `-u forex.parity` takes the file for the value of -u, and would run everything
  const swallowed = typeof update === 'string' && !['all', 'new', 'none'].includes(update)
  if (isSelected(vitest.config.project) || swallowed) refuseUpdate(vitest)
  const provided: ParityProvided = {
    root: project.config.root,
    dirs: options.dirs ?? {},
    allow: typeof options.unverifiable === 'object' ? [...options.unverifiable.allow] : [],
    asOf: options.asOf ?? '',
    candidateId: 'unknown', // filled in at the start of each run, as asOf and labs are
    watchdogMs: options.watchdogMs ?? WATCHDOG_MS,
    labs: null,
  }
  project.provide('parity', provided)
  pinSurroundings(project)
  const reporters = vitest.config.reporters as unknown[]
  let reporter = reporters.find(isParityReporter)
  if (reporter === undefined && !reporters.some(isNamedReporter)) {
    reporter = new ParityReporter()
    reporters.push(reporter)
  }
  watch(vitest, project, options)
}

/** Workers start in the zone and locale of a lab that says nothing else, on every machine; `test.env` goes before. */
function pinSurroundings(project: TestProject): void {
  // undefined where the configuration has none, whatever the type says
  const given = project.config.env as Record<string, string> | undefined
  project.config.env = { TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...given }
}

/** Given as a path on the command line; Vitest makes the instance itself. */
function isNamedReporter(reporter: unknown): boolean {
  const name: unknown = Array.isArray(reporter) ? reporter[0] : reporter
  return typeof name === 'string' && /(^|[/\\])vitest-parity[/\\]reporter$/.test(name)
}

/** In watch mode a change of contract, input, golden, tolerance or lab runs the files of that feature again; an unknown name all of them. */
function watch(vitest: Vitest, project: TestProject, options: ParityOptions): void {
  const folders = Object.values(dirsOf(project.config.root, options.dirs ?? {})).map(dir =>
    resolve(project.config.root, dir),
  )
  const matching = {
    pattern: /\.(ya?ml|json|bin|sha256)$/,
    testsToRun: (path: string) => filesToRerun({ path, folders, vitest, project }),
  }
  vitest.config.watchTriggerPatterns = [...(vitest.config.watchTriggerPatterns ?? []), matching]
  if (!vitest.config.watch) return
  vitest.vite.watcher.add(folders)
  // Vitest asks the patterns for changed and new files only
  vitest.vite.watcher.on('unlink', path => {
    const { watcher } = vitest as unknown as { watcher?: { onFileChange?: (path: string) => void } }
    if (filesToRerun({ path, folders, vitest, project }).length > 0) watcher?.onFileChange?.(path)
  })
}

interface Changed {
  readonly path: string
  readonly folders: readonly string[]
  readonly vitest: Vitest
  readonly project: TestProject
}

function filesToRerun({ path, folders, vitest, project }: Changed): string[] {
  const changed = resolve(path)
  const under = folders.find(folder => !relative(folder, changed).startsWith('..'))
  const modules = vitest.state.getTestModules().filter(module => module.project.name === PROJECT_NAME)
  const parts = relative(under ?? project.config.root, changed).split(/[/\\]/)
  if (under === undefined && !parts.includes('parity')) return []
  const feature = under === undefined ? parts[parts.lastIndexOf('parity') + 1] : parts[0]?.split('.')[0]
  const own = modules.filter(module =>
    (module.meta().paritySuites ?? []).some(({ context }) =>
      [context.feature, ...(context.reads ?? [])].includes(feature ?? ''),
    ),
  )
  return (own.length > 0 ? own : modules).map(module => module.moduleId)
}

function checkOptions(options: ParityOptions): void {
  refuseUnknown('parity()', options, ['include', 'dirs', 'unverifiable', 'asOf', 'watchdogMs'])
  refuseUnknown('parity() dirs', options.dirs ?? {}, ['golden', 'tolerance', 'labs'])
  const { unverifiable, asOf, watchdogMs } = options
  if (unverifiable !== undefined && unverifiable !== 'fail') {
    const allow = (unverifiable as { allow?: unknown } | null)?.allow
    if (!Array.isArray(allow)) throw invalid('unverifiable', unverifiable, "write 'fail' or { allow: ['lab-image'] }")
    for (const reason of allow) {
      if ((ALLOWABLE_REASONS as readonly unknown[]).includes(reason)) continue
      throw invalid('unverifiable.allow', reason, `only these can be allowed: ${ALLOWABLE_REASONS.join(', ')}`)
    }
  }
  if (asOf !== undefined && (!/^\d{4}-\d{2}-\d{2}$/.test(asOf) || Number.isNaN(Date.parse(asOf)))) {
    throw invalid('asOf', asOf, 'write a date as 2026-01-31')
  }
  if (watchdogMs !== undefined && !(Number.isInteger(watchdogMs) && watchdogMs >= 1_000)) {
    throw invalid('watchdogMs', watchdogMs, 'write a whole number of milliseconds, 1000 at least')
  }
}

function refuseUnknown(where: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    throw new ParityError(
      'PARITY_OPTION_UNKNOWN',
      `${where}: there is no option \`${name}\``,
      near === null ? `the options are ${known.join(', ')}` : `write \`${near}\``,
    )
  }
}

function invalid(option: string, received: unknown, fix: string): ParityError {
  return new ParityError('PARITY_OPTION_INVALID', `parity(): ${option} cannot be ${JSON.stringify(received)}`, fix)
}
