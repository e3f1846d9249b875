import type { Case, Fault, Observation } from '../model.ts'
import { commandDriver } from './command-driver.ts'
import { functionDriver } from './function-driver.ts'
import { httpDriver } from './http-driver.ts'
import { asTarget, specOf, type Target } from './target.ts'

export interface DriveOptions {
  readonly signal: AbortSignal
  /** For each step. */
  readonly timeoutMs: number
}

export type Driven =
  | { readonly ok: true; readonly observation: Observation }
  | { readonly ok: false; readonly fault: Fault }

/** An open target. Disposing it stops what it started. */
export interface Driver extends AsyncDisposable {
  /**
   * What the target showed, one observation per step of the case; or the fault of the first step that has one.
   *
   * @throws ParityError PARITY_TARGET_KIND when the steps are not of this kind of target
   * @throws whatever `signal` was aborted with
   */
  drive(c: Case, options: DriveOptions): Promise<Driven>
  /** Why the target cannot be reached at all, or null. Bounded. */
  probe(): Promise<Fault | null>
}

/** What a target is opened with. */
export interface OpenContext {
  /** The instant of the recordings; a case with its own `now` is driven at that. */
  readonly clock: string | null
  readonly tz: string
  readonly signal: AbortSignal
  /** URLs of virtual services, by name. Default: none. */
  readonly services?: Readonly<Record<string, string>>
  /** What cannot be reached, in faults. Default: `the candidate`. */
  readonly label?: string
  /** How long a start function may take. Default 30_000. */
  readonly startMsMax?: number
  /** How long a started service may take to stop. Default 10_000. */
  readonly stopMsMax?: number
}

/**
 * The target, open. A service that does not start gives a driver that answers every case with that fault.
 *
 * @throws ParityError PARITY_TARGET_UNWRAPPED, PARITY_TARGET_INVALID when `target` is none
 */
export async function openTarget(target: Target, context: OpenContext): Promise<Driver> {
  const spec = specOf(asTarget(target))
  switch (spec?.kind) {
    case 'http':
      return httpDriver(spec.at, context)
    case 'function':
      return functionDriver(spec.call, context)
    case 'command':
      return commandDriver(spec.argv, spec.options, context)
    case undefined:
      throw new Error('a target without a spec')
    default:
      return spec satisfies never
  }
}
