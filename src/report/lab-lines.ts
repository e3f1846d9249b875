import type { EgressRow, LabEvidence } from '../lab/container/spec.ts'
import { escapeText } from './escape.ts'
import type { FeatureReport } from './fold.ts'

const HEAD = {
  service: 'service',
  probe: 'way out',
  target: 'target',
  control: 'control',
  seen: 'from inside',
  state: '',
}
const COLUMNS = ['service', 'probe', 'target', 'control', 'seen', 'state'] as const

/** The egress table, a line for each way out that was tried, columns aligned; the head first. Empty where none was. */
export function egressLines(rows: readonly EgressRow[]): string[] {
  if (rows.length === 0) return []
  const table = [HEAD, ...rows].map(row => COLUMNS.map(column => escapeText(row[column])))
  const widths = COLUMNS.map((_, at) => Math.max(...table.map(cells => cells[at]?.length ?? 0)))
  return table.map(cells =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** `9 ways out closed`, `8 ways out closed · 1 unproven`: what the self-test of a lab showed, in a few words. */
export function egressSummary(rows: readonly EgressRow[]): string {
  const count = (state: EgressRow['state']): number => rows.filter(row => row.state === state).length
  const [closed, open, unproven] = [count('closed'), count('open'), count('unproven')]
  const parts = [
    `${closed} ${closed === 1 ? 'way' : 'ways'} out closed`,
    open === 0 ? '' : `${open} open`,
    unproven === 0 ? '' : `${unproven} unproven`,
  ]
  return parts.filter(part => part !== '').join(' · ')
}

/** What a lab claims, the rung it came to, what stood for what the legacy depends on, and what all of it does not show. */
export function fidelityLines({ fidelity, against }: Pick<FeatureReport, 'fidelity' | 'against'>): string[] {
  if (fidelity === null) return []
  const { claim, rung, isolation, boundaries, gaps } = fidelity
  const came = rung === null ? 'no lab ran' : `${against === 'live' ? 'reached' : 'recorded at'} ${rung}`
  const stood = boundaries.map(({ name, mode, version }) => `${name} ${mode}${version === null ? '' : ` (${version})`}`)
  return [
    `claim: ${claim} · ${came} · isolation: ${isolation}`,
    ...(stood.length === 0 ? [] : [`boundaries: ${stood.join(' · ')}`]),
    ...(gaps.length === 0 ? [] : [`not shown: ${gaps.join(' · ')}`]),
  ].map(escapeText)
}

/** How a container lab stood: its images with the rung that each came by, what was asserted, and the egress table. */
export function evidenceLines({ engine, images, assertions, egress }: LabEvidence): string[] {
  const broken = assertions.filter(({ holds }) => !holds)
  return [
    `engine ${engine}`,
    ...images.map(({ service, tag, id, steps }) => {
      const used = steps.find(({ outcome }) => outcome === 'used')?.rung ?? 'local'
      return `image  ${escapeText(service)}  ${escapeText(tag)}  ${shortId(id)}  (${used})`
    }),
    `hardening  ${assertions.length - broken.length} of ${assertions.length} hold`,
    ...broken.map(
      ({ service, what, expected, seen }) =>
        `  ${escapeText(service)}: ${what}: expected ${expected}, seen ${escapeText(seen)}`,
    ),
    `egress  ${egressSummary(egress)}`,
    ...egressLines(egress).map(line => `  ${line}`),
  ]
}

function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12)
}
