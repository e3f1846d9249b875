import { nearest } from '../core/nearest.ts'
import { BUCKETS, type Case, type Observation, type StepObservation } from '../model.ts'
import { sectionsOf } from './contract.ts'
import { distinctKey, routeOf } from './distinct.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'

const FLOORS = { heavy: 30, standard: 10, trivial: 0 } as const
const REQUIRED_BUCKETS = BUCKETS.filter(bucket => bucket !== 'replay')
/** Marks a case that shows where a rule of the contract does not apply: `rules.RULE-001:not`. */
const NOT = ':not'

/** Sections without a case, cases about no section, and rules of which only one side is shown. */
export function coverFindings({ contract, cases }: LintInput, files: LintFiles): readonly Finding[] {
  const sections = sectionsOf(contract)
  const rules = Object.keys(contract.rules).map(rule => `rules.${rule}`)
  const coverable = [...sections, ...rules.map(rule => rule + NOT)]
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
      .filter(section => !coverable.includes(section))
      .map((section): Finding => {
        const near = nearest(section, coverable)
        return {
          rule: 'section-invented',
          file: `${files.inputs}/${c.name}.json`,
          message: `it covers ${section}, which the contract does not have${near === null ? '' : `; did you mean ${near}?`}`,
          fix: near === null ? `declare ${section} in ${files.contract}, or remove it` : `write ${near}`,
        }
      }),
  )
  const idle = cases
    .filter(c => c.covers.length === 0 && c.bucket !== 'replay')
    .map(
      ({ name }): Finding => ({
        rule: 'case-without-section',
        file: `${files.inputs}/${name}.json`,
        message: 'it covers no section of the contract',
        fix: `add "covers": ["…"] with what it shows (${sections.slice(0, 3).join(', ')}…), or remove the case`,
      }),
    )
  const oneSided = rules.filter(rule => covered.has(rule) && !showsBothSides(rule, cases))
  return [...uncovered, ...oneSided.map(rule => oneSidedFinding(rule, files)), ...invented, ...idle]
}

/** Whether one case shows the rule and another one where it does not apply. */
function showsBothSides(rule: string, cases: readonly Case[]): boolean {
  const applies = cases.filter(c => c.covers.includes(rule))
  const spares = cases.filter(c => c.covers.includes(rule + NOT))
  return applies.some(one => spares.some(other => other !== one))
}

function oneSidedFinding(rule: string, files: LintFiles): Finding {
  return {
    rule: 'rule-one-sided',
    file: files.contract,
    message: `no case shows where ${rule} does not apply`,
    fix: `write "covers": ["${rule}${NOT}"] in a case just beyond it`,
  }
}

/** Buckets, floor of the tier, and a corpus whose cases are too much alike. */
export function corpusFindings(input: LintInput, files: LintFiles): readonly Finding[] {
  const { contract, cases } = input
  if (contract.tier === 'trivial') return []
  const empty = REQUIRED_BUCKETS.filter(bucket => !cases.some(c => c.bucket === bucket)).map(
    (bucket): Finding => ({
      rule: 'buckets',
      file: files.inputs,
      message: `there is no case in the bucket ${bucket}`,
      fix: `write one, as ${files.inputs}/100-${bucket}-what-it-shows.json`,
    }),
  )
  const recorded = recordedOf(input)
  const { distinct, copies } = distinguished(recorded)
  const few = fewFinding(distinct, { copies, tier: contract.tier }, files)
  return [...empty, ...(few === null ? [] : [few]), ...alikeFindings(recorded, files)]
}

interface Recorded {
  readonly c: Case
  readonly observation: Observation
}

function recordedOf({ cases, fixtures }: LintInput): readonly Recorded[] {
  return cases.flatMap(c => {
    const read = fixtures.read(c.name)
    return read.ok ? [{ c, observation: read.fixture.observation }] : []
  })
}

function distinguished(recorded: readonly Recorded[]): { readonly distinct: number; readonly copies: string[] } {
  const firstOf = new Map<string, string>()
  const copies: string[] = []
  for (const { c, observation } of recorded) {
    const key = distinctKey(c, observation)
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, c.name)
    else copies.push(`${c.name} (as ${first})`)
  }
  return { distinct: firstOf.size, copies }
}

function fewFinding(
  distinct: number,
  { copies, tier }: { readonly copies: readonly string[]; readonly tier: keyof typeof FLOORS },
  files: LintFiles,
): Finding | null {
  const floor = FLOORS[tier]
  if (distinct >= floor) return null
  const near = copies.length === 0 ? '' : `; near-copies do not count: ${copies.join(', ')}`
  return {
    rule: 'floor',
    file: files.inputs,
    message: `the tier ${tier} asks for ${floor} distinct recorded cases, there are ${distinct}${near}`,
    fix: 'add cases of another route, status or shape, and record them',
  }
}

/** Traffic that was recorded as it came (`replay`) repeats itself, and is left out. */
function alikeFindings(recorded: readonly Recorded[], files: LintFiles): readonly Finding[] {
  const written = recorded.filter(({ c }) => c.bucket !== 'replay')
  if (written.length < 2) return []
  const found: Finding[] = []
  const add = (rule: Finding['rule'], message: string, fix: string) =>
    found.push({ rule, file: files.inputs, message, fix })
  const { copies } = distinguished(written)
  if (copies.length * 2 > written.length) {
    const message = `${copies.length} of ${written.length} cases are near-copies: they differ in values alone`
    add('corpus-alike', message, 'replace them by cases of another route, status or shape')
  }
  const answers = new Set(written.flatMap(({ observation }) => observation.map(outcomeOf)))
  const [only] = answers
  if (answers.size === 1 && only !== undefined) {
    const message = `every step of every case ends alike: ${only}`
    add('corpus-one-answer', message, 'add cases that the legacy refuses, unless it never does')
  }
  const asked = written.flatMap(({ c }) => c.steps.map(({ request }) => request))
  const routes = new Set(
    asked.flatMap(request => (request === undefined ? [] : [`${request.method} ${routeOf(request)}`])),
  )
  const [route] = routes
  if (routes.size === 1 && route !== undefined && asked.every(request => request !== undefined)) {
    add('corpus-one-route', `every request is a ${route}`, 'add cases of its other methods and of routes beside it')
  }
  return found
}

function outcomeOf(seen: StepObservation): string {
  switch (seen.kind) {
    case 'response':
      return `status ${seen.response.status}`
    case 'output':
      return 'an output'
    case 'threw':
      return 'an error'
    case 'command':
      return `exit ${seen.exit}`
    default:
      return seen satisfies never
  }
}
