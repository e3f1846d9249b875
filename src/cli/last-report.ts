/** The verdicts of the last run in a project, as the commands show them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from '../model.ts'
import { deltaText } from '../report/delta.ts'
import { escapeLines, escapeText } from '../report/escape.ts'
import { VerdictSchema } from '../report/schema.ts'

/** The last verdicts, by feature and case; empty without a report, or with one that another version wrote. */
export function lastVerdicts(cwd: string): readonly Verdict[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(join(cwd, '.parity', 'report.json'), 'utf8'))
  } catch {
    return []
  }
  if (typeof parsed !== 'object' || parsed === null || !('verdicts' in parsed) || !Array.isArray(parsed.verdicts)) {
    return []
  }
  const verdicts: Verdict[] = []
  for (const each of parsed.verdicts) {
    const read = VerdictSchema.safeParse(each)
    if (read.success) verdicts.push(read.data)
  }
  return verdicts
}

/** A verdict in lines: its state, then why. */
export function verdictLines(verdict: Verdict): string[] {
  switch (verdict.state) {
    case 'PARITY':
      return ['PARITY']
    case 'DIVERGED':
      return [
        `DIVERGED${verdict.decided === null ? '' : ` (decided: ${verdict.decided})`}`,
        ...verdict.differences.map(d => `  ${escapeText(`${d.path}  ${d.kind}  ${d.rule}`)}`),
        ...(verdict.moreDifferences > 0 ? [`  and ${verdict.moreDifferences} more`] : []),
        ...deltaText(verdict.differences)
          .split('\n')
          .map(line => `  ${line}`),
      ]
    case 'UNVERIFIABLE':
      return [
        `UNVERIFIABLE  ${verdict.reason}: ${escapeLines(verdict.message)}`,
        `  Fix: ${escapeText(verdict.remedy)}`,
      ]
    default:
      return verdict satisfies never
  }
}
