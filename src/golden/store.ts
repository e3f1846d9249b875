import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compareCodePoints, sha256 } from '../core/canonical.ts'
import { compactJson, memberText, parseJson } from '../core/json.ts'
import { type Misfit, Reader } from '../core/json-reader.ts'
import { ParityError } from '../errors.ts'
import type { Case, Fault, Fixture, Observation, Reason, Sha256 } from '../model.ts'
import {
  type Calibration,
  calibrationId,
  calibrationSchema,
  type Manifest,
  manifestSchema,
  parseRecord,
  setId,
} from './manifest.ts'
import { observationOf, withText } from './payload.ts'

export const MANIFEST_FILE = 'manifest.json'
export const CALIBRATION_FILE = 'calibration.json'

export type ReadFixture =
  | { readonly ok: true; readonly fixture: Fixture }
  | { readonly ok: false; readonly fault: Fault }

/** The goldens of one feature, as they lie on disk. */
export interface FixtureSet {
  /** SHA-256 of the canonical map name → id, as the manifest lists them. */
  readonly id: Sha256
  readonly manifest: Manifest | null
  /** The union of the manifest and the files, by code point. */
  readonly names: readonly string[]
  /**
   * The fixture of that name, once the hash of its payload, its id and the manifest agree; else `no-fixture`,
   * `fixture-tampered`, `content-missing` or `corrupt-recording`.
   * Its responses carry the method GET: `admit` puts the methods of the case in their place.
   */
  read(name: string): ReadFixture
}

/**
 * The fixtures in `dir` (`__golden__/<feature>`); an absent folder is an empty set.
 *
 * @throws ParityError PARITY_GOLDEN_DUPLICATE, PARITY_GOLDEN_INVALID when the manifest is not what it should be
 */
export function readFixtureSet(dir: string): FixtureSet {
  const manifest = readRecord(dir, MANIFEST_FILE, text => parseRecord(text, manifestSchema, join(dir, MANIFEST_FILE)))
  const files = goldenNames(dir)
  const listed = manifest?.fixtures ?? {}
  const ids = Object.fromEntries(Object.entries(listed).map(([name, entry]) => [name, entry.id]))
  const id = setId(ids)
  const memo = new Map<string, ReadFixture>()
  const readAlone = (name: string): ReadFixture => {
    const known = memo.get(name) ?? readGolden(dir, name, manifest)
    memo.set(name, known)
    return known
  }
  let explained: boolean | null = null
  const setHolds = (): boolean => {
    if (manifest === null || manifest.set === id) return true
    // One changed id explains another set id, and is said of its case alone.
    explained ??= Object.keys(listed).some(name => !readAlone(name).ok)
    return explained
  }
  return {
    id,
    manifest,
    names: [...new Set([...Object.keys(listed), ...files])].sort(compareCodePoints),
    read(name) {
      const alone = readAlone(name)
      if (!alone.ok || setHolds()) return alone
      return fault('fixture-tampered', `${MANIFEST_FILE}: the set id is not that of the fixtures listed`)
    },
  }
}

/**
 * The fixture of a case, fit to be compared: as `read`, and recorded from this very input (`fixture-stale`), at the
 * pinned revision (`oracle-moved`), and not expired at `asOf` (`fixture-expired`).
 */
export function admit(set: FixtureSet, c: Case, o: { readonly revision: string; readonly asOf?: string }): ReadFixture {
  const read = set.read(c.name)
  if (!read.ok) return read
  const entry = set.manifest?.fixtures[c.name]
  if (read.fixture.input !== c.id) {
    return fault('fixture-stale', 'the input changed since the golden was frozen')
  }
  if (entry !== undefined && entry.revision !== o.revision) {
    return fault('oracle-moved', `the contract pins ${o.revision}, the golden was recorded at ${entry.revision}`)
  }
  if (entry?.expires != null && o.asOf !== undefined && entry.expires < o.asOf) {
    return fault('fixture-expired', `the golden expired on ${entry.expires}, and it is ${o.asOf}`)
  }
  return { ok: true, fixture: { ...read.fixture, observation: withMethods(read.fixture.observation, c) } }
}

/** The observation, its responses under the methods that the case asks with. */
export function withMethods(observation: Observation, c: Pick<Case, 'steps'>): Observation {
  return observation.map((step, at) => {
    const method = c.steps[at]?.request?.method
    return step.kind === 'response' && method !== undefined ? { ...step, method } : step
  })
}

