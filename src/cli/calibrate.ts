/** `calibrate`: is the noise of the legacy covered, and does the comparator see a mismatch at every place? */
import { remedyOf } from '../core/verdict.ts'
import { ParityError } from '../errors.ts'
import { LabFailure } from '../lab/lab-failure.ts'
import type { Verdict } from '../model.ts'
import {
  type CaseNoise,
  calibrateFeature,
  type FeatureCalibration,
  type Refreshed,
  refreshCalibration,
} from '../pipeline/calibrate.ts'
import { replayAgainstLab } from '../pipeline/self-replay.ts'
import { escapeText } from '../report/escape.ts'
import {
  type Arguments,
  type Command,
  EXIT_FINDINGS,
  EXIT_OK,
  positional,
  printJson,
  type Terminal,
} from './command.ts'
import { placeText, proposalLines } from './noise-lines.ts'

function noiseLine({ name, captures, noise, uncovered }: CaseNoise): string {
  if (captures === 0) return `✗ ${name}  no capture stands behind it`
  const open = new Set(uncovered.map(({ path }) => path))
  const covered = noise.filter(({ path }) => !open.has(path)).map(({ path, kind }) => `${path} (${kind})`)
  const parts = [
    `${captures} captures`,
    noise.length === 0 ? 'no noise' : '',
    covered.length === 0 ? '' : `covered ${covered.join(', ')}`,
    uncovered.length === 0 ? '' : `control-unstable: uncovered ${uncovered.map(placeText).join(', ')}`,
  ]
  return `${uncovered.length === 0 ? '✓' : '✗'} ${name}  ${parts.filter(part => part !== '').join(' · ')}`
}

/** How many of its seeded mutants each comparator judged rightly. */
function rateLine(rates: FeatureCalibration['seeded']['byComparator']): string[] {
  const parts = Object.entries(rates).map(([name, { caught, total }]) => `${name} ${caught}/${total}`)
  return parts.length === 0 ? [] : [`  ${parts.join(' · ')}`]
}

/** What the capture of today says, and what to do about what has moved. */
function refreshedLines(feature: string, { confirmed, moved, unrecorded, incomplete }: Refreshed): string[] {
  const record = (names: readonly string[]): string => `  Fix: npx vitest-parity record ${feature} ${names.join(' ')}`
  return [
    `captured again: ${confirmed} still as recorded`,
    ...moved.map(name => `✗ ${name}  the legacy no longer shows what was recorded\n${record([name])}`),
    ...unrecorded.map(name => `✗ ${name}  has no golden\n${record([name])}`),
    ...incomplete.map(
      ({ name, fault }) =>
        `✗ ${name}  ${fault.reason}: ${escapeText(fault.message)}\n  Fix: ${remedyOf(fault.reason, feature, name)}`,
    ),
  ]
}

function lines({ feature, cases, seeded }: FeatureCalibration): string[] {
  const proposals = cases.flatMap(each => each.proposals)
  const refused = cases.flatMap(each => each.refused)
  const missing = cases.filter(each => each.captures === 0).map(each => each.name)
  return [
    ...cases.map(noiseLine),
    `${seeded.survivors.length === 0 ? '✓' : '✗'} seeded ${seeded.caught}/${seeded.total} caught`,
    ...rateLine(seeded.byComparator),
    ...seeded.survivors.map(line => `  ${line}`),
    ...seeded.unprovable.map(line => `  unprovable: ${line}`),
    ...proposalLines(feature, { proposals, refused }),
    ...(missing.length === 0 ? [] : [`Fix: npx vitest-parity record ${feature} ${missing.join(' ')}`]),
  ]
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const feature = positional(args, 0, 'feature')
  if (args.flags.has('self')) return replaySelf(feature, args, terminal)
  const { cwd: root, signal } = terminal
  const refreshed = args.flags.has('recorded') ? null : await captureAgain(feature, terminal)
  const result = await calibrateFeature({ root, feature, signal })
  if (args.json) printJson(terminal, { ...result, refreshed })
  else terminal.out([...(refreshed === null ? [] : refreshedLines(feature, refreshed)), ...lines(result)].join('\n'))
  const moved =
    refreshed === null ? 0 : refreshed.moved.length + refreshed.unrecorded.length + refreshed.incomplete.length
  const clean =
    moved === 0 &&
    result.cases.every(each => each.captures > 0 && each.uncovered.length === 0) &&
    result.seeded.survivors.length === 0
  return clean ? EXIT_OK : EXIT_FINDINGS
}

