import type { Difference, InputStep, Observation, StepObservation } from '../model.ts'
import { sha256 } from './canonical.ts'
import { compareUnder } from './diff.ts'
import { documentOf } from './documents.ts'
import { childAt, edited } from './edits.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type Json, parseJson } from './json.ts'
import { type Noise, type Proposed, proposalsFor } from './proposals.ts'
import { isWithin, withoutStep } from './selector.ts'
import { withDocument } from './shown.ts'
import { STRICT, termsOf } from './terms.ts'
import type { RuleSet } from './tolerance.ts'
import { partOctets } from './written.ts'

export type { Noise } from './proposals.ts'

/**
 * Where two captures of the legacy differ, with no rule applied: every number text, every order and every header that is
 * not of the framing. Steps that are given are left out, and so are values that a binding of the input explains. At most
 * 10,000 places.
 */
export function noiseOf(first: Observation, second: Observation, steps: readonly InputStep[] = []): Noise[] {
  const { differences } = compareUnder(first, second, { ...STRICT, steps })
  return differences.map(({ step, path, pointer, legacy, candidate }) => ({
    step,
    path,
    pointer,
    first: legacy,
    second: candidate,
  }))
}

/**
 * Which recorded noise the rules do not cover, and a rule for each such place, or why there is none. Needs the golden and
 * the noise alone: both captures are built from them again, and compared. What cannot be built again counts as uncovered.
 * A rule that hides what the captures of the evidence had alike is refused. Default: those of this golden.
 */
export function coverNoise(
  noise: readonly Noise[],
  golden: Observation,
  rules: RuleSet,
  evidence: Evidence = evidenceOf([{ golden, noise }]),
): Proposed & { readonly uncovered: readonly Noise[] } {
  const first = capture(golden, noise, 'first')
  const second = capture(golden, noise, 'second')
  const terms = termsOf(rules, STRICT.limits)
  const { differences } = compareUnder(first.observation, second.observation, terms)
  const lost = new Set([...first.lost, ...second.lost])
  const open = noise.filter(one => lost.has(one) || differences.some(difference => touches(difference, one)))
  const stray = differences.filter(difference => !noise.some(one => touches(difference, one)))
  const uncovered = [
    ...open,
    ...stray.map(({ step, path, pointer, legacy, candidate }) => ({
      step,
      path,
      pointer,
      first: legacy,
      second: candidate,
    })),
  ]
  if (uncovered.length === 0) return { uncovered, proposals: [], refused: [] }
  return { uncovered, ...proposalsFor(uncovered, { golden, rules: rules.rules, evidence }) }
}

/** Whether a difference stands at, above or below a place of noise. */
function touches(difference: Difference, noise: Noise): boolean {
  if (difference.step !== noise.step) return false
  return isWithin(difference.path, noise.path) || isWithin(noise.path, difference.path)
}

/** The golden with one side of its noise in place: what a capture showed, as far as the noise tells. */
export function observationOf(golden: Observation, noise: readonly Noise[], side: 'first' | 'second'): Observation {
  return capture(golden, noise, side).observation
}

interface Capture {
  readonly observation: Observation
  /** Noise that could not be put in place. */
  readonly lost: readonly Noise[]
}

/**
 * The golden with one side of the noise in place: changes first, then what goes, from the end, then what comes, from the
 * start. Elements that only one side has are counted from a golden that has the length of the first capture.
 */
function capture(golden: Observation, noise: readonly Noise[], side: 'first' | 'second'): Capture {
  const steps = [...golden]
  const lost: Noise[] = []
  const ordered = [
    ...noise.filter(({ first, second }) => first !== null && second !== null),
    ...noise.filter(({ second }) => second === null).reverse(),
    ...noise.filter(({ first, second }) => first === null && second !== null),
  ]
  for (const one of ordered) {
    const before = steps[one.step]
    const after = before === undefined ? null : placed(before, one, side)
    if (after === null) lost.push(one)
    else steps[one.step] = after
  }
  return { observation: steps, lost }
}

