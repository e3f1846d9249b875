/** `record`: drives the legacy twice and says what became of each case. */
import { remedyOf } from '../core/verdict.ts'
import { type RecordReport, recordFeature } from '../pipeline/record.ts'
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

/** Whether every case was recorded whole, under rules that cover its noise, and nothing waits to be accepted. */
export function isClean(report: RecordReport): boolean {
  return report.pending.length === 0 && report.incomplete.length === 0 && report.uncovered.length === 0
}

/** What became of the cases, in lines: those that need somebody first. */
export function recordLines(report: RecordReport): string[] {
  const { feature } = report
  const waiting = report.pending.map(
    name =>
      `pending    ${name}\n  Fix: look at __golden__/${feature}/pending/${name}.json, then: npx vitest-parity accept ${feature} ${name} --reason "…" --author "…"`,
  )
  const incomplete = report.incomplete.map(
    ({ name, fault }) =>
      `incomplete ${name}  ${fault.reason}: ${escapeText(fault.message)}\n  Fix: ${remedyOf(fault.reason, feature, name)}`,
  )
  const uncovered = report.uncovered.map(({ name, places, proposals }) => {
    const rules = proposals.map(({ rule }) => rule).join(', ')
    return `unstable   ${name}  control-unstable: the legacy differs from itself at ${places.map(placeText).join(', ')}\n  Fix: make it stable, or add to tolerance/${feature}.yaml: ${rules || 'a rule for it'}`
  })
  const proposed = proposalLines(feature, {
    proposals: report.uncovered.flatMap(({ proposals }) => proposals),
    refused: report.uncovered.flatMap(({ refused }) => refused),
  })
  const counts = [
    [report.written.length, 'written'],
    [report.unchanged.length, 'unchanged'],
    [report.noiseOnly.length, 'unchanged but for covered noise'],
    [report.pending.length, 'pending'],
    [report.incomplete.length, 'incomplete'],
  ] as const
  const summary = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return [
    ...waiting,
    ...incomplete,
    ...uncovered,
    ...proposed,
    `${feature}: ${summary.join(' · ') || 'nothing recorded'}`,
  ]
}

/** Records a feature of the project in the terminal's folder, its progress on one live line. */
export async function recordInto(
  terminal: Terminal,
  o: { readonly feature: string; readonly names: readonly string[]; readonly keepLab: boolean },
): Promise<RecordReport> {
  const { feature } = o
  try {
    return await recordFeature({
      root: terminal.cwd,
      ...o,
      signal: terminal.signal,
      onProgress: (done, total, name) => terminal.live?.(`recording ${feature}  ${done}/${total}  ${name}`),
    })
  } finally {
    terminal.live?.('')
  }
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const [, ...names] = args.positionals
  const report = await recordInto(terminal, {
    feature: positional(args, 0, 'feature'),
    names,
    keepLab: args.flags.has('keep-lab'),
  })
  if (args.json) printJson(terminal, report)
  else terminal.out(recordLines(report).join('\n'))
  return isClean(report) ? EXIT_OK : EXIT_FINDINGS
}

export const record: Command = {
  name: 'record',
  summary: 'Drive the legacy twice with a reset between; freeze new cases, put changed ones aside',
  positionals: ['<feature>', '[case...]'],
  options: {
    'keep-lab': { type: 'boolean', summary: 'leave a lab of containers up for the next time, and use one that is' },
  },
  example: 'npx vitest-parity record forex',
  run,
}
