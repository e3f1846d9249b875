import { readFileSync } from 'node:fs'
import { canonicalText, sha256 } from '../../core/canonical.ts'
import { LabFailure } from '../lab-failure.ts'
import { type Lease, takeLease } from '../lease.ts'
import type { RunningLab } from '../process-driver.ts'
import type { Engine } from './engine.ts'
import { confinementOf, environmentOf, hardened } from './hardening.ts'
import { labels } from './labels.ts'
import { listObjects, type OwnedObject, removeAll } from './objects.ts'
import type { StandingLab } from './services.ts'
import { sessionId } from './session.ts'
import type { ContainerLab, LabEvidence, LabKey, ResolvedImage } from './spec.ts'

export interface WarmOptions {
  readonly lab: ContainerLab
  readonly images: readonly ResolvedImage[]
  readonly tool: ResolvedImage
  readonly clock: string | null
  /** Of these only the ones that come from the environment are part of the key. */
  readonly secrets: ReadonlyMap<string, string>
  readonly signal: AbortSignal
  /** Hears why a kept lab was not used. Default: nobody. */
  readonly onLog?: (line: string) => void
  /** Takes over what stands; rejects when it does not serve. `secrets` are those that it was booted with. */
  readonly attach: (standing: StandingLab, secrets: ReadonlyMap<string, string>) => Promise<RunningLab>
  /** Boots anew, kept under this key. */
  readonly boot: (key: string) => Promise<RunningLab>
}

const WAIT_MS = 120_000
const REMOVE_MS = 20_000
/** What a kept lab was booted with, as the engine keeps it: a label of its marker. */
const KEPT_LABEL = 'vitest-parity.kept'

/** Slots of this process: one lab may be wanted several times at once, as a legacy and its control. */
const used = new Map<string, Set<number>>()

/**
 * A lab that outlives this process: the one that stands under the same key when it serves, else one booted now.
 * While it is used no other process has it, so two processes never boot two; disposing of it gives it back.
 *
 * **Throws** LabFailure (`lab-boot` when another process has it for 120 s; else what booting throws), or the reason of `signal`.
 */
export async function warmLab(engine: Engine, o: WarmOptions): Promise<RunningLab> {
  const key = keyOf(engine, o)
  const slot = takeSlot(key)
  const own = slot === 1 ? key : `${key}#${slot}`
  let lease: Lease | null = null
  try {
    lease = await leaseOf(own, o)
    const running = (await attached(engine, own, o)) ?? (await booted(engine, own, o))
    return givenBack(engine, { running, key: own, done: [lease.release, () => used.get(key)?.delete(slot)] })
  } catch (error) {
    lease?.release()
    used.get(key)?.delete(slot)
    throw error
  }
}

/** Hash of all that makes a lab what it is: its spec and files, its images, what confines it, its clock, and this module. */
export function keyOf(
  engine: Pick<Engine, 'platform'>,
  o: Pick<WarmOptions, 'lab' | 'images' | 'tool' | 'clock' | 'secrets'>,
): LabKey {
  const { dir: _, ...spec } = o.lab
  const services = o.lab.services.map(service => ({
    host: hardened(confinementOf(service, [])),
    env: environmentOf(o.lab, service, { clock: o.clock, shim: null, secrets: new Map() }),
    given: service.secrets.filter(({ from }) => from === 'environment').map(({ name }) => o.secrets.get(name) ?? null),
  }))
  const images = o.images.map(({ service, runId }) => [service, runId])
  const made = {
    spec,
    services,
    images,
    tool: o.tool.runId,
    clock: o.clock,
    platform: engine.platform,
    by: ownVersion(),
  }
  return sha256(canonicalText(made))
}

async function leaseOf(key: string, o: WarmOptions): Promise<Lease> {
  const taken = await takeLease(`lab ${key}`, { purpose: `lab ${o.lab.id}`, timeoutMs: WAIT_MS, signal: o.signal })
  if (taken.ok) return taken.lease
  const what = `lab ${o.lab.id} is kept, and ${taken.heldBy} has used it for more than ${WAIT_MS / 1000} s`
  throw new LabFailure('lab-boot', what, 'wait for it, or run without keeping the lab')
}

