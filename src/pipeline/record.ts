import { join } from 'node:path'
import { coverNoise, noiseOf } from '../core/calibrate.ts'
import { compare } from '../core/diff.ts'
import { evidenceOf } from '../core/evidence.ts'
import { nearest } from '../core/nearest.ts'
import { type NoisyPlace, noisyPlaces, type Proposal, type RefusedProposal } from '../core/proposals.ts'
import { isWithin, withoutIndexes, withoutStep } from '../core/selector.ts'
import type { RuleSet } from '../core/tolerance.ts'
import { ParityError } from '../errors.ts'
import { type FreezeReport, freeze } from '../golden/freeze.ts'
import { assertWritable } from '../golden/staging.ts'
import { type Lab, loadLab } from '../lab/lab-file.ts'
import { type RunningLab, startLab } from '../lab/process-driver.ts'
import type { Case, InputStep, Observation } from '../model.ts'
import { type Incomplete, type LabSession, record } from '../record/record.ts'
import { SECRET_RULES } from '../record/secrets.ts'
import { openTarget } from '../replay/driver.ts'
import { principalBook } from '../replay/principals.ts'
import { capturedOf } from './evidence.ts'
import { type Feature, readFeature } from './feature.ts'
import { targetOfLab } from './lab-target.ts'
import type { Dirs } from './suite.ts'

const STEP_TIMEOUT_MS = 10_000
const RECORDER = 'direct/1'

export interface RecordRequest {
  readonly root: string
  /** Default: the standard folders. */
  readonly dirs?: Dirs
  readonly feature: string
  /** Default: every case. */
  readonly names?: readonly string[]
  /** As `freeze` takes it. Default `add`. */
  readonly goldens?: 'add' | 'keep'
  /** Whether a lab of containers stays up for the next run, and one that stayed up is used. Default false. */
  readonly keepLab?: boolean
  readonly signal: AbortSignal
  /** Default: the wall clock. */
  readonly now?: () => Date
  /** Per step. Default 10_000. */
  readonly timeoutMs?: number
  /** Called after each drive of a case: how many are done, of how many. */
  readonly onProgress?: (done: number, total: number, name: string) => void
  /** Gets each line that the legacy and the installation of its packages print. */
  readonly onLog?: (line: string) => void
}

/** Fields where the legacy differs from itself and that no rule covers, with the rules that would cover them, or why none is proposed. */
export interface UncoveredNoise {
  readonly name: string
  /** Each path once. */
  readonly places: readonly NoisyPlace[]
  readonly proposals: readonly Proposal[]
  readonly refused: readonly RefusedProposal[]
}

export interface RecordReport extends FreezeReport {
  readonly feature: string
  /** Cases of which nothing was frozen, and why. */
  readonly incomplete: readonly Incomplete[]
  readonly uncovered: readonly UncoveredNoise[]
}

/**
 * Records a feature: boots its lab, drives every case twice with a reset between, and freezes what the legacy showed.
 * Existing goldens are never rewritten: a changed payload waits in `pending/`, noise that a rule covers changes nothing.
 *
 * **Throws** LabFailure; PARITY_RECORD_CASE, PARITY_RECORD_SHARED, PARITY_RECORD_REVISION; what `readFeature`, `record`
 * and `freeze` throw.
 */
export async function recordFeature(o: RecordRequest): Promise<RecordReport> {
  const feature = readFeature({ root: o.root, dirs: o.dirs ?? {}, feature: o.feature })
  const lab = await labOf(feature)
  await assertWritable(feature.paths.golden)
  const { principals } = feature.contract
  const book = principalBook({ principals, env: process.env, label: 'the legacy' })
  const recording = await record({
    feature: feature.name,
    cases: chosen(feature, o.names),
    contract: feature.contract,
    ...(feature.probe === null ? {} : { probe: { case: feature.probe, rules: feature.rules } }),
    principals: book.forCase,
    openLab: now => openLab(lab, now, { ...o, conceal: book.concealText }),
    timeoutMs: o.timeoutMs ?? STEP_TIMEOUT_MS,
    signal: o.signal,
    ...(o.onProgress === undefined ? {} : { onProgress: o.onProgress }),
  })
  const captures = recording.captures.map(pair => ({
    ...pair,
    noise: noiseOf(pair.first, pair.second, pair.case.steps),
  }))
  const recorded = Object.values(feature.calibration?.fixtures ?? {})
  const noise = [...recorded, ...captures].flatMap(each => each.noise)
  const frozen = await freeze({
    dir: feature.paths.golden,
    feature: feature.contract.fixturesFrom,
    revision: feature.contract.revision,
    lab: { id: lab.file.id, hash: lab.hash },
    recorder: RECORDER,
    maskRules: SECRET_RULES,
    now: (o.now?.() ?? new Date()).toISOString(),
    captures: captures.map(({ case: { name, id }, first, noise }) => ({
      name,
      input: id,
      observation: first,
      captures: 2,
      noise,
    })),
    goldens: o.goldens ?? 'add',
    sameExceptNoise: (old, fresh, name) =>
      sameExceptNoise({ old, fresh, rules: feature.rules, noise, steps: feature.cases.get(name)?.steps ?? [] }),
  })
  const fresh = captures.map(({ first: golden, noise }) => ({ golden, noise }))
  const evidence = evidenceOf([...capturedOf(feature), ...fresh])
  const uncovered = captures.flatMap(({ case: { name }, first, noise }) => {
    const { uncovered, proposals, refused } = coverNoise(noise, first, feature.rules, evidence)
    return uncovered.length === 0 ? [] : [{ name, places: noisyPlaces(uncovered), proposals, refused }]
  })
  return { feature: feature.name, ...frozen, incomplete: recording.incomplete, uncovered }
}

