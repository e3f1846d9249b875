import { coverNoise, degradedNoise } from '../core/calibrate.ts'
import { allowedToSend } from '../core/sends.ts'
import { admit } from '../golden/store.ts'
import type { Case, Fault, Fixture, Reason } from '../model.ts'
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
  const admitted = admit(feature.fixtures, input, { revision: feature.contract.revision, asOf })
  if (!admitted.ok) return { ...admitted, fixture: null }
  const { fixture } = admitted
  const unlisted = input.steps.find(({ request }) => request !== undefined && !allowedToSend(feature.contract, request))
  if (unlisted?.request !== undefined) {
    const { method, path } = unlisted.request
    return refuse('side-effects-not-allowed', `${method} ${path.split('?', 1)[0]} is not listed under sends:`, fixture)
  }
  return calibrationFault(feature, fixture, asOf) ?? { ok: true, input, fixture }
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
  const { uncovered, proposals } = coverNoise(entry.noise, fixture.observation, feature.rules)
  if (uncovered.length === 0) return null
  const degraded = degradedNoise(fixture.observation, entry.noise)
  if (degraded !== null) return { ok: false, fault: degraded, fixture }
  const places = uncovered.map(({ path }) => path).join(', ')
  const proposed = proposals.map(({ rule }) => rule).join(', ') || 'none'
  return refuse('control-unstable', `the legacy differs from itself at ${places}; proposed: ${proposed}`)
}
