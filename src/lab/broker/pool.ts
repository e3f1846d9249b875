import { LabFailure } from '../lab-failure.ts'
import type { Lab } from '../lab-file.ts'
import type { RunningLab } from '../process-driver.ts'
import type { LabRole } from './protocol.ts'

/** How often a lab is booted that does not boot. */
const BOOTS_MAX = 2
/** How long a lab is waited for that other suites hold. */
const WAIT_MS_MAX = 480_000

/** Boots a lab; `onLog` gets what it prints, as long as it runs. */
export type StartLab = (
  lab: Lab,
  o: { readonly clock: string | null; readonly signal: AbortSignal; readonly onLog: (line: string) => void },
) => Promise<RunningLab>

export interface LeaseRequest {
  readonly lab: Lab
  /** How many of it may be up at once in this role. */
  readonly instances: number
  readonly role: LabRole
  readonly clock: string | null
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal
  /** Gets what the lab prints while it is held. */
  readonly onLog: (line: string) => void
}

/** A lab that nobody else drives until it is given back. */
export interface LeasedLab {
  readonly running: RunningLab
  /** Gives it back. May be called again. */
  release(): Promise<void>
}

interface Instance {
  readonly running: RunningLab
  /** Who hears what it prints; null while nobody holds it. */
  listener: { onLog: ((line: string) => void) | null }
  used: boolean
}

/** The instances of one lab in one role. */
interface Shelf {
  readonly dir: string
  readonly hash: string
  readonly idle: Instance[]
  readonly waiting: (() => void)[]
  /** Booted, and those that boot. */
  count: number
  /** Boots that failed. */
  failures: number
  /** Why it cannot be booted: told to everybody who asks, once it failed for a second time. */
  failure: LabFailure | null
}

/**
 * Holds the labs of one run: each is booted on first need, at most `instances` times in a role, lent to one at a time and
 * put back into its first state between two holders. What failed to boot twice is not tried again until `forget`.
 */
export class LabPool implements AsyncDisposable {
  readonly #start: StartLab
  readonly #waitMs: number
  readonly #shelves = new Map<string, Shelf>()
  readonly #all = new Set<Promise<RunningLab | null>>()
  readonly #closed = new AbortController()

  constructor(start: StartLab, waitMs = WAIT_MS_MAX) {
    this.#start = start
    this.#waitMs = waitMs
  }

  /**
   * A lab in its first state, at the clock asked for.
   *
   * @throws LabFailure, or what `signal` was aborted with
   */
  async lease(o: LeaseRequest): Promise<LeasedLab> {
    const shelf = this.#shelfOf(o)
    for (;;) {
      o.signal.throwIfAborted()
      this.#closed.signal.throwIfAborted()
      if (shelf.failure !== null) throw shelf.failure
      const instance = this.#takeIdle(shelf, o.clock) ?? (shelf.count < o.instances ? await this.#boot(shelf, o) : null)
      if (instance === null) {
        await this.#turn(shelf, o)
        continue
      }
      const leased = await this.#readied(shelf, instance, o)
      if (leased !== null) return leased
    }
  }

