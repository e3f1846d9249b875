import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareCodePoints } from '../core/canonical.ts'
import type { Fixture, Observation, Sha256 } from '../model.ts'
import {
  type CalibrationEntry,
  calibrationText,
  type Manifest,
  type ManifestEntry,
  manifestText,
  type RecordedNoise,
} from './manifest.ts'
import { goldenText, type Payload, payloadOf } from './payload.ts'
import { putFiles, type StagedFile } from './staging.ts'
import {
  CALIBRATION_FILE,
  type FixtureSet,
  MANIFEST_FILE,
  parseGolden,
  readCalibration,
  readFixtureSet,
} from './store.ts'

export const PENDING_FOLDER = 'pending'

/** What the legacy showed for one case. */
export interface Capture {
  readonly name: string
  /** The id of the input. */
  readonly input: Sha256
  readonly observation: Observation
  /** How often it was captured; at least 2. */
  readonly captures: number
  /** Where the captures differ, no rules applied. */
  readonly noise: readonly RecordedNoise[]
}

export interface FreezeOptions {
  /** `__golden__/<feature>`. */
  readonly dir: string
  readonly feature: string
  readonly revision: string
  readonly lab: { readonly id: string; readonly hash: Sha256 } | null
  readonly recorder: string
  readonly maskRules: string
  /** UTC date-time of the recording: the only thing here that a second recording changes. */
  readonly now: string
  readonly captures: readonly Capture[]
  /**
   * Default `add`. `keep`: only the calibration of goldens that stand is refreshed. What is new or has changed is told in the
   * report, and nothing of it is written.
   */
  readonly goldens?: 'add' | 'keep'
  /** Whether two observations of a case differ only at noise that a rule covers. */
  sameExceptNoise(old: Observation, fresh: Observation, name: string): boolean
}

/** The names of the captured cases, by what became of them; each list by code point. */
export interface FreezeReport {
  /** New goldens. */
  readonly written: readonly string[]
  /** The payload is that of the golden. */
  readonly unchanged: readonly string[]
  /** The payload differs only at noise that a rule covers: the golden stands byte for byte. */
  readonly noiseOnly: readonly string[]
  /** The payload differs: it waits in `pending/` to be accepted. */
  readonly pending: readonly string[]
}

/**
 * Freezes captures into the goldens of a feature. No golden that exists is ever written: what is new is added, what is the
 * same or differs only at covered noise stays byte for byte, and all else goes to `pending/`, the fixture set beside it.
 *
 * Files are put in place one by one, the manifest last. Killed at any point, the set reads as the old one, as the new one,
 * or as one whose unlisted goldens are `fixture-tampered`; recording again completes it.
 *
 * @throws ParityError PARITY_GOLDEN_WRITE, PARITY_GOLDEN_INVALID, PARITY_GOLDEN_DUPLICATE
 */
export async function freeze(o: FreezeOptions): Promise<FreezeReport> {
  const old = readFixtureSet(o.dir)
  const fixtures: Record<string, ManifestEntry> = { ...old.manifest?.fixtures }
  const pending = new Side(join(o.dir, PENDING_FOLDER), `${PENDING_FOLDER}/`)
  const main = new Side(o.dir, '')
  const report = { written: [], unchanged: [], noiseOnly: [], pending: [] } as Record<keyof FreezeReport, string[]>

  for (const capture of [...o.captures].sort((a, b) => compareCodePoints(a.name, b.name))) {
    const { name, input } = capture
    const payload = payloadOf(name, capture.observation)
    const outcome = outcomeOf(capture, payload, old, o)
    report[outcome.kind].push(name)
    if (o.goldens === 'keep' && (outcome.kind === 'written' || outcome.kind === 'pending')) continue
    const entry: ManifestEntry = {
      id: payload.id,
      input,
      revision: o.revision,
      retention: 'none',
      frozen: o.now,
      expires: null,
    }
    if (outcome.kind === 'pending') {
      pending.add(entry, payload, capture, o)
      continue
    }
    pending.drop(name)
    if (outcome.kind === 'written') main.add(entry, payload, capture, o)
    else {
      const known = fixtures[name]
      main.keep(
        name,
        known === undefined ? { ...entry, id: outcome.golden.id } : { ...known, revision: o.revision },
        capture,
        o,
      )
    }
  }
  const files = [...pending.files(o), ...main.files(o)]
  await putFiles(o.dir, files, pending.leftovers())
  return report
}

type Outcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'unchanged' | 'noiseOnly'; readonly golden: Fixture }