/** Null: none stands, or it did not serve and is removed. */
async function attached(engine: Engine, key: string, o: WarmOptions): Promise<RunningLab | null> {
  const objects = await objectsOf(engine, key)
  if (objects.length === 0) return null
  const standing = standingLab(objects, key, o.lab)
  if (standing !== null) {
    try {
      return await o.attach(standing, await secretsGiven(engine, standing, o))
    } catch (error) {
      o.signal.throwIfAborted()
      o.onLog?.(`the kept lab ${o.lab.id} does not serve: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  await removeObjectsOf(engine, key)
  return null
}

async function booted(engine: Engine, key: string, o: WarmOptions): Promise<RunningLab> {
  await removeOutdated(engine, o)
  const running = await o.boot(key)
  try {
    const { evidence } = running
    await engine.docker.createVolume({
      Name: `vitest-parity-${o.lab.id}-kept-${key.replace(/\W/g, '-').slice(-20)}`,
      Labels: {
        ...labels({ session: sessionId(), lab: o.lab.id, key, role: 'kept', keep: true }),
        [KEPT_LABEL]: JSON.stringify({ clock: running.clock, evidence }),
      },
    })
    return running
  } catch (error) {
    await running[Symbol.asyncDispose]()
    await removeObjectsOf(engine, key)
    throw error
  }
}

/** Removes kept labs of the same name that are something else by now, unless somebody uses them. */
async function removeOutdated(engine: Engine, o: WarmOptions): Promise<void> {
  const kept = (await listObjects(engine.docker)).filter(({ marks }) => marks.keep && marks.lab === o.lab.id)
  for (const key of new Set(kept.map(({ marks }) => marks.key))) {
    const free = await takeLease(`lab ${key}`, { purpose: `removing lab ${o.lab.id}`, timeoutMs: 0, signal: o.signal })
    if (!free.ok) continue
    try {
      await removeObjectsOf(engine, key)
    } finally {
      free.lease.release()
    }
  }
}

/** What stands under a key, when it booted whole and all of it runs. */
function standingLab(objects: readonly OwnedObject[], key: string, lab: ContainerLab): StandingLab | null {
  const kept = objects.find(({ marks }) => marks.role === 'kept')?.labels[KEPT_LABEL]
  const containers = objects.filter(({ kind, marks }) => kind === 'container' && marks.role !== 'probe')
  if (kept === undefined || containers.some(({ state }) => state !== 'running')) return null
  const network = (part: string): string | undefined =>
    objects.find(({ kind, name }) => kind === 'network' && name.endsWith(part))?.id
  const [inner, outer] = [network('-inner'), network('-outer')]
  const gate = containers.find(({ marks }) => marks.role === 'gate')?.id
  const services = new Map(
    containers.filter(({ marks }) => marks.role === 'service').map(({ marks, id }) => [marks.service, id]),
  )
  if (inner === undefined || outer === undefined || gate === undefined) return null
  if (containers.length !== lab.services.length + 1 || lab.services.some(({ name }) => !services.has(name))) return null
  const { clock, evidence } = JSON.parse(kept) as { clock: string | null; evidence: LabEvidence | null }
  return { networks: { inner, outer }, gate, services, clock, key, evidence }
}

/** The secrets that a standing lab was booted with: a service that is restarted has to get the same. */
async function secretsGiven(engine: Engine, standing: StandingLab, o: WarmOptions): Promise<Map<string, string>> {
  const found = new Map(o.secrets)
  for (const service of o.lab.services) {
    const id = standing.services.get(service.name)
    if (service.secrets.length === 0 || id === undefined) continue
    const { Config } = await engine.docker.getContainer(id).inspect()
    for (const { name } of service.secrets) {
      const line = Config.Env.find(each => each.startsWith(`${name}=`))
      if (line !== undefined) found.set(name, line.slice(name.length + 1))
    }
  }
  return found
}

/** Disposing of it gives the lab back; one that did not stay whole is removed with its marker. */
function givenBack(
  engine: Engine,
  o: { readonly running: RunningLab; readonly key: string; readonly done: readonly (() => unknown)[] },
): RunningLab {
  const { running } = o
  const dispose = running[Symbol.asyncDispose].bind(running)
  let gone: Promise<void> | null = null
  const giveBack = async (): Promise<void> => {
    try {
      await dispose()
      const left = await objectsOf(engine, o.key)
      if (!left.some(({ kind }) => kind === 'container')) await removeAll(engine.docker, left, { timeoutMs: REMOVE_MS })
    } finally {
      for (const each of o.done) each()
    }
  }
  return {
    get drive() {
      return running.drive
    },
    get clock() {
      return running.clock
    },
    provenance: running.provenance,
    get evidence() {
      return running.evidence
    },
    logs: () => running.logs(),
    crashed: () => running.crashed(),
    reset: to => running.reset(to),
    [Symbol.asyncDispose]() {
      gone ??= giveBack()
      return gone
    },
  }
}

function takeSlot(key: string): number {
  const taken = used.get(key) ?? new Set()
  used.set(key, taken)
  let slot = 1
  while (taken.has(slot)) slot++
  taken.add(slot)
  return slot
}

async function objectsOf(engine: Engine, key: string): Promise<OwnedObject[]> {
  return (await listObjects(engine.docker)).filter(({ marks }) => marks.key === key)
}

async function removeObjectsOf(engine: Engine, key: string): Promise<void> {
  await removeAll(engine.docker, await objectsOf(engine, key), { timeoutMs: REMOVE_MS })
}

function ownVersion(): unknown {
  const file: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  return typeof file === 'object' && file !== null && 'version' in file ? file.version : null
}
