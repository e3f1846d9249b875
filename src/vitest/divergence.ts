import type { Verdict } from '../model.ts'
import { escapeLines, escapeText } from '../report/escape.ts'
import { differenceLines } from '../report/terminal.ts'
import type { GateResult } from '../run/events.ts'

type Unverifiable = Extract<Verdict, { state: 'UNVERIFIABLE' }>

/** Errors of this kind speak of a verdict that is on record already; any other error in a test is the test's own. */
const ABOUT_VERDICT = Symbol.for('vitest-parity.about-verdict')

/** The candidate differs from the legacy: what `expectParity` throws on DIVERGED. */
export class ParityDivergence extends Error {
  override readonly name = 'ParityDivergence'
  /** Vitest would compute a diff of its own; `diff` says all. */
  readonly showDiff = false
  readonly diff: string
  declare readonly verdict: Verdict

  constructor(verdict: Extract<Verdict, { state: 'DIVERGED' }>, site: Error | null) {
    const lines = differenceLines(verdict)
    const count = verdict.differences.length + verdict.moreDifferences
    const first = verdict.differences[0]
    const tokens = `legacy ${escapeText(first.legacy ?? 'absent')}, candidate ${escapeText(first.candidate ?? 'absent')}`
    const more = count > 1 ? ` (and ${count - 1} more)` : ''
    super(`${verdict.feature} ${verdict.case} DIVERGED at ${escapeText(first.path)}: ${tokens}${more}`)
    this.diff = lines.join('\n')
    Object.defineProperty(this, 'verdict', { value: verdict })
    mark(this, site)
  }
}

/** No comparison could be made: what `expectParity` throws on UNVERIFIABLE. */
export class ParityUnverifiable extends Error {
  override readonly name = 'ParityUnverifiable'
  declare readonly verdict: Verdict

  constructor(verdict: Unverifiable, site: Error | null) {
    super(`UNVERIFIABLE ${unverifiableText(verdict)}`)
    Object.defineProperty(this, 'verdict', { value: verdict, configurable: true })
    mark(this, site)
  }

  /**
   * The same error for a case whose cause other cases of the suite have shown already: without place and without the name of the case,
   * so that Vitest prints one text for all of them.
   */
  static again(verdict: Unverifiable): ParityUnverifiable {
    const error = new ParityUnverifiable(
      { ...verdict, remedy: verdict.remedy.replaceAll(` ${verdict.case}`, '') },
      null,
    )
    return Object.defineProperty(error, 'verdict', { value: verdict })
  }
}

/** A gate or the calibration failed: what the test that shows it throws. */
export class ParityGateFailure extends Error {
  override readonly name = 'ParityGateFailure'

  constructor(feature: string, result: GateResult, site: Error | null) {
    const fix = result.remedy === null ? '' : `\nFix: ${result.remedy}`
    super(`${feature} ${result.gate} failed: ${gateText(result)}${fix}`)
    mark(this, site)
  }
}

/** What fails the run for a case beside its verdict, as a decision that no longer holds. */
export class ParityFinding extends Error {
  override readonly name = 'ParityFinding'

  constructor(findings: readonly string[], site: Error) {
    super(findings.map(escapeText).join('\n'))
    mark(this, site)
  }
}

/** Marks the error as one about a verdict, and lets it point at the line of the user, if there is one. */
function mark(error: Error, site: Error | null): void {
  Object.defineProperty(error, ABOUT_VERDICT, { value: true })
  pointAt(error, site)
}

/** Gives an error the frames of the user, so that what is printed below it is their code. */
export function pointAt(error: Error, site: Error | null): void {
  const frames = framesOf(site).join('\n')
  error.stack = `${error.name}: ${error.message}${frames === '' ? '' : `\n${frames}`}`
}

/** The frames of the user: ours say nothing. */
function framesOf(site: Error | null): string[] {
  const frames = site?.stack?.split('\n').slice(1) ?? []
  return frames.filter(frame => !frame.includes(`${import.meta.dirname}/`) && !frame.includes('/node_modules/'))
}

export function unverifiableText(verdict: Unverifiable): string {
  const cause = verdict.cause === null ? '' : ` by ${verdict.cause.gate} (${verdict.cause.reason})`
  return `${verdict.reason}${cause}: ${escapeLines(verdict.message)}\nFix: ${escapeText(verdict.remedy)}`
}

export function gateText(result: GateResult): string {
  return `${result.reason === null ? '' : `${result.reason}: `}${escapeLines(result.text)}`
}

export function isAboutVerdict(error: unknown): boolean {
  return typeof error === 'object' && error !== null && ABOUT_VERDICT in error
}