function outcomeOf(capture: Capture, payload: Payload, old: FixtureSet, o: FreezeOptions): Outcome {
  const { name, input, observation } = capture
  const file = join(o.dir, `${name}.json`)
  const listed = Object.hasOwn(old.manifest?.fixtures ?? {}, name) ? old.manifest?.fixtures[name] : undefined
  if (!existsSync(file)) {
    // A golden that was deleted comes back by itself only as it was.
    return listed === undefined || listed.id === payload.id ? { kind: 'written' } : { kind: 'pending' }
  }
  // A golden that the manifest does not list was left by a freeze that was killed: it counts when it holds together.
  const read = listed === undefined ? parseGolden(o.dir, name, readFileSync(file, 'utf8')) : old.read(name)
  if (!read.ok || read.fixture.input !== input) return { kind: 'pending' }
  const golden = read.fixture
  if (golden.id === payload.id) return { kind: 'unchanged', golden }
  const methods = observation.map(step => (step.kind === 'response' ? step.method : 'GET'))
  const asDriven = golden.observation.map((step, at) =>
    step.kind === 'response' ? { ...step, method: methods[at] ?? step.method } : step,
  )
  return o.sameExceptNoise(asDriven, observation, name) ? { kind: 'noiseOnly', golden } : { kind: 'pending' }
}

/** The set being written: the goldens, or what waits beside them. */
class Side {
  readonly #prefix: string
  readonly #fixtures: Record<string, ManifestEntry>
  readonly #calibration: Record<Sha256, CalibrationEntry>
  readonly #manifest: Manifest | null
  readonly #put: StagedFile[] = []
  readonly #refreshed = new Set<Sha256>()
  #touched = false

  constructor(dir: string, prefix: string) {
    this.#prefix = prefix
    this.#manifest = readFixtureSet(dir).manifest
    this.#fixtures = { ...this.#manifest?.fixtures }
    this.#calibration = { ...readCalibration(dir)?.fixtures }
  }

  add(entry: ManifestEntry, payload: Payload, capture: Capture, o: FreezeOptions): void {
    for (const [path, content] of payload.files) this.#put.push({ path: this.#prefix + path, content })
    const content = goldenText({ id: payload.id, input: capture.input, steps: payload.steps })
    this.#put.push({ path: `${this.#prefix}${capture.name}.json`, content })
    this.keep(capture.name, entry, capture, o)
  }

  keep(name: string, entry: ManifestEntry, capture: Capture, o: FreezeOptions): void {
    this.#touched = true
    this.#fixtures[name] = entry
    // Cases with one and the same payload share an entry: what is noise in one of them is noise.
    const before = this.#refreshed.has(entry.id) ? (this.#calibration[entry.id]?.noise ?? []) : []
    const known = new Set(before.map(({ step, path }) => `${step} ${path}`))
    const added = capture.noise
      .filter(({ step, path }) => !known.has(`${step} ${path}`))
      .map(({ step, path, pointer, first, second }) => ({ step, path, pointer, first, second }))
    this.#refreshed.add(entry.id)
    const captured = o.now.slice(0, 10)
    const { captures } = capture
    this.#calibration[entry.id] = { captures, captured, lab: o.lab?.hash ?? null, noise: [...before, ...added] }
  }

  drop(name: string): void {
    if (!Object.hasOwn(this.#fixtures, name)) return
    this.#touched = true
    delete this.#fixtures[name]
  }

  /** Bodies and goldens, then the calibration, then the manifest. */
  files(o: FreezeOptions): readonly StagedFile[] {
    if (!this.#touched || Object.keys(this.#fixtures).length === 0) return []
    const ids = new Set(Object.values(this.#fixtures).map(entry => entry.id))
    const kept = Object.entries(this.#calibration).filter(([id]) => ids.has(id as Sha256))
    const { feature, revision, lab, recorder, maskRules } = o
    const manifest = { format: 1, feature, revision, lab, recorder, maskRules, fixtures: this.#fixtures } as const
    return [
      ...this.#put,
      { path: this.#prefix + CALIBRATION_FILE, content: calibrationText(feature, Object.fromEntries(kept)) },
      { path: this.#prefix + MANIFEST_FILE, content: manifestText(manifest) },
    ]
  }

  /** What lies in the folder and is no longer listed: the whole folder when nothing is. */
  leftovers(): readonly string[] {
    const listed = Object.keys(this.#manifest?.fixtures ?? {})
    const gone = listed.filter(name => !Object.hasOwn(this.#fixtures, name))
    if (listed.length > 0 && Object.keys(this.#fixtures).length === 0) return [this.#prefix.replace(/\/$/, '')]
    return gone.map(name => `${this.#prefix}${name}.json`)
  }
}