async function labOf(feature: Feature): Promise<Lab> {
  const { contract, name } = feature
  if (contract.fixturesFrom !== name) {
    throw new ParityError(
      'PARITY_RECORD_SHARED',
      `${name} shares the goldens of ${contract.fixturesFrom}`,
      `npx vitest-parity record ${contract.fixturesFrom}`,
    )
  }
  if (contract.lab === null) {
    const fix = 'add `lab: <name>` to the contract, and labs/<name>/lab.yaml'
    throw new ParityError('PARITY_LAB_MISSING', `the contract of ${name} names no lab`, fix)
  }
  const lab = await loadLab(join(feature.paths.labs, contract.lab))
  if (lab.file.revision !== contract.revision) {
    throw new ParityError(
      'PARITY_RECORD_REVISION',
      `the contract of ${name} pins ${contract.revision}, the lab ${lab.file.id} runs ${lab.file.revision}`,
      'write the same revision in both',
    )
  }
  return lab
}

function chosen(feature: Feature, names: readonly string[] | undefined): readonly Case[] {
  const all = [...feature.cases.values()]
  if (names === undefined || names.length === 0) {
    if (all.length > 0) return all
    const fix = `write the first case into parity/${feature.name}/inputs/, as 001-happy-first.json`
    throw new ParityError('PARITY_RECORD_CASE', `${feature.name} has no inputs`, fix)
  }
  return names.map(name => {
    const known = feature.cases.get(name)
    if (known !== undefined) return known
    const near = nearest(name, [...feature.cases.keys()])
    const fix = near === null ? `npx vitest-parity record ${feature.name}` : `write \`${near}\``
    throw new ParityError('PARITY_RECORD_CASE', `${feature.name} has no case \`${name}\``, fix)
  })
}

/** Who used a kept lab before may have left anything in it. */
async function firstState(running: RunningLab): Promise<void> {
  try {
    await running.reset()
    // what was shown at its boot may have changed since
    await running.prove?.()
  } catch (error) {
    await running[Symbol.asyncDispose]()
    throw error
  }
}

async function openLab(
  lab: Lab,
  now: string | null,
  o: RecordRequest & { readonly conceal: (line: string) => string },
): Promise<LabSession> {
  const clock = now ?? lab.file.clock
  const { signal, conceal } = o
  const keep = o.keepLab === true
  const onLog = o.onLog === undefined ? {} : { onLog: o.onLog }
  const running = await startLab(lab, { signal, clock, conceal, keep, ...onLog })
  if (keep) await firstState(running)
  return {
    drive: () => openTarget(targetOfLab(running), { clock, tz: lab.file.tz, signal, label: 'the legacy' }),
    reset: () => running.reset(),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/**
 * Whether a fresh capture says nothing new: the rules pass it, and it differs from the golden only at places where the
 * legacy was seen to differ from itself, in whatever case and at whatever index. Two captures of one case may agree by
 * chance, as two orders of two elements do every other time.
 */
export function sameExceptNoise(o: {
  readonly old: Observation
  readonly fresh: Observation
  readonly rules: RuleSet
  /** Of the input. */
  readonly steps: readonly InputStep[]
  /** Of all cases, recorded before and now. */
  readonly noise: readonly { readonly path: string }[]
}): boolean {
  const { steps } = o
  const { differences, faults } = compare(o.old, o.fresh, o.rules, { steps })
  if (differences.length > 0 || faults.length > 0) return false
  const placeOf = (path: string): string => withoutIndexes(withoutStep(path))
  const noisy = [...new Set(o.noise.map(({ path }) => placeOf(path)))]
  return noiseOf(o.old, o.fresh, steps).every(({ path }) => noisy.some(place => isWithin(placeOf(path), place)))
}
