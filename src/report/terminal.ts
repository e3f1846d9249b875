import { clustersOf } from '../core/clusters.ts'
import type { Difference, Verdict } from '../model.ts'
import type { GateResult } from '../run/events.ts'
import { escapeLines, escapeText } from './escape.ts'
import { type FeatureReport, isAllowed, type Judgement, policyReason, type Report } from './fold.ts'
import { egressLines, fidelityLines } from './lab-lines.ts'

export interface TerminalOptions {
  /** Colours, for a TTY without NO_COLOR. */
  readonly color: boolean
}

/** More PARITY lines than this in a feature are counted instead of listed. */
const PARITY_LINES_MAX = 60
/** Decided divergences that are told one by one. */
const DECIDED_LINES_MAX = 20
/** Ids of decisions that stand in one line. */
const DECISIONS_MAX = 3
/** Differences shown of one case; the rest is counted. */
const DIFFERENCES_MAX = 10
/** A token longer than this is cut, and its length said. */
const TOKEN_LENGTH_MAX = 160
/** From this many unverifiable cases of one cause on, the cause stands once. */
export const SAME_CAUSE_MIN = 3
const NAME_WIDTH_MAX = 44
/** Causes listed; the rest is counted. */
const CAUSES_MAX = 20

const STYLES = { green: 32, red: 31, yellow: 33, dim: 2, bold: 1 } as const
type Style = keyof typeof STYLES
type Paint = (style: Style, text: string) => string

/**
 * Returns the report as a developer reads it: a header for each feature, its gates and calibration, one line a case,
 * the differences below a divergence with the command that runs it alone, and the count, which closes.
 * Everything that came from outside is escaped; the text ends with a line end.
 */
export function terminalText(report: Report, options: TerminalOptions): string {
  const paint: Paint = (style, text) => (options.color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text)
  const names = allTestNames(report)
  const lines: string[] = ['']
  for (const feature of report.features) {
    lines.push(header(feature, paint), ...labLines(feature, paint), ...stateLine(feature, paint))
    const own = report.judgements.filter(each => each.verdict.feature === feature.feature)
    const width = Math.min(NAME_WIDTH_MAX, Math.max(11, ...own.map(each => each.verdict.case.length)))
    for (const gate of feature.gates) {
      if (gate.state === 'failed' || gate.gate === 'lab') lines.push(...gateLines(gate, report, width, paint))
    }
    if (feature.calibration !== null) lines.push(...gateLines(feature.calibration, report, width, paint))
    lines.push(...caseLines(own, { report, names, width, paint }))
  }
  for (const failure of report.failures) {
    lines.push(` ${paint('red', '✗')} ${escapeText(failure.where)}   ${escapeText(failure.message)}`)
  }
  for (const open of report.unjudged) lines.push(`   ? ${escapeText(`${open.feature} ${open.case}`)}   no verdict`)
  lines.push(...causeLines(report, paint))
  lines.push(...closing(report, paint))
  return `${lines.join('\n')}\n`
}

function header(feature: FeatureReport, paint: Paint): string {
  const facts = [
    feature.lab,
    feature.labDetail,
    feature.against === 'live' ? null : `${feature.fixtures} ${feature.fixtures === 1 ? 'fixture' : 'fixtures'}`,
    feature.against === 'recorded' ? null : 'against: live',
  ].filter(each => each !== null)
  const rules = feature.basis?.ruleSet
  if (rules != null) facts.push(`rules ${rules.slice('sha256:'.length, 'sha256:'.length + 4)}`)
  const known = feature.basis === null ? '' : paint('dim', `  (${facts.map(escapeText).join(' · ')})`)
  return ` ${paint('bold', 'parity')}  ${escapeText(feature.feature)}${known}`
}

function labLines(feature: FeatureReport, paint: Paint): string[] {
  const shortfall = feature.fidelity?.shortfall ?? null
  return [
    ...fidelityLines(feature).map(line => `   ${paint('dim', line)}`),
    ...(shortfall === null ? [] : [`   ${paint('yellow', '!')} ${escapeText(shortfall)}`]),
  ]
}

/** Who puts the state back, where anybody does. */
function stateLine({ reset }: FeatureReport, paint: Paint): string[] {
  if (reset === null || reset.candidate === null) return []
  const legacy = reset.legacy === null ? '' : ` · legacy: ${reset.legacy}`
  const probe = reset.probe === null ? '' : ` · probe: ${reset.probe}`
  const text = `state: reset per ${reset.per} by ${reset.candidate}${legacy}${probe}`
  return [`   ${paint('dim', escapeText(text))}`]
}

