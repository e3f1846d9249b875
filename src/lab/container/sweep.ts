import type Dockerode from 'dockerode'
import { isStillThere } from '../processes.ts'
import { listObjects, type OwnedObject, type Removal, removeAll } from './objects.ts'
import { type Owner, thisOwner } from './session.ts'

const SWEEP_TIMEOUT_MS = 20_000

/** Why an object is where it is. */
export type Standing =
  /** The process that made it runs. */
  | 'in use'
  /** Its lab booted whole, and outlives the process that made it. */
  | 'kept'
  /** The process that made it is gone. */
  | 'left behind'
  /** Its process is not of this machine: nothing here says whether it runs. */
  | 'of another machine'

/** The keys of the labs that booted whole and are kept. Whoever used one since may have made parts of it anew. */
function keptLabs(objects: readonly OwnedObject[]): ReadonlySet<string> {
  return new Set(objects.filter(({ marks }) => marks.role === 'kept').map(({ marks }) => marks.key))
}

/** What an object is to this machine. One of a lab to be kept that did not boot whole is like any other. */
export function standingOf(
  { marks }: OwnedObject,
  o: { readonly kept: ReadonlySet<string>; readonly host: string; readonly lives: (owner: Owner) => boolean },
): Standing {
  if (marks.keep && o.kept.has(marks.key)) return 'kept'
  if (marks.owner.host !== o.host) return 'of another machine'
  return o.lives(marks.owner) ? 'in use' : 'left behind'
}

/** Every object of ours, with what it is to this machine. */
export async function standings(
  docker: Dockerode,
): Promise<readonly { readonly object: OwnedObject; readonly standing: Standing }[]> {
  const objects = await listObjects(docker)
  const kept = keptLabs(objects)
  const { host } = thisOwner()
  const lives = ({ pid, born }: Owner): boolean => pid > 0 && isStillThere(pid, born)
  return objects.map(object => ({ object, standing: standingOf(object, { kept, host, lives }) }))
}

/**
 * Removes what processes of this machine left behind; with `all` also kept labs, and what other machines made.
 * What a running process uses stays, and so do images. Bounded: 20 s.
 */
export async function sweep(docker: Dockerode, o: { readonly all?: boolean } = {}): Promise<Removal> {
  const found = await standings(docker)
  const due = found.filter(({ standing }) => (o.all === true ? standing !== 'in use' : standing === 'left behind'))
  return removeAll(
    docker,
    due.map(({ object }) => object),
    { timeoutMs: SWEEP_TIMEOUT_MS },
  )
}

/** Removes what one session made; a lab of it that is kept stays. Bounded: 20 s. */
export async function sweepSession(docker: Dockerode, session: string): Promise<Removal> {
  const objects = await listObjects(docker)
  const kept = keptLabs(objects)
  const due = objects.filter(({ marks }) => marks.session === session && !(marks.keep && kept.has(marks.key)))
  return removeAll(docker, due, { timeoutMs: SWEEP_TIMEOUT_MS })
}
