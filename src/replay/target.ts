import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'

type Awaitable<T> = T | PromiseLike<T>

/** What is driven: a service, a function or a program. Made only by `http`, `fn` and `command`. */
export interface Target {
  readonly kind: 'http' | 'function' | 'command'
}

/** What a candidate is started or called with. */
export interface StartContext {
  /** The instant that the fixture was recorded at, as ISO text; null when the lab pins none. */
  readonly clock: string | null
  readonly tz: string
  /** Aborted when the candidate has to stop. */
  readonly signal: AbortSignal
  /** URLs of virtual services, by name. */
  readonly services: Readonly<Record<string, string>>
}

/** A started service: its base URL, and how it is stopped. */
export interface Served {
  readonly url: string
  [Symbol.asyncDispose]?(): PromiseLike<void>
}

export interface CommandOptions {
  /** Folder that the program runs in. Default: the folder that Vitest runs in. */
  readonly cwd?: string
  /** Variables added to the clean environment (PATH, HOME, TMPDIR, TZ, LANG, LC_ALL, PARITY_CLOCK). Default: none. */
  readonly env?: Readonly<Record<string, string>>
}

export type StartServer = (context: StartContext) => Awaitable<Served>

/** What a target holds; read by the drivers alone. */
export type TargetSpec =
  | { readonly kind: 'http'; readonly at: URL | StartServer }
  | { readonly kind: 'function'; readonly call: (input: unknown, context: StartContext) => unknown }
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]]; readonly options: CommandOptions }

/** The brand is a registered symbol, so that a target made by a second copy of this module is still a target. */
const SPEC = Symbol.for('vitest-parity.target')

function brand(spec: TargetSpec): Target {
  return Object.freeze(Object.defineProperty({ kind: spec.kind }, SPEC, { value: spec }))
}

/**
 * A service, given by its base URL or by a function that starts it.
 *
 * A started service is started at the instant of the fixture and disposed when the suite ends.
 * Only this origin is ever contacted; a path in the URL is put before every path of the inputs.
 *
 * @throws ParityError PARITY_TARGET_INVALID
 */
export function http(at: string | URL | StartServer): Target {
  return brand({ kind: 'http', at: typeof at === 'function' ? at : baseUrl(at) })
}

/**
 * A pure function, a handler or a job: called with the input of a case; what it returns or throws is observed.
 * The input is a fresh copy for every call, its numbers as JavaScript numbers.
 *
 * @throws ParityError PARITY_TARGET_INVALID
 */
export function fn<I>(call: (input: I, context: StartContext) => unknown): Target {
  if (typeof call !== 'function') throw invalid('fn', `expected a function, received ${kindOf(call)}`)
  return brand({ kind: 'function', call: call as (input: unknown, context: StartContext) => unknown })
}

/**
 * A program: the compact JSON of the input on stdin; stdout, stderr and exit code are observed.
 *
 * @throws ParityError PARITY_TARGET_INVALID
 */
export function command(argv: readonly [string, ...string[]], options: CommandOptions = {}): Target {
  const words: readonly unknown[] = Array.isArray(argv) ? argv : []
  if (words.length === 0 || words[0] === '' || words.some(word => typeof word !== 'string' || word.includes('\0'))) {
    throw invalid('command', `expected a list of words, the program first, received ${kindOf(argv)}`)
  }
  const known = ['cwd', 'env']
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue
    const near = nearest(key, known)
    throw invalid('command', `unknown option \`${key}\`${near === null ? '' : `; did you mean \`${near}\`?`}`)
  }
  return brand({ kind: 'command', argv: [...argv] as [string, ...string[]], options: { ...options } })
}

export function isTarget(value: unknown): value is Target {
  return specOf(value) !== null
}

/** The spec of a target; null for anything that is none. */
export function specOf(value: unknown): TargetSpec | null {
  if (typeof value !== 'object' || value === null) return null
  return (value as { readonly [SPEC]?: TargetSpec })[SPEC] ?? null
}

/**
 * The same value, once it is certain that it is no bare function and no URL:
 * those would be compared as outputs, where a target was meant.
 *
 * @throws ParityError PARITY_TARGET_UNWRAPPED
 */
export function refuseUnwrapped(value: unknown): unknown {
  if (typeof value === 'function') {
    throw new ParityError(
      'PARITY_TARGET_UNWRAPPED',
      `a bare function${value.name === '' ? '' : ` \`${value.name}\``} was given where a target is expected`,
      'wrap it in fn(), or in http() when it starts a service',
    )
  }
  if (value instanceof URL || (typeof value === 'string' && /^https?:\/\//i.test(value))) {
    throw new ParityError(
      'PARITY_TARGET_UNWRAPPED',
      `the bare URL ${JSON.stringify(withoutCredentials(String(value)))} was given where a target is expected`,
      'wrap it in http()',
    )
  }
  return value
}

/**
 * The target that `value` is.
 *
 * @throws ParityError PARITY_TARGET_UNWRAPPED, PARITY_TARGET_INVALID
 */
export function asTarget(value: unknown): Target {
  if (isTarget(refuseUnwrapped(value))) return value as Target
  throw invalid('candidate', `expected a target, received ${kindOf(value)}`)
}

/**
 * A base URL of http or https without credentials, query or fragment.
 *
 * @throws ParityError PARITY_TARGET_INVALID
 */
export function baseUrl(at: string | URL): URL {
  if (typeof at !== 'string' && !(at instanceof URL)) throw invalid('http', `expected a URL, received ${kindOf(at)}`)
  const shown = JSON.stringify(withoutCredentials(String(at)))
  const url = URL.parse(String(at))
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid('http', `expected a URL that begins with http:// or https://, received ${shown}`)
  }
  if (url.username !== '' || url.password !== '') throw invalid('http', `the URL ${shown} must not hold credentials`)
  if (url.search !== '' || url.hash !== '') throw invalid('http', `the URL ${shown} must have no query and no fragment`)
  return url
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/?#@]*@/, '//…@')
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? `an array of ${value.length}` : typeof value
}

function invalid(where: string, what: string): ParityError {
  return new ParityError(
    'PARITY_TARGET_INVALID',
    `${where}: ${what}`,
    "give http('http://127.0.0.1:3000'), http(context => startServer(context)), fn(input => output) or command(['program', 'argument'])",
  )
}
