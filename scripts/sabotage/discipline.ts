import type { Sabotage } from './sabotage.ts'

const LINT = ['src/contract/lint-discipline.test.ts']
const LOOSER = ['src/contract/looser.test.ts']
const BASE = ['test/lint-base.test.ts']

function blind(what: string, edit: Omit<Sabotage, 'name'>): Sabotage {
  return { name: `discipline ${what}`, ...edit }
}

/** What holds people to their decisions, taken away. */
export const DISCIPLINE: readonly Sabotage[] = [
  blind('approver: an author under capitals may approve', {
    file: 'src/core/people.ts',
    from: "return shown.toUpperCase().toLowerCase().replaceAll(/\\s+/g, ' ').trim()",
    to: 'return shown',
    tests: ['src/core/people.test.ts'],
  }),
  blind('rule-one-sided: one case shows both sides', {
    file: 'src/contract/lint-corpus.ts',
    from: 'spares.some(other => other !== one)',
    to: 'spares.length > 0',
    tests: LINT,
  }),
  blind('shortfall: a rung that the claim needs and that did not run is not said', {
    file: 'src/report/fold.ts',
    from: 'needs !== null && (rung === null || rung < needs)',
    to: "needs === 'L0'",
    tests: ['src/report/fidelity.test.ts'],
  }),
  blind('secret-shared: a principal takes a secret of the legacy', {
    file: 'src/contract/lint-lab.ts',
    from: 'name.startsWith(LEGACY)',
    to: 'name === LEGACY',
    tests: ['src/contract/lint-lab.test.ts'],
  }),
  blind('lab.lock.yaml: a pin counts for another image', {
    file: 'src/lab/lab-lock.ts',
    from: 'current.includes(name)',
    to: 'current.length >= 0 && name.length > 0',
    tests: ['src/lab/lab-lock.test.ts'],
  }),
  blind('loosening-untriggered: a list of one is in any order', {
    file: 'src/contract/lint-reach.ts',
    from: 'return Array.isArray(value) && value.length > 1',
    to: 'return Array.isArray(value)',
    tests: LINT,
  }),
  blind('rule-loosened: a larger bound is free', {
    file: 'src/contract/looser.ts',
    from: "return a.key === 'numeric_tolerance' && compareDecimals(a.eps ?? '0', b.eps ?? '0') > 0",
    to: 'return false',
    tests: LOOSER,
  }),
  blind('rule-removed: what is left of an exact rule is free', {
    file: 'src/contract/looser.ts',
    from: 'if (governing === null && isLooser(null, gone)) return true',
    to: 'if (governing === null) return false',
    tests: LOOSER,
  }),
  blind('rule-loosened: a decision that stood before decides', {
    file: 'src/contract/base-decisions.ts',
    from: 'if (standing === undefined || old.has(standing.id)) {',
    to: 'if (standing === undefined) {',
    tests: BASE,
  }),
  blind('rule-loosened: a decision needs no approval', {
    file: 'src/contract/base-decisions.ts',
    from: 'if (standing.approved_by !== null) return null',
    to: "if (standing.id !== '') return null",
    tests: BASE,
  }),
  blind('golden-changed: any line of the case accepts any payload', {
    file: 'src/contract/base-goldens.ts',
    from: 'each.case === name && each.to === id && !known.has(each.line)',
    to: 'each.case === name && !known.has(each.line) && id.length > 0',
    tests: BASE,
  }),
]
