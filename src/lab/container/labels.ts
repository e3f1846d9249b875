import { type Owner, thisOwner } from './session.ts'

export const SESSION_LABEL = 'vitest-parity.session'

/** `kept`: an empty volume that says of a lab which outlives its process that it booted whole. */
export type Role = 'service' | 'gate' | 'probe' | 'network' | 'kept'

/** What an object is, and who made it. */
export interface Labelled {
  readonly session: string
  /** Id of the lab; empty for what belongs to none. */
  readonly lab: string
  /** The key of a lab that may be attached to; empty for one that may not. */
  readonly key: string
  readonly role: Role
  readonly service?: string
  /** Whether it outlives the process that made it. */
  readonly keep: boolean
}

/** What the labels of an object say; null: it is none of ours. */
export interface Marks extends Required<Labelled> {
  readonly owner: Owner
}

/** The labels that every container, network and volume of ours carries: what it is, and that this process made it. */
export function labels(o: Labelled): Record<string, string> {
  const owner = thisOwner()
  return {
    [SESSION_LABEL]: o.session,
    'vitest-parity.lab': o.lab,
    'vitest-parity.key': o.key,
    'vitest-parity.role': o.role,
    ...(o.service === undefined ? {} : { 'vitest-parity.service': o.service }),
    'vitest-parity.owner-pid': String(owner.pid),
    'vitest-parity.owner-born': owner.born ?? '',
    'vitest-parity.owner-host': owner.host,
    'vitest-parity.keep': String(o.keep),
  }
}

/** Reads what `labels` wrote. An object of which only the session stands has no owner that could be found. */
export function marksOf(labelled: Readonly<Record<string, string>> | null | undefined): Marks | null {
  const session = labelled?.[SESSION_LABEL]
  if (labelled === null || labelled === undefined || session === undefined) return null
  const of = (name: string): string => labelled[`vitest-parity.${name}`] ?? ''
  const pid = Number(of('owner-pid'))
  return {
    session,
    lab: of('lab'),
    key: of('key'),
    role: roleOf(of('role')),
    service: of('service'),
    keep: of('keep') === 'true',
    owner: {
      pid: Number.isSafeInteger(pid) && pid > 0 ? pid : 0,
      born: of('owner-born') === '' ? null : of('owner-born'),
      host: of('owner-host'),
    },
  }
}

function roleOf(text: string): Role {
  switch (text) {
    case 'gate':
    case 'probe':
    case 'network':
    case 'kept':
      return text
    default:
      return 'service'
  }
}
