import { nearest } from '../core/nearest.ts'
import { changesState } from '../core/sends.ts'
import { parseYaml } from '../core/yaml.ts'
import type { Case } from '../model.ts'
import type { Contract } from './contract.ts'
import { locatedError } from './located.ts'

/**
 * The case that the contract names as its probe; null when it names none. It is of safe requests alone, so that asking
 * whether the state was put back does not change it.
 *
 * @throws ParityError PARITY_CONTRACT_INVALID, at the key
 */
export function probeOf(
  contract: Pick<Contract, 'probe'>,
  cases: ReadonlyMap<string, Case>,
  o: { readonly file: string; readonly text: string },
): Case | null {
  const { probe } = contract
  if (probe === null) return null
  const refuse = (message: string, fix: string) => {
    const parsed = parseYaml(o.text, o.file)
    const place = parsed.ok ? parsed.at(['probe'], 'value') : { line: 1, column: 1 }
    return locatedError('PARITY_CONTRACT_INVALID', [{ file: o.file, ...place, message, fix }])
  }
  const found = cases.get(probe)
  if (found === undefined) {
    const near = nearest(probe, [...cases.keys()])
    throw refuse(`there is no case ${probe}`, near === null ? 'name a case of inputs/' : `write ${near}`)
  }
  for (const [step, { request }] of found.steps.entries()) {
    const what =
      request === undefined
        ? 'is no request'
        : changesState(request)
          ? `is ${request.method}, which may change the state`
          : null
    if (what === null) continue
    const fix = 'name a case of GET, HEAD, OPTIONS or TRACE requests that shows the data the others work on'
    throw refuse(`the probe ${probe} asks what the state is, and its step ${step} ${what}`, fix)
  }
  return found
}
