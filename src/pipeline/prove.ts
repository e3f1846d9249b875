import { type Mutant, seededMutants } from '../core/calibrate.ts'
import { COMPARATORS } from '../core/comparators.ts'
import { compare } from '../core/diff.ts'
import { isWithin, withoutIndexes, withoutStep } from '../core/selector.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { Case, Comparison, Fixture, Observation } from '../model.ts'
import { type Driver, openTarget, type Principals } from '../replay/driver.ts'
import { http } from '../replay/target.ts'
import { type ControlServer, startControlServer } from './control-server.ts'

/** What the legacy showed, recorded or just now, with the input that it answers. */
export interface Pair {
  readonly input: Case
  readonly fixture: Pick<Fixture, 'name' | 'observation'> & Partial<Fixture>
}

export interface Rate {
  readonly caught: number
  readonly total: number
}

export interface SeededProof {
  readonly caught: number
  readonly total: number
  /** One line for each mutant that was judged wrongly: unseen, seen elsewhere, or inside the bound and refused. */
  readonly survivors: readonly string[]
  /** Places where no mutant can be built, with why. */
  readonly unprovable: readonly string[]
  /** Caught and total by mutation, sorted by name. */
  readonly byMutation: Readonly<Record<string, Rate>>
  /** Caught and total by comparator (`json`, `multipart`, `headers`, `status`, …), in the order they are registered in. */
  readonly byComparator: Readonly<Record<string, Rate>>
}

export interface ProofOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** `distinct`: one place per rule, mutation and path with its indexes erased. `every`: all of them. */
  readonly places: 'distinct' | 'every'
  /** Places proven before, which are left out where `places` are distinct; those proven now are added. Default: none. */
  readonly proven?: Set<string>
}

/** Steps that distinct places are told apart by; all later ones count as one. */
const STEPS_APART_MAX = 8
/** A longer case is driven no further than its mutant stands, or the proof would take as many turns as it has steps. */
const WHOLE_STEPS_MAX = 24

/**
 * Shows that the comparison can fail: serves each seeded mutant of the fixtures as if it were the candidate, drives it with
 * the true input, compares with the true fixture, and counts what was DIVERGED at the mutated place.
 * Mutants just inside a bound must pass. HTTP fixtures travel over a real connection.
 */
export async function proveComparator(
  pairs: readonly Pair[],
  rules: RuleSet,
  options: ProofOptions,
): Promise<SeededProof> {
  const { chosen, unprovable } = choose(pairs, rules, options)
  const survivors: string[] = []
  const byMutation = new Map<string, Rate>()
  const byComparator = new Map<string, Rate>(Object.keys(COMPARATORS).map(name => [name, { caught: 0, total: 0 }]))
  await using control = await openControl(
    chosen.some(({ mutant }) => isHttp(mutant.observation)),
    options.signal,
  )
  for (const { pair, mutant } of chosen) {
    options.signal.throwIfAborted()
    const wrong = await judgeMutant({ pair, mutant, rules, control, options })
    count(byMutation, mutant.mutation, wrong === null)
    count(byComparator, mutant.comparator, wrong === null)
    if (wrong !== null)
      survivors.push(`${pair.fixture.name}: ${mutant.rule}: ${mutant.mutation} at ${mutant.path}: ${wrong}`)
  }
  return {
    caught: chosen.length - survivors.length,
    total: chosen.length,
    survivors,
    unprovable,
    byMutation: Object.fromEntries([...byMutation].sort(([a], [b]) => (a < b ? -1 : 1))),
    byComparator: Object.fromEntries([...byComparator].filter(([, { total }]) => total > 0)),
  }
}

function count(rates: Map<string, Rate>, name: string, isCaught: boolean): void {
  const { caught, total } = rates.get(name) ?? { caught: 0, total: 0 }
  rates.set(name, { caught: caught + (isCaught ? 1 : 0), total: total + 1 })
}

