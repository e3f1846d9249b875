import { unlessAborted } from '../supervise.ts'
import type { Engine } from './engine.ts'

export interface PullLimits {
  /** Without a word of the engine. Default 120_000. */
  readonly idleMs?: number
  /** Altogether. Default 900_000. */
  readonly wholeMs?: number
}

const IDLE_MS = 120_000
const WHOLE_MS = 900_000

/** What an engine said while it pulled, loaded, pushed or built; the last lines. */
export type Told =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly error: string; readonly lines: readonly string[] }

interface Progress {
  readonly error?: string
  readonly errorDetail?: { readonly message?: string }
  readonly stream?: string
  readonly status?: string
  readonly id?: string
}

const LINES_MAX = 40

/**
 * Follows a stream of progress to its end. The engine answers 200 and tells an error within the stream, and neither of the
 * two packages looks there; a stream may also never end.
 *
 * **Throws** the reason of `signal`.
 */
export async function follow(
  engine: Engine,
  begin: () => Promise<NodeJS.ReadableStream>,
  o: { readonly signal: AbortSignal; readonly limits?: PullLimits; readonly onLog?: (line: string) => void },
): Promise<Told> {
  const idleMs = o.limits?.idleMs ?? IDLE_MS
  const wholeMs = o.limits?.wholeMs ?? WHOLE_MS
  const lines: string[] = []
  const { promise, resolve } = Promise.withResolvers<Told>()
  const fail = (error: string): void => resolve({ ok: false, error, lines })
  let idle: NodeJS.Timeout | undefined
  const heard = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => fail(`the engine said nothing for ${idleMs} ms`), idleMs)
  }
  const whole = setTimeout(() => fail(`it had not ended after ${wholeMs} ms`), wholeMs)
  let stream: NodeJS.ReadableStream | null = null
  heard()
  const beginning = begin()
  beginning.then(
    started => {
      stream = started
      started.on('error', () => {})
      const onProgress = (event: Progress): void => {
        heard()
        const error = event.errorDetail?.message ?? event.error
        if (error !== undefined) fail(error)
        const line = (event.stream ?? event.status ?? '').trimEnd()
        if (line === '') return
        if (lines.push(line) > LINES_MAX) lines.shift()
        // the progress of single layers would bury all else
        if (event.id === undefined) o.onLog?.(line)
      }
      const onEnd = (error: Error | null): void => (error === null ? resolve({ ok: true, lines }) : fail(error.message))
      engine.docker.modem.followProgress(started, onEnd, onProgress)
    },
    (error: unknown) => fail(wordsOf(error)),
  )
  try {
    return await unlessAborted(promise, o.signal)
  } finally {
    clearTimeout(idle)
    clearTimeout(whole)
    void beginning.then(
      () => (stream as (NodeJS.ReadableStream & { destroy?: () => void }) | null)?.destroy?.(),
      () => {},
    )
  }
}

/** The words of the engine, without what the package that speaks to it puts before them. */
function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim()
}

type Remedy = (o: { readonly reference: string; readonly registry: string; readonly platform: string }) => string

/** Words of engines about images that they could not get, most telling first, and what to do about each. */
const REMEDIES: readonly (readonly [words: RegExp, remedy: Remedy])[] = [
  [
    /manifest\.v1|schema ?v?1|prettyjws|manifest version 1|unsupported (manifest )?media ?type/i,
    ({ reference }) =>
      `${reference} is stored in the old format (manifest v1): pull it with an engine before 28, and push it again: vitest-parity lab mirror`,
  ],
  [
    /no matching manifest|does not match the (specified|detected) platform|no match for platform/i,
    ({ reference, platform }) =>
      `${reference} is not made for ${platform}: run the lab on a machine that it is made for, or name another image`,
  ],
  [
    /server gave HTTP response to HTTPS client/i,
    ({ registry }) => `${registry} speaks plain HTTP: list it under insecure-registries of the engine`,
  ],
  [
    /x509|certificate|tls: /i,
    ({ registry }) => `let the engine trust the certificate of ${registry} (/etc/docker/certs.d/${registry})`,
  ],
  [
    /no such host|server misbehaving|name resolution|EAI_AGAIN|ENOTFOUND/i,
    ({ registry }) =>
      `${registry} has no address here: correct its name, or set PARITY_REGISTRY to a registry that can be reached`,
  ],
  [
    /connection refused/i,
    ({ registry }) => `nothing listens at ${registry}: start it, or set PARITY_REGISTRY to another one`,
  ],
  [
    /unauthorized|authentication required|no basic auth|denied/i,
    ({ registry }) => `log in to it (docker login ${registry}) and pull the image once: what is here needs no registry`,
  ],
  [
    /toomanyrequests|rate limit/i,
    ({ registry }) => `${registry} refuses more pulls for now: log in, or mirror the image: vitest-parity lab mirror`,
  ],
  [
    /filesystem layer|layer verification|unexpected EOF|corrupt|invalid (checksum|tar header)|gzip: invalid/i,
    ({ registry }) =>
      `a layer at ${registry} is damaged: push the image to it anew from a machine that has it: vitest-parity lab mirror`,
  ],
  [
    /manifest verification failed|unexpected (commit )?digest|digest (mismatch|did not match)|does not match .*digest/i,
    ({ registry }) =>
      `${registry} serves other bytes than the digest names: find out who changed it, and do not take them`,
  ],
  [
    /manifest unknown|name unknown|not found|does not exist/i,
    ({ registry }) =>
      `${registry} does not have it: correct tag and digest, or push it there: vitest-parity lab mirror`,
  ],
  [
    /said nothing for|had not ended|Client\.Timeout|deadline exceeded|timeout|unreachable|no route to host/i,
    ({ registry }) => `${registry} does not answer: try again, or set PARITY_REGISTRY to another one`,
  ],
  [/no space left/i, () => 'the disk of the engine is full: remove images that nobody needs (docker image prune)'],
]

/** What to do about the words of an engine that could not get an image, each in its own way. */
export function remedyOf(error: string, o: { readonly reference: string; readonly platform: string }): string {
  const registry = o.reference.split('/', 1)[0] ?? o.reference
  const found = REMEDIES.find(([words]) => words.test(error))
  return found === undefined ? 'read the words of the engine' : found[1]({ ...o, registry })
}

/** Whether a registry answered that it does not have what was asked for. */
export function isMissing(error: string): boolean {
  return /manifest unknown|name unknown|not found/i.test(error)
}
