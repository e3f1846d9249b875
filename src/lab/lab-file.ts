import { readdir, readFile, readlink } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, sep } from 'node:path'
import { z } from 'zod'
import { canonicalText, compareCodePoints, sha256 } from '../core/canonical.ts'
import { type Located, type ParsedYaml, parseYaml, validate } from '../core/yaml.ts'
import { ParityError } from '../errors.ts'
import type { Sha256 } from '../model.ts'
import { checkBoundaries } from './boundaries.ts'
import type { ContainerLab } from './container/spec.ts'
import { ContainerFileSchema, type ContainerLabFile } from './container-file.ts'
import { containerLab } from './container-lab.ts'
import { Call, Command, labHead, Name, Status, Versions } from './lab-head.ts'
import { labInvalid } from './lab-invalid.ts'
import { checkPins } from './pins.ts'

const PORT = /\$\{port\}/g
/** Names of files that an interpreter runs. */
const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|pl|php|sh|lua|jar)$/

const ServiceFile = z
  .strictObject({
    npm: Versions.describe(
      'Packages from the npm registry, exact; package.json and package-lock.json beside lab.yaml agree with it',
    ),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
      .default({})
      .describe('Added to the environment, which else holds PATH, HOME, TMPDIR, TZ, LANG, LC_ALL and PARITY_CLOCK'),
    command: Command.optional().describe(
      'Started in a copy of the folder of lab.yaml, to listen at 127.0.0.1 on the port that stands for its placeholder',
    ),
    ready: z
      .strictObject({
        http: Call.describe('What is asked until it is answered as expected'),
        status: Status.default(200),
        body: z.string().min(1).optional().describe('A text that the body contains'),
        timeoutMs: z.int().min(1).max(600_000).default(10_000).describe('One budget from start to ready, in ms'),
      })
      .optional()
      .describe('Behaviour, not process existence'),
    call: Command.optional().describe(
      'In place of command and ready: run once for each step, in a copy of the folder of lab.yaml. It gets the input as JSON on stdin; its stdout, stderr and exit code are the answer',
    ),
    reset: z
      .union([z.enum(['restart', 'none']), z.strictObject({ http: Call, status: Status.default(204) })])
      .default('restart')
      .describe(
        'How the first state comes back: a new process (of a call: a new copy of the folder), nothing to reset, or a request',
      ),
  })
  .meta({
    oneOf: [
      { required: ['command', 'ready'], properties: { call: false } },
      { required: ['call'], properties: { command: false, ready: false, reset: { enum: ['restart', 'none'] } } },
    ],
  })

interface ServiceBase {
  readonly npm: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

/** A service that is started once, listens and is asked. */
export interface ServedService extends ServiceBase {
  readonly command: readonly [string, ...string[]]
  readonly ready: NonNullable<z.infer<typeof ServiceFile>['ready']>
  readonly reset: z.infer<typeof ServiceFile>['reset']
}

/** A program that is run once for each step. */
export interface CalledService extends ServiceBase {
  readonly call: readonly [string, ...string[]]
  readonly reset: 'restart' | 'none'
}

const Service = ServiceFile.transform((file, context): ServedService | CalledService => {
  const { npm, env, command, ready, call, reset } = file
  const refuse = (path: string[], message: string, fix: string): never => {
    context.addIssue({ code: 'custom', path, message: `${message}\nFix: ${fix}` })
    return z.NEVER
  }
  if (call !== undefined) {
    const beside = command !== undefined ? 'command' : ready !== undefined ? 'ready' : null
    if (beside !== null) {
      const what = 'a service is called (call), or started and asked (command and ready)'
      return refuse([beside], `it stands beside call: ${what}`, `remove ${beside}, or remove call`)
    }
    if (typeof reset === 'string') return { npm, env, call, reset }
    return refuse(['reset'], 'a request, but nothing listens where a service is called', 'write restart or none')
  }
  if (command === undefined) {
    const [path, beside] = ready === undefined ? [[], ''] : [['ready'], ' beside ready']
    return refuse(path, `neither call nor command stands there${beside}`, 'add call, or add command and ready')
  }
  if (ready !== undefined) return { npm, env, command, ready, reset }
  return refuse(['command'], 'it stands there without ready', 'add ready, as { http: GET / }, or write call')
})

/** `labs/<name>/lab.yaml` of a lab whose programs run as processes of this machine. */
export const ProcessFileSchema = z
  .strictObject({
    ...labHead,
    driver: z.literal('process'),
    isolation: z.literal('none').describe('Stated in every report'),
    services: z.record(Name, Service),
  })
  .describe('The environment contract of a legacy')

/** `labs/<name>/lab.yaml`: the environment of a legacy. */
export const LabFileSchema = z.union([ProcessFileSchema, ContainerFileSchema])

export type ProcessLabFile = z.infer<typeof ProcessFileSchema>
export type LabFile = ProcessLabFile | ContainerLabFile

/** What lab.yaml says, or every way in which it does not fit its driver. */
export function validateLab(
  parsed: ParsedYaml,
  path: string,
): { readonly ok: true; readonly value: LabFile } | { readonly ok: false; readonly errors: readonly Located[] } {
  if (!parsed.ok) return parsed
  const { value } = parsed
  const driver = typeof value === 'object' && value !== null ? Reflect.get(value, 'driver') : undefined
  if (driver === 'container') return validate(parsed, ContainerFileSchema, path)
  if (driver === 'process' || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return validate(parsed, ProcessFileSchema, path)
  }
  // which keys there are depends on the driver, so nothing else can be said before it is known
  const what = driver === undefined ? 'missing: ' : '"driver": '
  const found = { ...parsed.at(['driver']), message: `${what}expected process or container` }
  const fix = driver === undefined ? 'add driver: process, or driver: container' : 'write process or container'
  return { ok: false, errors: [{ file: path, ...found, fix }] }
}

export type LabService = ServedService | CalledService

/** A lab as it stands on disk. */
export type Lab = ProcessLab | ContainerLab

/** A lab whose programs run as processes of this machine. */
export interface ProcessLab {
  readonly driver: 'process'
  /** Where lab.yaml and the programs of the legacy are. */
  readonly dir: string
  readonly file: ProcessLabFile
  /** The service that is driven, and its name. */
  readonly service: LabService & { readonly name: string }
  /** SHA-256 of package-lock.json; null when the lab needs no packages. */
  readonly lock: Sha256 | null
  /** SHA-256 over the path and content of every file in `dir`, hidden ones and node_modules left out. */
  readonly hash: Sha256
}

/**
 * The lab in `dir`.
 *
 * **Throws** PARITY_LAB_MISSING, PARITY_LAB_INVALID (every finding, each with line and column), PARITY_LAB_UNPINNED.
 */
export async function loadLab(dir: string): Promise<Lab> {
  const path = join(dir, 'lab.yaml')
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const fix = `create ${path}, or correct lab: in the contract`
    throw new ParityError('PARITY_LAB_MISSING', `${path} cannot be read`, fix, { cause })
  }
  const parsed = parseYaml(text, path)
  if (!parsed.ok) throw labInvalid(parsed.errors)
  const checked = validateLab(parsed, path)
  if (!checked.ok) throw labInvalid(checked.errors)
  const file = checked.value
  const at = (where: readonly string[], message: string, fix: string): ParityError =>
    labInvalid([{ file: path, ...parsed.at(where), message, fix }])

