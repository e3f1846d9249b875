import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, clustersOf } from '../core/clusters.ts'
import type { Verdict } from '../model.ts'
import type { Report } from './fold.ts'

export const REPORT_FORMAT = 1
/** From `.parity/` of a project that has the package installed: found without a network, and of the version that wrote it. */
export const REPORT_SCHEMA = '../node_modules/vitest-parity/schemas/report.schema.json'

/** `.parity/report.json`: what an agent reads. */
export interface JsonReport {
  readonly $schema: string
  readonly format: typeof REPORT_FORMAT
  /** Everything that may differ between two equal runs. */
  readonly run: Report['run']
  readonly summary: Report['summary']
  readonly features: Report['features']
  readonly failures: Report['failures']
  /** The causes behind the DIVERGED verdicts, the widest first: repair these, not the cases one by one. */
  readonly clusters: readonly Cluster[]
  /** Sorted by feature, then case, by code point. Equal inputs give equal bytes. */
  readonly verdicts: readonly Verdict[]
}

export function jsonReport(report: Report): JsonReport {
  const verdicts = report.judgements.map(each => each.verdict)
  return {
    $schema: REPORT_SCHEMA,
    format: REPORT_FORMAT,
    run: report.run,
    summary: report.summary,
    features: report.features,
    failures: report.failures,
    clusters: clustersOf(verdicts),
    verdicts,
  }
}

/** The text of `.parity/report.json`: two spaces, a line end at the end. */
export function jsonText(report: Report): string {
  return `${JSON.stringify(jsonReport(report), null, 2)}\n`
}

/**
 * Writes `<root>/.parity/report.json` whole or not at all: a reader, or a second run in the same folder, never sees half of it.
 * Returns why it could not be written, or null.
 */
export function writeReport(root: string, report: Report): string | null {
  const target = join(root, '.parity', 'report.json')
  const scratch = `${target}.${report.run.id}.tmp`
  try {
    writeFileSync(scratch, jsonText(report))
    renameSync(scratch, target)
    return null
  } catch (error) {
    try {
      rmSync(scratch, { force: true })
    } catch {
      // the folder cannot be written at all: nothing was left
    }
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
