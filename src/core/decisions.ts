import { z } from 'zod'
import { samePerson } from './people.ts'
import { type Located, parseYaml, validate } from './yaml.ts'

/** `tolerance/<feature>.rules.yaml`: who decided what, in order, never edited. */
export const decisionsSchema = z.array(
  z.strictObject({
    id: z.string().min(1),
    /** Key and path of a rule as the tolerance file writes them: `structural $.requestId`. */
    rule: z.string().min(1),
    reason: z.string().min(1),
    /** `control` when the control capture differs there, else the name of a decision record. */
    evidence: z.string().min(1),
    author: z.string().min(1),
    approved_by: z.string().min(1).nullable(),
    supersedes: z.string().min(1).optional(),
  }),
)

/** One entry of the file of decisions. */
export type Decision = Readonly<z.infer<typeof decisionsSchema>[number]>

/**
 * The decisions of a file, or everything that is wrong with it, in file order. An empty text has none. Refused: an id
 * that occurs twice, `supersedes` of what does not stand before it or is superseded already, a second decision for a
 * rule that does not supersede the first, and an approver who is the author.
 */
export function readDecisions(
  file: string,
  text: string,
):
  | { readonly ok: true; readonly value: readonly Decision[] }
  | { readonly ok: false; readonly errors: readonly Located[] } {
  const parsed = parseYaml(text, file)
  if (parsed.ok && parsed.value === null) return { ok: true, value: [] }
  const shaped = validate(parsed, decisionsSchema, file)
  if (!shaped.ok || !parsed.ok) return shaped
  const errors: Located[] = []
  const refuse = (index: number, name: keyof Decision, message: string, fix: string): void => {
    errors.push({ file, ...parsed.at([index, name]), message, fix })
  }
  const ids = new Set<string>()
  /** Ids of decisions that stand so far, by rule. */
  const standing = new Map<string, string>()
  for (const [index, { id, rule, author, approved_by, supersedes }] of shaped.value.entries()) {
    if (ids.has(id)) refuse(index, 'id', `the id ${id} occurs twice`, 'give it the next free id')
    ids.add(id)
    if (approved_by !== null && samePerson(approved_by, author)) {
      refuse(
        index,
        'approved_by',
        `${author} wrote ${id} and cannot approve it`,
        'write null, or the name of another person',
      )
    }
    const replaced = [...standing].find(([, standingId]) => standingId === supersedes)
    if (replaced !== undefined) standing.delete(replaced[0])
    else if (supersedes !== undefined) {
      refuse(
        index,
        'supersedes',
        `no decision ${supersedes} stands before ${id}`,
        'name one that stands above and is in force',
      )
    }
    const rival = standing.get(rule)
    if (rival !== undefined) {
      refuse(index, 'rule', `${rival} and ${id} both decide "${rule}"`, `add supersedes: ${rival} to ${id}`)
    }
    standing.set(rule, id)
  }
  return errors.length === 0 ? { ok: true, value: shaped.value } : { ok: false, errors }
}

/** The decisions that no later one supersedes. */
export function liveDecisions(decisions: readonly Decision[]): readonly Decision[] {
  const replaced = new Set(decisions.map(({ supersedes }) => supersedes))
  return decisions.filter(({ id }) => !replaced.has(id))
}
