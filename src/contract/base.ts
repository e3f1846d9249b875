import type { Decision } from '../core/decisions.ts'
import { type DecidedDivergence, divergenceSubject } from '../core/divergences.ts'
import type { RuleSet } from '../core/tolerance.ts'
import type { AcceptedLine } from '../golden/accept.ts'
import type { Calibration } from '../golden/manifest.ts'
import type { FixtureSet } from '../golden/store.ts'
import type { Case } from '../model.ts'
import { contractMoves } from './base-contract.ts'
import { type Decider, deciderOf } from './base-decisions.ts'
import { goldenFindings } from './base-goldens.ts'
import type { Contract } from './contract.ts'
import { type LintFiles, lintFiles } from './lint.ts'
import { loosens } from './lint-tolerance.ts'
import { loosenedRules } from './looser.ts'

export const BASE_RULES = {
  'golden-changed': 'every changed golden was accepted, by name and with a reason',
  'case-removed': 'no case and no golden goes without a decision',
  'entry-changed': 'the manifest says of an unchanged golden what it said before',
  'calibration-changed': 'the calibration says of an unchanged golden what it said before, or more that rules cover',
  'rule-loosened': 'every added or loosened rule has a decision of this branch, approved by another person',
  'rule-removed': 'every rule whose place is compared less strictly without it has such a decision',
  'contract-loosened': 'every weaker promise of the contract has such a decision',
  'divergence-added': 'every added decided divergence is approved',
  'history-changed': 'what was decided or accepted stands as it was written',
  'feature-removed': 'no feature goes without a decision',
  'sends-added': 'no request that changes state is added',
} as const

export interface BaseFinding {
  readonly rule: keyof typeof BASE_RULES
  readonly file: string
  readonly message: string
  readonly fix: string
}

/** Whether a finding only says what a reader of the change should know. */
export function isBaseNote({ rule }: Pick<BaseFinding, 'rule'>): boolean {
  return rule === 'sends-added'
}

/** What is written down about a feature at one time. */
export interface Side {
  readonly contract: Contract
  readonly cases: ReadonlyMap<string, Case>
  readonly fixtures: FixtureSet
  readonly calibration: Calibration | null
  readonly ruleSet: RuleSet
  readonly divergences: readonly DecidedDivergence[]
  /** The history of acceptance, as far as its lines can be read. */
  readonly accepted: readonly AcceptedLine[]
}

/**
 * What a branch changed so that less is proven than before, and no decision of the branch says so. `before` is null for a
 * feature that is new: all its loosening rules are added. To compare more strictly, or more, is free. Pure.
 */
export function baseFindings(before: Side | null, after: Side, names: Partial<LintFiles> = {}): readonly BaseFinding[] {
  const files = lintFiles(after.contract, names)
  const decider = deciderOf(before?.ruleSet.decisions ?? [], after.ruleSet.decisions, files.decisions)
  return [
    ...(before === null ? [] : goldenFindings(before, after, { files, decider })),
    ...ruleFindings(before, after, { files, decider }),
    ...(before === null ? [] : contractFindings(before, after, { files, decider })),
    ...divergenceFindings(before, after, files),
    ...(before === null ? [] : historyFindings(before, after, files)),
  ]
}

/** A feature of the base that is gone, unless a decision that it left behind says so. */
export function removedFeature(name: string, decisions: readonly Decision[]): readonly BaseFinding[] {
  const file = `tolerance/${name}.rules.yaml`
  const lack = deciderOf([], decisions, file).lackOf(`feature ${name}`)
  if (lack === null) return []
  const message = `the feature ${name} is gone, and ${lack.message}`
  return [
    { rule: 'feature-removed', file: `parity/${name}/contract.yaml`, message, fix: `put it back, or ${lack.fix}` },
  ]
}

export interface Judging {
  readonly files: LintFiles
  readonly decider: Decider
}

