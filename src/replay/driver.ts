import type { Case, Fault, FieldList, Observation, Request, StepObservation } from '../model.ts'
import { commandDriver } from './command-driver.ts'
import { functionDriver } from './function-driver.ts'
import { httpDriver } from './http-driver.ts'
import type { Stepped } from './sequence.ts'
import { enterZone } from './surroundings.ts'
import { asTarget, specOf, type Target } from './target.ts'

export interface DriveOptions {
  readonly signal: AbortSignal
  /** For each step. */
  readonly timeoutMs: number
  /** Whether a request may be sent, asked again once its references are filled. Default: every one. */
  readonly sends?: (request: Request) => boolean
  /** Whether an absolute link to any authority is one of this side: only of a server that plays recordings back. Default no. */
  readonly anyAuthority?: boolean
  /** Who can call, made anew for each case. Default: nobody. */
  readonly principals?: () => Principals
}

/** Who can call, for one case and one side. */
export interface Principals {
  /** The fields that a step called by `name` gets; `send` is how its login reaches the same side. */
  fieldsOf(
    name: string,
    o: { readonly step: number; send(request: Request): Promise<Stepped> },
  ): Promise<{ readonly ok: true; readonly fields: FieldList } | { readonly ok: false; readonly fault: Fault }>
  /** What was seen, with every credential replaced. */
  conceal(seen: StepObservation): StepObservation
}

export type Driven =
  | { readonly ok: true; readonly observation: Observation }
  /** `seen` is what the steps before the fault showed. */
  | { readonly ok: false; readonly fault: Fault; readonly seen: Observation }

/** An open target. Disposing it stops what it started. */
export interface Driver extends AsyncDisposable {
  /**
   * What the target showed, one observation per step of the case; or the fault of the first step that has one, and what
   * the steps before it showed.
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
  /** The locale of the legacy. Given, what runs in this process is put into `tz`, and a function is refused in another locale. */
  readonly locale?: string
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
  if (context.locale !== undefined && spec?.kind === 'http') enterZone(context.tz)
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
