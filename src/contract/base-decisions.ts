import { type Decision, liveDecisions } from '../core/decisions.ts'

/** What a subject lacks to be decided, and how to repair it. */
export interface Lack {
  readonly message: string
  readonly fix: string
}

export interface Decider {
  /** Null when a decision that was added since, and is in force, names the subject and is approved. */
  lackOf(subject: string): Lack | null
}

/**
 * Judges subjects by the decisions that a branch added. A subject is a rule as the tolerance file writes it, or
 * `without <rule>`, `contract <key>`, `case <name>` or `feature <name>`.
 */
export function deciderOf(before: readonly Decision[], after: readonly Decision[], file: string): Decider {
  const old = new Set(before.map(({ id }) => id))
  const live = liveDecisions(after)
  return {
    lackOf(subject) {
      const standing = live.find(({ rule }) => rule === subject)
      if (standing === undefined || old.has(standing.id)) {
        const over = standing === undefined ? '' : ` that supersedes ${standing.id}`
        return {
          message: 'no decision of this branch says so',
          fix: `add a decision${over} to ${file}: rule: ${quoted(subject)}, with its reason, author, and an approver who is another person`,
        }
      }
      if (standing.approved_by !== null) return null
      return {
        message: `${standing.id} decides so, but nobody has approved it`,
        fix: `let somebody other than ${standing.author} approve ${standing.id}: approved_by: "…"`,
      }
    },
  }
}

/** As YAML takes it: a path has characters that mean something there. */
function quoted(subject: string): string {
  return /^[\w $.*-]+$/.test(subject) ? subject : JSON.stringify(subject)
}
