import { Buffer } from 'node:buffer'
import type { Body, FieldList, StepObservation } from '../model.ts'
import type { DocumentKind } from './bodies.ts'
import { sha256 } from './canonical.ts'
import { childAt, edited } from './edits.ts'
import type { Json } from './json.ts'
import { type DocumentMutant, documentMutants, JSON_MANNER, type Manner } from './mutants-document.ts'
import { type ResponseStep, rootMutant, type Seed, type StepMutant, withResponse } from './mutants-step.ts'
import { normalisedPath } from './selector.ts'
import { withDocument } from './shown.ts'
import { type Known, partOctets } from './written.ts'

/** Beyond this many mutants of a document that is not JSON, one for each distinct path is made. */
export const SEEDED_SHOWN_MAX = 2_000

const FORM: Manner = { ...JSON_MANNER, member: ['parity-mutant'] }
/** Names of elements stay names. */
const XML: Manner = { ...JSON_MANNER, member: 'parity-mutant', changed: text => `${text}x` }
const EVENTS: Manner = {
  ...JSON_MANNER,
  element: (fresh, segments) => (segments.length > 0 ? fresh : { event: 'message', id: '', data: fresh, retry: null }),
}
const PARTS: Manner = {
  member: ['parity-mutant'],
  changed: (text, segments) =>
    segments.length === 2 && segments[1] === 'type' ? `${text}; parity=mutant` : `${text}?`,
  element: (fresh, segments) =>
    segments.length > 0 ? fresh : { name: fresh, filename: null, type: 'text/plain', body: { lines: [fresh] } },
}

/** JSON, lines of JSON and text: every change of a document that stays one of its kind. */
export function seedPlain(seed: Seed): StepMutant[] {
  return [...seedDocument(seed, JSON_MANNER), ...seedKind(seed)]
}

export function seedForm(seed: Seed): StepMutant[] {
  return [...seedDocument(seed, FORM), ...seedKind(seed)]
}

/** Also: a comment, which must pass. */
export function seedXml(seed: Seed): StepMutant[] {
  const { observed } = seed
  const text = observed.kind === 'response' ? withDocument(observed, 'xml', seed.document.value) : null
  if (observed.kind !== 'response' || text?.kind !== 'response') return [...seedDocument(seed, XML), ...seedKind(seed)]
  const { body } = text.response
  const commented = body !== undefined && 'text' in body ? { text: `${body.text}<!--parity mutant-->` } : null
  return [
    ...seedDocument(seed, XML),
    ...(commented === null ? [] : [passing(seed, 'comment', () => withResponse(observed, { body: commented }))]),
    ...seedKind(seed),
  ]
}

/** Also: a stream that breaks off within its last event, and a comment, which must pass. */
export function seedEvents(seed: Seed): StepMutant[] {
  const { observed } = seed
  const { value } = seed.document
  const last = Array.isArray(value) ? value.length - 1 : -1
  const cut = customMutant(seed, 'cut short', [last, 'unfinished'], true)
  const shown = withDocument(observed, 'sse', value)
  const body = shown?.kind === 'response' ? shown.response.body : undefined
  const commented = body !== undefined && 'text' in body ? { text: `: parity mutant\n${body.text}` } : null
  return [
    ...seedDocument(seed, EVENTS),
    ...(cut === null ? [] : [cut]),
    ...(commented === null || observed.kind !== 'response'
      ? []
      : [passing(seed, 'comment', () => withResponse(observed, { body: commented }))]),
    ...seedKind(seed),
  ]
}

/** Also: one octet of each binary part flipped, and another boundary, which must pass. */
export function seedMultipart(seed: Seed): StepMutant[] {
  const { observed } = seed
  const { value } = seed.document
  const octets = observed.kind === 'response' ? partOctets(observed.response) : new Map<string, Uint8Array>()
  const flips = Array.isArray(value) ? value.map((_, at) => flippedPart(seed, at, octets)) : []
  return [
    ...seedDocument(seed, PARTS),
    ...flips.filter(mutant => mutant !== null),
    ...(observed.kind === 'response' ? rebound(seed, observed) : []),
    ...seedKind(seed),
  ]
}

/** A mutant that shows nothing that counts. */
function passing(seed: Seed, mutation: string, step: () => StepObservation): StepMutant {
  return { ...rootMutant(seed, '$', mutation, step), expect: 'PARITY' }
}