  /** Forgets what could not be booted: it is tried again. */
  forget(): void {
    for (const [key, shelf] of this.#shelves) if (shelf.failure !== null) this.#shelves.delete(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new Error('the run is over'))
    for (const shelf of this.#shelves.values()) for (const wake of shelf.waiting.splice(0)) wake()
    const running = await Promise.all(this.#all)
    await Promise.allSettled(running.map(each => each?.[Symbol.asyncDispose]()))
  }

  #shelfOf({ lab, role }: LeaseRequest): Shelf {
    const key = `${lab.dir}\0${lab.hash}\0${role}`
    const known = this.#shelves.get(key)
    if (known !== undefined) return known
    const fresh: Shelf = { dir: lab.dir, hash: lab.hash, idle: [], waiting: [], count: 0, failures: 0, failure: null }
    this.#shelves.set(key, fresh)
    // its files were edited: what stands for the old ones is of no use
    for (const shelf of this.#shelves.values()) {
      if (shelf.dir !== lab.dir || shelf.hash === lab.hash) continue
      for (const instance of shelf.idle.splice(0)) void this.#discard(shelf, instance)
    }
    return fresh
  }

  #takeIdle(shelf: Shelf, clock: string | null): Instance | null {
    const same = shelf.idle.findIndex(({ running }) => running.clock === clock)
    return shelf.idle.splice(Math.max(0, same), 1)[0] ?? null
  }

  async #boot(shelf: Shelf, { lab, clock, onLog }: LeaseRequest): Promise<Instance> {
    shelf.count += 1
    const listener: Instance['listener'] = { onLog }
    // bound to the run, not to who asked first: others may wait for the same lab
    const booting = this.#start(lab, {
      clock,
      signal: this.#closed.signal,
      onLog: line => listener.onLog?.(line),
    })
    const settled = booting.catch(() => null)
    this.#all.add(settled)
    try {
      return { running: await booting, listener, used: false }
    } catch (error) {
      this.#all.delete(settled)
      shelf.count -= 1
      shelf.failures += 1
      // what failed to boot may pass; what cannot be had will not
      const passes = error instanceof LabFailure && error.reason === 'lab-boot' && shelf.failures < BOOTS_MAX
      if (error instanceof LabFailure && !passes) shelf.failure = error
      for (const wake of shelf.waiting.splice(0)) wake()
      throw error
    }
  }

  /** The lab in its first state; null when it had died meanwhile. */
  async #readied(shelf: Shelf, instance: Instance, o: LeaseRequest): Promise<LeasedLab | null> {
    const { running, listener } = instance
    listener.onLog = o.onLog
    let released = false
    const release = async (): Promise<void> => {
      if (released) return
      released = true
      listener.onLog = null
      if (running.crashed() !== null || this.#isOld(shelf)) await this.#discard(shelf, instance)
      else shelf.idle.push(instance)
      shelf.waiting.shift()?.()
    }
    let isKnown = true
    try {
      if (running.crashed() !== null) {
        await this.#discard(shelf, instance)
        return null
      }
      if (instance.used || running.clock !== o.clock) {
        isKnown = false
        await running.reset({ clock: o.clock })
        isKnown = true
      }
      o.signal.throwIfAborted()
    } catch (error) {
      if (isKnown) await release()
      else {
        released = true
        await this.#discard(shelf, instance) // nobody knows what state it is in
        shelf.waiting.shift()?.()
      }
      throw error
    }
    instance.used = true
    return { running, release }
  }

  #isOld(shelf: Shelf): boolean {
    return [...this.#shelves.values()].some(({ dir, hash }) => dir === shelf.dir && hash !== shelf.hash)
  }

  async #discard(shelf: Shelf, { running }: Instance): Promise<void> {
    shelf.count -= 1
    // what cannot be removed now is found by the sweep of a later run
    await Promise.resolve(running[Symbol.asyncDispose]()).catch(() => {})
  }

  /** Until an instance is given back, or nobody waits any more. */
  async #turn(shelf: Shelf, { signal, lab, instances }: LeaseRequest): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    shelf.waiting.push(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    const late = setTimeout(resolve, this.#waitMs)
    await promise
    clearTimeout(late)
    const at = shelf.waiting.indexOf(resolve)
    if (at === -1) {
      if (signal.aborted) shelf.waiting.shift()?.() // its turn goes to the next
      return
    }
    shelf.waiting.splice(at, 1)
    if (signal.aborted) return
    const what = `other suites held lab ${lab.file.id} for ${this.#waitMs} ms (instances: ${instances})`
    throw new LabFailure('lab-boot', what, 'raise instances in lab.yaml, or run fewer suites at a time')
  }
}
