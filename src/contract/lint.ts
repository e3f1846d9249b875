import type { DecidedDivergence } from '../core/divergences.ts'
import type { Captured } from '../core/evidence.ts'
import { nearest } from '../core/nearest.ts'
import { changesState, sendsMatch } from '../core/sends.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { FixtureSet } from '../golden/store.ts'
import type { Case } from '../model.ts'
import type { Contract } from './contract.ts'
import { corpusFindings, coverFindings } from './lint-corpus.ts'
import { evidenceFindings } from './lint-evidence.ts'
import { type LintLab, labFindings } from './lint-lab.ts'
import { reachFindings } from './lint-reach.ts'
import { recipeFindings } from './lint-recipes.ts'
import { stepFindings } from './lint-steps.ts'
import { decisionFindings, toleranceFindings } from './lint-tolerance.ts'

export interface LintInput {
  readonly contract: Contract
  readonly cases: readonly Case[]
  readonly fixtures: FixtureSet
  readonly ruleSet: RuleSet
  readonly divergences: readonly DecidedDivergence[]
  /** Names of the cases whose changed payload waits in `pending/`. */
  readonly pending: readonly string[]
  /** The revision of the lab that the contract names; null when there is no such lab, or it names none. */
  readonly labRevision: string | null
  /** The instant that its clock stands at. Default: it names none. */
  readonly labClock?: string | null
  /** The lab itself. Default: it is not looked at. */
  readonly lab?: LintLab | null
  /** The goldens that were captured twice, with what differed. Default: none. */
  readonly captured?: readonly Captured[]
  /** The names of the files in findings. Default: the usual places. */
  readonly files?: Partial<LintFiles>
}

export interface LintFiles {
  readonly contract: string
  readonly inputs: string
  readonly golden: string
  readonly tolerance: string
  readonly decisions: string
  readonly divergences: string
}

export const LINT_RULES = {
  'section-uncovered': 'every section of the contract is covered by a case',
  'rule-one-sided': 'every rule of the contract has a case where it applies, and one where it does not',
  'section-invented': 'a case covers only sections that the contract has',
  'case-without-section': 'every case covers a section of the contract',
  buckets: 'there are cases in all four buckets',
  floor: 'there are enough distinct cases for the tier',
  'corpus-alike': 'at most half of the cases are near-copies',
  'corpus-one-answer': 'not every step of every case ends alike',
  'corpus-one-route': 'not every request has one method and route',
  'binding-unbound': 'a step uses only names that an earlier step binds',
  'binding-unused': 'every binding is used, or its value comes back in a later answer',
  'principal-unknown': 'a step calls only as somebody whom the contract names',
  'output-without-tolerance': 'every declared output and error field has a tolerance rule',
  'tolerance-without-output': 'every tolerance rule has a declared output or error field',
  'rule-without-decision': 'every rule that loosens has a decision',
  'decision-without-rule': 'every decision in force names a rule',
  'evidence-not-noisy': 'a decision with `evidence: control` covers only places where the legacy differed from itself',
  'loosening-untriggered': 'every rule that loosens does so in a golden',
  'loosening-everywhere': 'every rule that loosens leaves something of a golden alone',
  revision: 'contract, lab and goldens are of one revision',
  'sends-missing': 'every request that changes state is listed',
  'sends-unused': 'only requests that a case sends are listed',
  'golden-without-input': 'every golden has its input',
  'input-without-golden': 'every input has its golden',
  'divergence-without-case': 'every decided divergence is of a case that exists',
  'payload-waits': 'no payload that the legacy changed waits to be accepted',
  'state-unseen': 'where state is put back, a case of several steps looks at what it changed',
  'state-kept': 'where requests may change state, it is put back',
  'recipe-replay': 'a heavy feature has traffic as it came',
  'recipe-properties': 'a function has invariants',
  'clock-one': 'a case runs at another instant than the clock of the lab',
  'lab-rung': 'a lab comes to the rung that its claim needs',
  'lab-gaps': 'a lab says what it does not show',
  'lab-boundaries': 'a lab of several services says what they stand for',
  'lab-unpinned': 'every image of a lab is pinned',
  'secret-shared': 'the legacy shares no secret with anybody',
} as const

/** What a reader should know, and what cannot be judged from files alone. A note fails nothing. */
const NOTES: readonly (keyof typeof LINT_RULES)[] = [
  'corpus-one-answer',
  'corpus-one-route',
  'state-kept',
  'recipe-replay',
  'recipe-properties',
  'clock-one',
  'lab-unpinned',
]

export function isNote({ rule }: Pick<Finding, 'rule'>): boolean {
  return NOTES.includes(rule)
}

export interface Finding {
  readonly rule: keyof typeof LINT_RULES
  readonly file: string
  readonly message: string
  readonly fix: string
}

/** What is amiss between the files of a feature, in the order of `LINT_RULES` and then of the files. Pure. */
export function lint(input: LintInput): readonly Finding[] {
  const files = lintFiles(input.contract, input.files ?? {})
  return [
    ...coverFindings(input, files),
    ...corpusFindings(input, files),
    ...stepFindings(input, files),
    ...toleranceFindings(input, files),
    ...decisionFindings(input.ruleSet, files),
    ...evidenceFindings(input.ruleSet, input.captured ?? [], files),
    ...reachFindings(input, files),
    ...revisionFindings(input, files),
    ...sendsFindings(input, files),
    ...pairFindings(input, files),
    ...divergenceFindings(input, files),
    ...pendingFindings(input, files),
    ...recipeFindings(input, files),
    ...labFindings(input, files),
  ]
}

