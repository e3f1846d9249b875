/**
 * The words of the product as types: what was asked, what was observed, how it is judged.
 * Everything here is plain data; a function that makes one of these lives beside its judgement in `core/`.
 */
import type { Json } from './core/json.ts'

/** `sha256:` and 64 hex digits. */
export type Sha256 = `sha256:${string}`

/** Header or form fields in wire order; names as received, repeated names kept. */
export type FieldList = readonly (readonly [name: string, value: string])[]

/**
 * A body in memory. `json`, `text` and `form` are decoded; `bytes` is exactly what was received,
 * still under its content coding. An absent body is one of zero octets.
 */
export type Body =
  | { readonly json: Json }
  | { readonly text: string }
  | { readonly form: FieldList }
  | { readonly bytes: Uint8Array }

export interface Request {
  readonly method: string
  /** Path and query, beginning with `/`. */
  readonly path: string
  readonly headers: FieldList
  readonly body?: Body
}

export interface Response {
  readonly status: number
  readonly headers: FieldList
  readonly body?: Body
  /** What went wrong after the head arrived: bad framing, a short body. Only ever on a live observation. */
  readonly broken?: string
}

/** What a thrown value showed: its class, its `code` when it has one, its message. */
export interface Thrown {
  readonly name: string
  readonly code: string | null
  readonly message: string
}

/** What one step of a case showed. Room for `events`, `rows`, `effects`, `outbound`: absent means not observed. */
export type StepObservation =
  | { readonly kind: 'response'; readonly method: string; readonly response: Response }
  | {
      readonly kind: 'output'
      readonly output: Json
      /** Where the output has no JSON form, and what stands there; `output` is null then. Only ever on a live observation. */
      readonly unserialisable?: { readonly path: string; readonly what: string }
    }
  | { readonly kind: 'threw'; readonly threw: Thrown }
  | { readonly kind: 'command'; readonly exit: number; readonly stdout: Uint8Array; readonly stderr: string }

/** All that a system emitted for a case, step by step. */
export type Observation = readonly StepObservation[]

export const BUCKETS = ['happy', 'error', 'edge', 'rule', 'replay'] as const
export type Bucket = (typeof BUCKETS)[number]

/**
 * One step of an input: a request, or the input of a function or command. Its texts may refer to what earlier steps
 * bound, as `{{id}}`.
 */
export interface InputStep {
  readonly request?: Request
  readonly input?: Json
  /** What later steps take from the answer of the same side, by name: `{ id: '$.id' }`. */
  readonly bind?: Readonly<Record<string, string>>
  /** Where the answer has to repeat bound values: `{ '$.postId': '{{id}}' }`. */
  readonly same?: Readonly<Record<string, string>>
  /** Who calls: a principal of the contract. */
  readonly as?: string
  /** It only builds the starting state: it must succeed, and is not compared. */
  readonly given?: boolean
}

/** One input of the corpus: `parity/<feature>/inputs/<name>.json`. */
export interface Case {
  readonly name: string
  readonly bucket: Bucket
  /** Contract sections, as `errors.unknown-currency`. */
  readonly covers: readonly string[]
  readonly steps: readonly InputStep[]
  /** The instant both sides run at; null means the lab's clock. */
  readonly now: string | null
  /** Equivalence class; default method and route. */
  readonly class: string | null
  /** SHA-256 of what is sent (steps and instant, not `covers`), printed compactly. */
  readonly id: Sha256
}

/** The masked, frozen legacy observation of a case. */
export interface Fixture {
  readonly name: string
  readonly id: Sha256
  /** The `id` of the input it was recorded from. */
  readonly input: Sha256
  readonly observation: Observation
}

export const TOLERANCE_KEYS = ['exact', 'structural', 'numeric_tolerance', 'order_insensitive', 'ignore'] as const
export type ToleranceKey = (typeof TOLERANCE_KEYS)[number]

