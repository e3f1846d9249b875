import { type Captured, evidenceOf } from '../core/evidence.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { Finding, LintFiles } from './lint.ts'

const PLACES_SHOWN_MAX = 10

/**
 * Decisions that name the control as their evidence, of rules that also select places where no two captures ever differed.
 * A feature without captures shows nothing either way.
 */
export function evidenceFindings(
  { rules, decisions }: RuleSet,
  captured: readonly Captured[],
  files: Pick<LintFiles, 'decisions'>,
): readonly Finding[] {
  const evidence = evidenceOf(captured)
  return rules.flatMap((rule): readonly Finding[] => {
    const decision = decisions.find(({ id }) => id === rule.id)
    if (decision === undefined || decision.evidence.trim().toLowerCase() !== 'control') return []
    const { noisy, stable } = evidence.governedBy(rule, rules)
    if (stable.length === 0) return []
    const narrow = noisy.length === 0 ? `remove \`${rule.text}\`` : `narrow \`${rule.text}\` to ${listOf(noisy)}`
    return [
      {
        rule: 'evidence-not-noisy',
        file: files.decisions,
        message: `${decision.id} says \`evidence: control\`, and the legacy never differed from itself at ${listOf(stable)}`,
        fix: `${narrow}; or supersede ${decision.id}, with the record of a decision as its evidence`,
      },
    ]
  })
}

function listOf(places: readonly string[]): string {
  const shown = places.slice(0, PLACES_SHOWN_MAX)
  if (places.length > shown.length) shown.push(`${places.length - shown.length} more`)
  return shown.join(', ')
}