function placed(step: StepObservation, noise: Noise, side: 'first' | 'second'): StepObservation | null {
  const root = withoutStep(noise.path)
  const token = noise[side]
  const parsed = token === null ? null : parseJson(token)
  const value = parsed?.ok === true ? parsed.value : undefined
  if (token !== null && value === undefined) return null
  if (root.startsWith('$')) return placedInDocument(step, noise, value, side)
  if (step.kind === 'command') {
    if (root === 'stderr' && typeof value === 'string') return { ...step, stderr: value }
    return root === 'exit' && typeof value === 'number' ? { ...step, exit: value } : null
  }
  if (step.kind !== 'response') return null
  if (root === 'status')
    return typeof value === 'number' ? { ...step, response: { ...step.response, status: value } } : null
  const name = root.slice('header.'.length)
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value]
  const kept = step.response.headers.filter(([known]) => known.toLowerCase() !== name)
  const headers = [...kept, ...values.map(one => [name, String(one)] as const)]
  return { ...step, response: { ...step.response, headers } }
}

function placedInDocument(
  step: StepObservation,
  noise: Noise,
  value: Json | undefined,
  side: 'first' | 'second',
): StepObservation | null {
  const { kind, value: document } = documentOf(step, { json: false, crossed: false })
  if (kind === 'binary' && step.kind === 'response') return noisyOctets(step, noise, side)
  const segments = resolved(document, noise.pointer)
  if (segments === null) return null
  if (kind === 'multipart' && step.kind === 'response' && /\/body\/(?:sha256|sizeBytes)$/.test(noise.pointer)) {
    return noisyPart(step, { document, place: segments.slice(0, -1), noise, side })
  }
  const comes = noise.first === null
  const element = typeof segments.at(-1) === 'number'
  if (element && side === 'first' && (comes || noise.second === null)) return step
  const changed = element && comes ? inserted(document, segments, value) : edited(document, segments, () => value)
  return changed === null ? null : withDocument(step, kind, changed)
}

function inserted(document: Json, segments: readonly (string | number)[], value: Json | undefined): Json | null {
  return edited(document, segments.slice(0, -1), list => {
    if (!Array.isArray(list) || value === undefined) return list
    return list.toSpliced(Number(segments.at(-1)), 0, value)
  })
}

/** Octets are not in the noise: others stand for them, of the size that was seen. */
function noisyOctets(
  step: Extract<StepObservation, { kind: 'response' }>,
  noise: Noise,
  side: 'first' | 'second',
): StepObservation | null {
  const { body } = step.response
  if (body === undefined || !('bytes' in body)) return null
  const sizeBytes = noise.pointer === '/sizeBytes' ? Number(noise[side]) : body.bytes.length
  const bytes = new Uint8Array(sizeBytes).fill(side === 'first' ? 1 : 2)
  return { ...step, response: { ...step.response, body: { bytes } } }
}

/** The same for a binary part of a multipart body. */
function noisyPart(
  step: Extract<StepObservation, { kind: 'response' }>,
  o: {
    readonly document: Json
    readonly place: readonly (string | number)[]
    readonly noise: Noise
    readonly side: 'first' | 'second'
  },
): StepObservation | null {
  let sizeBytes = 0
  const before = edited(o.document, [...o.place, 'sizeBytes'], size => {
    sizeBytes = typeof size === 'number' ? size : 0
    return size
  })
  if (o.noise.pointer.endsWith('/sizeBytes')) sizeBytes = Number(o.noise[o.side])
  if (before === null || !(sizeBytes >= 0)) return null
  const octets = new Uint8Array(sizeBytes).fill(o.side === 'first' ? 1 : 2)
  const hash = sha256(octets).slice('sha256:'.length)
  const document = edited(o.document, o.place, () => ({ sizeBytes, sha256: hash }))
  if (document === null) return null
  return withDocument(step, 'multipart', document, {
    texts: new WeakMap(),
    octets: new Map([...partOctets(step.response), [hash, octets]]),
  })
}

/** The segments of a pointer, indexes where the document has arrays. **Source** RFC 6901 section 4. */
function resolved(document: Json, pointer: string): (string | number)[] | null {
  const segments: (string | number)[] = []
  let here: Json | undefined = document
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (here === undefined) return null
    const segment: string | number = Array.isArray(here) ? Number(name) : name
    segments.push(segment)
    here = childAt(here, segment)
  }
  return segments
}
