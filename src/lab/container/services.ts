import { setTimeout as sleep } from 'node:timers/promises'
import { LabFailure } from '../lab-failure.ts'
import { LOG_SETTLE_MS } from '../supervise.ts'
import { demandAll, seenByEngine, seenFromInside } from './assertions.ts'
import type { Engine } from './engine.ts'
import { adoptGate, type Gate, startGate } from './gate.ts'
import { confinementOf, environmentOf, hardened } from './hardening.ts'
import { imageFacts } from './image-facts.ts'
import { lookInside } from './inside.ts'
import { startContainer } from './lab-container.ts'
import { createNetworks, type LabNetworks } from './networks.ts'
import { runCommand, waitUntilServes } from './readiness.ts'
import { removeObjects } from './removal.ts'
import type { Assertion, ContainerLab, LabEvidence, ServiceSpec } from './spec.ts'
import { describeDeath, type Watched, watch } from './watched.ts'

const LINES_SHOWN = 20
const SEED_TIMEOUT_MS = 60_000

export interface StackOptions {
  readonly engine: Engine
  readonly lab: ContainerLab
  /** Begins the name of every object of this stack; no other stack has it. */
  readonly name: string
  readonly labels: (role: 'service' | 'gate' | 'probe' | 'network', service?: string) => Record<string, string>
  /** Image ids by service. */
  readonly images: ReadonlyMap<string, string>
  readonly toolImage: string
  readonly secrets: ReadonlyMap<string, string>
  readonly conceal: (line: string) => string
  readonly onLog: (line: string) => void
  readonly signal: AbortSignal
}

/** Ids of what a lab consists of, found standing. */
export interface StandingLab {
  readonly networks: LabNetworks
  /** Container ids. */
  readonly gate: string
  readonly services: ReadonlyMap<string, string>
  readonly clock: string | null
  readonly key: string
  readonly evidence: LabEvidence | null
}

/** The containers and networks of one lab that is up, or on its way up or down. */
export class Stack {
  readonly #o: StackOptions
  readonly #objects: { containers: Set<string>; networks: Set<string> } = { containers: new Set(), networks: new Set() }
  readonly #services = new Map<string, Watched>()
  readonly #assertions = new Map<string, readonly Assertion[]>()
  #networks: LabNetworks | null = null
  #gate: Gate | null = null
  #made = 0

  constructor(o: StackOptions) {
    this.#o = o
  }

  get url(): string {
    return this.#standing().gate.url
  }

  get gateId(): string {
    return this.#standing().gate.watched.id
  }

  /** Of all that was asserted of what is up now, by service. */
  get assertions(): readonly Assertion[] {
    return this.#o.lab.services.flatMap(({ name }) => this.#assertions.get(name) ?? [])
  }

  containerOf(service: string): string {
    const watched = this.#services.get(service)
    if (watched === undefined) throw new Error(`service ${service} is not up`)
    return watched.id
  }