/** A change at a place below the elements of a list; null where it cannot be shown, or a rule lets it pass. */
function customMutant(
  seed: Seed,
  mutation: string,
  [at, name]: readonly [number, string],
  value: Json,
): StepMutant | null {
  const root = seed.matcher.body(seed.step)
  const state = root.item(at).child(name)
  if (at < 0 || [root, root.item(at), state].some(one => one.key === 'ignore' || one.key === 'structural')) return null
  const document = edited(seed.document.value, [at, name], () => value)
  const shown = document === null ? null : withDocument(seed.observed, seed.document.kind, document)
  if (shown === null) return null
  const path = normalisedPath([at, name])
  const within = root.key === 'order_insensitive' ? '$' : path
  return { state, root: 'uncovered', mutation, path, within, expect: 'DIVERGED', step: () => shown }
}

function flippedPart(seed: Seed, at: number, octets: ReadonlyMap<string, Uint8Array>): StepMutant | null {
  const { observed, document, matcher, step } = seed
  const part = Array.isArray(document.value) ? document.value[at] : undefined
  const hash = part === undefined ? null : hashIn(part)
  const before = hash === null ? undefined : octets.get(hash)
  const root = matcher.body(step)
  const state = root.item(at).child('body')
  // Under a rule deeper down the change might be let pass.
  const free = state.inert && ![root, root.item(at), state].some(({ key }) => key === 'ignore' || key === 'structural')
  if (before === undefined || before.length === 0 || !free) return null
  const flip = () => {
    const after = Uint8Array.from(before)
    after[0] = (after[0] ?? 0) ^ 1
    const flipped = sha256(after).slice('sha256:'.length)
    const changed = edited(document.value, [at, 'body'], () => ({ sizeBytes: after.length, sha256: flipped }))
    const known = { texts: new WeakMap<object, string>(), octets: new Map([...octets, [flipped, after]]) }
    return (changed === null ? null : withDocument(observed, 'multipart', changed, known)) ?? observed
  }
  const path = normalisedPath([at, 'body'])
  const within = root.key === 'order_insensitive' ? '$' : path
  return { state, root: 'uncovered', mutation: 'octet flipped', path, within, expect: 'DIVERGED', step: flip }
}

function hashIn(part: Json): string | null {
  const body = childAt(part, 'body')
  const hash = body === undefined ? undefined : childAt(body, 'sha256')
  return typeof hash === 'string' ? hash : null
}

