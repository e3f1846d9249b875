import { randomBytes } from 'node:crypto'
import { LabFailure } from '../lab-failure.ts'
import type { LabDrive, LabOptions, RunningLab } from '../process-driver.ts'
import { selfTest } from './egress.ts'
import { type Engine, openEngine } from './engine.ts'
import { ensureImage, ensureToolImage } from './images.ts'
import { guardSession } from './janitor.ts'
import { labels } from './labels.ts'
import { restartedBy } from './reset.ts'
import { runHook } from './reset-hook.ts'
import { concealing, secretsOf } from './secrets.ts'
import { Stack, type StandingLab } from './services.ts'
import { sessionId } from './session.ts'
import type { ContainerLab, EgressRow, LabEvidence, ResolvedImage, ServiceSpec } from './spec.ts'
import { warmLab } from './warm.ts'

/**
 * Boots a lab of containers: finds its images, boots its services in their order behind a gate, proves what holds of them
 * and that nothing gets out, and resolves when all are ready. Nothing of it is left when this rejects.
 *
 * **Throws** LabFailure (`dependency-missing`, `environment`, `lab-image`, `lab-boot`, `lab-isolation`), or the reason of `signal`.
 */
export async function startContainerLab(lab: ContainerLab, options: LabOptions): Promise<RunningLab> {
  const { signal } = options
  signal.throwIfAborted()
  const onLog = options.onLog ?? (() => {})
  const clock = options.clock === undefined ? lab.clock : options.clock
  const secrets = secretsOf(lab, process.env)
  const engine = await openEngine({ signal })
  await guardSession(engine.docker)
  const tool = await ensureToolImage(engine, { signal, onLog })
  const images: ResolvedImage[] = []
  for (const service of lab.services) images.push(await ensureImage(engine, { service, lab, signal, onLog }))
  const made = { lab, engine, tool, images, onLog, conceal: options.conceal ?? (line => line), signal }
  const boot = async (key: string): Promise<RunningLab> => {
    const running = new RunningContainerLab({ ...made, secrets, key, keep: options.keep === true })
    await running.boot(clock)
    return running
  }
  const attach = async (standing: StandingLab, told: ReadonlyMap<string, string>): Promise<RunningLab> => {
    const running = new RunningContainerLab({ ...made, secrets: told, key: standing.key, keep: true })
    await running.adopt(standing)
    return running
  }
  if (options.keep !== true) return boot('')
  return warmLab(engine, { lab, images, tool, clock, secrets, signal, onLog, attach, boot })
}

interface Made {
  readonly lab: ContainerLab
  readonly engine: Engine
  readonly tool: ResolvedImage
  readonly images: readonly ResolvedImage[]
  readonly secrets: ReadonlyMap<string, string>
  readonly key: string
  /** Whether it stays up when it is disposed of. */
  readonly keep: boolean
  readonly conceal: (line: string) => string
  readonly onLog: (line: string) => void
  readonly signal: AbortSignal
}

