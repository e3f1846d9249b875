import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ParityError } from '../errors.ts'
import type { Sha256 } from '../model.ts'
import { PENDING_FOLDER } from './freeze.ts'
import { calibrationText, manifestText } from './manifest.ts'
import { putFiles, type StagedFile } from './staging.ts'
import { CALIBRATION_FILE, MANIFEST_FILE, readCalibration, readFixtureSet } from './store.ts'

export const ACCEPTED_FILE = 'accepted.ndjson'

export interface AcceptOptions {
  /** `__golden__/<feature>`. */
  readonly dir: string
  readonly feature: string
  /** The one case to accept. */
  readonly name: string
  readonly reason: string
  readonly author: string
  /** UTC date-time. */
  readonly now: string
  /** Whether this runs in CI, where nothing is accepted. */
  readonly ci: boolean
}

/** What was accepted in place of what; `from` is null when the case had no golden. */
export interface Accepted {
  readonly from: Sha256 | null
  readonly to: Sha256
}

/** A line of the history of acceptance: which payload was made the golden of a case, and when. */
export interface AcceptedLine {
  readonly at: string
  readonly case: string
  readonly to: string
  /** The line as it stands. */
  readonly line: string
}

/** The lines of `accepted.ndjson` that say who accepted what and why, in order; one that was cut short is left out. */
export function readAccepted(dir: string): readonly AcceptedLine[] {
  return textOf(join(dir, ACCEPTED_FILE))
    .split('\n')
    .flatMap(line => {
      const parsed = lineSchema.safeParse(jsonOf(line))
      return parsed.success ? [{ at: parsed.data.at, case: parsed.data.case, to: parsed.data.to, line }] : []
    })
}

const said = z.string().refine(text => text.trim() !== '')
const lineSchema = z.object({ at: z.string(), case: z.string(), to: z.string(), author: said, reason: said })

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The names of the cases that wait, by code point. */
export function pendingNames(dir: string): readonly string[] {
  return readFixtureSet(join(dir, PENDING_FOLDER)).names
}

/**
 * Makes one pending payload the golden of its case, and appends who did so and why to `accepted.ndjson`.
 * Killed at any point, the case is as it was, accepted, or `fixture-tampered` until it is accepted again.
 *
 * @throws ParityError PARITY_ACCEPT_REFUSED in CI, without reason or author, when nothing intact waits for the case
 * @throws ParityError PARITY_GOLDEN_WRITE, PARITY_GOLDEN_INVALID
 */
export async function acceptPending(o: AcceptOptions): Promise<Accepted> {
  const pendingDir = join(o.dir, PENDING_FOLDER)
  const waiting = readFixtureSet(pendingDir)
  const fixture = intact(o, waiting)
  const entry = waiting.manifest?.fixtures[o.name]
  const set = readFixtureSet(o.dir)
  const { manifest } = waiting
  if (entry === undefined || manifest === null) throw refused(o, 'its pending manifest does not list it', recordFix(o))
  const from = set.manifest?.fixtures[o.name]?.id ?? null
  const to = fixture
  const fixtures = { ...set.manifest?.fixtures, [o.name]: { ...entry, frozen: o.now } }
  const calibration = mergedCalibration(o.dir, pendingDir, new Set(Object.values(fixtures).map(({ id }) => id)))
  const { set: _, fixtures: left, ...provenance } = manifest
  const rest = Object.fromEntries(Object.entries(left).filter(([name]) => name !== o.name))
  const none = Object.keys(rest).length === 0
  const golden = readFileSync(join(pendingDir, `${o.name}.json`), 'utf8')
  // a payload that waited before this one may have left a body of its own
  const lying = bodyFiles(pendingDir, o.name)
  const bodies = lying.filter(path => golden.includes(JSON.stringify(path)))
  const files: StagedFile[] = [
    { path: ACCEPTED_FILE, content: historyText(o, from, to) },
    ...bodies.map(path => ({ path, content: readFileSync(join(pendingDir, path)) })),
    { path: `${o.name}.json`, content: golden },
    { path: CALIBRATION_FILE, content: calibrationText(o.feature, calibration) },
    { path: MANIFEST_FILE, content: manifestText({ ...provenance, feature: o.feature, fixtures }) },
    ...(none
      ? []
      : [{ path: `${PENDING_FOLDER}/${MANIFEST_FILE}`, content: manifestText({ ...provenance, fixtures: rest }) }]),
  ]
  const stale = bodyFiles(o.dir, o.name).filter(path => !bodies.includes(path))
  const moved = none ? [PENDING_FOLDER] : [`${o.name}.json`, ...lying].map(path => `${PENDING_FOLDER}/${path}`)
  await putFiles(o.dir, files, [...stale, ...moved])
  return { from, to }
}

function intact(o: AcceptOptions, waiting: ReturnType<typeof readFixtureSet>): Sha256 {
  if (o.ci) throw refused(o, 'CI accepts nothing', 'accept it on your own machine, and commit the golden')
  if (o.reason.trim() === '') throw refused(o, 'there is no reason', `add --reason "…"`)
  if (o.author.trim() === '') throw refused(o, 'there is no author', `add --author "…"`)
  const read = waiting.read(o.name)
  if (read.ok) return read.fixture.id
  if (read.fault.reason !== 'no-fixture') throw refused(o, read.fault.message, recordFix(o))
  const known = waiting.names.join(', ') || 'none'
  throw refused(o, `nothing waits for this case (waiting: ${known})`, recordFix(o))
}

function recordFix(o: AcceptOptions): string {
  return `npx vitest-parity record ${o.feature} ${o.name}`
}

function refused(o: AcceptOptions, why: string, fix: string): ParityError {
  return new ParityError('PARITY_ACCEPT_REFUSED', `${o.feature} ${o.name} is not accepted: ${why}`, fix)
}

function mergedCalibration(dir: string, pendingDir: string, ids: ReadonlySet<string>) {
  const all = { ...readCalibration(dir)?.fixtures, ...readCalibration(pendingDir)?.fixtures }
  return Object.fromEntries(Object.entries(all).filter(([id]) => ids.has(id)))
}

/** The files of bodies that belong to a golden. */
function bodyFiles(dir: string, name: string): readonly string[] {
  const own = new RegExp(`^${name.replaceAll('.', '\\.')}\\.[0-9a-f]{16}\\.bin$`)
  try {
    return readdirSync(dir).filter(entry => own.test(entry))
  } catch {
    return []
  }
}

/** The history with one line more; a last line that was cut short stays as it is, on a line of its own. */
function historyText(o: AcceptOptions, from: Sha256 | null, to: Sha256): string {
  const before = textOf(join(o.dir, ACCEPTED_FILE))
  const { now: at, name, author, reason } = o
  const line = JSON.stringify({ at, case: name, from, to, author, reason })
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`
}

/** The text of a file; empty when there is none. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}
