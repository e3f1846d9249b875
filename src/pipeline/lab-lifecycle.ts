/** The labs that are up: found, kept, looked into and taken away, for the command line. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compareCodePoints } from '../core/canonical.ts'
import { nearest } from '../core/nearest.ts'
import { ParityError } from '../errors.ts'
import { openEngine } from '../lab/container/engine.ts'
import { type OwnedObject, type Removal, removeAll } from '../lab/container/objects.ts'
import { sessionId } from '../lab/container/session.ts'
import type { ContainerLab, LabEvidence } from '../lab/container/spec.ts'
import { type Standing, standings, sweep } from '../lab/container/sweep.ts'
import { loadLab } from '../lab/lab-file.ts'
import { startLab } from '../lab/process-driver.ts'
import { dirsOf } from './dirs.ts'

/** A lab that stands on the engine, or what is left of one. */
export interface LabUp {
  readonly lab: string
  readonly standing: Standing
  readonly session: string
  /** Process that made it. */
  readonly ownerPid: number
  /** Where it answers; null when its gate does not run. */
  readonly url: string | null
  readonly services: readonly { readonly service: string; readonly state: string; readonly container: string }[]
  /** Containers, networks and volumes. */
  readonly objects: number
}

export interface LabStarted {
  readonly lab: string
  readonly url: string
  /** Whether it stood already, and was used as it was. */
  readonly attached: boolean
  readonly evidence: LabEvidence | null
}

const DOWN_TIMEOUT_MS = 20_000

/** Every lab of ours on the engine, in the order of their names; what belongs to no lab is one without a name. */
export async function labsUp(signal: AbortSignal): Promise<readonly LabUp[]> {
  const { docker } = await openEngine({ signal })
  const groups = Map.groupBy(await standings(docker), ({ object: { marks }, standing }) =>
    [marks.lab, standing, standing === 'kept' ? marks.key : marks.session].join('\0'),
  )
  return [...groups.entries()]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .flatMap(([, found]) => {
      const [first] = found
      return first === undefined
        ? []
        : [
            labOf(
              first,
              found.map(({ object }) => object),
            ),
          ]
    })
}

function labOf(
  { object, standing }: { readonly object: OwnedObject; readonly standing: Standing },
  objects: readonly OwnedObject[],
): LabUp {
  const { lab, session, owner } = object.marks
  const gate = objects.find(({ marks, port }) => marks.role === 'gate' && port !== null)
  return {
    lab,
    standing,
    session,
    ownerPid: owner.pid,
    url: gate === undefined ? null : `http://127.0.0.1:${gate.port}`,
    services: objects
      .filter(({ kind, marks }) => kind === 'container' && marks.role === 'service')
      .map(({ marks, state, name }) => ({ service: marks.service, state: state ?? '', container: name })),
    objects: objects.length,
  }
}

/** Boots a lab and leaves it up; one that stands under the same key is used as it is. */
export async function labUp(o: {
  readonly root: string
  readonly name: string
  readonly signal: AbortSignal
  readonly onLog: (line: string) => void
}): Promise<LabStarted> {
  const lab = await containerLab(o.root, o.name)
  await using running = await startLab(lab, { signal: o.signal, onLog: o.onLog, keep: true })
  const { drive, evidence } = running
  const url = drive.kind === 'http' ? drive.url : ''
  const { docker } = await openEngine({ signal: o.signal })
  const own = (await standings(docker)).some(
    ({ object: { marks } }) => marks.role === 'gate' && marks.lab === lab.id && marks.session === sessionId(),
  )
  return { lab: lab.id, url, attached: !own, evidence }
}

/** Removes a lab that is kept, and what was left of it; what a running process uses stays, unless it is kept. */
export async function labDown(name: string, signal: AbortSignal): Promise<Removal & { readonly inUse: number }> {
  const { docker } = await openEngine({ signal })
  const found = (await standings(docker)).filter(({ object }) => object.marks.lab === name)
  const due = found.filter(({ standing }) => standing === 'kept' || standing === 'left behind')
  const removal = await removeAll(
    docker,
    due.map(({ object }) => object),
    { timeoutMs: DOWN_TIMEOUT_MS },
  )
  return { ...removal, inUse: found.filter(({ standing }) => standing === 'in use').length }
}

/** Removes what ended processes left; with `all` also kept labs and what other machines made. */
export async function labSweep(o: { readonly all: boolean; readonly signal: AbortSignal }): Promise<Removal> {
  const { docker } = await openEngine({ signal: o.signal })
  return sweep(docker, { all: o.all })
}

/**
 * The containers of the services of a lab that stands: of all, or of the named one.
 *
 * **Throws** PARITY_CLI_ARGUMENT when the lab is not up, or has no such service.
 */
export async function containersOf(o: {
  readonly lab: string
  readonly service: string | null
  readonly signal: AbortSignal
}): Promise<readonly { readonly service: string; readonly id: string }[]> {
  const { docker } = await openEngine({ signal: o.signal })
  const all = (await standings(docker)).flatMap(({ object: { kind, id, marks } }) =>
    kind === 'container' && marks.lab === o.lab && marks.role === 'service' ? [{ service: marks.service, id }] : [],
  )
  if (all.length === 0) {
    throw new ParityError('PARITY_CLI_ARGUMENT', `lab ${o.lab} is not up`, `npx vitest-parity lab up ${o.lab}`)
  }
  const { service } = o
  if (service === null) return all
  const found = all.filter(each => each.service === service)
  if (found.length > 0) return found
  const names = [...new Set(all.map(each => each.service))].sort(compareCodePoints)
  const fix = `use ${nearest(service, names) ?? names.join(' or ')}`
  throw new ParityError('PARITY_CLI_ARGUMENT', `lab ${o.lab} has no service ${JSON.stringify(service)}`, fix)
}

/**
 * The lab of that name, of containers.
 *
 * **Throws** PARITY_CLI_ARGUMENT for a name that no lab has and for a lab of processes, and what reading it throws.
 */
export async function containerLab(root: string, name: string): Promise<ContainerLab> {
  const folder = join(root, dirsOf(root, {}).labs)
  if (!existsSync(join(folder, name, 'lab.yaml'))) throw unknownLab(folder, name)
  const lab = await loadLab(join(folder, name))
  if (lab.driver === 'container') return lab
  throw new ParityError(
    'PARITY_CLI_ARGUMENT',
    `lab ${name} is a process, which ends with the one that started it`,
    'name a lab with driver: container; one of processes boots by itself when it is recorded from',
  )
}

function unknownLab(folder: string, name: string): ParityError {
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter(each => existsSync(join(folder, each, 'lab.yaml')))
        .sort(compareCodePoints)
    : []
  const near = nearest(name, names)
  const known = names.length === 0 ? `write ${join(folder, name, 'lab.yaml')}` : `use one of ${names.join(', ')}`
  const fix = near === null ? known : `did you mean ${near}?`
  return new ParityError('PARITY_CLI_ARGUMENT', `there is no lab ${JSON.stringify(name)} in ${folder}`, fix)
}
