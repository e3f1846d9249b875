/** `lint`: contract, corpus, rules and decisions of a feature against each other, without running anything. */
import { type Finding, lint as lintFeature } from '../contract/lint.ts'
import { ParityError } from '../errors.ts'
import { pendingNames } from '../golden/accept.ts'
import { featureNames, readFeature } from '../pipeline/feature.ts'
import { type Arguments, type Command, EXIT_FINDINGS, EXIT_OK, printJson, type Terminal } from './command.ts'

/** A finding of lint, or a file that could not be read as what it should be, which hides what lies behind it. */
type Reported = { readonly feature: string; readonly message: string; readonly fix: string } & (
  | Pick<Finding, 'rule' | 'file'>
  | { readonly rule: ParityError['code']; readonly file: null }
)

function findingsOf(root: string, name: string): Reported[] {
  try {
    const { contract, cases, fixtures, rules, divergences, lab, paths } = readFeature({ root, dirs: {}, feature: name })
    const found = lintFeature({
      contract,
      cases: [...cases.values()],
      fixtures,
      ruleSet: rules,
      divergences,
      pending: pendingNames(paths.golden),
      labRevision: lab?.revision ?? null,
    })
    return found.map(finding => ({ feature: name, ...finding }))
  } catch (error) {
    if (!(error instanceof ParityError) || error.code === 'PARITY_FEATURE_UNKNOWN') throw error
    const { code, fix } = error
    const message = error.message.slice(0, -`\nFix: ${fix}`.length).replaceAll(`${root}/`, '')
    return [{ feature: name, rule: code, file: null, message, fix }]
  }
}

function printed({ rule, file, message, fix }: Reported): string {
  return `${file === null ? '' : `${file}: `}${message}  (${rule})\n  Fix: ${fix}`
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const names = args.positionals.length > 0 ? args.positionals : featureNames(terminal.cwd)
  if (names.length === 0) {
    const fix = 'change to the folder of the project, or begin here: npx vitest-parity init'
    throw new ParityError('PARITY_FEATURE_UNKNOWN', 'there is no feature under parity/ in this folder', fix)
  }
  const findings = names.flatMap(name => findingsOf(terminal.cwd, name))
  if (args.json) printJson(terminal, { features: names, findings })
  else {
    for (const finding of findings) terminal.out(printed(finding))
    const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
    terminal.out(`${count} in ${names.join(', ')}`)
  }
  return findings.length > 0 ? EXIT_FINDINGS : EXIT_OK
}

export const lint: Command = {
  name: 'lint',
  summary: 'Hold contract, corpus, rules and decisions against each other',
  positionals: ['[feature...]'],
  options: {},
  example: 'npx vitest-parity lint forex',
  run,
}
