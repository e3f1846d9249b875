import { aliasesOf } from '../core/aliases.ts'
import { looseReference } from '../core/bindings.ts'
import { decodeBody } from '../core/bodies.ts'
import { degradedControl } from '../core/calibrate.ts'
import { leftSeed, type Seed, seedOf } from '../core/seed.ts'
import { allowedToSend } from '../core/sends.ts'
import type { RuleSet } from '../core/tolerance.ts'
import { ParityError } from '../errors.ts'
import type { Case, Fault, Observation, Request } from '../model.ts'
import type { DriveOptions, Driver, Principals } from '../replay/driver.ts'
import { type SecretHit, secretsInCase, secretsInObservation } from './secrets.ts'

/** A lab that runs at one instant. */
export interface LabSession extends AsyncDisposable {
  /** A driver of the service as it runs now; it is disposed before the next reset. */
  drive(): Promise<Driver>
  /** Puts the state of the legacy back. */
  reset(): Promise<void>
}

export interface RecordOptions {
  readonly feature: string
  readonly cases: readonly Case[]
  readonly contract: { readonly sends: readonly string[]; readonly reset: 'none' | 'suite' | 'case' }
  /** What shows whether a reset put the state back, and the rules that this is judged under. Default: nothing does. */
  readonly probe?: { readonly case: Case; readonly rules: RuleSet }
  /** Boots the lab at an instant; null for its own clock. Called once per instant that the cases ask for. */
  openLab(now: string | null): Promise<LabSession>
  /** Who can call the legacy, made anew for each drive of a case. Default: nobody. */
  readonly principals?: () => Principals
  /** Per step. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called after each drive of a case: how many are done, of how many. Default: nothing. */
  onProgress?(done: number, total: number, name: string): void
}

/** A case that the legacy answered twice, with a reset between. */
export interface CapturePair {
  readonly case: Case
  readonly first: Observation
  readonly second: Observation
}

/** A case that could not be captured twice and whole, and why. */
export interface Incomplete {
  readonly name: string
  readonly fault: Fault
}

export interface Recording {
  /** Sorted as the cases were given. */
  readonly captures: readonly CapturePair[]
  readonly incomplete: readonly Incomplete[]
}

/**
 * Drives every case twice against the lab, all of them once before any a second time, with a reset between.
 * Where there is a probe, a case that comes after a reset which did not put the state back is incomplete.
 * Nothing is sent that the contract does not list; nothing is returned when anything looks like a secret.
 *
 * @throws ParityError PARITY_RECORD_SECRET with every place and kind, never a value
 * @throws whatever the lab fails with, or `signal` was aborted with
 */
export async function record(o: RecordOptions): Promise<Recording> {
  refuseSecrets(
    o.feature,
    o.cases.map(c => ({ name: c.name, hits: secretsInCase(c) })),
  )
  const faults = new Map<string, Fault>()
  for (const c of o.cases) {
    const fault = forbidden(c, o.contract)
    if (fault !== null) faults.set(c.name, fault)
  }
  const allowed = o.cases.filter(c => !faults.has(c.name))
  const observed = new Map<string, Observation[]>(allowed.map(c => [c.name, []]))
  const progress = { done: 0, total: allowed.length * 2 }
  for (const now of new Set(allowed.map(c => c.now))) {
    await recordAt(
      now,
      allowed.filter(c => c.now === now),
      { ...o, faults, observed, progress },
    )
  }
  const captures = allowed.flatMap((c): readonly CapturePair[] => {
    const [first, second] = observed.get(c.name) ?? []
    if (faults.has(c.name) || first === undefined || second === undefined) return []
    const degraded = degradedControl(first, second)
    if (degraded === null) return [{ case: c, first, second }]
    faults.set(c.name, degraded)
    return []
  })
  refuseSecrets(
    o.feature,
    captures.map(({ case: { name }, first, second }) => ({
      name,
      hits: [...secretsInObservation(first), ...secretsInObservation(second)],
    })),
  )
  const incomplete = o.cases.flatMap(({ name }) => {
    const fault = faults.get(name)
    return fault === undefined ? [] : [{ name, fault }]
  })
  return { captures, incomplete }
}

interface Recorder extends RecordOptions {
  readonly faults: Map<string, Fault>
  readonly observed: ReadonlyMap<string, Observation[]>
  readonly progress: { done: number; total: number }
}

/** The state of the lab at one instant, as far as the probe tells. */
interface Watch {
  seed: Seed | null
  /** The case that was driven last. */
  last: string | null
}

async function recordAt(now: string | null, cases: readonly Case[], o: Recorder): Promise<void> {
  await using lab = await o.openLab(now)
  const watch: Watch = { seed: null, last: null }
  for (const capture of [1, 2]) {
    if (capture === 2) await lab.reset()
    const groups = o.contract.reset === 'case' ? cases.map(c => [c]) : [cases]
    for (const [at, group] of groups.entries()) {
      if (at > 0) await lab.reset()
      await driveAll(group, lab, { ...o, watch })
    }
  }
}

