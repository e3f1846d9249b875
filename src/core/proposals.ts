import type { Observation } from '../model.ts'
import { documentOf } from './documents.ts'
import { childAt } from './edits.ts'
import type { Evidence } from './evidence.ts'
import { formatClass } from './formats.ts'
import { type Json, parseJson } from './json.ts'
import { isScalar, typeOf } from './scalars.ts'
import { parseSelector, withoutIndexes, withoutStep } from './selector.ts'
import type { Rule } from './tolerance.ts'
import { type VolatileKind, volatileKind } from './volatile.ts'

/** A place where the legacy differs from itself. Tokens are whole JSON texts, masked as what they come from; null is absence. */
export interface Noise {
  readonly step: number
  /** As the path of a difference. */
  readonly path: string
  readonly pointer: string
  readonly first: string | null
  readonly second: string | null
}

/** A place of noise, as it is shown. */
export interface NoisyPlace {
  /** As the path of a difference. */
  readonly path: string
  /** What sort of value the legacy gives anew there. */
  readonly kind: VolatileKind
  /** Both tokens as `calibration.json` holds them; null is absence. */
  readonly first: string | null
  readonly second: string | null
}

/** A rule under which a place of noise would pass, with the first such place. */
export interface Proposal extends NoisyPlace {
  /** `structural $.requestId` */
  readonly rule: string
  readonly why: string
}

/** Why a rule is not proposed although the noise would pass under it. */
export const PROPOSAL_REFUSALS = {
  'whole-body': 'it would cover a whole body',
  'whole-outcome': 'it would cover the status or the exit code, which is what happened',
  'whole-array': 'it would cover every element of a list',
  'hides-stable': 'it would cover fields that were the same in every capture',
} as const

export type ProposalRefusal = keyof typeof PROPOSAL_REFUSALS

/** A rule that is too broad to be proposed, with the first place of noise that asks for it. */
export interface RefusedProposal extends NoisyPlace {
  readonly rule: string
  readonly code: ProposalRefusal
  /** The stable places that it would cover too, without steps and indexes; empty where the code says it all. */
  readonly stable: readonly string[]
}

export interface Proposed {
  readonly proposals: readonly Proposal[]
  readonly refused: readonly RefusedProposal[]
}

/**
 * What a person reads of a legacy that differs from itself: each place once with the sort of its value, the rules under which
 * it would pass, and those that are too broad with the code that says why. At most 20 places.
 */
export function unstableText(uncovered: readonly Noise[], { proposals, refused }: Proposed): string {
  const places = noisyPlaces(uncovered).map(({ path, kind }) => `${path} (${kind})`)
  const shown = places.slice(0, PLACES_SHOWN_MAX)
  if (places.length > shown.length) shown.push(`${places.length - shown.length} more`)
  const broad = refused.map(({ rule, code }) => `${rule} (${code})`).join(', ')
  const parts = [
    `the legacy differs from itself at ${shown.join(', ')}`,
    `proposed: ${proposals.map(({ rule }) => rule).join(', ') || 'none'}`,
    ...(broad === '' ? [] : [`too broad to propose: ${broad}`]),
  ]
  return parts.join('; ')
}

const PLACES_SHOWN_MAX = 20

/** Places of noise as they are shown, each path once. */
export function noisyPlaces(noise: readonly Noise[]): NoisyPlace[] {
  const seen = new Set<string>()
  const firsts = noise.filter(({ path }) => !seen.has(path) && seen.add(path))
  return firsts.map(noisyPlace)
}

function noisyPlace({ path, first, second }: Noise): NoisyPlace {
  return { path, kind: volatileKind({ path, first, second }), first, second }
}

/**
 * The narrowest rule for each place of noise of a golden, each rule once. One that would hide more than noise is refused:
 * a whole body or outcome, all elements of a list, or a place that every capture of the evidence has alike.
 */
