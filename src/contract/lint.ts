import type { DecidedDivergence } from '../core/divergences.ts'
import { nearest } from '../core/nearest.ts'
import { changesState, sendsMatch } from '../core/sends.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { FixtureSet } from '../golden/store.ts'
import { BUCKETS, type Case } from '../model.ts'
import { type Contract, sectionsOf } from './contract.ts'
import { distinctKey } from './distinct.ts'
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
  'section-invented': 'a case covers only sections that the contract has',
  buckets: 'there are cases in all four buckets',
  floor: 'there are enough distinct cases for the tier',
  'output-without-tolerance': 'every declared output and error field has a tolerance rule',
  'tolerance-without-output': 'every tolerance rule has a declared output or error field',
  'rule-without-decision': 'every rule that loosens has a decision',
  'decision-without-rule': 'every decision in force names a rule',
  'approved-by-author': 'nobody approves a decision of their own',
  revision: 'contract, lab and goldens are of one revision',
  'sends-missing': 'every request that changes state is listed',
  'sends-unused': 'only requests that a case sends are listed',
  'golden-without-input': 'every golden has its input',
  'input-without-golden': 'every input has its golden',
  'divergence-without-case': 'every decided divergence is of a case that exists',
  'payload-waits': 'no payload that the legacy changed waits to be accepted',
} as const

export interface Finding {
  readonly rule: keyof typeof LINT_RULES
  readonly file: string
  readonly message: string
  readonly fix: string
}

const FLOORS = { heavy: 30, standard: 10, trivial: 0 } as const
const REQUIRED_BUCKETS = BUCKETS.filter(bucket => bucket !== 'replay')

/** What is amiss between the files of a feature, in the order of `LINT_RULES` and then of the files. Pure. */
export function lint(input: LintInput): readonly Finding[] {
  const { feature } = input.contract
  const files: LintFiles = {
    contract: `parity/${feature}/contract.yaml`,
    inputs: `parity/${input.contract.inputsFrom}/inputs`,
    golden: `__golden__/${input.contract.fixturesFrom}`,
    tolerance: `tolerance/${feature}.yaml`,
    decisions: `tolerance/${feature}.rules.yaml`,
    divergences: `parity/${feature}/divergences.yaml`,
    ...input.files,
  }
  return [
    ...coverFindings(input, files),
    ...corpusFindings(input, files),
    ...toleranceFindings(input, files),
    ...decisionFindings(input.ruleSet, files),
    ...revisionFindings(input, files),
    ...sendsFindings(input, files),
    ...pairFindings(input, files),
    ...divergenceFindings(input, files),
    ...pendingFindings(input, files),
  ]
}

function coverFindings({ contract, cases }: LintInput, files: LintFiles): readonly Finding[] {
  const sections = sectionsOf(contract)
  const covered = new Set(cases.flatMap(c => c.covers))
  const uncovered = sections
    .filter(section => !covered.has(section) && contract.checkable[section.replace(/^outputs\./, '')] !== 'elsewhere')
    .map(
      (section): Finding => ({
        rule: 'section-uncovered',
        file: files.contract,
        message: `no case covers ${section}`,
        fix: `write an input with "covers": ["${section}"]`,
      }),
    )
  const invented = cases.flatMap(c =>
    c.covers
      .filter(section => !sections.includes(section))
      .map((section): Finding => {
        const near = nearest(section, sections)
        return {
          rule: 'section-invented',
          file: `${files.inputs}/${c.name}.json`,
          message: `it covers ${section}, which the contract does not have${near === null ? '' : `; did you mean ${near}?`}`,
          fix: near === null ? `declare ${section} in ${files.contract}, or remove it` : `write ${near}`,
        }
      }),
  )
  return [...uncovered, ...invented]
}

function corpusFindings({ contract, cases, fixtures }: LintInput, files: LintFiles): readonly Finding[] {
  if (contract.tier === 'trivial') return []
  const empty = REQUIRED_BUCKETS.filter(bucket => !cases.some(c => c.bucket === bucket)).map(
    (bucket): Finding => ({
      rule: 'buckets',
      file: files.inputs,
      message: `there is no case in the bucket ${bucket}`,
      fix: `write one, as ${files.inputs}/100-${bucket}-what-it-shows.json`,
    }),
  )
  const firstOf = new Map<string, string>()
  const copies: string[] = []
  for (const c of cases) {
    const read = fixtures.read(c.name)
    if (!read.ok) continue
    const key = distinctKey(c, read.fixture.observation)
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, c.name)
    else copies.push(`${c.name} (as ${first})`)
  }
  const floor = FLOORS[contract.tier]
  if (firstOf.size >= floor) return empty
  const near = copies.length === 0 ? '' : `; near-copies do not count: ${copies.join(', ')}`
  const few: Finding = {
    rule: 'floor',
    file: files.inputs,
    message: `the tier ${contract.tier} asks for ${floor} distinct recorded cases, there are ${firstOf.size}${near}`,
    fix: 'add cases of another route, status or shape, and record them',
  }
  return [...empty, few]
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