  /** Makes the networks and the gate, and boots every service in its order. What a failure leaves is removed by `remove`. */
  async boot(clock: string | null): Promise<void> {
    const { engine, lab, signal } = this.#o
    signal.throwIfAborted()
    const warm = lab.services.map(service => this.#factsOf(service))
    const networks = createNetworks(engine, {
      name: this.#o.name,
      labels: this.#o.labels('network'),
      onCreated: id => this.#objects.networks.add(id),
    })
    // Each is waited for, so that nothing is made after a failure was told.
    const done = await Promise.allSettled([networks, ...warm])
    for (const one of done) if (one.status === 'rejected') throw this.#asFailure(one.reason)
    this.#networks = await networks
    const gate = this.#openGate(this.#networks)
    gate.catch(() => {})
    try {
      for (const service of lab.services) await this.#bootService(service, clock, gate)
    } finally {
      await Promise.allSettled([gate])
    }
  }

  /** Takes over what stands already, and asks whether it is ready. What it takes over `remove` removes. */
  async adopt(standing: StandingLab): Promise<void> {
    const { engine, lab, signal } = this.#o
    this.#networks = standing.networks
    for (const id of [standing.networks.inner, standing.networks.outer]) this.#objects.networks.add(id)
    for (const id of [standing.gate, ...standing.services.values()]) this.#objects.containers.add(id)
    const gate = adoptGate(engine, standing.gate)
    const watching = lab.services.map(async ({ name }) => {
      const id = standing.services.get(name)
      if (id === undefined) throw await this.failure(`service ${name} is not there`)
      this.#services.set(name, await watch(engine, id, this.#hearing(name)))
    })
    const done = await Promise.allSettled([gate, ...watching])
    for (const one of done) if (one.status === 'rejected') throw this.#asFailure(one.reason)
    this.#gate = await gate
    signal.throwIfAborted()
    const driven = lab.services.find(({ name }) => name === lab.drive)
    const failed = driven === undefined ? 'nothing is driven' : await this.probe(driven)
    if (failed !== null) throw await this.failure(failed)
  }

  /** Stops the named services and boots them again, in their order, at `clock`. */
  async reboot(names: ReadonlySet<string>, clock: string | null): Promise<void> {
    const { gate } = this.#standing()
    const services = this.#o.lab.services.filter(({ name }) => names.has(name))
    const old = services.map(({ name }) => this.#services.get(name)).filter(watched => watched !== undefined)
    for (const watched of old) watched.letGo()
    await removeObjects(this.#o.engine, { containers: old.map(watched => watched.id), networks: [] })
    for (const watched of old) this.#objects.containers.delete(watched.id)
    for (const service of services) await this.#bootService(service, clock, Promise.resolve(gate))
  }

  /** Looks at every service from inside. **Throws** LabFailure (`lab-isolation`). */
  async assertInside(): Promise<void> {
    const { engine, lab, toolImage } = this.#o
    const looked = lab.services.map(async service => {
      const seen = await lookInside(engine, {
        service: service.name,
        containerId: this.containerOf(service.name),
        toolImage,
        user: service.user,
        labels: this.#o.labels('probe', service.name),
      })
      const { volumes } = await this.#factsOf(service)
      const rows = seenFromInside(seen, { service: service.name, confinement: confinementOf(service, volumes) })
      this.#assertions.set(service.name, [...(this.#assertions.get(service.name) ?? []), ...rows])
      return rows
    })
    const done = await Promise.allSettled(looked)
    const ended = this.ended()
    if (ended !== null) throw await this.failure(`${ended} as soon as it was up`)
    for (const one of done) if (one.status === 'rejected') throw this.#asFailure(one.reason)
    demandAll(
      lab.id,
      done.flatMap(one => (one.status === 'fulfilled' ? one.value : [])),
    )
  }

  /** Asks a service once more whether it is ready. Null: it is; else what was seen. */
  async probe(service: ServiceSpec): Promise<string | null> {
    const { gate } = this.#standing()
    const ready = await this.#waitFor(service, gate, performance.now() + service.ready.timeoutMs)
    return ready.ok ? null : (ready.ended ?? ready.last ?? 'it was not asked yet')
  }

  /** How a service, or the gate, ended although nobody asked it to; null while all run. */
  ended(): string | null {
    for (const { name, limits } of this.#o.lab.services) {
      const death = this.#services.get(name)?.death() ?? null
      if (death !== null) return `service ${name} ${describeDeath(death, limits.memoryMb)}`
    }
    const death = this.#gate?.watched.death() ?? null
    return death === null ? null : `the gate ${describeDeath(death, 0)}`
  }

  /** The last lines of every service, each with the name of its service before it. */
  logs(): string {
    const lines = this.#o.lab.services.flatMap(({ name }) =>
      (this.#services.get(name)?.lines() ?? []).map(line => `${name} | ${line}`),
    )
    return lines.join('\n')
  }

  /** The last 20 lines of every service that was started. */
  lastLines(): string {
    return this.#lastOfEach().join('\n')
  }

  async failure(what: string): Promise<LabFailure> {
    await sleep(LOG_SETTLE_MS)
    const { lab, conceal } = this.#o
    const remedy = /MB of memory/.test(what)
      ? `raise limits.memoryMb of that service in ${lab.dir}/lab.yaml, or find out why it needs so much`
      : `read the log above, and repair the service or its ready: in ${lab.dir}/lab.yaml`
    return new LabFailure('lab-boot', [`lab ${lab.id}: ${conceal(what)}`, ...this.#lastOfEach()].join('\n'), remedy)
  }

  /** Stops watching, and leaves everything where it is. */
  letGo(): void {
    for (const watched of this.#services.values()) watched.letGo()
    this.#gate?.watched.letGo()
  }

  async remove(): Promise<void> {
    this.letGo()
    await removeObjects(this.#o.engine, {
      containers: [...this.#objects.containers],
      networks: [...this.#objects.networks],
    })
    this.#objects.containers.clear()
    this.#objects.networks.clear()
  }

  async #bootService(service: ServiceSpec, clock: string | null, gate: Promise<Gate>): Promise<void> {
    const { engine, lab, signal } = this.#o
    signal.throwIfAborted()
    const deadline = performance.now() + service.ready.timeoutMs
    const confinement = await this.#start(service, clock)
    const id = this.containerOf(service.name)
    const info = await engine.docker.getContainer(id).inspect()
    const rows = seenByEngine(info, {
      service: service.name,
      confinement,
      network: this.#standing(false).networks.inner,
    })
    this.#assertions.set(service.name, rows)
    demandAll(lab.id, rows)
    const opened = await gate.catch(error => {
      throw this.#asFailure(error)
    })
    const ready = await this.#waitFor(service, opened, deadline)
    if (!ready.ok) {
      const what =
        ready.ended === null
          ? `service ${service.name} was not ready within ${service.ready.timeoutMs} ms: ${ready.last ?? 'it was not asked yet'}`
          : `${ready.ended} before ${service.name} was ready${ready.last === null ? '' : `; the last look at it: ${ready.last}`}`
      throw await this.failure(what)
    }
    for (const command of service.seed) {
      const failed = await runCommand(engine.docker.getContainer(id), command, SEED_TIMEOUT_MS)
      if (failed !== null) throw await this.failure(`the seed of service ${service.name} did not work: ${failed}`)
      signal.throwIfAborted()
    }
  }

  async #start(service: ServiceSpec, clock: string | null) {
    const { engine, lab, images, secrets } = this.#o
    const { volumes, shim } = await this.#factsOf(service)
    const confinement = confinementOf(service, volumes)
    const { networks } = this.#standing(false)
    try {
      const id = await startContainer(
        engine,
        {
          name: `${this.#o.name}-${service.name}-${++this.#made}`,
          image: images.get(service.name) ?? service.image.tag,
          labels: this.#o.labels('service', service.name),
          entrypoint: null,
          command: service.command,
          user: service.user,
          workdir: service.workdir,
          env: environmentOf(lab, service, { clock, shim, secrets }),
          hostConfig: hardened(confinement),
          network: { id: networks.inner, aliases: [service.name] },
          alsoOn: [],
          published: [],
        },
        created => this.#objects.containers.add(created),
      )
      this.#services.set(service.name, await watch(engine, id, this.#hearing(service.name)))
      return confinement
    } catch (error) {
      throw this.#asFailure(error, `service ${service.name} cannot be started`)
    }
  }

  async #openGate(networks: LabNetworks): Promise<Gate> {
    const { engine, lab, toolImage } = this.#o
    const service = lab.services.find(({ name }) => name === lab.drive)
    const port = service?.port ?? null
    if (port === null)
      throw new LabFailure('lab-boot', `lab ${lab.id}: service ${lab.drive} has no port`, 'give it a port:')
    const gate = await startGate(engine, {
      name: `${this.#o.name}-gate`,
      image: toolImage,
      labels: this.#o.labels('gate'),
      networks,
      to: { service: lab.drive, port },
      onCreated: id => this.#objects.containers.add(id),
    })
    this.#gate = gate
    return gate
  }

  #hearing(name: string) {
    const { conceal, onLog } = this.#o
    return { conceal, onLine: (line: string): void => onLog(`${name} | ${line}`) }
  }

  #waitFor(service: ServiceSpec, gate: Gate, deadline: number) {
    const { docker } = this.#o.engine
    return waitUntilServes({
      service,
      container: docker.getContainer(this.containerOf(service.name)),
      gate: { container: docker.getContainer(gate.watched.id), gate },
      driven: service.name === this.#o.lab.drive,
      deadline,
      ended: () => this.ended(),
      signal: this.#o.signal,
    })
  }

  #factsOf(service: ServiceSpec) {
    const image = this.#o.images.get(service.name) ?? service.image.tag
    return imageFacts(this.#o.engine, image, this.#o.labels('probe', service.name))
  }

  #standing(): { networks: LabNetworks; gate: Gate }
  #standing(withGate: false): { networks: LabNetworks }
  #standing(withGate = true): { networks: LabNetworks; gate: Gate | null } {
    if (this.#networks === null || (withGate && this.#gate === null)) throw new Error(`lab ${this.#o.lab.id} is not up`)
    return { networks: this.#networks, gate: this.#gate }
  }

  #lastOfEach(): string[] {
    return this.#o.lab.services.filter(({ name }) => this.#services.has(name)).map(({ name }) => this.#shownLog(name))
  }

  #shownLog(name: string): string {
    const lines = this.#services.get(name)?.lines() ?? []
    if (lines.length === 0) return `  ${name} printed nothing`
    const shown = lines.slice(-LINES_SHOWN).map(line => `  ${name} | ${line}`)
    return `  the last of what ${name} printed:\n${shown.join('\n')}`
  }

  #asFailure(error: unknown, what = 'the engine did not do what it was asked'): unknown {
    if (error instanceof LabFailure || this.#o.signal.aborted) return error
    const text = this.#o.conceal(error instanceof Error ? error.message : String(error))
    const remedy = `read the words of the engine above, then repair lab.yaml in ${this.#o.lab.dir}, or the engine`
    return new LabFailure('lab-boot', `lab ${this.#o.lab.id}: ${what}: ${text}`, remedy, { cause: error })
  }
}
