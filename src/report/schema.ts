/** The published shape of `.parity/report.json` and of one line of `events.ndjson`, as zod schemas; `npm run schemas` writes them out. */
import { z } from 'zod'
import {
  ALLOWABLE_REASONS,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  REASONS,
  type Reason,
  type Verdict,
} from '../model.ts'
import type { StoredEvent } from '../run/events.ts'
import { type JsonReport, REPORT_FORMAT } from './json.ts'

function keysOf<K extends string>(table: Readonly<Record<K, string>>): [K, ...K[]] {
  return Object.keys(table) as [K, ...K[]]
}

const AGAINST = ['recorded', 'live', 'both'] as const
const Sha256 = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]).meta({ id: 'Sha256' })
const ReasonName = z.enum(keysOf<Reason>(REASONS)).meta({ id: 'Reason', description: 'docs/reasons.md' })
const Day = z.iso.date()
const Instant = z.iso.datetime()
const Count = z.int().min(0)

const Basis = z
  .strictObject({
    fixtureSet: Sha256.nullable(),
    calibration: Sha256.nullable(),
    ruleSet: Sha256.nullable(),
    decisions: Sha256.nullable(),
    contract: Sha256.nullable(),
    adapter: z.strictObject({ comparator: z.string(), candidate: z.string() }),
    asOf: Day,
    lab: Sha256.nullable().exactOptional().describe('Of the lab that answered live; absent where the goldens did'),
  })
  .meta({ id: 'Basis', description: 'The inputs that a verdict holds for; a change of any re-opens it' })

const DifferenceShape = z.strictObject({
  kind: z.enum(keysOf<DifferenceKind>(DIFFERENCE_KINDS)),
  step: Count.describe('Index of the step, from 0'),
  path: z.string().describe('`$…`, `status`, `header.<name>`, `exit`, `stderr`; `steps[n]:` before it in a sequence'),
  pointer: z.string().describe('RFC 6901, within the document that the root of path names'),
  legacy: z.string().nullable().describe('JSON text as received; null is absence'),
  candidate: z.string().nullable().describe('JSON text as received; null is absence'),
  rule: z.string().describe('The rule that judged it, or `uncovered`'),
  hint: z.string().exactOptional(),
})

const Judged = {
  id: Sha256,
  feature: z.string(),
  case: z.string(),
  fixture: Sha256.nullable(),
  basis: Basis,
  dimensions: z.strictObject({ compared: z.array(z.string()), notRun: z.array(z.string()) }),
  faults: z.array(z.strictObject({ reason: ReasonName, step: Count, message: z.string() })),
  notes: z.array(z.strictObject({ id: z.string(), step: Count, path: z.string(), detail: z.string() })),
  ruleUses: z.array(
    z
      .strictObject({ rule: z.string(), id: z.string().nullable(), selected: Count, hid: Count })
      .describe('What a rule let pass'),
  ),
  decided: z.string().nullable().describe('The decision in divergences.yaml that covers it'),
}

export const VerdictSchema = z
  .discriminatedUnion('state', [
    z.strictObject({ ...Judged, state: z.literal('PARITY') }),
    z.strictObject({
      ...Judged,
      state: z.literal('DIVERGED'),
      differences: z.tuple([DifferenceShape], DifferenceShape),
      moreDifferences: Count,
    }),
    z.strictObject({
      ...Judged,
      state: z.literal('UNVERIFIABLE'),
      reason: ReasonName,
      message: z.string(),
      remedy: z.string(),
      cause: z.strictObject({ gate: z.string(), reason: ReasonName }).nullable(),
    }),
  ])
  .meta({ id: 'Verdict' }) satisfies z.ZodType<Verdict>

const Gate = {
  state: z.enum(['ok', 'failed']),
  reason: ReasonName.nullable(),
  text: z.string(),
  remedy: z.string().nullable(),
}
const LadderShape = z.strictObject({
  rung: z.enum(['local', 'registry', 'upstream', 'recipe']),
  tried: z.string(),
  outcome: z.enum(['used', 'skipped', 'failed']),
  why: z.string().nullable(),
  remedy: z.string().nullable(),
})
const EvidenceShape = z
  .strictObject({
    engine: z.string(),
    images: z.array(
      z.strictObject({
        service: z.string(),
        tag: z.string(),
        id: z.string().describe('Of the base'),
        digest: z.string().nullable(),
        runId: z.string().describe('With the files of the lab over it'),
        sizeBytes: Count,
        steps: z.array(LadderShape),
      }),
    ),
    assertions: z.array(
      z.strictObject({
        service: z.string(),
        what: z.string(),
        seenBy: z.enum(['engine', 'inside']),
        expected: z.string(),
        seen: z.string(),
        holds: z.boolean(),
      }),
    ),
    egress: z.array(
      z.strictObject({
        service: z.string(),
        probe: z.string(),
        target: z.string(),
        control: z.string().describe('What the probe showed from a container that is not isolated'),
        seen: z.string().describe('What it showed from inside'),
        state: z.enum(['closed', 'open', 'unproven']),
      }),
    ),
    bootMs: Count,
    selfTestMs: Count,
  })
  .describe('Of a lab in containers: its images, what holds of them, and the ways out that were tried')
const GateShape = z.strictObject({
  gate: z.enum(['lab', 'candidate', 'calibration']),
  ...Gate,
  evidence: EvidenceShape.exactOptional(),
})
const CalibrationShape = z.strictObject({
  gate: z.literal('calibration'),
  ...Gate,
  captures: Count,
  cases: Count,
  seeded: z.strictObject({ caught: Count, total: Count }),
  unprovable: z.array(z.string()),
})

