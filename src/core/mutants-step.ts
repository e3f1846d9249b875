import type { FieldList, InputStep, Observation, Response, StepObservation } from '../model.ts'
import type { StepDocument } from './documents.ts'
import type { Matcher, MatchState } from './matcher.ts'
import { anotherOfClass } from './mutant-values.ts'
import { cookieMutations } from './mutants-cookies.ts'
import { isScalar } from './scalars.ts'

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
  /** All steps of the golden, and of its input as far as they are known. */
  readonly golden: Observation
  readonly steps: readonly InputStep[]
}

/** A mutant of a root that is one value: caught, or let pass where it is ignored. */
export function rootMutant(seed: Seed, root: string, mutation: string, step: () => StepObservation): StepMutant {
  const state = root.startsWith('$') ? seed.matcher.body(seed.step) : seed.matcher.scalar(seed.step, root)
  const expect = state.key === 'ignore' ? 'PARITY' : 'DIVERGED'
  return { state, root: root.startsWith('$') ? 'uncovered' : root, mutation, path: root, within: root, expect, step }
}

/** Another status. */
export function seedStatus(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'response') return []
  const status = observed.response.status === 500 ? 502 : 500
  return [rootMutant(seed, 'status', 'changed', () => withResponse(observed, { status }))]
}

export type ResponseStep = Extract<StepObservation, { kind: 'response' }>

export function withResponse(step: ResponseStep, change: Partial<Response>): StepObservation {
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

/** Each compared header changed, dropped and added. */
export function seedHeaders(seed: Seed): StepMutant[] {
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
    if (key === 'ignore' && name === 'content-type') return ignoredType(seed, mutant, dropped)
    const first = headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? ''
    if (key === 'structural') {
      const alike = anotherOfClass(first)
      const same =
        alike === null ? [] : [{ ...mutant('same form', replaced(headers, name, alike)), expect: 'PARITY' as const }]
      return [...same, dropped]
    }
    const change = CHANGED[name] ?? ((value: string) => `${value}x`)
    const cookies = name === 'set-cookie' && key === 'uncovered' ? cookieMutations(headers) : []
    return [
      mutant('changed', replaced(headers, name, change(first))),
      dropped,
      ...cookies.map(one => ({ ...mutant(one.mutation, one.headers), expect: one.expect })),
    ]
  })
}

/** A rule that ignores the Content-Type lets pass what leaves the document of one kind. */
function ignoredType(
  seed: Seed,
  mutant: (mutation: string, changed: FieldList) => StepMutant,
  dropped: StepMutant,
): StepMutant[] {
  const headers = seed.observed.kind === 'response' ? seed.observed.response.headers : []
  const value = headers.find(([known]) => known.toLowerCase() === 'content-type')?.[1] ?? ''
  const { kind, value: document } = seed.document
  const same = kind === 'empty' || (kind === 'json' && !isScalar(document))
  return [mutant('changed', replaced(headers, 'content-type', `${value}; parity=mutant`)), ...(same ? [dropped] : [])]
}

/** The fields with the first value of a name replaced. */
function replaced(headers: FieldList, name: string, value: string): FieldList {
  const at = headers.findIndex(([known]) => known.toLowerCase() === name)
  return headers.map((field, index) => (index === at ? [field[0], value] : field))
}

/** Another exit code. */
export function seedExit(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'command') return []
  const exit = observed.exit === 1 ? 2 : 1
  return [rootMutant(seed, 'exit', 'changed', () => ({ ...observed, exit }))]
}

/** More on the standard error of a program. */
export function seedStderr(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind !== 'command') return []
  // Under its structure alone, a text that is there may be any other.
  if (seed.matcher.scalar(seed.step, 'stderr').key === 'structural' && observed.stderr !== '') return []
  const stderr = `${observed.stderr}parity-mutant\n`
  return [rootMutant(seed, 'stderr', 'changed', () => ({ ...observed, stderr }))]
}

/** An output that becomes an error, and the other way. */
export function seedError(seed: Seed): StepMutant[] {
  const { observed } = seed
  if (observed.kind === 'output') {
    const threw = { name: 'ParityMutant', code: null, message: 'a seeded error' }
    return [rootMutant(seed, '$', 'threw', () => ({ kind: 'threw', threw }))]
  }
  return observed.kind === 'threw'
    ? [rootMutant(seed, '$', 'did not throw', () => ({ kind: 'output', output: null }))]
    : []
}