/** The goldens against the lab itself: a way through everything that a candidate meets, whose every verdict is known. */
async function replaySelf(feature: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (args.flags.has('recorded')) {
    throw new ParityError('PARITY_CLI_ARGUMENT', '--self and --recorded stand together', 'keep one of them')
  }
  try {
    const verdicts = await replayAgainstLab({
      root: terminal.cwd,
      feature,
      asOf: new Date().toISOString().slice(0, 10),
      signal: terminal.signal,
      onProgress: (done, total, name) =>
        terminal.live?.(`replaying ${feature} against its lab  ${done}/${total}  ${name}`),
    })
    terminal.live?.('')
    const others = verdicts.filter(({ state }) => state !== 'PARITY')
    if (args.json) printJson(terminal, { feature, parity: verdicts.length - others.length, others })
    else terminal.out([...otherLines(others), selfSummary(feature, verdicts)].join('\n'))
    return others.length === 0 && verdicts.length > 0 ? EXIT_OK : EXIT_FINDINGS
  } finally {
    terminal.live?.('')
  }
}

/** The cause of those that are blocked stands once. */
function otherLines(others: readonly Verdict[]): string[] {
  const blocked = others.filter(verdict => verdict.state === 'UNVERIFIABLE' && verdict.reason === 'blocked')
  const causes = others.filter(verdict => !blocked.includes(verdict))
  if (blocked.length === 0) return causes.map(otherLine)
  return [...(causes.length === 0 ? blocked.slice(0, 1) : causes).map(otherLine), `  ${blocked.length} blocked by it`]
}

function otherLine(verdict: Verdict): string {
  const first = verdict.state === 'DIVERGED' ? `at ${verdict.differences[0]?.path ?? '$'}` : ''
  const why = verdict.state === 'UNVERIFIABLE' ? `${verdict.reason}: ${verdict.message}` : first
  return `✗ ${verdict.case}  ${verdict.state} ${escapeText(why)}`
}

function selfSummary(feature: string, verdicts: readonly Verdict[]): string {
  const parity = verdicts.filter(({ state }) => state === 'PARITY').length
  return `${feature}: ${parity} of ${verdicts.length} PARITY with its own lab in the place of the candidate`
}

async function captureAgain(feature: string, terminal: Terminal): Promise<Refreshed | null> {
  try {
    return await refreshCalibration({
      root: terminal.cwd,
      feature,
      signal: terminal.signal,
      onProgress: (done, total, name) => terminal.live?.(`capturing ${feature}  ${done}/${total}  ${name}`),
    })
  } catch (error) {
    if (!(error instanceof LabFailure)) throw error
    const remedy = `${error.remedy}; or judge the captures that are recorded: npx vitest-parity calibrate ${feature} --recorded`
    throw new LabFailure(error.reason, error.message, remedy, { cause: error })
  } finally {
    terminal.live?.('')
  }
}

export const calibrate: Command = {
  name: 'calibrate',
  summary: 'Capture the legacy again, say what noise the rules cover, and prove the comparator at every place',
  positionals: ['<feature>'],
  options: {
    recorded: { type: 'boolean', summary: 'judge the captures that are recorded; no lab boots' },
    self: { type: 'boolean', summary: 'replay the goldens against the lab itself: each has to be PARITY' },
  },
  example: 'npx vitest-parity calibrate forex',
  run,
}