const ResetShape = z
  .strictObject({
    per: z.enum(['none', 'suite', 'case']),
    candidate: z.string().nullable(),
    legacy: z.string().nullable(),
    probe: z.string().nullable().describe('The case that shows whether it was put back'),
  })
  .meta({ id: 'Reset', description: 'Who puts the state of both sides back, and when' })

const RungName = z.enum(['L0', 'L1', 'L2', 'L3', 'L4', 'L5']).meta({ id: 'Rung', description: 'docs/lab-file.md' })
const Fidelity = {
  claim: z.string(),
  driver: z.enum(['process', 'container']),
  isolation: z.enum(['none', 'internal']),
  needs: RungName.nullable().describe('What the claim needs; null where lab.yaml says nothing'),
  boundaries: z.array(
    z.strictObject({
      name: z.string(),
      mode: z.enum(['real', 'ephemeral-real', 'emulator', 'virtual-service', 'fake', 'unavailable']),
      service: z.string().nullable(),
      version: z.string().nullable(),
      reason: z.string(),
      gaps: z.array(z.string()),
    }),
  ),
  gaps: z.array(z.string()).describe('What the lab does not show; of a boundary with its name before it'),
}
const FidelityShape = z.strictObject({ ...Fidelity, rung: RungName.describe('What the lab comes to') })
const ReachedShape = z.strictObject({
  ...Fidelity,
  rung: RungName.nullable().describe('What the legacy answered at; null where none did'),
  shortfall: z.string().nullable().describe('What the claim needs and did not have'),
})

const Facts = {
  id: z.string(),
  node: z.string(),
  vitest: z.string(),
  asOf: Day,
  shard: z.string().nullable(),
  explicit: z.boolean(),
  allow: z.array(z.enum(ALLOWABLE_REASONS)),
}
const Failure = { where: z.string(), message: z.string() }

const ClusterShape = z
  .strictObject({
    id: Sha256,
    feature: z.string(),
    kind: z.enum(keysOf<DifferenceKind>(DIFFERENCE_KINDS)),
    path: z.string().describe('With `[*]` for each index'),
    cases: z.array(z.string()),
    occurrences: Count,
    folded: Count.describe('Differences that follow from it: of later steps, and of headers derived from the body'),
    decided: z.boolean(),
    smallest: z.strictObject({ case: z.string(), difference: DifferenceShape }),
  })
  .meta({ id: 'Cluster', description: 'Differences of one cause' })

/** `.parity/report.json` */
export const ReportSchema = z
  .strictObject({
    $schema: z.string(),
    format: z.literal(REPORT_FORMAT),
    run: z
      .strictObject({ ...Facts, started: Instant, ended: Instant.nullable(), reason: z.string() })
      .describe('Everything that may differ between two equal runs'),
    summary: z.strictObject({
      selected: Count,
      parity: Count,
      diverged: Count,
      decided: Count,
      unverifiable: Count,
      allowed: Count,
      exitCode: z.literal([0, 1, 2]),
      because: z.array(z.string()),
    }),
    features: z.array(
      z.strictObject({
        feature: z.string(),
        state: z.enum(['PARITY', 'DIVERGED', 'UNVERIFIABLE']).nullable(),
        lab: z.string().nullable(),
        labDetail: z.string().nullable(),
        fidelity: ReachedShape.nullable(),
        against: z.enum(AGAINST),
        fixtures: Count,
        reset: ResetShape.nullable(),
        basis: Basis.nullable(),
        gates: z.array(GateShape),
        calibration: CalibrationShape.nullable(),
      }),
    ),
    failures: z.array(z.strictObject(Failure)),
    clusters: z.array(ClusterShape).describe('The widest first'),
    verdicts: z.array(VerdictSchema).describe('Sorted by feature, then case, by code point'),
  })
  .describe('The verdicts of one run') satisfies z.ZodType<JsonReport>

const Stored = { id: z.int().min(1), at: Instant }
const SelectedShape = z.strictObject({ key: z.string(), feature: z.string(), case: z.string(), test: z.string() })
const ContextShape = z.strictObject({
  feature: z.string(),
  lab: z.string().nullable(),
  labDetail: z.string().nullable(),
  fidelity: FidelityShape.exactOptional(),
  fixtures: Count,
  basis: Basis,
  gates: z.array(z.enum(['lab', 'candidate', 'calibration'])),
  reads: z.array(z.string()).exactOptional(),
  reset: ResetShape.exactOptional(),
  against: z.literal('live').exactOptional(),
})

/** One line of `.parity/runs/<id>/events.ndjson` */
export const EventSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ ...Stored, type: z.literal('run-started'), run: z.strictObject(Facts) }),
    z.strictObject({ ...Stored, type: z.literal('suite'), file: z.string(), context: ContextShape }),
    z.strictObject({ ...Stored, type: z.literal('selected'), file: z.string(), cases: z.array(SelectedShape) }),
    z.strictObject({
      ...Stored,
      type: z.literal('gate'),
      feature: z.string(),
      result: z.union([CalibrationShape, GateShape]),
    }),
    z.strictObject({ ...Stored, type: z.literal('verdict'), key: z.string(), verdict: VerdictSchema }),
    z.strictObject({ ...Stored, type: z.literal('failure'), ...Failure }),
    z.strictObject({
      ...Stored,
      type: z.literal('run-ended'),
      reason: z.enum(['finished', 'interrupted']),
      vitestFailed: z.boolean(),
    }),
  ])
  .describe('One event of a run') satisfies z.ZodType<StoredEvent>
