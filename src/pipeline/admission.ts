import { looseReference } from '../core/bindings.ts'
import { coverNoise, degradedNoise } from '../core/calibrate.ts'
import { unstableText } from '../core/proposals.ts'
import { allowedToSend } from '../core/sends.ts'
import { admit } from '../golden/store.ts'
import type { Case, Fault, Fixture, Reason } from '../model.ts'
import { evidenceOfFeature } from './evidence.ts'
import type { Feature } from './feature.ts'

export type Admitted =
  | { readonly ok: true; readonly input: Case; readonly fixture: Fixture }
  | { readonly ok: false; readonly fault: Fault; readonly fixture: Fixture | null }

/** The input and the fixture of a case, fit to be compared; or the fault of the first of its files that is not. */
export function admitCase(feature: Feature, name: string, asOf: string): Admitted {
  const refuse = (reason: Reason, message: string, fixture: Fixture | null = null): Admitted => ({
    ok: false,
    fault: { reason, step: 0, message },
    fixture,
  })
  const input = feature.cases.get(name)
  if (input === undefined) {
    const recorded = feature.fixtures.names.includes(name)
    return refuse(
      recorded ? 'fixture-stale' : 'no-fixture',
      recorded ? 'the golden has no input any more' : `there is no case ${name}`,
    )
  }
  const loose = looseReference(input.steps)
  if (loose !== null) {
    const where = input.steps.length === 1 ? '' : `step ${loose.step}: `
    const left = loose.steps === 1 ? '' : `; the ${loose.steps} steps from there depend on it`
    const near = loose.near === null ? '' : ` (did you mean {{${loose.near}}}?)`
    return refuse('unbound', `${where}{{${loose.name}}} is bound by no earlier step${near}${left}`)
  }
  const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision, asOf })
  if (!admitted.ok) return { ...admitted, fixture: null }
  const { fixture } = admitted
  const unmatched = unmatchedStep(input, fixture)
  if (unmatched !== null) return { ok: false, fault: unmatched, fixture }
  const unlisted = input.steps.find(({ request }) => request !== undefined && !allowedToSend(feature.contract, request))
  if (unlisted?.request !== undefined) {
    const { method, path } = unlisted.request
    return refuse('side-effects-not-allowed', `${method} ${path.split('?', 1)[0]} is not listed under sends:`, fixture)
  }
  return calibrationFault(feature, fixture, asOf) ?? { ok: true, input, fixture }
}

/** The first step that has no recorded answer: another one is never taken in its place. */
function unmatchedStep(input: Case, fixture: Fixture): Fault | null {
  const recorded = fixture.observation.length
  const { request } = input.steps[recorded] ?? {}
  if (input.steps.length === recorded) return null
  if (input.steps.length < recorded) {
    const message = `the golden has ${recorded} answers, the input ${input.steps.length} steps`
    return { reason: 'unmatched', step: input.steps.length, message }
  }
  const line = request === undefined ? 'its input' : `${request.method} ${request.path.split('?', 1)[0]}`
  const times = input.steps
    .slice(0, recorded + 1)
    .filter(step => step.request?.method === request?.method && step.request?.path === request?.path).length
  const message = `step ${recorded}: ${line} is sent for the ${ordinal(times)} time, and the golden ends after ${recorded} answers`
  return { reason: 'unmatched', step: recorded, message }
}

function ordinal(count: number): string {
  const suffix = { 1: 'st', 2: 'nd', 3: 'rd' }[count % 100 > 10 && count % 100 < 14 ? 0 : count % 10] ?? 'th'
  return `${count}${suffix}`
}

function calibrationFault(feature: Feature, fixture: Fixture, asOf: string): Admitted | null {
  const refuse = (reason: Reason, message: string): Admitted => ({
    ok: false,
    fault: { reason, step: 0, message },
    fixture,
  })
  const entry = feature.calibration?.fixtures[fixture.id]
  if (entry === undefined) return refuse('calibration-missing', 'calibration.json has no entry for this fixture')
  const maxAgeDays = feature.lab?.maxAgeDays
  const ageDays = (Date.parse(asOf) - Date.parse(entry.captured)) / 86_400_000
  if (maxAgeDays !== undefined && ageDays > maxAgeDays) {
    return refuse(
      'calibration-expired',
      `captured on ${entry.captured}, it holds ${maxAgeDays} days, and it is ${asOf}`,
    )
  }
  const covered = coverNoise(entry.noise, fixture.observation, feature.rules, evidenceOfFeature(feature))
  const { uncovered } = covered
  if (uncovered.length === 0) return null
  const degraded = degradedNoise(fixture.observation, entry.noise)
  if (degraded !== null) return { ok: false, fault: degraded, fixture }
  const fault: Fault = {
    reason: 'control-unstable',
    step: uncovered[0]?.step ?? 0,
    message: unstableText(uncovered, covered),
  }
  return { ok: false, fault, fixture }
}
