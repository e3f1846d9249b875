import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSource, referencesIn } from '../core/bindings.ts'
import { bodyOf } from '../core/body-file.ts'
import { compareCodePoints, sha256 } from '../core/canonical.ts'
import { compactJson, memberText, parseJson } from '../core/json.ts'
import { type Misfit, Reader } from '../core/json-reader.ts'
import { nearest } from '../core/nearest.ts'
import type { Located } from '../core/yaml.ts'
import { ParityError } from '../errors.ts'
import { BUCKETS, type Bucket, type Case, type InputStep, type Request, type Sha256 } from '../model.ts'
import { locatedError } from './located.ts'

const CASE_NAME = /^\d+-([a-z]+)-[a-z0-9][a-z0-9-]*$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Percent-encoded; a link that an earlier step bound may stand at its beginning. */
const PATH = /^(?:\/|\{\{[A-Za-z_])[\x21-\x7e]*$/
const BOUND_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
/** Headers that the replayer itself answers for: the body and the connection decide them. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * The cases in `<dir>/<feature>/inputs/`, sorted by name by code point; none when there is no such folder.
 * `dir` holds the folders of all features. Files that do not end in `.json` are no cases.
 *
 * @throws ParityError PARITY_INPUT_INVALID, with every file and place that is wrong
 */
export function readInputs(dir: string, feature: string): readonly Case[] {
  const folder = join(dir, feature, 'inputs')
  const cases: Case[] = []
  const errors: Located[] = []
  for (const entry of entriesOf(folder)) {
    const file = join(folder, entry)
    const parsed = parseInput(readFileSync(file, 'utf8'), {
      file,
      name: entry.slice(0, -'.json'.length),
      read: name => readFileSync(join(folder, name)),
    })
    if (parsed.ok) cases.push(parsed.case)
    else errors.push(...parsed.errors)
  }
  if (errors.length > 0) throw locatedError('PARITY_INPUT_INVALID', errors)
  return cases
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(entry => entry.endsWith('.json'))
      .sort(compareCodePoints)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ParityError('PARITY_INPUT_INVALID', `${folder}: the folder cannot be read`, 'make it readable', {
      cause: error,
    })
  }
}

export interface InputSource {
  readonly file: string
  readonly name: string
  /** The octets of a file beside the input. Throws when there is none. */
  read(name: string): Uint8Array
}

/** The case that `text` holds. Numbers and strings stay as written; unknown members are refused. */
export function parseInput(
  text: string,
  source: InputSource,
): { readonly ok: true; readonly case: Case } | { readonly ok: false; readonly errors: readonly Located[] } {
  const { file, name } = source
  const parsed = parseJson(text)
  if (!parsed.ok) {
    const { line, column, message } = parsed
    return { ok: false, errors: [{ file, line, column, message: `not JSON: ${message}`, fix: 'correct the JSON' }] }
  }
  const misfits: Misfit[] = []
  const bucket = bucketOf(name, misfits)
  const top = new Reader(parsed.value, '$', misfits).object(['$schema', 'covers', 'steps', 'now', 'class'])
  const listed = top.member('steps')
  const steps = listed.list({ min: 1 }).map(step => stepOf(step, source))
  if (steps.length > 0 && steps.every(step => step.given === true)) {
    listed.refuse(
      'every step is given, so that nothing is compared',
      'take "given" from the step that the case is about',
    )
  }
  const now = top.member('now')
  const found: Omit<Case, 'id'> = {
    name,
    bucket,
    covers:
      top
        .member('covers')
        .optional()
        ?.list()
        .map(item => item.string()) ?? [],
    steps,
    now: now.optional()?.string({ matching: INSTANT, what: 'an instant in UTC, as 2026-01-02T03:04:05Z' }) ?? null,
    class: top.member('class').optional()?.string() ?? null,
  }
  if (misfits.length > 0) return { ok: false, errors: misfits.map(misfit => ({ file, line: 1, column: 1, ...misfit })) }
  return { ok: true, case: { ...found, id: inputId(text) } }
}

/** SHA-256 of the compact text of what is sent: the steps, and the instant when there is one. */
function inputId(text: string): Sha256 {
  const steps = compactJson(memberText(text, 'steps') ?? 'null')
  const now = memberText(text, 'now')
  return sha256(now === null ? `{"steps":${steps}}` : `{"steps":${steps},"now":${compactJson(now)}}`)
}

function bucketOf(name: string, misfits: Misfit[]): Bucket {
  const word = CASE_NAME.exec(name)?.[1] ?? ''
  const bucket = BUCKETS.find(known => known === word)
  if (bucket !== undefined) return bucket
  const near = nearest(word, BUCKETS)
  misfits.push({
    message: `the name of a case is a number, a bucket (${BUCKETS.join(', ')}) and what it shows, received ${JSON.stringify(name)}`,
    fix: `rename the file, as 010-${near ?? 'error'}-unknown-currency.json`,
  })
  return 'happy'
}

function stepOf(step: Reader, source: InputSource): InputStep {
  const members = step.object(['request', 'input', 'bind', 'same', 'as', 'given'])
  const which = members.oneOf(['request', 'input'])
  if (which === null) return {}
  const bind = members.member('bind').optional()
  const same = members.member('same').optional()
  const given = members.member('given').optional()
  const as = members.member('as').optional()
  if (as !== null && which === 'input') as.refuse('an input has nobody who calls', 'remove it')
  return {
    ...(which === 'input'
      ? { input: members.member('input').value ?? null }
      : { request: requestOf(members.member('request'), source) }),
    ...(bind === null ? {} : { bind: bindingsOf(bind) }),
    ...(same === null ? {} : { same: repeatsOf(same) }),
    ...(as === null ? {} : { as: as.string() }),
    ...(given === null ? {} : { given: given.boolean() }),
  }
}

function bindingsOf(reader: Reader): Readonly<Record<string, string>> {
  const bindings = reader.entries().map(([name, member]) => {
    if (!BOUND_NAME.test(name)) {
      reader.refuse(`${JSON.stringify(name)} is no name of a binding`, 'write letters, digits and _, a letter first')
    }
    return [name, sourceOf(member, member.string())] as const
  })
  return Object.fromEntries(bindings)
}

function repeatsOf(reader: Reader): Readonly<Record<string, string>> {
  const repeats = reader.entries().map(([source, member]) => {
    const template = member.string()
    if (referencesIn(template).length === 0) {
      member.refuse('it refers to no binding', 'write what the place has to repeat, as {{id}} or /posts/{{id}}')
    }
    return [sourceOf(reader, source), template] as const
  })
  return Object.fromEntries(repeats)
}

function sourceOf(reader: Reader, text: string): string {
  const parsed = parseSource(text)
  if (!parsed.ok) reader.refuse(parsed.message, parsed.fix)
  return text
}

function requestOf(reader: Reader, source: InputSource): Request {
  const members = reader.object(['method', 'path', 'headers', 'body'])
  const method = members.member('method').string({ matching: TOKEN, what: 'a method, as GET' })
  if (method === 'CONNECT') members.member('method').refuse('CONNECT opens a tunnel', 'use another method')
  const path = members
    .member('path')
    .string({ matching: PATH, what: 'a path that begins with / and is percent-encoded, or with a {{binding}}' })
  if (path.includes('#')) members.member('path').refuse('a path has no fragment', 'remove # and what follows')
  const headers = (members.member('headers').optional()?.list() ?? []).map(headerOf)
  if (headers.filter(([name]) => name.toLowerCase() === 'host').length > 1) {
    members.member('headers').refuse('Host occurs twice', 'keep one')
  }
  const body = members.member('body').optional()
  if (body === null) return { method, path, headers }
  const read = bodyOf(body, { read: source.read })
  return { method, path, headers, ...(read === null ? {} : { body: read }) }
}

function headerOf(reader: Reader): readonly [string, string] {
  const [name, value] = reader.pair()
  if (!TOKEN.test(name)) reader.refuse(`${JSON.stringify(name)} is no header name`, 'write a name of RFC 9110 §5.6.2')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value) || value.trim() !== value) {
    reader.refuse(
      `the value of ${name} has characters that a header cannot hold`,
      'remove line breaks, control characters, characters over U+00FF and the spaces around the value',
    )
  }
  if (OWN_HEADERS.includes(name.toLowerCase())) {
    reader.refuse(`${name} follows from the body and the connection`, 'remove it')
  }
  return [name, value]
}
