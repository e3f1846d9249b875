import { z } from 'zod'
import { DIFFERENCE_KINDS, type Difference, type DifferenceKind, type Fault, type Sha256 } from '../model.ts'
import { canonicalText, sha256 } from './canonical.ts'
import { isObject, NumberToken, parseJson } from './json.ts'
import { samePerson } from './people.ts'
import { type Located, parseYaml, validate } from './yaml.ts'

const KINDS = Object.keys(DIFFERENCE_KINDS) as [DifferenceKind, ...DifferenceKind[]]
const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const

const token = z
  .union([
    z.string(),
    z.strictObject({ type: z.enum(TYPES).describe('For a side whose token differs between two captures') }),
  ])
  .nullable()
  .describe('JSON text as the report prints it; null for absence')

/** `parity/<feature>/divergences.yaml`: differences that somebody decided to keep. */
export const divergencesSchema = z.array(
  z.strictObject({
    id: z.string().min(1),
    case: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe('The case; a list of them where one cause shows the same difference in each'),
    path: z.string().min(1).describe('As the report prints it: $.error.code, status, header.location, steps[1]:$.id'),
    kind: z.enum(KINDS),
    legacy: token,
    candidate: token,
    reason: z.string().min(1),
    author: z.string().min(1),
    approved_by: z.string().min(1).nullable(),
  }),
)

/** One decided divergence of one case. */
export type DecidedDivergence = Readonly<Omit<z.infer<typeof divergencesSchema>[number], 'case'>> & {
  readonly case: string
}

/**
 * The decided divergences of a file, one for each case that an entry names, or everything that is wrong with it. An empty
 * text has none. Refused: an id, or a
 * case with path and kind, that occurs twice, and an approver who is the author.
 */
export function readDivergences(
  file: string,
  text: string,
):
  | { readonly ok: true; readonly value: readonly DecidedDivergence[] }
  | { readonly ok: false; readonly errors: readonly Located[] } {
  const parsed = parseYaml(text, file)
  if (parsed.ok && parsed.value === null) return { ok: true, value: [] }
  const shaped = validate(parsed, divergencesSchema, file)
  if (!shaped.ok) return shaped
  if (!parsed.ok) return parsed
  const errors: Located[] = []
  const ids = new Set<string>()
  const places = new Set<string>()
  for (const [index, each] of shaped.value.entries()) {
    const refuse = (name: keyof DecidedDivergence, message: string, fix: string): void => {
      errors.push({ file, ...parsed.at([index, name]), message, fix })
    }
    if (ids.has(each.id)) refuse('id', `the id ${each.id} occurs twice`, 'give it the next free id')
    ids.add(each.id)
    for (const name of [each.case].flat()) {
      const place = `${name}\n${each.path}\n${each.kind}`
      if (places.has(place)) {
        refuse('path', `${each.kind} at ${each.path} of ${name} is decided twice`, 'keep one of the two')
      }
      places.add(place)
    }
    if (each.approved_by !== null && samePerson(each.approved_by, each.author)) {
      const fix = 'write null, or the name of another person'
      refuse('approved_by', `${each.author} wrote ${each.id} and cannot approve it`, fix)
    }
  }
  if (errors.length > 0) return { ok: false, errors }
  return { ok: true, value: shaped.value.flatMap(each => [each.case].flat().map(name => ({ ...each, case: name }))) }
}

/** The identity of what was decided: places and tokens, not reasons and people. */
export function decisionsId(decided: readonly DecidedDivergence[]): Sha256 {
  return sha256(canonicalText(decided.map(divergenceSubject).sort()))
}

/** What one entry decides, as text: its place and both tokens. */
export function divergenceSubject({ case: name, path, kind, legacy, candidate }: DecidedDivergence): string {
  return canonicalText({ case: name, path, kind, legacy, candidate })
}

export interface Decided {
  /** Ids of the entries that cover the differences, joined; null unless every difference is covered. */
  readonly decided: string | null
  /** What is wrong with entries of the case: they no longer occur, or occur differently. */
  readonly stale: readonly string[]
}

/**
 * How the decided divergences of one case stand to what was found. An entry covers the difference of its path and kind
 * when both tokens are those decided, or of the type decided. Differences beyond the reported ones are never covered.
 */
export function decide(
  entries: readonly DecidedDivergence[],
  found: {
    readonly differences: readonly Difference[]
    readonly moreDifferences: number
    /** Why the candidate was not seen to its end. Default: it was. */
    readonly faults?: readonly Fault[]
  },
): Decided {
  const used = new Set<string>()
  const stale: string[] = []
  for (const entry of entries) {
    const there = found.differences.filter(({ path, kind }) => path === entry.path && kind === entry.kind)
    if (there.length === 0) {
      // beyond the reported differences, and after a fault, nobody knows: the entry is not blamed
      if (found.moreDifferences === 0 && (found.faults ?? []).length === 0)
        stale.push(`${entry.id}: ${entry.kind} at ${entry.path} of ${entry.case} no longer occurs: remove the entry`)
    } else if (there.some(each => covers(entry, each))) used.add(entry.id)
    else stale.push(`${entry.id}: ${entry.kind} at ${entry.path} of ${entry.case} occurs with other tokens`)
  }
  const live = entries.filter(({ id }) => used.has(id))
  const all =
    found.moreDifferences === 0 &&
    found.differences.length > 0 &&
    found.differences.every(each => live.some(entry => covers(entry, each)))
  return { decided: all && stale.length === 0 ? live.map(({ id }) => id).join(', ') : null, stale }
}

function covers(entry: DecidedDivergence, found: Difference): boolean {
  return (
    entry.path === found.path &&
    entry.kind === found.kind &&
    fits(entry.legacy, found.legacy) &&
    fits(entry.candidate, found.candidate)
  )
}

function fits(decided: DecidedDivergence['legacy'], token: string | null): boolean {
  if (decided === null || typeof decided === 'string') return decided === token
  return token !== null && typeOf(token) === decided.type
}

/** The JSON type of a token; a token that was cut where it was long is told by its first character. */
function typeOf(token: string): (typeof TYPES)[number] {
  const parsed = parseJson(token)
  if (!parsed.ok) return token.startsWith('{') ? 'object' : token.startsWith('[') ? 'array' : 'string'
  const { value } = parsed
  if (value === null) return 'null'
  if (typeof value === 'number' || value instanceof NumberToken) return 'number'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}
