import { z } from 'zod'
import { canonicalText, compareCodePoints, sha256 } from '../core/canonical.ts'
import { isObject, type Json, membersOf, parseJson } from '../core/json.ts'
import { ParityError } from '../errors.ts'
import type { Sha256 } from '../model.ts'

const sha = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/)
const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)

const entrySchema = z.strictObject({
  id: sha,
  input: sha,
  /** The pinned revision that the legacy had when it showed this. */
  revision: z.string(),
  retention: z.enum(['pci', 'pii', 'none']),
  frozen: instant,
  expires: date.nullable(),
})

/** What `__golden__/<feature>/manifest.json` holds. */
export const manifestSchema = z.strictObject({
  format: z.literal(1),
  feature: z.string(),
  /** SHA-256 of the canonical map name → id. */
  set: sha,
  /** The revision of the last recording; each fixture has its own. */
  revision: z.string(),
  lab: z.strictObject({ id: z.string(), hash: sha }).nullable(),
  recorder: z.string(),
  maskRules: z.string(),
  fixtures: z.record(z.string(), entrySchema),
})

const noiseSchema = z.strictObject({
  step: z.int().min(0),
  path: z.string(),
  pointer: z.string(),
  first: z.string().nullable(),
  second: z.string().nullable(),
})

/** What `__golden__/<feature>/calibration.json` holds. */
export const calibrationSchema = z.strictObject({
  format: z.literal(1),
  feature: z.string(),
  /** SHA-256 of the canonical map fixture id → places of its noise. */
  id: sha,
  fixtures: z.record(
    sha,
    z.strictObject({ captures: z.int().min(2), captured: date, lab: sha.nullable(), noise: z.array(noiseSchema) }),
  ),
})

export type Manifest = z.infer<typeof manifestSchema>
export type ManifestEntry = z.infer<typeof entrySchema>
/** What the legacy showed per fixture id: how often it was captured, and where the captures differ. */
export type Calibration = z.infer<typeof calibrationSchema>
export type CalibrationEntry = Calibration['fixtures'][Sha256]
export type RecordedNoise = z.infer<typeof noiseSchema>

/** The id of a set of fixtures. */
export function setId(ids: Readonly<Record<string, Sha256>>): Sha256 {
  return sha256(canonicalText(ids))
}

/** The id of a calibration: it changes with the places of the noise, not with its tokens or dates. */
export function calibrationId(fixtures: Calibration['fixtures']): Sha256 {
  const places = Object.entries(fixtures).map(([id, { noise }]) => [
    id,
    [...new Set(noise.map(({ step, path }) => `${step} ${path}`))].sort(compareCodePoints),
  ])
  return sha256(canonicalText(Object.fromEntries(places)))
}

/** The text of a manifest or calibration: members as given, maps by code point. */
export function manifestText(manifest: Omit<Manifest, 'set'>): string {
  const fixtures = sorted(manifest.fixtures)
  const ids = Object.fromEntries(Object.entries(fixtures).map(([name, entry]) => [name, entry.id]))
  const { format, feature, ...rest } = manifest
  return `${JSON.stringify({ format, feature, set: setId(ids), ...rest, fixtures }, null, 2)}\n`
}

export function calibrationText(feature: string, fixtures: Calibration['fixtures']): string {
  const file: Calibration = { format: 1, feature, id: calibrationId(fixtures), fixtures: sorted(fixtures) }
  return `${JSON.stringify(file, null, 2)}\n`
}

function sorted<V>(map: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareCodePoints(a, b)))
}

/**
 * The value of one of these files.
 *
 * @throws ParityError PARITY_GOLDEN_DUPLICATE when a name occurs twice, PARITY_GOLDEN_INVALID for all else
 */
export function parseRecord<T>(text: string, schema: z.ZodType<T>, file: string): T {
  const restore = 'restore it from version control, or record again: npx vitest-parity record <feature>'
  const parsed = parseJson(text)
  if (!parsed.ok) {
    const where = `${file}:${parsed.line}:${parsed.column}`
    throw new ParityError('PARITY_GOLDEN_INVALID', `${where}: not JSON: ${parsed.message}`, restore)
  }
  const twice = duplicateOf(parsed.value)
  if (twice !== null) {
    throw new ParityError('PARITY_GOLDEN_DUPLICATE', `${file}: ${JSON.stringify(twice)} occurs twice`, restore)
  }
  const valid = schema.safeParse(JSON.parse(text))
  if (valid.success) return valid.data
  const [issue] = valid.error.issues
  const path = issue?.path.join('.') ?? ''
  throw new ParityError(
    'PARITY_GOLDEN_INVALID',
    `${file}: ${path}: ${issue?.message ?? 'not as it should be'}`,
    restore,
  )
}

/** A member name that occurs twice in one object at most two levels deep: of the file, or of one of its maps. */
function duplicateOf(value: Json, depth = 0): string | null {
  if (!isObject(value) || depth > 1) return null
  const seen = new Set<string>()
  for (const [name, member] of membersOf(value)) {
    if (seen.has(name)) return name
    seen.add(name)
    const below = duplicateOf(member, depth + 1)
    if (below !== null) return below
  }
  return null
}