export function proposalsFor(
  noise: readonly Noise[],
  o: { readonly golden: Observation; readonly rules: readonly Rule[]; readonly evidence: Evidence },
): Proposed {
  const proposals = new Map<string, Proposal>()
  const refused = new Map<string, RefusedProposal>()
  for (const one of noise) {
    const { rule, why, code } = ruleFor(one, noise, o.golden)
    if (proposals.has(rule) || refused.has(rule)) continue
    const place = noisyPlace(one)
    const stable = code === null ? hiddenStable(rule, o) : []
    if (code !== null) refused.set(rule, { rule, code, ...place, stable })
    else if (stable.length > 0) refused.set(rule, { rule, code: 'hides-stable', ...place, stable })
    else proposals.set(rule, { rule, why, ...place })
  }
  return { proposals: [...proposals.values()], refused: [...refused.values()] }
}

interface Narrowest {
  readonly rule: string
  readonly why: string
  readonly code: ProposalRefusal | null
}

/** The narrowest rule under which the place would pass, and why it may not be proposed. */
function ruleFor(one: Noise, noise: readonly Noise[], golden: Observation): Narrowest {
  const { path, first, second } = one
  const place = withoutIndexes(withoutStep(path))
  if (place === 'status' || place === 'exit') {
    return { rule: `ignore ${place}`, why: '', code: 'whole-outcome' }
  }
  if (place.startsWith('header.') || place === 'stderr') {
    return { rule: `ignore ${place}`, why: 'it differs between two captures of the legacy', code: null }
  }
  const [left, right] = [valueAt(first), valueAt(second)]
  const isRoot = /^\$(?:\[\*\])*$/.test(place)
  const code = isRoot ? 'whole-body' : null
  const element = place.endsWith('[*]') ? (code ?? 'whole-array') : code
  if (left === undefined || right === undefined) {
    return { rule: `ignore ${place}`, why: 'only one of two captures of the legacy has it', code: element }
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return {
      rule: `order_insensitive ${place}`,
      why: 'two captures of the legacy have it in another order',
      code: null,
    }
  }
  if (typeOf(left) === typeOf(right) && classOf(left) === classOf(right)) {
    const why = 'two captures of the legacy have other values of one form'
    if (standsAlone(one, noise, golden)) return { rule: `structural ${withLastIndex(path)}`, why, code: null }
    return { rule: `structural ${place}`, why, code }
  }
  return { rule: `ignore ${place}`, why: 'two captures of the legacy have values of another form', code: element }
}

function valueAt(token: string | null): Json | undefined {
  const parsed = token === null ? null : parseJson(token)
  return parsed?.ok === true ? parsed.value : undefined
}

function classOf(value: Json): string {
  return typeof value === 'string' ? formatClass(value) : ''
}

/** Whether a scalar stands in a list of which other elements were stable, or is one line of a text. */
function standsAlone(one: Noise, noise: readonly Noise[], golden: Observation): boolean {
  const observed = golden[one.step]
  const [, above, index] = /^(.*)\/(\d+)$/.exec(one.pointer) ?? []
  if (observed === undefined || above === undefined || index === undefined || !/\]$/.test(one.path)) return false
  const { kind, value } = documentOf(observed, { json: false, crossed: false })
  if (kind === 'text') return true
  const list = above
    .split('/')
    .slice(1)
    .reduce((here: Json | undefined, part) => (here === undefined ? here : childAt(here, segmentOf(here, part))), value)
  if (!Array.isArray(list) || !list.every(isScalar)) return false
  return list.some((_, at) => !noise.some(({ step, pointer }) => step === one.step && pointer === `${above}/${at}`))
}

/** **Source** RFC 6901 section 4. */
function segmentOf(above: Json, part: string): string | number {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
  return Array.isArray(above) ? Number(name) : name
}

/** The path in every element but for its last index, which stays. */
function withLastIndex(path: string): string {
  const own = withoutStep(path)
  const [last = ''] = /\[\d+\]$/.exec(own) ?? []
  return withoutIndexes(own.slice(0, own.length - last.length)) + last
}

/** The places that were alike in every capture, and that a rule would cover beside those it is meant for. */
function hiddenStable(
  text: string,
  o: { readonly rules: readonly Rule[]; readonly evidence: Evidence },
): readonly string[] {
  const [, key, path = ''] = /^(structural|ignore) (.*)$/.exec(text) ?? []
  const parsed = parseSelector(path)
  if ((key !== 'structural' && key !== 'ignore') || !parsed.ok) return []
  const rule: Rule = { key, selector: parsed.selector, eps: null, text, id: null, line: 0, column: 0 }
  return o.evidence.governedBy(rule, [...o.rules, rule]).stable
}