function gateLines(gate: GateResult, report: Report, width: number, paint: Paint): string[] {
  const name = gate.gate.padEnd(width)
  if (gate.state === 'ok') {
    // a way out that could not be judged is nothing to pass over in a count
    const unproven = egressLines((gate.evidence?.egress ?? []).filter(({ state }) => state === 'unproven'))
    return [
      `   ${paint('green', '✓')} ${name}   ${paint('dim', escapeText(gate.text))}`,
      ...unproven.map(line => `       ${paint('dim', line)}`),
    ]
  }
  const allowed = gate.reason !== null && isAllowed(gate.reason, report.run.allow)
  const fix = gate.remedy === null ? '' : ` Fix: ${escapeText(gate.remedy)}`
  const mark = allowed ? paint('yellow', '?') : paint('red', '✗')
  const [first = '', ...log] = gate.text.split('\n')
  const head = `   ${mark} ${name}   ${gate.reason === null ? '' : `${gate.reason}: `}${sentence(first)}${fix}${allowed ? ' (allowed)' : ''}`
  return [head, ...log.map(line => `       ${escapeText(line)}`)]
}

interface CaseContext {
  readonly report: Report
  readonly names: readonly string[]
  readonly width: number
  readonly paint: Paint
}

function caseLines(judgements: readonly Judgement[], context: CaseContext): string[] {
  const { paint, width } = context
  const lines: string[] = []
  const passed = judgements.filter(each => each.verdict.state === 'PARITY').length
  const said = new Set<string>()
  const causes = countCauses(judgements)
  if (passed > PARITY_LINES_MAX) lines.push(`   ${paint('green', '✓')} ${passed} cases`)
  const decided = judgements.filter(({ verdict }) => verdict.decided !== null)
  const areDecidedTold = decided.length <= DECIDED_LINES_MAX
  if (!areDecidedTold) {
    const { feature = '', case: first = '' } = decided[0]?.verdict ?? {}
    const head = `   ${paint('yellow', '✗')} ${`${decided.length} cases`.padEnd(width)}   DIVERGED, all of it decided`
    lines.push(
      `${head}   ${paint('dim', `one of them: npx vitest-parity show ${escapeText(feature)} ${escapeText(first)}`)}`,
    )
  }
  for (const { test, verdict } of judgements) {
    const name = escapeText(verdict.case)
    switch (verdict.state) {
      case 'PARITY':
        if (passed <= PARITY_LINES_MAX) lines.push(`   ${paint('green', '✓')} ${name}`)
        break
      case 'DIVERGED': {
        if (verdict.decided !== null && !areDecidedTold) break
        const decided = verdict.decided === null ? '' : `  decided: ${decisionsText(verdict.decided)}`
        lines.push(`   ${paint(decided === '' ? 'red' : 'yellow', '✗')} ${name.padEnd(width)}   DIVERGED${decided}`)
        lines.push(...differenceLines(verdict).map(line => `       ${line}`))
        if (decided === '') lines.push(`       ${paint('dim', `rerun  ${rerunCommand(test, context.names)}`)}`)
        break
      }
      case 'UNVERIFIABLE': {
        const cause = causeOf(verdict)
        const same = causes.get(cause) ?? 0
        if (same >= SAME_CAUSE_MIN) {
          // the remedy names one of the cases; for all of them it is that of the feature
          const remedy = verdict.remedy.replaceAll(` ${verdict.case}`, '')
          if (!said.has(cause)) lines.push(unverifiableLine(`${same} cases`, { ...verdict, remedy }, context))
          said.add(cause)
        } else lines.push(unverifiableLine(name, verdict, context))
        break
      }
      default:
        verdict satisfies never
    }
  }
  return lines
}

function decisionsText(ids: string): string {
  const all = ids.split(', ')
  const more = all.length - DECISIONS_MAX
  return escapeText(more > 0 ? `${all.slice(0, DECISIONS_MAX).join(', ')} and ${more} more` : ids)
}

type Unverifiable = Extract<Verdict, { state: 'UNVERIFIABLE' }>

/** What makes two unverifiable cases the same news. */
export function causeOf(verdict: Unverifiable): string {
  if (verdict.cause !== null) return `${verdict.reason} ${verdict.cause.gate} ${verdict.cause.reason}`
  return `${verdict.reason} ${verdict.message}`
}

function countCauses(judgements: readonly Judgement[]): ReadonlyMap<string, number> {
  const causes = new Map<string, number>()
  for (const { verdict } of judgements) {
    if (verdict.state === 'UNVERIFIABLE') causes.set(causeOf(verdict), (causes.get(causeOf(verdict)) ?? 0) + 1)
  }
  return causes
}

function unverifiableLine(name: string, verdict: Unverifiable, { report, width, paint }: CaseContext): string {
  const allowed = isAllowed(policyReason(verdict), report.run.allow) ? ' (allowed)' : ''
  const head = `   ${paint('yellow', '?')} ${name.padEnd(width)}   UNVERIFIABLE  `
  if (verdict.cause !== null)
    return `${head}blocked by ${escapeText(verdict.cause.gate)} (${verdict.cause.reason})${allowed}`
  // a message of several lines is the text of an error, with a fix of its own
  if (verdict.message.includes('\n'))
    return `${head}${verdict.reason}\n       ${escapeLines(verdict.message).replaceAll('\n', '\n       ')}`
  return `${head}${verdict.reason}: ${sentence(verdict.message)} Fix: ${escapeText(verdict.remedy)}${allowed}`
}

