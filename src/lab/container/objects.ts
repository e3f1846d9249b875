import type Dockerode from 'dockerode'
import { within } from '../supervise.ts'
import { type Marks, marksOf, SESSION_LABEL } from './labels.ts'

/** A container, network or volume that carries our labels. */
export interface OwnedObject {
  readonly kind: 'container' | 'network' | 'volume'
  readonly id: string
  readonly name: string
  /** `running`, `exited`, …; null for what has none. */
  readonly state: string | null
  /** The port of 127.0.0.1 that it is published on. */
  readonly port: number | null
  readonly marks: Marks
  /** Every label, as it stands. */
  readonly labels: Readonly<Record<string, string>>
}

/** What became of objects that were to go. */
export interface Removal {
  readonly removed: readonly OwnedObject[]
  readonly left: readonly { readonly object: OwnedObject; readonly why: string }[]
}

const LIST_TIMEOUT_MS = 10_000
const POLL_MS = 100

/** In this order: what makes a kept lab whole, then containers, then what only goes without them. */
const ORDER = { volume: 0, container: 1, network: 2 } as const

/** Every object of ours on the engine, or of one session; those of the same kind in the order of their names. Bounded: 10 s. */
export async function listObjects(docker: Dockerode, o: { readonly session?: string } = {}): Promise<OwnedObject[]> {
  const filters = { label: [o.session === undefined ? SESSION_LABEL : `${SESSION_LABEL}=${o.session}`] }
  const listing = Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ])
  const listed = await within(listing, LIST_TIMEOUT_MS)
  if (listed === null) throw new Error(`the container engine did not list its objects within ${LIST_TIMEOUT_MS} ms`)
  const [containers, networks, { Volumes }] = listed
  const found = [
    ...containers.map(({ Id, Names, State, Ports, Labels }) =>
      asObject('container', {
        id: Id,
        name: (Names[0] ?? Id).replace(/^\//, ''),
        state: State,
        port: Ports.find(({ PublicPort }) => PublicPort !== undefined)?.PublicPort ?? null,
        labels: Labels,
      }),
    ),
    ...networks.map(({ Id, Name, Labels }) =>
      asObject('network', { id: Id, name: Name, state: null, port: null, labels: Labels ?? {} }),
    ),
    ...(Volumes ?? []).map(({ Name, Labels }) =>
      asObject('volume', { id: Name, name: Name, state: null, port: null, labels: Labels ?? {} }),
    ),
  ]
  return found
    .filter(object => object !== null)
    .sort((a, b) => ORDER[a.kind] - ORDER[b.kind] || (a.name < b.name ? -1 : 1))
}

function asObject(
  kind: OwnedObject['kind'],
  o: {
    readonly id: string
    readonly name: string
    readonly state: string | null
    readonly port: number | null
    readonly labels: Record<string, string>
  },
): OwnedObject | null {
  const marks = marksOf(o.labels)
  return marks === null ? null : { kind, ...o, marks }
}

/**
 * Removes objects, containers with their anonymous volumes, and tries again what the engine refuses until `timeoutMs` are
 * over. What somebody else removed meanwhile is neither removed nor left. Never rejects for an object that stays.
 */
export async function removeAll(
  docker: Dockerode,
  objects: readonly OwnedObject[],
  o: { readonly timeoutMs: number },
): Promise<Removal> {
  const deadline = performance.now() + o.timeoutMs
  const removed: OwnedObject[] = []
  let left = objects.map(object => ({ object, why: 'not tried' }))
  for (;;) {
    const still: typeof left = []
    for (const kind of Object.keys(ORDER)) {
      const turn = left.filter(({ object }) => object.kind === kind)
      const outcomes = await Promise.all(turn.map(({ object }) => tryRemove(docker, object, deadline)))
      for (const [at, outcome] of outcomes.entries()) {
        const object = turn[at]?.object
        if (object === undefined || outcome === 'gone') continue
        if (outcome === 'removed') removed.push(object)
        else still.push({ object, why: outcome.why })
      }
    }
    left = still
    if (left.length === 0 || performance.now() >= deadline) return { removed, left }
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

async function tryRemove(
  docker: Dockerode,
  { kind, id }: OwnedObject,
  deadline: number,
): Promise<'removed' | 'gone' | { readonly why: string }> {
  const remove = {
    container: () => docker.getContainer(id).remove({ force: true, v: true }),
    network: () => docker.getNetwork(id).remove(),
    volume: () => docker.getVolume(id).remove(),
  }[kind]
  const asked = remove().then(
    () => 'removed' as const,
    (error: unknown) => (statusOf(error) === 404 ? ('gone' as const) : { why: textOf(error) }),
  )
  const bound = Math.max(1000, deadline - performance.now())
  return (await within(asked, bound)) ?? { why: `the engine did not answer within ${Math.round(bound)} ms` }
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null
  return typeof error.statusCode === 'number' ? error.statusCode : null
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim()
}