  if (file.driver === 'container') return containerLab(file, { dir, invalid: at, hash: await hashFolder(dir) })
  const [service, ...more] = Object.entries(file.services)
  if (service === undefined || more.length > 0) {
    const count = Object.keys(file.services).length
    throw at(['services'], `a process lab has one service, received ${count}`, 'keep the service that is driven')
  }
  checkBoundaries(file, at)
  const [name, definition] = service
  const misfit = 'call' in definition ? await misfitOfCall(definition, dir) : misfitOfCommand(definition)
  if (misfit !== null) throw at(['services', name, ...misfit.path], misfit.message, misfit.fix)
  const lock = await checkPins(dir, definition.npm)
  return { driver: 'process', dir, file, service: { name, ...definition }, lock, hash: await hashFolder(dir) }
}

interface Misfit {
  readonly path: readonly string[]
  readonly message: string
  readonly fix: string
}

function misfitOfCommand({ command, env }: ServedService): Misfit | null {
  if ([...command, ...Object.values(env)].some(word => word.search(PORT) !== -1)) return null
  const message = 'the port to listen on is not handed to the program'
  return { path: ['command'], message, fix: `hand the port over in command or env: --port, "$\{port}"` }
}

/** A script that is missing would be answered by its interpreter, and that answer frozen. */
async function misfitOfCall({ call, env }: CalledService, dir: string): Promise<Misfit | null> {
  const words = Object.entries({ call: call.join(' '), ...env })
  const [filled] = words.find(([, word]) => word.search(PORT) !== -1) ?? []
  if (filled !== undefined) {
    const message = 'a port stands there, but nothing listens where a service is called'
    return { path: filled === 'call' ? ['call'] : ['env', filled], message, fix: 'remove the port' }
  }
  const script = call.slice(1).find(word => !word.startsWith('-'))
  if (script === undefined || !SCRIPT.test(script) || isAbsolute(script)) return null
  if ((await labFiles(dir)).includes(normalize(script).split(sep).join('/'))) return null
  return { path: ['call'], message: `there is no ${script} in ${dir}`, fix: 'write it, or correct call' }
}

/** A word of command or env, with the port in place of `${port}`. */
export function fillPort(word: string, port: number): string {
  return word.replace(PORT, String(port))
}

/** The regular files and links of a lab, relative, sorted by code point. */
export async function labFiles(dir: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(relative(dir, path).split(sep).join('/'))
    }
  }
  await walk(dir)
  return found.sort(compareCodePoints)
}

async function hashFolder(dir: string): Promise<Sha256> {
  const files: Record<string, string> = {}
  for (const path of await labFiles(dir)) {
    const link = await readlink(join(dir, path)).catch(() => null)
    files[path] = link === null ? sha256(await readFile(join(dir, path))) : `link:${link}`
  }
  return sha256(canonicalText(files))
}
