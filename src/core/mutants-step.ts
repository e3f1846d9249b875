import { Buffer } from 'node:buffer'
import type { Body, FieldList, Response, StepObservation } from '../model.ts'
import type { DocumentKind } from './bodies.ts'
import type { StepDocument } from './documents.ts'
import { withDocument } from './edits.ts'
import type { Json } from './json.ts'
import type { Matcher, MatchState } from './matcher.ts'
import { anotherOfClass } from './mutant-values.ts'
import { type DocumentMutant, documentMutants } from './mutants-document.ts'
import { normalisedPath } from './selector.ts'

/** A changed step and what it must come to. Paths are without the prefix of the step. */
export interface StepMutant {
  readonly state: MatchState
  /** Names the root in place of a rule, where none governs. */
  readonly root: string
  readonly mutation: string
  readonly path: string
  readonly within: string
  readonly expect: 'DIVERGED' | 'PARITY'
  step(): StepObservation
}

export interface Seed {
  readonly observed: StepObservation
  readonly document: StepDocument
  readonly step: number
  readonly matcher: Matcher
  readonly headers: readonly string[]
}

/** What a comparator of one part of a step brings along: the mutants it must catch, and those it must let pass. */
type Seeder = (seed: Seed) => StepMutant[]

/**
 * The seeders of all comparators. One that compares a kind of document cannot be added without its mutants: the type of
 * this table asks for them.
 */
const SEEDERS: Readonly<Record<DocumentKind | 'status' | 'headers' | 'program' | 'error', Seeder>> = {
  status: seedStatus,
  headers: seedHeaders,
  program: seedProgram,
  error: seedError,
  json: seed => [...seedDocument(seed), ...seedKind(seed)],
  text: seed => [...seedDocument(seed), ...seedKind(seed)],
  form: seed => [...seedDocument(seed, ['parity-mutant']), ...seedKind(seed)],
  binary: seed => [...seedBinary(seed), ...seedKind(seed)],
  empty: seedKind,
}

/** The mutants of one step: of its status, headers, exit code or error, then of its document. */
export function stepMutants(seed: Seed): StepMutant[] {
  return [
    ...SEEDERS.status(seed),
    ...SEEDERS.headers(seed),
    ...SEEDERS.program(seed),
    ...SEEDERS[seed.document.kind](seed),
    ...SEEDERS.error(seed),
  ]
}

/** A mutant of a root that is one value: caught, or let pass where it is ignored. */
function rootMutant(seed: Seed, root: string, mutation: string, step: () => StepObservation): StepMutant {
  const state = root.startsWith('$') ? seed.matcher.body(seed.step) : seed.matcher.scalar(seed.step, root)
  const expect = state.key === 'ignore' ? 'PARITY' : 'DIVERGED'
  return { state, root: root.startsWith('$') ? 'uncovered' : root, mutation, path: root, within: root, expect, step }
}

function seedStatus(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'response') return []
  const status = observed.response.status === 500 ? 502 : 500
  return [rootMutant(seed, 'status', 'changed', () => withResponse(observed, { status }))]
}

type ResponseStep = Extract<StepObservation, { kind: 'response' }>

function withResponse(step: ResponseStep, change: Partial<Response>): StepObservation {
  return { ...step, response: { ...step.response, ...change } }
}

/** What turns the value of a header into another of its kind; a header not listed gets one more character. */
const CHANGED: Readonly<Record<string, (value: string) => string>> = {
  'content-type': () => 'application/x-parity-mutant',
  'cache-control': value => `${value}, parity-mutant`,
  allow: value => `${value}, PARITY`,
  'set-cookie': value => `${value}; Path=/parity-mutant`,
}
const ADDED: Readonly<Record<string, string>> = {
  'content-type': 'application/x-parity-mutant',
  'set-cookie': 'parity=mutant',
}

function seedHeaders(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'response') return []
  const { headers } = observed.response
  const present = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  const ruled = present.filter(name => seed.matcher.scalar(seed.step, `header.${name}`).rule !== null)
  const names = [
    ...new Set([...present.filter(name => seed.headers.includes(name) || ruled.includes(name)), ...seed.headers]),
  ]
  return names.flatMap(name => {
    const mutant = (mutation: string, changed: FieldList) =>
      rootMutant(seed, `header.${name}`, mutation, () => withResponse(observed, { headers: changed }))
    if (!present.includes(name)) return [mutant('added', [...headers, [name, ADDED[name] ?? 'parity-mutant']])]
    const dropped = mutant(
      'dropped',
      headers.filter(([known]) => known.toLowerCase() !== name),
    )
    const { key } = seed.matcher.scalar(seed.step, `header.${name}`)
    const first = headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? ''
    if (key === 'structural') {
      const alike = anotherOfClass(first)
      const same =
        alike === null ? [] : [{ ...mutant('same form', replaced(headers, name, alike)), expect: 'PARITY' as const }]
      return [...same, dropped]
    }
    const change = CHANGED[name] ?? ((value: string) => `${value}x`)
    return [mutant('changed', replaced(headers, name, change(first))), dropped]
  })
}

/** The fields with the first value of a name replaced. */
function replaced(headers: FieldList, name: string, value: string): FieldList {
  const at = headers.findIndex(([known]) => known.toLowerCase() === name)
  return headers.map((field, index) => (index === at ? [field[0], value] : field))
}

function seedProgram(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'command') return []
  const exit = observed.exit === 1 ? 2 : 1
  const stderr = `${observed.stderr}parity-mutant\n`
  const mutants = [rootMutant(seed, 'exit', 'changed', () => ({ ...observed, exit }))]
  if (seed.matcher.scalar(seed.step, 'stderr').key !== 'structural' || observed.stderr === '') {
    mutants.push(rootMutant(seed, 'stderr', 'changed', () => ({ ...observed, stderr })))
  }
  return mutants
}

/** An output that becomes an error, and the other way. */
function seedError(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind === 'output') {
    const threw = { name: 'ParityMutant', code: null, message: 'a seeded error' }
    return [rootMutant(seed, '$', 'threw', () => ({ kind: 'threw', threw }))]
  }
  return observed.kind === 'threw'
    ? [rootMutant(seed, '$', 'did not throw', () => ({ kind: 'output', output: null }))]
    : []
}

function seedDocument(seed: Seed, member?: Json): StepMutant[] {
  const { observed, document, matcher, step } = seed
  const mutants = documentMutants(document.value, matcher.body(step), member)
  return mutants.flatMap(mutant => {
    // A JSON document can show any change; in the others one is made first to see whether it can be shown.
    const shown =
      document.kind === 'json' && observed.kind !== 'threw' ? observed : built(observed, document.kind, mutant)
    if (shown === null) return []
    return [
      {
        state: mutant.state,
        root: 'uncovered',
        mutation: mutant.mutation,
        path: normalisedPath(mutant.segments),
        within: normalisedPath(mutant.within),
        expect: mutant.expect,
        step: () => built(observed, document.kind, mutant) ?? observed,
      },
    ]
  })
}

function built(observed: StepObservation, kind: DocumentKind, mutant: DocumentMutant): StepObservation | null {
  return withDocument(observed, kind, mutant.value())
}

/** A document of another kind, one that is gone or came up, and one that does not decode. */
function seedKind(seed: Seed): StepMutant[] {
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
function seedBinary(seed: Seed): StepMutant[] {
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
