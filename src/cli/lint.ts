/** `lint`: contract, corpus, rules and decisions of a feature against each other, without running anything. */
import { join } from 'node:path'
import { type BaseFinding, baseFindings, isBaseNote, removedFeature } from '../contract/base.ts'
import { type Finding, isNote, lint as lintFeature } from '../contract/lint.ts'
import { ParityError } from '../errors.ts'
import { pendingNames } from '../golden/accept.ts'
import { type Base, decisionsLeft, openBase, sideAt, sideOf } from '../pipeline/base.ts'
import { capturedOf } from '../pipeline/evidence.ts'
import { type Feature, featureNames, readFeature } from '../pipeline/feature.ts'
import { labFault, lintLabOf } from '../pipeline/lab-facts.ts'
import { type Arguments, type Command, EXIT_FINDINGS, EXIT_OK, printJson, type Terminal } from './command.ts'

/** A finding of lint, or a file that could not be read as what it should be, which hides what lies behind it. */
type Reported = {
  readonly feature: string
  /** A note fails nothing. */
  readonly level: 'error' | 'note'
  readonly message: string
  readonly fix: string
} & (Pick<Finding | BaseFinding, 'rule' | 'file'> | { readonly rule: ParityError['code']; readonly file: null })

interface Looking {
  readonly root: string
  /** What the branch is held against; null when lint looks at the files as they are alone. */
  readonly base: Base | null
}

function findingsOf(name: string, { root, base }: Looking): Promise<Reported[]> {
  return reading(name, root, async () => {
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
      lab: lintLabOf(feature, root),
      captured: capturedOf(feature),
    })
    const own = found.map(finding => reported(name, finding, isNote(finding)))
    const fault = contract.lab === null || lab === null ? null : await labFault(join(paths.labs, contract.lab))
    if (fault !== null) own.push(unread(name, root, fault))
    return base === null ? own : [...own, ...(await againstBase(feature, base))]
  })
}

async function againstBase(feature: Feature, base: Base): Promise<Reported[]> {
  const { name } = feature
  const all = await reading(name, base.root, async () => {
    const found = baseFindings(sideAt(base, name), sideOf(feature))
    return found.map(finding => reported(name, finding, isBaseNote(finding)))
  })
  return all.map(each =>
    each.file === null ? { ...each, message: `at the base, ${base.commit.slice(0, 12)}: ${each.message}` } : each,
  )
}

/** Features that are gone, when all are looked at: a decision that stayed behind may say so. */
function goneFindings({ root, base }: Looking): Promise<Reported[]> {
  const now = featureNames(root)
  const gone = base?.features.filter(name => !now.includes(name)) ?? []
  return inTurn(gone, name =>
    reading(name, root, async () =>
      removedFeature(name, decisionsLeft(root, name)).map(finding => reported(name, finding, false)),
    ),
  )
}

async function inTurn(names: readonly string[], find: (name: string) => Promise<Reported[]>): Promise<Reported[]> {
  const found: Reported[] = []
  for (const name of names) found.push(...(await find(name)))
  return found
}

function reported(feature: string, finding: Finding | BaseFinding, note: boolean): Reported {
  return { feature, level: note ? 'note' : 'error', ...finding }
}

/** The findings of `read`; a file that cannot be read is one. */
async function reading(feature: string, root: string, read: () => Promise<Reported[]>): Promise<Reported[]> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ParityError) || error.code === 'PARITY_FEATURE_UNKNOWN') throw error
    return [unread(feature, root, error)]
  }
}

function unread(feature: string, root: string, { code, fix, message: whole }: ParityError): Reported {
  const message = whole.slice(0, -`\nFix: ${fix}`.length).replaceAll(`${root}/`, '')
  return { feature, level: 'error', rule: code, file: null, message, fix }
}

function printed({ level, rule, file, message, fix }: Reported): string {
  return `${level === 'note' ? 'note: ' : ''}${file === null ? '' : `${file}: `}${message}  (${rule})\n  Fix: ${fix}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const root = terminal.cwd
  using base = args.values.base === undefined ? null : openBase(root, args.values.base)
  const all = args.positionals.length === 0
  const names = all ? featureNames(root) : args.positionals
  const gone = all ? await goneFindings({ root, base }) : []
  if (names.length === 0 && gone.length === 0) {
    const fix = 'change to the folder of the project, or begin here: npx vitest-parity init'
    throw new ParityError('PARITY_FEATURE_UNKNOWN', 'there is no feature under parity/ in this folder', fix)
  }
  const findings = [...(await inTurn(names, name => findingsOf(name, { root, base }))), ...gone]
  const errors = findings.filter(({ level }) => level === 'error')
  const notes = findings.length - errors.length
  if (args.json) printJson(terminal, { features: names, ...(base === null ? {} : { base: base.commit }), findings })
  else {
    for (const finding of findings) terminal.out(printed(finding))
    const counted = [count(errors.length, 'finding'), ...(notes > 0 ? [count(notes, 'note')] : [])].join(', ')
    terminal.out(`${counted} in ${names.join(', ')}${base === null ? '' : ` against ${base.commit.slice(0, 12)}`}`)
  }
  return errors.length > 0 ? EXIT_FINDINGS : EXIT_OK
}

export const lint: Command = {
  name: 'lint',
  summary: 'Hold contract, corpus, rules and decisions against each other',
  positionals: ['[feature...]'],
  options: {
    base: {
      type: 'string',
      value: '<git ref>',
      summary: 'also fail on what this branch loosened or changed since it left that one, undecided',
    },
  },
  example: 'npx vitest-parity lint --base origin/main',
  run,
}