/** One escaped line that ends like a sentence. */
function sentence(text: string): string {
  const line = escapeText(text.trim())
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** The differences of a divergence, one line each: path, both tokens, the rule that judged; then the faults beside them. */
export function differenceLines(verdict: Extract<Verdict, { state: 'DIVERGED' }>): string[] {
  const shown = verdict.differences.slice(0, DIFFERENCES_MAX)
  const cells = shown.map(each => [
    escapeText(each.path),
    `legacy ${token(each.legacy)}`,
    `candidate ${token(each.candidate)}`,
  ])
  const widths = [0, 1, 2].map(column => Math.min(40, Math.max(...cells.map(row => row[column]?.length ?? 0))))
  const lines = cells.map((row, index) => {
    const last = trailer(shown[index])
    return [...row.map((cell, column) => cell.padEnd(widths[column] ?? 0)), last].join('   ').trimEnd()
  })
  const more = verdict.differences.length - shown.length + verdict.moreDifferences
  if (more > 0) lines.push(`… and ${more} more: npx vitest-parity show ${verdict.feature} ${verdict.case}`)
  // what could not be compared beside it: mostly steps that depend on the one that differs
  for (const { reason, message } of verdict.faults) lines.push(`beside it  ${reason}: ${sentence(message)}`)
  return lines
}

function trailer(difference: Difference | undefined): string {
  if (difference === undefined) return ''
  const kind = difference.kind === 'value_changed' ? '' : ` (${difference.kind})`
  // the path stands at the start of the line already
  const own = difference.rule.endsWith(` ${difference.path}`)
  const rule = own ? difference.rule.slice(0, -difference.path.length - 1) : difference.rule
  return `${escapeText(rule)}${kind}${difference.hint === undefined ? '' : `  ${escapeText(difference.hint)}`}`
}

function token(text: string | null): string {
  if (text === null) return 'absent'
  const safe = escapeText(text)
  return safe.length <= TOKEN_LENGTH_MAX ? safe : `${safe.slice(0, TOKEN_LENGTH_MAX)}… (${text.length} characters)`
}

function allTestNames(report: Report): string[] {
  return [...report.judgements.map(each => each.test), ...report.unjudged.map(each => each.test)]
}

/** The command that runs one test alone; the name is anchored where the plain text would select another test too. */
export function rerunCommand(test: string, all: readonly string[]): string {
  const pattern = test.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const plain = all.filter(each => each.includes(test)).length <= 1
  return `npx vitest run --project parity -t ${shellQuoted(plain ? pattern : `^${pattern}$`)}`
}

function shellQuoted(text: string): string {
  return `'${escapeText(text).replaceAll("'", "'\\''")}'`
}

/** The causes of the undecided divergences, where one of them stands behind several cases. */
function causeLines(report: Report, paint: Paint): string[] {
  const clusters = clustersOf(report.judgements.map(each => each.verdict)).filter(cluster => !cluster.decided)
  if (!clusters.some(cluster => cluster.cases.length > 1)) return []
  const lines = clusters.slice(0, CAUSES_MAX).map(({ feature, kind, path, cases, folded, smallest }) => {
    const { legacy, candidate } = smallest.difference
    const count = `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}${folded === 0 ? '' : `, ${folded} folded`}`
    const example = `smallest ${escapeText(smallest.case)}   legacy ${token(legacy)}   candidate ${token(candidate)}`
    return `   ${escapeText(feature)}  ${escapeText(path)}  ${kind}   ${count}   ${paint('dim', example)}`
  })
  if (clusters.length > lines.length)
    lines.push(`   … and ${clusters.length - lines.length} more in .parity/report.json`)
  return [` ${paint('bold', 'causes')}  ${clusters.length}`, ...lines]
}

function closing({ run, summary }: Report, paint: Paint): string[] {
  const parts = [paint('green', `${summary.parity} PARITY`)]
  const decided = summary.decided > 0 ? ` (${summary.decided} decided)` : ''
  const allowed = summary.allowed > 0 ? ` (${summary.allowed} allowed)` : ''
  if (summary.diverged > 0) parts.push(paint('red', `${summary.diverged} DIVERGED`) + decided)
  if (summary.unverifiable > 0) parts.push(paint('yellow', `${summary.unverifiable} UNVERIFIABLE`) + allowed)
  const lines = [` ${paint('bold', 'parity')}  ${parts.join(' · ')} of ${summary.selected}`]
  if (run.reason !== 'finished') lines[0] += `  (${run.reason})`
  if (summary.exitCode !== 0) lines.push(` ${paint('dim', `exit ${summary.exitCode}: ${summary.because.join('; ')}`)}`)
  return lines
}