class RunningContainerLab implements RunningLab {
  readonly provenance: Readonly<Record<string, unknown>>
  clock: string | null = null
  evidence: LabEvidence | null = null
  readonly #o: Made
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  readonly #stack: Stack
  /** What may stay up when this is disposed of: a lab at this clock. Null: nothing. */
  #keptAt: { readonly clock: string | null } | null = null
  /** Why nobody knows what state it is in; null while that is known. */
  #broken: string | null = null
  /** What is under way with the containers: one thing at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #gone: Promise<void> | null = null
  readonly #onAbort = (): void => void this.#end().catch(() => {})

  constructor(o: Made) {
    const { lab, engine, key, keep } = o
    this.#o = o
    this.#signal = AbortSignal.any([o.signal, this.#ending.signal])
    this.provenance = provenanceOf(lab, o.images)
    const concealed = concealing(o.secrets)
    this.#stack = new Stack({
      engine,
      lab,
      name: `vitest-parity-${lab.id}-${randomBytes(5).toString('hex')}`,
      labels: (role, service) =>
        labels({
          session: sessionId(),
          lab: lab.id,
          key,
          role,
          // What looks at a lab goes with the process that looks.
          keep: keep && role !== 'probe',
          ...(service === undefined ? {} : { service }),
        }),
      images: new Map(o.images.map(image => [image.service, image.runId])),
      toolImage: o.tool.runId,
      secrets: o.secrets,
      conceal: line => o.conceal(concealed(line)),
      onLog: o.onLog,
      signal: this.#signal,
    })
    o.signal.addEventListener('abort', this.#onAbort)
  }

  get drive(): LabDrive {
    return { kind: 'http', url: this.#stack.url }
  }

  logs(): string {
    return this.#stack.logs()
  }

  crashed(): string | null {
    const ended = this.#stack.ended() ?? this.#broken
    return ended === null ? null : `${ended}\n${this.#stack.lastLines()}`
  }

  /** Boots all, proves it, and fills in `evidence`. What a failure left is removed before it is told. */
  boot(clock: string | null): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#boot(clock)
      } catch (error) {
        await this.#remove()
        throw this.#o.signal.aborted ? this.#o.signal.reason : error
      }
    })
  }

  /** Takes over a lab that stands. What it cannot use is removed before it is told. */
  adopt(standing: StandingLab): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#stack.adopt(standing)
      } catch (error) {
        await this.#remove()
        throw error
      }
      this.clock = standing.clock
      this.#keptAt = { clock: standing.clock }
      this.evidence = standing.evidence
    })
  }

  reset(o: { readonly clock?: string | null } = {}): Promise<void> {
    const clock = o.clock === undefined ? this.clock : o.clock
    return this.#inTurn(() => this.#reset(clock))
  }

  prove(): Promise<void> {
    return this.#inTurn(async () => {
      const egress = await this.#selfTest()
      if (this.evidence !== null) this.evidence = { ...this.evidence, assertions: this.#stack.assertions, egress }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()
  }

  async #boot(clock: string | null): Promise<void> {
    const { engine, images } = this.#o
    const startedAt = performance.now()
    await this.#stack.boot(clock)
    const readyAt = performance.now()
    const egress = await this.#selfTest()
    this.clock = clock
    this.#keptAt = this.#o.keep ? { clock } : null
    this.evidence = {
      engine: `${engine.version} (API ${engine.apiVersion}, ${engine.platform})`,
      images,
      assertions: this.#stack.assertions,
      egress,
      bootMs: Math.round(readyAt - startedAt),
      selfTestMs: Math.round(performance.now() - readyAt),
    }
  }

  async #selfTest(): Promise<readonly EgressRow[]> {
    const { engine, lab, tool } = this.#o
    const [inside, egress] = await Promise.allSettled([
      this.#stack.assertInside(),
      selfTest(engine, {
        services: lab.services.map(({ name }) => ({ name, containerId: this.#stack.containerOf(name) })),
        toolImage: tool.runId,
        session: sessionId(),
        signal: this.#signal,
      }),
    ])
    if (inside.status === 'rejected') throw inside.reason
    const ended = this.#stack.ended()
    if (ended !== null) throw await this.#stack.failure(`${ended} as soon as it was up`)
    if (egress.status === 'rejected') throw egress.reason
    return egress.value.egress
  }

  async #reset(clock: string | null): Promise<void> {
    const kept = this.#keptAt
    this.#keptAt = null
    const wasBroken = this.#broken !== null
    this.#broken = null // whoever looks meanwhile sees a lab that is being reset, not a dead one
    try {
      await this.#resetAll(clock, wasBroken)
    } catch (error) {
      this.#broken = `its last reset failed: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`
      throw error
    }
    this.#keptAt = kept
  }

  async #resetAll(clock: string | null, isBroken: boolean): Promise<void> {
    const { services } = this.#o.lab
    if (isBroken || this.#stack.ended() !== null) {
      await this.#stack.remove()
      await this.#boot(clock)
      return
    }
    if (clock !== this.clock) {
      await this.#stack.reboot(new Set(services.map(({ name }) => name)), clock)
      this.clock = clock
      return
    }
    const restarted = restartedBy(services)
    if (restarted.size > 0) await this.#stack.reboot(restarted, clock)
    const hooked = services.filter(({ name, reset }) => !restarted.has(name) && reset.kind !== 'none')
    for (const service of hooked) {
      const failed = await runHook({
        service,
        container: this.#containerOf(service),
        url: service.name === this.#o.lab.drive ? this.#stack.url : null,
        gate: this.#o.engine.docker.getContainer(this.#stack.gateId),
        signal: this.#signal,
      })
      if (failed !== null)
        throw await this.#stack.failure(`the reset of service ${service.name} did not work: ${failed}`)
    }
    for (const service of hooked) {
      const failed = await this.#stack.probe(service)
      if (failed !== null)
        throw await this.#stack.failure(`service ${service.name} is not ready after its reset: ${failed}`)
    }
  }

  #containerOf({ name }: ServiceSpec) {
    return this.#o.engine.docker.getContainer(this.#stack.containerOf(name))
  }

  /** Runs `work` after what is under way; nothing is begun once the lab is to end. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(() => {
      this.#signal.throwIfAborted()
      return work()
    })
    this.#turn = done.catch(() => {})
    return done
  }

  /** Breaks off what is under way, and removes all unless it is to be kept. May be called again. */
  #end(): Promise<void> {
    this.#gone ??= (async () => {
      this.#o.signal.removeEventListener('abort', this.#onAbort)
      this.#ending.abort(new LabFailure('lab-boot', `lab ${this.#o.lab.id} was stopped`, 'start it again'))
      await this.#turn
      const whole = this.#keptAt !== null && this.#keptAt.clock === this.clock && this.#stack.ended() === null
      // A lab that the signal broke off is in no state that is known.
      if (whole && !this.#o.signal.aborted) this.#stack.letGo()
      else await this.#stack.remove()
    })()
    return this.#gone
  }

  async #remove(): Promise<void> {
    this.#o.signal.removeEventListener('abort', this.#onAbort)
    await this.#stack.remove().catch(() => {})
  }
}

/** Versions and hashes of a lab; the same on every machine that has the same images. */
function provenanceOf(lab: ContainerLab, images: readonly ResolvedImage[]): Readonly<Record<string, unknown>> {
  const { id, hash, revision, driver, tz, locale, lock } = lab
  const used = Object.fromEntries(
    images.map(image => [image.service, { tag: image.tag, digest: image.digest, id: image.id }]),
  )
  return { lab: id, hash, revision, driver, isolation: 'internal', tz, locale, images: used, lock }
}