/** The same parts between another boundary; not where a rule compares the Content-Type by its text. */
function rebound(seed: Seed, observed: ResponseStep): StepMutant[] {
  if (seed.matcher.scalar(seed.step, 'header.content-type').rule !== null) return []
  const headers = observed.response.headers.map(([name, value]): readonly [string, string] => {
    if (name.toLowerCase() !== 'content-type') return [name, value]
    return [name, value.replace(/(;\s*boundary\s*=\s*)(?:"[^"]*"|[^;\s]*)/i, '$1parity-mutant-boundary')]
  })
  const octets = partOctets(observed.response)
  const moved = withResponse(observed, { headers })
  const known = { texts: new WeakMap<object, string>(), octets }
  const shown = withDocument(moved, 'multipart', seed.document.value, known)
  return shown === null ? [] : [passing(seed, 'another boundary', () => shown)]
}

/**
 * The mutants of a document. A JSON document can show any change; in the others one is written first, to see whether it
 * can be shown.
 */
function seedDocument(seed: Seed, manner: Manner): StepMutant[] {
  const { observed, document, matcher, step } = seed
  const mutants = documentMutants(document.value, matcher.body(step), manner)
  const known = {
    texts: new WeakMap<object, string>(),
    octets: observed.kind === 'response' ? partOctets(observed.response) : null,
  }
  const free = document.kind === 'json' && observed.kind !== 'threw'
  const chosen = free || mutants.length <= SEEDED_SHOWN_MAX ? mutants : oneOfEach(mutants)
  return chosen.flatMap(mutant => {
    const shown = free ? observed : built(observed, document.kind, mutant, known)
    if (shown === null) return []
    return [
      {
        state: mutant.state,
        root: 'uncovered',
        mutation: mutant.mutation,
        path: normalisedPath(mutant.segments),
        within: normalisedPath(mutant.within),
        expect: mutant.expect,
        step: () => built(observed, document.kind, mutant, known) ?? observed,
      },
    ]
  })
}

function oneOfEach(mutants: readonly DocumentMutant[]): DocumentMutant[] {
  const seen = new Set<string>()
  return mutants.filter(({ state, mutation, segments }) => {
    const place = segments.map(segment => (typeof segment === 'number' ? 0 : segment))
    const key = JSON.stringify([state.rule?.text, mutation, place])
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function built(
  observed: StepObservation,
  kind: DocumentKind,
  mutant: DocumentMutant,
  known: Known,
): StepObservation | null {
  const value = mutant.value()
  return value === null && kind !== 'json' ? null : withDocument(observed, kind, value, known)
}

/** A document of another kind, one that is gone or came up, and one that does not decode. */
export function seedKind(seed: Seed): StepMutant[] {
  const { observed, document } = seed
  if (observed.kind === 'command') return seedOutputKind(seed, observed)
  if (observed.kind !== 'response') return []
  const { status, headers } = observed.response
  const bodiless = observed.method.toUpperCase() === 'HEAD' || status < 200 || status === 204 || status === 304
  if (bodiless) return []
  const mutant = (mutation: string, body: Body | undefined, more: FieldList = headers) =>
    rootMutant(seed, '$', mutation, () => {
      const { body: _, ...rest } = observed.response
      return { ...observed, response: { ...rest, headers: more, ...(body === undefined ? {} : { body }) } }
    })
  const uncoded = headers.filter(([name]) => name.toLowerCase() !== 'content-encoding')
  const mutants = [
    mutant('undecodable body', { bytes: Buffer.from('parity mutant') }, [...uncoded, ['Content-Encoding', 'gzip']]),
  ]
  if (document.kind === 'empty') return [mutant('body added', { text: 'parity mutant' }), ...mutants]
  mutants.unshift(mutant('body emptied', undefined))
  const other: Record<Exclude<DocumentKind, 'empty'>, Body | null> = {
    json: { text: '<html>parity mutant</html>' },
    form: { text: '%FF' },
    text: { bytes: Uint8Array.of(0, 255) },
    ndjson: { text: '<html>parity mutant</html>' },
    multipart: { text: 'parity mutant' },
    sse: { text: 'parity mutant' },
    xml: { text: 'parity mutant' },
    binary: null,
  }
  const body = other[document.kind]
  if (body !== null) mutants.unshift(mutant('another kind', body, uncoded))
  return mutants
}

function seedOutputKind(seed: Seed, observed: Extract<StepObservation, { kind: 'command' }>): StepMutant[] {
  const octets = (text: string) => ({ ...observed, stdout: Buffer.from(text) })
  if (seed.document.kind === 'empty') return [rootMutant(seed, '$', 'body added', () => octets('parity mutant'))]
  const kind = seed.document.kind === 'json' ? 'parity mutant' : '{"parity":"mutant"}'
  return [
    rootMutant(seed, '$', 'another kind', () => octets(kind)),
    rootMutant(seed, '$', 'body emptied', () => octets('')),
  ]
}

/** One octet flipped, and one more. */
export function seedBinary(seed: Seed): StepMutant[] {
  const { observed } = seed
  const octets = octetsOf(observed)
  const state = seed.matcher.body(seed.step)
  if (octets === null || octets.length === 0) return []
  const flipped = Uint8Array.from(octets)
  flipped[0] = (flipped[0] ?? 0) ^ 1
  const of = (name: 'sha256' | 'sizeBytes', mutation: string, changed: Uint8Array): StepMutant[] => {
    const { key } = state.child(name)
    if (key !== 'exact' && key !== 'uncovered') return []
    const path = `$.${name}`
    const step = () => withOctets(observed, changed)
    return [{ state: state.child(name), root: 'uncovered', mutation, path, within: path, expect: 'DIVERGED', step }]
  }
  return [...of('sizeBytes', 'octet added', grown(octets)), ...of('sha256', 'octet flipped', flipped)]
}

function grown(octets: Uint8Array): Uint8Array {
  const more = new Uint8Array(octets.length + 1)
  more.set(octets)
  return more
}

/** The octets of a binary document that stands under no content coding. */
function octetsOf(step: StepObservation): Uint8Array | null {
  if (step.kind === 'command') return step.stdout
  if (step.kind !== 'response' || step.response.body === undefined) return null
  if (step.response.headers.some(([name]) => name.toLowerCase() === 'content-encoding')) return null
  const { body } = step.response
  if ('bytes' in body) return body.bytes
  return 'text' in body ? Buffer.from(body.text, 'utf8') : null
}

function withOctets(step: StepObservation, bytes: Uint8Array): StepObservation {
  if (step.kind === 'command') return { ...step, stdout: bytes }
  return step.kind === 'response' ? withResponse(step, { body: { bytes } }) : step
}