export const DIFFERENCE_KINDS = {
  missing: 'the legacy has it, the candidate does not',
  extra: 'the candidate has it, the legacy does not',
  null_vs_missing: 'null on one side, absent on the other',
  type_changed: 'another JSON type, or another format class under structural',
  value_changed: 'another value',
  format_changed: 'the same number written differently under exact',
  array_length: 'another number of elements, or empty against non-empty under structural',
  order: 'the same elements in another order',
  count: 'an element of a multiset occurs another number of times',
  duplicate_key: 'a member name occurs more than once on one side only, or with other values',
  status: 'another HTTP status',
  header_missing: 'a compared header is missing',
  header_extra: 'a compared header was added',
  header_changed: 'a compared header has another value',
  content_kind: 'the document is of another kind',
  undecodable_body: 'the body of the candidate does not decode',
  protocol_error: 'the response broke off or was framed wrongly after its head',
  exit: 'another exit code',
  threw: 'one side threw, or another error was thrown',
} as const
export type DifferenceKind = keyof typeof DIFFERENCE_KINDS

/** One field-level disagreement. Tokens are JSON text as received (cut with a said length when long); null is absence. */
export interface Difference {
  readonly kind: DifferenceKind
  /** Index of the step, from 0. */
  readonly step: number
  /** `$…` (normalised path), `status`, `header.<name>`, `exit`, `stderr`; prefixed `steps[n]:` when the case has several steps. */
  readonly path: string
  /** RFC 6901 pointer within the document that the root of `path` names; empty at the root. */
  readonly pointer: string
  readonly legacy: string | null
  readonly candidate: string | null
  /** The rule that judged it, as `exact $.error.code`; `uncovered` when none did. */
  readonly rule: string
  readonly hint?: string
}

/** A representation difference that a built-in leniency let pass; counted like a rule. */
export interface Note {
  /** `builtin:number-text`, `builtin:charset`, … */
  readonly id: string
  readonly step: number
  readonly path: string
  readonly detail: string
}

/** How often a rule governed a node that differs by value, and so hid a difference. */
export interface RuleUse {
  /** `structural $.requestId` */
  readonly rule: string
  /** `R-001`, or null when `<feature>.rules.yaml` has no decision for it. */
  readonly id: string | null
  /** Nodes of the golden it governs. */
  readonly selected: number
  /** Of these, how many differed by value and passed only because of it. */
  readonly hid: number
}

export const REASONS = {
  'no-fixture': 'record it: npx vitest-parity record <feature> <case>',
  'fixture-tampered':
    'restore the golden from version control, or record and accept it again: npx vitest-parity record <feature> <case>',
  'fixture-stale': 'record it again: npx vitest-parity record <feature> <case>',
  'fixture-quarantined':
    'review what the mask gate found, then record again: npx vitest-parity record <feature> <case>',
  'fixture-expired': 'record it again: npx vitest-parity record <feature> <case>',
  'oracle-moved': 'the pinned revision of contract and recording differ: record again, or restore the pin',
  'calibration-missing': 'capture the legacy: npx vitest-parity record <feature> <case>',
  'calibration-failed': 'a seeded mismatch went unseen: tighten the rule that the calibration test names',
  'calibration-expired': 'capture the legacy again: npx vitest-parity record <feature>',
  'control-unstable': 'add the proposed rule, or make the legacy stable',
  'control-degraded': 'repair the lab and record again: npx vitest-parity record <feature> <case>',
  'coverage-missing': 'run the legacy under its coverage tool and record again',
  'lab-image': 'the legacy runtime cannot be had on this platform: see npx vitest-parity doctor',
  'lab-boot': 'the legacy did not become ready: read the log in the message, then try again',
  'lab-isolation': 'the lab has a way out: nothing recorded from it counts; see the egress table',
  'candidate-unreachable': 'start the candidate, or correct its address',
  timeout: 'make the candidate answer, or raise timeoutMs in describeParity',
  transport: 'look at the log of the candidate',
  'content-missing': 'the recording has no body where one was announced: record again',
  'corrupt-recording': 'the recorded body does not decode: record again',
  undecodable: 'the recording uses a coding that is not supported: record without it',
  'over-limit': 'make the case smaller',
  'stream-open': 'give the stream an end, or raise timeoutMs in describeParity',
  unbound: 'bind the name in an earlier step, or correct the path of the binding',
  unmatched: 'record it again: npx vitest-parity record <feature> <case>',
  'side-effects-not-allowed': 'list the request under sends: in the contract',
  'mask-key-missing': 'set the mask key that the fixtures were recorded with',
  'stub-diverged': 'a virtual service got another call than was recorded',
  'tap-not-attached': 'the bus tap did not attach: see npx vitest-parity doctor',
  'window-not-quiet': 'events still arrived when the window closed: raise the quiet period',
  'batch-class': 'traffic of this class is not recorded: it needs another lane',
  'dependency-missing': 'install the package or program that the message names',
  environment: 'set what the message names',
  'both-failed': 'both sides failed where the fixture expects success: repair what they depend on',
  blocked: 'repair the cause that the message names',
  'no-assertion': 'compare something: await expectParity(…).toMatchFixture(…)',
  'test-error': 'repair the test or what it imports',
  'worker-crashed': 'run the file alone and look at its output',
  budget: 'make the array smaller or the rules narrower',
  'not-run': 'remove .skip, or run it again',
} as const
export type Reason = keyof typeof REASONS

