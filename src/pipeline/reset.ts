import { ParityError } from '../errors.ts'
import type { ResetSpec } from '../lab/container/spec.ts'
import type { LabFile } from '../lab/lab-file.ts'
import { specOf } from '../replay/target.ts'
import type { ResetFacts } from '../run/events.ts'
import type { Feature } from './feature.ts'
import type { FeatureOptions, OpenOptions } from './suite.ts'

/** Who puts the state of both sides back, and when. */
export function resetFacts({ contract, lab }: Feature, options: FeatureOptions): ResetFacts {
  const { reset, probe } = contract
  if (reset === 'none') return { per: reset, candidate: null, legacy: null, probe }
  return { per: reset, candidate: ownerOf(options), legacy: lab === null ? null : legacyOwner(lab), probe }
}

function ownerOf({ candidate, reset }: FeatureOptions): string {
  if (reset !== undefined) return "the candidate's reset"
  const spec = specOf(candidate)
  if (spec?.kind === 'http') return 'a fresh start of the candidate'
  return spec?.kind === 'command' ? 'a process for each step' : 'nobody: a function is taken to keep no state'
}

const NOTHING = 'nobody: the lab says there is nothing to reset'
const FRESH = 'a fresh start of the lab'

function legacyOwner(lab: LabFile): string {
  if (lab.driver === 'container') {
    const owners = Object.entries(lab.services).map(([name, { reset }]) => containerOwner(name, reset))
    return owners.filter(owner => owner !== null).join(', ') || NOTHING
  }
  const [service] = Object.values(lab.services)
  const reset = service?.reset ?? 'none'
  if (typeof reset !== 'string') return `the lab, by ${reset.http}`
  return reset === 'none' ? NOTHING : FRESH
}

/** Null for a service that keeps nothing. */
function containerOwner(name: string, reset: ResetSpec): string | null {
  switch (reset.kind) {
    case 'none':
      return null
    case 'restart':
      return `a fresh start of ${name}`
    case 'http':
      return `${name}, by ${reset.method} ${reset.path}`
    case 'exec':
      return `${name}, by ${reset.command.join(' ')}`
    case 'template':
      return `${name}, whose database ${reset.database} is made anew from ${reset.from}`
    default:
      return reset satisfies never
  }
}

/** One line for a candidate whose state is put back: by whom, and that no two workers drive it at once. */
export function resetText(facts: ResetFacts, isLeased: boolean): string {
  if (facts.candidate === null) return ''
  return `state: reset per ${facts.per} by ${facts.candidate}${isLeased ? ', one worker at a time' : ''}`
}

/** Refuses a contract whose word on state is impossible with this candidate. */
export function refuseImpossibleReset({ options }: OpenOptions, { name, contract }: Feature): void {
  const concurrency = options.concurrency ?? 1
  if (concurrency > 1 && contract.reset === 'case') {
    throw new ParityError(
      'PARITY_FEATURE_CONCURRENCY',
      `describeParity('${name}'): concurrency is ${concurrency}, and the contract resets the state before each case`,
      'remove `concurrency`: cases that share a state run one after another',
    )
  }
  const spec = specOf(options.candidate)
  if (contract.reset !== 'none' && spec?.kind === 'http' && spec.at instanceof URL && options.reset === undefined) {
    throw new ParityError(
      'PARITY_FEATURE_RESET',
      `describeParity('${name}'): the contract says reset: ${contract.reset}, and a candidate given by its URL cannot be started anew`,
      'give `reset`, which puts its state back, or http(context => …), which starts it',
    )
  }
}
