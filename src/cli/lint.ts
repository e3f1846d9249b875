/** `lint`: contract, corpus, rules and decisions of a feature against each other, without running anything. */
import { type Finding, isNote, lint as lintFeature } from '../contract/lint.ts'
import { ParityError } from '../errors.ts'
import { pendingNames } from '../golden/accept.ts'
import { capturedOf } from '../pipeline/evidence.ts'
import { featureNames, readFeature } from '../pipeline/feature.ts'
import { type Arguments, type Command, EXIT_FINDINGS, EXIT_OK, printJson, type Terminal } from './command.ts'

/** A finding of lint, or a file that could not be read as what it should be, which hides what lies behind it. */
type Reported = {
  readonly feature: string
  /** A note fails nothing. */
  readonly level: 'error' | 'note'
  readonly message: string
  readonly fix: string
} & (
  | Pick<Finding, 'rule' | 'file'>
  | { readonly rule: ParityError['code']; readonly file: null }
)

function findingsOf(root: string, name: string): Reported[] {
  try {
    const feature = readFeature({ root, dirs: {}, feature: name })
    const { contract, cases, fixtures, rules, divergences, lab, paths } = feature
    const found = lintFeature({
      contract,
      cases: [...cases.values()],
      fixtures,
      ruleSet: rules,
      divergences,
      pending: pendingNames(paths.golden),
      labRevision: lab?.revision ?? null,
      labClock: lab?.clock ?? null,
      captured: capturedOf(feature),
    })
    return found.map(finding => ({ feature: name, level: isNote(finding) ? 'note' : 'error', ...finding }))
  } catch (error) {
    if (!(error instanceof ParityError) || error.code === 'PARITY_FEATURE_UNKNOWN') throw error
    const { code, fix } = error
    const message = error.message.slice(0, -`\nFix: ${fix}`.length).replaceAll(`${root}/`, '')
    return [{ feature: name, level: 'error', rule: code, file: null, message, fix }]
  }
}

function printed({ level, rule, file, message, fix }: Reported): string {
  return `${level === 'note' ? 'note: ' : ''}${file === null ? '' : `${file}: `}${message}  (${rule})\n  Fix: ${fix}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const names = args.positionals.length > 0 ? args.positionals : featureNames(terminal.cwd)
  if (names.length === 0) {
    const fix = 'change to the folder of the project, or begin here: npx vitest-parity init'
    throw new ParityError('PARITY_FEATURE_UNKNOWN', 'there is no feature under parity/ in this folder', fix)
  }
  const findings = names.flatMap(name => findingsOf(terminal.cwd, name))
  const errors = findings.filter(({ level }) => level === 'error')
  const notes = findings.length - errors.length
  if (args.json) printJson(terminal, { features: names, findings })
  else {
    for (const finding of findings) terminal.out(printed(finding))
    const counted = [count(errors.length, 'finding'), ...(notes > 0 ? [count(notes, 'note')] : [])].join(', ')
    terminal.out(`${counted} in ${names.join(', ')}`)
  }
  return errors.length > 0 ? EXIT_FINDINGS : EXIT_OK
}

export const lint: Command = {
  name: 'lint',
  summary: 'Hold contract, corpus, rules and decisions against each other',
  positionals: ['[feature...]'],
  options: {},
  example: 'npx vitest-parity lint forex',
  run,
}