/** Reasons that a project may allow with `unverifiable: { allow: [...] }`. */
export const ALLOWABLE_REASONS = [
  'lab-image',
  'lab-boot',
  'dependency-missing',
  'fixture-expired',
  'calibration-expired',
  'tap-not-attached',
  'batch-class',
] as const
export type AllowableReason = (typeof ALLOWABLE_REASONS)[number]

/** Why a comparison could not be made, or not completely. */
export interface Fault {
  readonly reason: Reason
  readonly step: number
  /** What happened, with the bound or the place; never an unmasked value. */
  readonly message: string
}

/** What `compare` returns. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** Differences found beyond the cap on `differences`. */
  readonly moreDifferences: number
  readonly faults: readonly Fault[]
  readonly notes: readonly Note[]
  readonly ruleUses: readonly RuleUse[]
}

/** The inputs that a verdict holds for; a change of any re-opens it. */
export interface Basis {
  readonly fixtureSet: Sha256 | null
  readonly calibration: Sha256 | null
  readonly ruleSet: Sha256 | null
  /** Of the decided divergences: places and tokens, not reasons and people. */
  readonly decisions: Sha256 | null
  readonly contract: Sha256 | null
  /** Comparator version and candidate id. */
  readonly adapter: { readonly comparator: string; readonly candidate: string }
  /** UTC date, `YYYY-MM-DD`. */
  readonly asOf: string
  /** Hash of the lab whose legacy answered live; null when it cannot be read. Absent: the goldens are the legacy. */
  readonly lab?: Sha256 | null
}

export interface Dimensions {
  readonly compared: readonly string[]
  /** Declared by the contract and observed by nothing: NOT-RUN. */
  readonly notRun: readonly string[]
}

/** What every verdict carries. */
export interface Judged {
  /** SHA-256 of everything else in the verdict, printed compactly with sorted keys. */
  readonly id: Sha256
  readonly feature: string
  readonly case: string
  readonly fixture: Sha256 | null
  readonly basis: Basis
  readonly dimensions: Dimensions
  /** What was observed while judging; for PARITY always empty. */
  readonly faults: readonly Fault[]
  readonly notes: readonly Note[]
  readonly ruleUses: readonly RuleUse[]
  /** The decision in `divergences.yaml` that covers it, when it is a decided divergence. */
  readonly decided: string | null
}

export type Verdict = Judged &
  (
    | { readonly state: 'PARITY' }
    | {
        readonly state: 'DIVERGED'
        readonly differences: readonly [Difference, ...Difference[]]
        readonly moreDifferences: number
      }
    | {
        readonly state: 'UNVERIFIABLE'
        readonly reason: Reason
        /** What happened, in one line. */
        readonly message: string
        /** How to repair it, in one line. */
        readonly remedy: string
        /** For `blocked`: the reason of the gate that blocks, and its name. */
        readonly cause: { readonly gate: string; readonly reason: Reason } | null
      }
  )
export type VerdictState = Verdict['state']
