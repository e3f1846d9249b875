import { Buffer } from 'node:buffer'
import { decodeBody } from '../core/bodies.ts'
import { bodyFileName, bodyOf } from '../core/body-file.ts'
import { sha256 } from '../core/canonical.ts'
import { undoCodings } from '../core/codings.ts'
import { compactJson, memberText, parseJson, prettyJson, textOf } from '../core/json.ts'
import { parseKeeping } from '../core/json-kept.ts'
import type { Reader } from '../core/json-reader.ts'
import { parameterOf, parseMediaType } from '../core/media-type.ts'
import type { Body, FieldList, Observation, Response, Sha256, StepObservation } from '../model.ts'

/** A binary body up to this size stands in the golden as base64; a larger one in a file of its own. */
const INLINE_MAX_BYTES = 8 * 1024

/** The steps of a golden as compact JSON text, and the files that stand beside it. */
export interface Payload {
  readonly steps: string
  readonly files: ReadonlyMap<string, Uint8Array>
  /** SHA-256 of `steps`. */
  readonly id: Sha256
}

/**
 * What is stored of an observation. A body is stored decoded, as JSON with every token as received or as text, only where
 * that decodes to the very document that its octets decode to; else as the octets received, still under their coding.
 */
export function payloadOf(name: string, observation: Observation): Payload {
  const files = new Map<string, Uint8Array>()
  const steps = `[${observation.map(step => stepText(step, { name, files })).join(',')}]`
  return { steps, files, id: sha256(steps) }
}

/** The text of a golden file: pretty-printed, every token of the payload as it is. */
export function goldenText(o: { readonly id: Sha256; readonly input: Sha256; readonly steps: string }): string {
  return `${prettyJson(`{"format":1,"id":"${o.id}","input":"${o.input}","steps":${o.steps}}`)}\n`
}

interface Place {
  readonly name: string
  readonly files: Map<string, Uint8Array>
}

function stepText(step: StepObservation, place: Place): string {
  switch (step.kind) {
    case 'response': {
      const { status, headers } = step.response
      const body = bodyText(storedBody(step.method, step.response), place)
      return `{"response":{"status":${status},"headers":${JSON.stringify(headers)}${body}}}`
    }
    case 'output':
      return `{"output":${textOf(step.output)}}`
    case 'threw': {
      const { name, code, message } = step.threw
      return `{"threw":${JSON.stringify({ name, code, message })}}`
    }
    case 'command': {
      const stdout = bodyText(storedStdout(step.stdout), place).replace(/^,"body"/, ',"stdout"')
      return `{"command":{"exit":${step.exit}${stdout},"stderr":${JSON.stringify(step.stderr)}}}`
    }
    default:
      return step satisfies never
  }
}

type Stored = { readonly rawJson: string } | { readonly text: string } | { readonly bytes: Uint8Array } | null

function storedBody(method: string, { status, headers, body }: Response): Stored {
  if (body === undefined) return null
  if ('json' in body) return { rawJson: textOf(body.json) }
  if ('text' in body) return body
  if ('form' in body) {
    const query = new URLSearchParams()
    for (const [name, value] of body.form) query.append(name, value)
    return { text: query.toString() }
  }
  const wanted = decodeBody({ headers, body, method, status })
  if (wanted.kind === 'binary' || wanted.fault !== undefined) return body
  const same = (stored: Body): boolean =>
    documentText(wanted) === documentText(decodeBody({ headers, body: stored, method, status }))
  const text = receivedText(body.bytes, headers)
  if (text === null) return body
  const parsed = parseJson(text)
  if (parsed.ok && same({ json: parsed.value })) return { rawJson: compactJson(text) }
  return same({ text }) ? { text } : body
}

function documentText(decoded: ReturnType<typeof decodeBody>): string {
  return `${decoded.kind} ${JSON.stringify(decoded.notes)} ${textOf(decoded.value)}`
}

/** The text of a body, its codings undone; null when it is not wholly text of its charset. */
function receivedText(bytes: Uint8Array, headers: FieldList): string | null {
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  const uncoded = undoCodings(bytes, valuesOf('content-encoding'))
  if (!uncoded.ok) return null
  const charset = parameterOf(parseMediaType(valuesOf('content-type').at(-1) ?? ''), 'charset') ?? 'utf-8'
  return textIn(uncoded.bytes, charset)
}