/** The names of the files of a feature in findings: the usual places, unless others are given. */
export function lintFiles({ feature, inputsFrom, fixturesFrom }: Contract, given: Partial<LintFiles>): LintFiles {
  return {
    contract: `parity/${feature}/contract.yaml`,
    inputs: `parity/${inputsFrom}/inputs`,
    golden: `__golden__/${fixturesFrom}`,
    tolerance: `tolerance/${feature}.yaml`,
    decisions: `tolerance/${feature}.rules.yaml`,
    divergences: `parity/${feature}/divergences.yaml`,
    ...given,
  }
}

function revisionFindings({ contract, fixtures, labRevision }: LintInput, files: LintFiles): readonly Finding[] {
  const findings: Finding[] = []
  const add = (file: string, message: string, fix: string) => findings.push({ rule: 'revision', file, message, fix })
  if (contract.lab !== null && labRevision === null) {
    add(files.contract, `there is no lab ${contract.lab}`, `correct \`lab\`, or write labs/${contract.lab}/lab.yaml`)
  } else if (labRevision !== null && labRevision !== contract.revision) {
    const message = `the contract pins ${contract.revision}, the lab ${contract.lab} is at ${labRevision}`
    add(files.contract, message, `pin ${labRevision} and record again, or put the lab back`)
  }
  const moved = Object.entries(fixtures.manifest?.fixtures ?? {}).filter(
    ([, entry]) => entry.revision !== contract.revision,
  )
  if (moved.length > 0) {
    const names = moved.map(([name]) => name).join(', ')
    const message = `recorded at another revision than ${contract.revision}: ${names}`
    add(`${files.golden}/manifest.json`, message, `npx vitest-parity record ${contract.feature}`)
  }
  return findings
}

function sendsFindings({ contract, cases }: LintInput, files: LintFiles): readonly Finding[] {
  const sent = cases.flatMap(c => c.steps.flatMap(({ request }) => (request === undefined ? [] : [{ c, request }])))
  const changing = sent.filter(({ request }) => changesState(request))
  const missing = changing
    .filter(({ request }) => !contract.sends.some(entry => sendsMatch(entry, request)))
    .map(({ c, request }): Finding => {
      const line = `${request.method} ${request.path.split('?', 1)[0]}`
      return {
        rule: 'sends-missing',
        file: files.contract,
        message: `${c.name} sends ${line}, which is not listed`,
        fix: `add \`${line}\` to sends, when the lab and the candidate may be changed by it`,
      }
    })
  const unused = contract.sends
    .filter(entry => !changing.some(({ request }) => sendsMatch(entry, request)))
    .map(
      (entry): Finding => ({
        rule: 'sends-unused',
        file: files.contract,
        message: `no case sends ${entry}, or it changes no state`,
        fix: `remove \`${entry}\` from sends`,
      }),
    )
  return [...missing, ...unused]
}

function pairFindings({ contract, cases, fixtures }: LintInput, files: LintFiles): readonly Finding[] {
  const inputs = new Set(cases.map(c => c.name))
  const orphans = fixtures.names
    .filter(name => !inputs.has(name))
    .map(
      (name): Finding => ({
        rule: 'golden-without-input',
        file: `${files.golden}/${name}.json`,
        message: `there is no input ${name}`,
        fix: `restore ${files.inputs}/${name}.json, or remove the golden and its line of the manifest`,
      }),
    )
  const unrecorded = cases
    .filter(c => {
      const read = fixtures.read(c.name)
      return !read.ok && read.fault.reason === 'no-fixture'
    })
    .map(
      ({ name }): Finding => ({
        rule: 'input-without-golden',
        file: `${files.inputs}/${name}.json`,
        message: 'it was never recorded',
        fix: `npx vitest-parity record ${contract.feature} ${name}`,
      }),
    )
  return [...orphans, ...unrecorded]
}

/** A run looks at the decisions of the cases that it selects: one of a case that does not exist would never be stale. */
function divergenceFindings({ cases, fixtures, divergences }: LintInput, files: LintFiles): readonly Finding[] {
  const names = [...new Set([...cases.map(c => c.name), ...fixtures.names])]
  return divergences
    .filter(entry => !names.includes(entry.case))
    .map((entry): Finding => {
      const near = nearest(entry.case, names)
      return {
        rule: 'divergence-without-case',
        file: files.divergences,
        message: `${entry.id} decides a divergence of ${entry.case}, which does not exist`,
        fix: near === null ? `remove ${entry.id}` : `write \`case: ${near}\`, or remove ${entry.id}`,
      }
    })
}

function pendingFindings({ contract, pending }: LintInput, files: LintFiles): readonly Finding[] {
  return pending.map(
    (name): Finding => ({
      rule: 'payload-waits',
      file: `${files.golden}/pending/${name}.json`,
      message: 'the legacy answered otherwise than its golden says',
      fix: `npx vitest-parity accept ${contract.fixturesFrom} ${name} --reason "…" --author "…", or delete it`,
    }),
  )
}