function ruleFindings(before: Side | null, after: Side, { files, decider }: Judging): readonly BaseFinding[] {
  const old = before?.ruleSet.rules ?? []
  const { added, removed } =
    before === null
      ? { added: after.ruleSet.rules.filter(loosens), removed: [] }
      : loosenedRules(old, after.ruleSet.rules)
  const fresh = added.flatMap((rule): BaseFinding[] => {
    const lack = decider.lackOf(rule.text)
    if (lack === null) return []
    const known = old.find(({ text }) => text === rule.text)
    const what = known === undefined ? 'is added' : `has the bound ${rule.eps} in place of ${known.eps}`
    const file = `${files.tolerance}:${rule.line}:${rule.column}`
    return [{ rule: 'rule-loosened', file, message: `\`${rule.text}\` ${what}, and ${lack.message}`, fix: lack.fix }]
  })
  const gone = removed.flatMap((rule): BaseFinding[] => {
    const lack = decider.lackOf(`without ${rule.text}`)
    if (lack === null) return []
    const message = `\`${rule.text}\` is gone, its place is compared less strictly, and ${lack.message}`
    return [{ rule: 'rule-removed', file: files.tolerance, message, fix: `put it back, or ${lack.fix}` }]
  })
  return [...fresh, ...gone]
}

function contractFindings(before: Side, after: Side, { files, decider }: Judging): readonly BaseFinding[] {
  const weaker = contractMoves(before, after).flatMap(({ key, what }): BaseFinding[] => {
    const lack = decider.lackOf(`contract ${key}`)
    if (lack === null) return []
    const message = `${what}, and ${lack.message}`
    return [{ rule: 'contract-loosened', file: files.contract, message, fix: `put it back, or ${lack.fix}` }]
  })
  const sends = after.contract.sends.filter(entry => !before.contract.sends.includes(entry))
  const widened = sends.map(
    (entry): BaseFinding => ({
      rule: 'sends-added',
      file: files.contract,
      message: `${entry} may now be sent, and change state`,
      fix: 'make sure that lab and candidate may be changed by it',
    }),
  )
  return [...weaker, ...widened]
}

function divergenceFindings(before: Side | null, after: Side, files: LintFiles): readonly BaseFinding[] {
  const known = new Set(before?.divergences.map(divergenceSubject))
  return after.divergences
    .filter(entry => entry.approved_by === null && !known.has(divergenceSubject(entry)))
    .map(
      (entry): BaseFinding => ({
        rule: 'divergence-added',
        file: files.divergences,
        message: `${entry.id} decides ${entry.kind} at ${entry.path} of ${entry.case}, and nobody has approved it`,
        fix: `let somebody other than ${entry.author} approve it: approved_by: "…"`,
      }),
    )
}

/** Decisions and acceptances are only ever added; who approves one may be filled in later. */
function historyFindings(before: Side, after: Side, files: LintFiles): readonly BaseFinding[] {
  const stands = new Map(after.ruleSet.decisions.map(decision => [decision.id, decision]))
  const rules = new Set(after.ruleSet.rules.map(({ text }) => text))
  const edited = before.ruleSet.decisions.filter(old => {
    const now = stands.get(old.id)
    if (now === undefined) return rules.has(old.rule)
    const signed = old.approved_by === null || old.approved_by === now.approved_by
    const same = (['rule', 'reason', 'evidence', 'author', 'supersedes'] as const).every(key => old[key] === now[key])
    return !(signed && same)
  })
  const lines = new Set(after.accepted.map(({ line }) => line))
  const lost = before.accepted.filter(({ line }) => !lines.has(line))
  return [
    ...edited.map(
      ({ id }): BaseFinding => ({
        rule: 'history-changed',
        file: files.decisions,
        message: `${id} does not stand as it was written`,
        fix: `put it back, and add a decision with supersedes: ${id}`,
      }),
    ),
    ...lost.map(
      (each): BaseFinding => ({
        rule: 'history-changed',
        file: `${files.golden}/accepted.ndjson`,
        message: `the line that accepted ${each.case} at ${each.at} is gone`,
        fix: 'put it back: lines are only added',
      }),
    ),
  ]
}