function textIn(bytes: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function storedStdout(stdout: Uint8Array): Stored {
  if (stdout.length === 0) return null
  const text = textIn(stdout, 'utf-8')
  if (text === null) return { bytes: stdout }
  return parseJson(text).ok ? { rawJson: compactJson(text) } : { text }
}

function bodyText(stored: Stored, { name, files }: Place): string {
  if (stored === null) return ''
  if ('rawJson' in stored) return `,"body":{"json":${stored.rawJson}}`
  if ('text' in stored) return `,"body":{"text":${JSON.stringify(stored.text)}}`
  const { bytes } = stored
  if (bytes.length <= INLINE_MAX_BYTES) return `,"body":{"base64":"${Buffer.from(bytes).toString('base64')}"}`
  const file = bodyFileName(name, bytes)
  files.set(file, bytes)
  return `,"body":{"file":${JSON.stringify(file)}}`
}

/** The observation that the steps of a golden hold; what does not fit is said through the reader. */
export function observationOf(steps: Reader, o: { read(name: string): Uint8Array }): Observation {
  return steps.list({ min: 1 }).map(step => stepOf(step, o))
}

function stepOf(step: Reader, o: { read(name: string): Uint8Array }): StepObservation {
  const kinds = ['response', 'output', 'threw', 'command'] as const
  const members = step.object(kinds)
  const kind = members.oneOf(kinds)
  const nothing: StepObservation = { kind: 'output', output: null }
  if (kind === null) return nothing
  const reader = members.member(kind)
  switch (kind) {
    case 'response': {
      const parts = reader.object(['status', 'headers', 'body'])
      const body = parts.member('body').optional()
      const read = body === null ? null : bodyOf(body, o)
      const headers = parts
        .member('headers')
        .list()
        .map(header => header.pair())
      const status = parts.member('status').integer()
      return { kind, method: 'GET', response: { status, headers, ...(read === null ? {} : { body: read }) } }
    }
    case 'output':
      return { kind, output: reader.value ?? null }
    case 'threw': {
      const parts = reader.object(['name', 'code', 'message'])
      const code = parts.member('code')
      const message = parts.member('message').string()
      return {
        kind,
        threw: { name: parts.member('name').string(), code: code.value === null ? null : code.string(), message },
      }
    }
    case 'command': {
      const parts = reader.object(['exit', 'stdout', 'stderr'])
      const stdout = parts.member('stdout').optional()
      const read = stdout === null ? null : bodyOf(stdout, o)
      return {
        kind,
        exit: parts.member('exit').integer(),
        stdout: octetsOf(read),
        stderr: parts.member('stderr').string(),
      }
    }
    default:
      return kind satisfies never
  }
}

function octetsOf(body: Body | null): Uint8Array {
  if (body === null) return new Uint8Array(0)
  if ('bytes' in body) return body.bytes
  if ('json' in body) return Buffer.from(textOf(body.json), 'utf8')
  return Buffer.from('text' in body ? body.text : '', 'utf8')
}

/** A JSON body from this length on keeps its text, so that equal octets need no parsing; a shorter one is parsed as fast. */
const KEPT_MIN = 64 * 1024

/** The observation of a golden of one step, whose compact text that is; a large JSON body keeps its own. */
export function withText(observation: Observation, steps: string): Observation {
  const [step, more] = observation
  const body = step?.kind === 'response' ? step.response.body : undefined
  if (step?.kind !== 'response' || more !== undefined || body === undefined || !('json' in body)) return observation
  if (steps.length < KEPT_MIN) return observation
  const response = memberText(steps.slice(1, -1), 'response') ?? ''
  const text = memberText(memberText(response, 'body') ?? '', 'json')
  const parsed = text === null ? null : parseKeeping(Buffer.from(text, 'utf8'))
  if (parsed === null || !parsed.ok) return observation
  return [{ ...step, response: { ...step.response, body: { json: parsed.value } } }]
}
