/** `show`: what is known about a feature, or about one case of it, gathered from its files and the last report. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, prettyJson } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import type { Rule } from '../core/tolerance.ts'
import { ParityError } from '../errors.ts'
import { pendingNames } from '../golden/accept.ts'
import type { Verdict } from '../model.ts'
import { type Feature, PARITY_DIR, readFeature } from '../pipeline/feature.ts'
import { type Arguments, type Command, EXIT_OK, positional, type Terminal } from './command.ts'
import { lastVerdicts, verdictLines } from './last-report.ts'

/** The text of a JSON file, its numbers as written; `null` when there is none. What is no JSON any more is shown as a string. */
function jsonFile(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return 'null'
  }
  return parseJson(text).ok ? text : JSON.stringify(text)
}

/** A JSON object from texts that are JSON already: nothing of a golden is read and written anew. */
function objectOf(members: Readonly<Record<string, string>>): string {
  const written = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return prettyJson(`{${written.join(',')}}`)
}

function ruleShown({ key, selector, eps, text, id }: Rule) {
  return { rule: text, key, path: selector.text, bound: eps, decision: id }
}

function rulesText(feature: Feature): string {
  return JSON.stringify({
    id: feature.rules.id,
    headers: feature.rules.headers,
    rules: feature.rules.rules.map(ruleShown),
  })
}

function caseNames(feature: Feature): readonly string[] {
  return [...new Set([...feature.cases.keys(), ...feature.fixtures.names])].sort()
}

interface CaseFiles {
  readonly input: string
  readonly golden: string
}

function filesOf(feature: Feature, name: string, cwd: string): CaseFiles {
  return {
    input: jsonFile(join(cwd, PARITY_DIR, feature.contract.inputsFrom, 'inputs', `${name}.json`)),
    golden: jsonFile(join(feature.paths.golden, `${name}.json`)),
  }
}

function entriesOf(feature: Feature, name: string) {
  const manifest = feature.fixtures.manifest?.fixtures[name] ?? null
  const calibration = manifest === null ? null : (feature.calibration?.fixtures[manifest.id] ?? null)
  return { manifest, calibration }
}

function caseJson(feature: Feature, name: string, files: CaseFiles, verdict: Verdict | null): string {
  const { manifest, calibration } = entriesOf(feature, name)
  return objectOf({
    feature: JSON.stringify(feature.name),
    case: JSON.stringify(name),
    contract: JSON.stringify(feature.contract),
    input: files.input,
    rules: rulesText(feature),
    golden: files.golden,
    manifest: JSON.stringify(manifest),
    calibration: JSON.stringify(calibration),
    pending: JSON.stringify(isWaiting(feature, name)),
    verdict: JSON.stringify(verdict),
  })
}

function caseLines(feature: Feature, name: string, files: CaseFiles, verdict: Verdict | null): string[] {
  const { manifest, calibration } = entriesOf(feature, name)
  const covers = feature.cases.get(name)?.covers ?? []
  const read = feature.fixtures.read(name)
  return [
    `${feature.name} ${name}`,
    '',
    `covers       ${covers.join(', ') || 'nothing that it names'}`,
    `recorded     ${manifest === null ? 'never' : `${manifest.frozen} at ${manifest.revision}, ${manifest.id}`}`,
    ...(read.ok ? [] : [`             ${read.fault.reason}: ${read.fault.message}`]),
    ...(isWaiting(feature, name) ? [`pending      another payload waits: ${acceptLine(feature, name)}`] : []),
    `calibration  ${
      calibration === null
        ? 'none'
        : `${calibration.captures} captures on ${calibration.captured}, noise at ${
            [...new Set(calibration.noise.map(noise => noise.path))].join(', ') || 'no place'
          }`
    }`,
    '',
    'input',
    indented(files.input === 'null' ? 'none' : prettyJson(files.input)),
    'golden',
    indented(files.golden === 'null' ? 'none' : prettyJson(files.golden)),
    'rules',
    ...ruleLines(feature, verdict),
    '',
    'last verdict',
    ...(verdict === null ? ['none: npx vitest run --project parity'] : verdictLines(verdict)).map(line => `  ${line}`),
  ]
}

function isWaiting(feature: Feature, name: string): boolean {
  return pendingNames(feature.paths.golden).includes(name)
}

function acceptLine(feature: Feature, name: string): string {
  return `npx vitest-parity accept ${feature.contract.fixturesFrom} ${name} --reason "…" --author "…"`
}

function ruleLines(feature: Feature, verdict: Verdict | null): string[] {
  if (feature.rules.rules.length === 0) return ['  none: everything is compared by value']
  return feature.rules.rules.map(rule => {
    const use = verdict?.ruleUses.find(each => each.rule === rule.text)
    const used = use === undefined ? '' : `  selected ${use.selected}, hid ${use.hid}`
    return `  ${rule.text}${rule.eps === null ? '' : `: ${rule.eps}`}${rule.id === null ? '' : `  ${rule.id}`}${used}`
  })
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `  ${line}`)
    .join('\n')
}

function featureLines(feature: Feature, verdicts: readonly Verdict[]): string[] {
  const { contract } = feature
  const states = new Map(verdicts.map(verdict => [verdict.case, verdict.state]))
  const waiting = new Set(pendingNames(feature.paths.golden))
  return [
    `${feature.name}  (lab ${contract.lab ?? 'none'}, revision ${contract.revision}, tier ${contract.tier}, reset ${contract.reset})`,
    '',
    'rules',
    ...ruleLines(feature, null),
    '',
    'cases',
    ...caseNames(feature).map(
      name => `  ${name}  ${states.get(name) ?? 'no verdict yet'}${waiting.has(name) ? '  pending' : ''}`,
    ),
  ]
}

function requireCase(feature: Feature, name: string): void {
  const names = caseNames(feature)
  if (names.includes(name)) return
  const near = nearest(name, names)
  throw new ParityError(
    'PARITY_CASE_UNKNOWN',
    `${feature.name} has no case ${JSON.stringify(name)}`,
    near === null ? `see them: npx vitest-parity show ${feature.name}` : `did you mean ${near}?`,
  )
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const feature = readFeature({ root: terminal.cwd, dirs: {}, feature: positional(args, 0, 'feature') })
  const verdicts = lastVerdicts(terminal.cwd).filter(verdict => verdict.feature === feature.name)
  const name = args.positionals[1]
  if (name === undefined) {
    const json = () =>
      objectOf({
        feature: JSON.stringify(feature.name),
        contract: JSON.stringify(feature.contract),
        rules: rulesText(feature),
        cases: JSON.stringify(caseNames(feature)),
      })
    terminal.out(args.json ? json() : featureLines(feature, verdicts).join('\n'))
    return EXIT_OK
  }
  requireCase(feature, name)
  const verdict = verdicts.find(each => each.case === name) ?? null
  const files = filesOf(feature, name, terminal.cwd)
  terminal.out(
    args.json ? caseJson(feature, name, files, verdict) : caseLines(feature, name, files, verdict).join('\n'),
  )
  return EXIT_OK
}

export const show: Command = {
  name: 'show',
  summary: 'Show the contract, rules, golden, calibration and last verdict of a case',
  positionals: ['<feature>', '[case]'],
  options: {},
  example: 'npx vitest-parity show forex 010-error-unknown-currency',
  run,
}
