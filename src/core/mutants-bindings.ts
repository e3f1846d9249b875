import type { StepObservation } from '../model.ts'
import { alike, familyOf } from './aliases.ts'
import { type Bound, nodesOf, parseSource, take } from './bindings.ts'
import { edited } from './edits.ts'
import { boundText } from './filled.ts'
import { anotherOfClass } from './mutant-values.ts'
import type { Seed, StepMutant } from './mutants-step.ts'
import { withDocument } from './shown.ts'

/**
 * Whether a mutant changes a value that the bindings judge in another way than it expects: one that must be caught, and only
 * changes what its step binds, where any other of its form may stand; or one that must pass, where `same` wants it repeated.
 */
export function isBound({ observed, step, steps }: Seed, mutant: StepMutant): boolean {
  const { bind = {}, same = {}, request } = steps[step] ?? {}
  if (mutant.expect === 'PARITY') {
    const repeats = Object.keys(same).some(source => placesOf(source, observed).includes(mutant.path))
    const repeated = steps.some(one => one.same !== undefined)
    const binds = Object.values(bind).some(source => placesOf(source, observed).includes(mutant.path))
    return repeats || (repeated && binds)
  }
  if (mutant.state.rule !== null) return false
  return Object.values(bind).some(source => {
    const before = take(source, observed, request?.path ?? null)
    if (!before.ok || before.path !== mutant.path) return false
    const after = take(source, mutant.step(), request?.path ?? null)
    return after.ok && after.path === before.path && after.value !== before.value && alike(before, after)
  })
}

function placesOf(text: string, observed: StepObservation): readonly string[] {
  const parsed = parseSource(text)
  return parsed.ok ? nodesOf(parsed.source, observed).map(({ path }) => path) : []
}

/**
 * Of each value that a step binds in its document: another of its form, which must pass; and the value that an earlier step
 * of its family bound, where the legacy gave two.
 */
export function seedBindings(seed: Seed): StepMutant[] {
  const { observed, golden, step, steps, document, matcher } = seed
  const { bind = {}, request } = steps[step] ?? {}
  const repeated = steps.some(({ same }) => same !== undefined)
  const known = knownOf(seed)
  return Object.values(bind).flatMap(source => {
    const path = request?.path ?? null
    const here = take(source, observed, path)
    if (!here.ok || !here.path.startsWith('$')) return []
    const segments = here.segments
    const mutant = (mutation: string, value: Bound, expect: StepMutant['expect']): StepMutant[] => {
      const changed = edited(document.value, segments, () => value)
      const made = changed === null ? null : withDocument(observed, document.kind, changed)
      if (made === null) return []
      const state = segments.reduce(
        (at, segment) => (typeof segment === 'number' ? at.item(segment) : at.child(segment)),
        matcher.body(step),
      )
      if (state.rule !== null) return []
      const where = { path: here.path, within: here.path }
      return [{ state, root: 'builtin:binding', mutation, ...where, expect, step: (): StepObservation => made }]
    }
    const other = otherOf(here.value, known)
    const free = other === null || repeated ? [] : mutant('another bound value', other, 'PARITY')
    const earlier = steps.slice(0, step).flatMap((input, at) => {
      const [x, one] = [golden[at], Object.values(input.bind ?? {}).find(text => text === source)]
      if (x === undefined || one === undefined || familyOf(input, one) !== familyOf(steps[step] ?? {}, source))
        return []
      const bound = take(one, x, input.request?.path ?? null)
      return bound.ok && bound.value !== here.value && alike(bound, here) ? [bound.value] : []
    })
    const [twice] = earlier
    return [...free, ...(twice === undefined ? [] : mutant('bound twice', twice, 'DIVERGED'))]
  })
}

/** The texts of all values that the sequence binds: another value must be none of them. */
function knownOf({ golden, steps }: Seed): ReadonlySet<string> {
  const texts = steps.flatMap((input, at) => {
    const seen = golden[at]
    if (seen === undefined) return []
    return Object.values(input.bind ?? {}).flatMap(source => {
      const bound = take(source, seen, input.request?.path ?? null)
      return bound.ok ? [boundText(bound.value)] : []
    })
  })
  return new Set(texts)
}

/** Another value of the same form that is bound nowhere; null where none is found soon. */
function otherOf(value: Bound, known: ReadonlySet<string>): Bound | null {
  let other: Bound | null = value
  for (let tries = 0; tries <= known.size && other !== null; tries += 1) {
    other = nextOf(other)
    if (other !== null && !known.has(boundText(other))) return other
  }
  return null
}

function nextOf(value: Bound): Bound | null {
  if (typeof value === 'string') return anotherOfClass(value)
  return typeof value === 'number' && Number.isSafeInteger(value + 1) ? value + 1 : null
}
