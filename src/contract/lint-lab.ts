import type { Fidelity } from '../lab/rung.ts'
import type { Contract } from './contract.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'

/** What lint looks at of the lab that a contract names. */
export interface LintLab {
  /** Its lab.yaml, as findings name it. */
  readonly file: string
  readonly id: string
  readonly fidelity: Fidelity
  readonly services: readonly string[]
  /** The services whose image lab.lock.yaml does not hold; none of a lab of processes. */
  readonly unpinned: readonly string[]
}

/** Before the name of a secret that is the legacy's. */
const LEGACY = 'LEGACY_'

/**
 * What a lab leaves unsaid, and where legacy and candidate could share a secret:
 * 1. the rung that the claim needs is the one that the lab comes to, or a lower one;
 * 2. it says what it does not show;
 * 3. of several services it says what those are that are not asked;
 * 4. every image is pinned (a note: it is pinned on a machine with an engine);
 * 5. a credential of a principal is not taken from a variable of the legacy.
 */
export function labFindings({ contract, lab = null }: LintInput, files: LintFiles): readonly Finding[] {
  return [...(lab === null ? [] : ownFindings(lab)), ...secretFindings(contract, files)]
}

function ownFindings({ file, id, fidelity, services, unpinned }: LintLab): readonly Finding[] {
  const { needs, rung, gaps, boundaries } = fidelity
  const found: Finding[] = []
  // rungs are named so that their names sort as they rank
  if (needs !== null && rung < needs) {
    const message = `the claim needs ${needs}, and the lab comes to ${rung}`
    const fix =
      'boot what is missing and say it under boundaries:, or claim less: docs/lab-file.md, "The fidelity ladder"'
    found.push({ rule: 'lab-rung', file, message, fix })
  }
  if (gaps.length === 0) {
    const message = 'no gaps: it says of nothing that it is not shown'
    found.push({
      rule: 'lab-gaps',
      file,
      message,
      fix: 'write what the real environment has and this one has not: gaps:',
    })
  }
  if (services.length > 1 && boundaries.every(({ service }) => service === null)) {
    const message = `${services.length} services (${services.join(', ')}), and no boundary says what one of them stands for`
    const fix = 'boundaries: [{ name: database, mode: ephemeral-real, service: db, version: …, reason: … }]'
    found.push({ rule: 'lab-boundaries', file, message, fix })
  }
  if (unpinned.length > 0) {
    const message = `lab.lock.yaml does not hold the image of ${unpinned.join(', ')}: another one may come tomorrow`
    found.push({
      rule: 'lab-unpinned',
      file,
      message,
      fix: `npx vitest-parity lab pin ${id}, and commit lab.lock.yaml`,
    })
  }
  return found
}

function secretFindings({ principals }: Contract, files: LintFiles): readonly Finding[] {
  return Object.entries(principals).flatMap(([who, principal]) => {
    const variables = 'env' in principal ? [principal.env] : variablesOf(principal.login.request)
    return variables
      .filter(name => name.startsWith(LEGACY))
      .map((name): Finding => {
        const message = `${who} takes a credential from ${name}, and ${LEGACY}… are the secrets of the legacy alone`
        const fix = `give it a name of its own, as PARITY_${name.slice(LEGACY.length)}`
        return { rule: 'secret-shared', file: files.contract, message, fix }
      })
  })
}

/** The variables of the environment that a login sends. */
function variablesOf(request: unknown): readonly string[] {
  const found = JSON.stringify(request).matchAll(/\{\{env\.([A-Za-z_][A-Za-z0-9_]*)\}\}/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}