async function driveAll(
  cases: readonly Case[],
  lab: LabSession,
  o: Recorder & { readonly watch: Watch },
): Promise<void> {
  await using driver = await lab.drive()
  const left = await seedFault(driver, o)
  for (const c of cases) {
    o.signal.throwIfAborted()
    // A case that failed once is driven again all the same: the state that later cases see must not depend on it.
    const driven = await driver.drive(c, driveOptions(o))
    const fault = left ?? (driven.ok ? flawOf(c, driven.observation) : driven.fault)
    if (fault !== null && !o.faults.has(c.name)) o.faults.set(c.name, fault)
    if (driven.ok) o.observed.get(c.name)?.push(driven.observation)
    o.watch.last = c.name
    o.progress.done += 1
    o.onProgress?.(o.progress.done, o.progress.total, c.name)
  }
}

function driveOptions(o: RecordOptions): DriveOptions {
  const sends = (request: Request): boolean => allowedToSend(o.contract, request)
  const { signal, timeoutMs, principals } = o
  return { signal, timeoutMs, sends, ...(principals === undefined ? {} : { principals }) }
}

/** Why the state is not the one that the lab booted with; null when it is, or when nothing probes it. */
async function seedFault(driver: Driver, o: Recorder & { readonly watch: Watch }): Promise<Fault | null> {
  if (o.probe === undefined) return null
  const { case: probe, rules } = o.probe
  const { steps, name } = probe
  const at: Case = { ...probe, now: null }
  const shown = await driver.drive(at, driveOptions(o))
  if (!shown.ok) return { ...shown.fault, message: `the probe ${name}: ${shown.fault.message}` }
  if (o.watch.seed === null) {
    const again = await driver.drive(at, driveOptions(o))
    if (!again.ok) return { ...again.fault, message: `the probe ${name}: ${again.fault.message}` }
    o.watch.seed = seedOf(shown.observation, again.observation, steps)
    return null
  }
  const place = leftSeed(o.watch.seed, shown.observation, { rules, steps })
  if (place === null) return null
  const message = `after the reset the legacy no longer shows the seed state: ${place} of the probe ${name}; what ran before the reset was ${o.watch.last}`
  return { reason: 'control-unstable', step: 0, message }
}

/** Why nothing of a case is sent: it refers to what no step binds, or changes state where the contract lists no such request. */
export function forbidden(c: Case, contract: Pick<RecordOptions['contract'], 'sends'>): Fault | null {
  const loose = looseReference(c.steps)
  if (loose !== null) {
    return { reason: 'unbound', step: loose.step, message: `{{${loose.name}}} is bound by no earlier step` }
  }
  for (const [step, { request }] of c.steps.entries()) {
    if (request === undefined || allowedToSend(contract, request)) continue
    const message = `${request.method} ${request.path.split('?', 1)[0]} may change state, and the contract does not list it`
    return { reason: 'side-effects-not-allowed', step, message }
  }
  return null
}

/** Why an observation is no recording: what broke off or does not decode would be judged as if the legacy meant it. */
function flawOf(c: Case, observation: Observation): Fault | null {
  const unfit = aliasesOf(c.steps, observation, observation)?.unfit ?? null
  if (unfit !== null) return { reason: 'unbound', ...unfit }
  for (const [step, seen] of observation.entries()) {
    if (seen.kind === 'output' && seen.unserialisable !== undefined) {
      const { path, what } = seen.unserialisable
      return { reason: 'corrupt-recording', step, message: `the output has no JSON form: ${what} at ${path}` }
    }
    if (seen.kind !== 'response') continue
    const { broken, status, headers, body } = seen.response
    if (broken !== undefined) return { reason: 'corrupt-recording', step, message: broken }
    const { fault } = decodeBody({ headers, body, method: seen.method, status })
    if (fault !== undefined) return { ...fault, step }
  }
  return null
}

const HITS_SHOWN_MAX = 20

function refuseSecrets(
  feature: string,
  found: readonly { readonly name: string; readonly hits: readonly SecretHit[] }[],
): void {
  const lines = [...new Set(found.flatMap(({ name, hits }) => hits.map(hit => `${name}: ${hit.place}: ${hit.kind}`)))]
  if (lines.length === 0) return
  const shown = lines.slice(0, HITS_SHOWN_MAX)
  if (lines.length > shown.length) shown.push(`and ${lines.length - shown.length} more`)
  throw new ParityError(
    'PARITY_RECORD_SECRET',
    `nothing of ${feature} was recorded: this looks like a secret\n${shown.map(line => `  ${line}`).join('\n')}`,
    'use made-up values in the inputs and in the data of the lab, then record again',
  )
}