/**
 * The calibration in `dir`; null when there is none.
 *
 * @throws ParityError PARITY_GOLDEN_DUPLICATE, PARITY_GOLDEN_INVALID, also when its id is not that of its noise
 */
export function readCalibration(dir: string): Calibration | null {
  const file = join(dir, CALIBRATION_FILE)
  const calibration = readRecord(dir, CALIBRATION_FILE, text => parseRecord(text, calibrationSchema, file))
  if (calibration === null || calibration.id === calibrationId(calibration.fixtures)) return calibration
  throw new ParityError(
    'PARITY_GOLDEN_INVALID',
    `${file}: the id is not that of the noise listed`,
    'restore it from version control, or record again: npx vitest-parity record <feature>',
  )
}

function readRecord<T>(dir: string, name: string, parse: (text: string) => T): T | null {
  const text = textOrNull(join(dir, name))
  return text === null ? null : parse(text)
}

function textOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw new ParityError('PARITY_GOLDEN_INVALID', `${file}: it cannot be read`, 'make it readable', { cause: error })
  }
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function goldenNames(dir: string): readonly string[] {
  let entries: readonly string[]
  try {
    entries = readdirSync(dir)
  } catch (error) {
    if (isAbsent(error)) return []
    throw new ParityError('PARITY_GOLDEN_INVALID', `${dir}: it cannot be read`, 'make it readable', { cause: error })
  }
  return entries
    .filter(entry => entry.endsWith('.json') && entry !== MANIFEST_FILE && entry !== CALIBRATION_FILE)
    .map(entry => basename(entry, '.json'))
}

function fault(reason: Reason, message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { reason, step: 0, message } }
}

function readGolden(dir: string, name: string, manifest: Manifest | null): ReadFixture {
  const text = textOrNull(join(dir, `${name}.json`))
  const entry = Object.hasOwn(manifest?.fixtures ?? {}, name) ? manifest?.fixtures[name] : undefined
  if (text === null) {
    return fault(
      'no-fixture',
      entry === undefined
        ? 'it was never recorded'
        : 'the manifest lists it, and its file is gone: version control has it, or record and accept it',
    )
  }
  const parsed = parseGolden(dir, name, text)
  if (!parsed.ok) return parsed
  if (entry === undefined) return fault('fixture-tampered', 'the manifest does not list this golden')
  if (entry.id !== parsed.fixture.id) return fault('fixture-tampered', 'the manifest lists another id for this golden')
  if (entry.input !== parsed.fixture.input) {
    return fault('fixture-tampered', 'the manifest lists another input for this golden')
  }
  return parsed
}

/** A golden that agrees with its own id, whatever the manifest says. */
export function parseGolden(dir: string, name: string, text: string): ReadFixture {
  const parsed = parseJson(text)
  if (!parsed.ok) {
    return fault('fixture-tampered', `${name}.json:${parsed.line}:${parsed.column}: not JSON: ${parsed.message}`)
  }
  const misfits: Misfit[] = []
  const top = new Reader(parsed.value, '$', misfits).object(['format', 'id', 'input', 'steps'])
  if (top.member('format').integer() !== 1) top.member('format').refuse('expected format 1', 'install a newer version')
  const hash = { matching: /^sha256:[0-9a-f]{64}$/, what: 'sha256: and 64 hex digits' }
  const id = top.member('id').string(hash) as Sha256
  const input = top.member('input').string(hash) as Sha256
  if (misfits.length > 0) return fault('fixture-tampered', misfitText(name, misfits))
  const steps = compactJson(memberText(text, 'steps') ?? '')
  if (sha256(steps) !== id) {
    return fault('fixture-tampered', 'the payload of the golden is not the one that its id names')
  }
  let gone = false
  const read = (file: string): Uint8Array => {
    try {
      return readFileSync(join(dir, file))
    } catch (error) {
      gone = true
      throw error
    }
  }
  const observation = observationOf(top.member('steps'), { read })
  if (gone) return fault('content-missing', misfitText(name, misfits))
  if (misfits.some(({ message }) => message.includes('not those that its name promises'))) {
    return fault('fixture-tampered', misfitText(name, misfits))
  }
  if (misfits.length > 0) return fault('corrupt-recording', misfitText(name, misfits))
  return { ok: true, fixture: { name, id, input, observation: withText(observation, steps) } }
}

function misfitText(name: string, misfits: readonly Misfit[]): string {
  return `${name}.json: ${misfits[0]?.message ?? 'it does not fit'}`
}