function choose(pairs: readonly Pair[], rules: RuleSet, { places, proven: seen = new Set() }: ProofOptions) {
  const chosen: { readonly pair: Pair; readonly mutant: Mutant }[] = []
  const unprovable = new Map<string, string>()
  for (const pair of pairs) {
    // a step without a recorded answer is unmatched: the run says so of its case
    if (pair.input.steps.length !== pair.fixture.observation.length) continue
    const seeded = seededMutants(pair.fixture.observation, rules, pair.input.steps)
    for (const mutant of seeded.mutants) {
      const place = mutant.step < STEPS_APART_MAX ? `${mutant.step} ${mutant.path}` : withoutStep(mutant.path)
      const key = `${mutant.rule}\n${mutant.mutation}\n${withoutIndexes(place)}`
      if (places === 'distinct' && seen.has(key)) continue
      seen.add(key)
      chosen.push({ pair, mutant })
    }
    for (const { rule, path, why } of seeded.unprovable) {
      const place = `${rule} at ${withoutIndexes(path)}`
      if (!unprovable.has(place)) unprovable.set(place, why)
    }
  }
  return { chosen, unprovable: [...unprovable].map(([place, why]) => `${place}: ${why}`) }
}

function isHttp(observation: Observation): boolean {
  return observation.some(step => step.kind === 'response')
}

interface Control extends AsyncDisposable {
  readonly parts: { readonly server: ControlServer; readonly driver: Driver } | null
}

async function openControl(needed: boolean, signal: AbortSignal): Promise<Control> {
  if (!needed) return { parts: null, [Symbol.asyncDispose]: async () => {} }
  const server = await startControlServer()
  const driver = await openTarget(http(server.url), { clock: null, tz: 'UTC', signal, label: 'the control server' })
  return {
    parts: { server, driver },
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** What is wrong with how the mutant was judged; null when it was judged rightly. */
async function judgeMutant(o: {
  readonly pair: Pair
  readonly mutant: Mutant
  readonly rules: RuleSet
  readonly control: Control
  readonly options: ProofOptions
}): Promise<string | null> {
  const { mutant, pair } = o
  const { parts } = o.control
  const { length } = pair.input.steps
  // At least two: the paths of a case of one step do not tell the step.
  const end = length <= WHOLE_STEPS_MAX ? length : Math.max(2, mutant.step + 1)
  const steps = pair.input.steps.slice(0, end)
  const golden = pair.fixture.observation.slice(0, end)
  let actual: Observation = mutant.observation.slice(0, end)
  if (parts !== null && isHttp(actual)) {
    parts.server.play(actual, steps)
    // The control plays back what it was given, whatever the instant of the case.
    const input = { ...pair.input, steps, now: null }
    const { signal, timeoutMs } = o.options
    const driven = await parts.driver.drive(input, { signal, timeoutMs, anyAuthority: true, principals: anybody })
    const unmatched = parts.server.unmatched()
    if (unmatched !== null) return `unmatched: ${unmatched}`
    if (!driven.ok && driven.seen.length === 0) return `the control could not be driven: ${driven.fault.message}`
    if (!driven.ok) {
      const on = { steps, cut: driven.fault }
      return wrongOf(mutant, compare(golden, driven.seen, o.rules, on))
    }
    actual = driven.observation
  }
  return wrongOf(mutant, compare(golden, actual, o.rules, { steps }))
}

/** The control asks nobody for credentials. */
const anybody = (): Principals => ({
  fieldsOf: () => Promise.resolve({ ok: true, fields: [] }),
  conceal: seen => seen,
})

function wrongOf(mutant: Mutant, comparison: Comparison): string | null {
  const { differences } = comparison
  switch (mutant.expect) {
    case 'DIVERGED': {
      if (differences.length === 0) return 'it went unseen'
      const seen = differences.some(d => d.step === mutant.step && isWithin(d.path, mutant.within))
      return seen ? null : `it was seen elsewhere only: ${differences.map(d => d.path).join(', ')}`
    }
    case 'PARITY':
      return differences.length === 0 && comparison.faults.length === 0
        ? null
        : `it lies inside the bound and was refused: ${differences.map(d => d.path).join(', ')}`
    default:
      return mutant.expect satisfies never
  }
}
