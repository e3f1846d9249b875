import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { canonicalText, sha256 } from '../core/canonical.ts'
import { queryJson } from '../core/query.ts'
import { parseSelector } from '../core/selector.ts'
import { type Located, type ParsedYaml, parseYaml, validate } from '../core/yaml.ts'
import { ParityError } from '../errors.ts'
import type { Sha256 } from '../model.ts'
import { locatedError } from './located.ts'
import { type Misfit, type Principal, principalSchema, principalsOf } from './principals.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const FEATURE = /^[a-z0-9][a-z0-9-]*$/

const name = z.string().regex(NAME, 'a name is of letters, digits, - and _')
const feature = z.string().regex(FEATURE, 'a feature is named by small letters, digits and -')
const statements = z.record(name, z.string().min(1)).default({})
const paths = z.record(name, z.array(z.string()).min(1)).default({})

/** What `parity/<feature>/contract.yaml` may hold. */
export const contractSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema'),
  feature: feature.describe('The name of the feature: the name of its folder'),
  tier: z
    .enum(['heavy', 'standard', 'trivial'])
    .default('standard')
    .describe('heavy: at least 30 distinct cases; standard: at least 10; trivial: no parity tests'),
  lab: feature.nullable().default(null).describe('The lab that boots the legacy: a folder of labs/'),
  revision: z.string().min(1).describe('The pinned revision of the legacy; equal to that of the lab'),
  inputs: feature.optional().describe('Another feature whose inputs this one shares'),
  fixtures: feature.optional().describe('Another feature whose inputs, goldens and calibration this one shares'),
  sends: z
    .array(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Z-]+ \/[^\s?#]*$/, 'an entry is a method and a path, as `POST /convert`'),
    )
    .default([])
    .describe('The requests that change state: no other one is sent'),
  reset: z.enum(['none', 'suite', 'case']).default('none').describe('When the state of both sides is put back'),
  probe: name
    .optional()
    .describe('A case of safe requests: after each reset it has to show what it showed first, or nothing was put back'),
  headers: z
    .array(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name'))
    .optional()
    .describe('The compared headers, in place of the default list'),
  outputs: paths.describe('What is answered, by section: the paths of its fields'),
  checkable: z
    .record(name, z.enum(['dual-run', 'compare-only', 'elsewhere']))
    .default({})
    .describe('How an output is proved; default dual-run'),
  errors: paths.describe('How it fails, by section: the paths of its fields'),
  rules: statements.describe('What the feature promises, by id'),
  edges: statements.describe('What happens at the limits'),
  invariants: statements.describe('What always holds'),
  sideEffects: z.array(z.string().min(1)).default([]).describe('What else it does: mail, calls, messages, rows'),
  principals: z
    .record(name, principalSchema)
    .default({})
    .describe('Who calls, by name: the header, and the variable that holds its value or the login that gives it'),
  legacyBugs: statements.describe('What the legacy does wrong, and the candidate has to do as well'),
})

type ContractFile = z.infer<typeof contractSchema>

/** What a feature promises, and how it is driven. Absent sections are empty. */
export interface Contract {
  readonly feature: string
  readonly tier: 'heavy' | 'standard' | 'trivial'
  readonly lab: string | null
  readonly revision: string
  readonly sends: readonly string[]
  readonly reset: 'none' | 'suite' | 'case'
  /** The case that shows whether a reset put the state back; null for none. */
  readonly probe: string | null
  /** In place of the default list; null for the default. */
  readonly headers: readonly string[] | null
  readonly outputs: Readonly<Record<string, readonly string[]>>
  readonly checkable: Readonly<Record<string, 'dual-run' | 'compare-only' | 'elsewhere'>>
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly rules: Readonly<Record<string, string>>
  readonly edges: Readonly<Record<string, string>>
  readonly invariants: Readonly<Record<string, string>>
  readonly sideEffects: readonly string[]
  readonly principals: Readonly<Record<string, Principal>>
  readonly legacyBugs: Readonly<Record<string, string>>
  /** The feature whose inputs are used. */
  readonly inputsFrom: string
  /** The feature whose goldens and calibration are used. */
  readonly fixturesFrom: string
  /** SHA-256 of the canonical value, defaults included. */
  readonly id: Sha256
}

/** Sections that a case may say it covers, as `errors.unknown-currency`. */
export const SECTIONS = ['outputs', 'errors', 'rules', 'edges', 'invariants', 'legacyBugs'] as const

/** Every section of the contract, in file order of the kinds and then as written. */
export function sectionsOf(contract: Contract): readonly string[] {
  return SECTIONS.flatMap(kind => Object.keys(contract[kind]).map(section => `${kind}.${section}`))
}

/**
 * The contract in `<dir>/<feature>/contract.yaml`, where `dir` holds the folders of all features.
 *
 * @throws ParityError PARITY_CONTRACT_INVALID, with every place that is wrong
 */
export function readContract(dir: string, feature: string): Contract {
  const file = join(dir, feature, 'contract.yaml')
  return parseContract(readText(file, feature), { file, feature })
}

function readText(file: string, feature: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new ParityError(
      'PARITY_CONTRACT_INVALID',
      `${file}: ${missing ? `there is no contract for the feature ${feature}` : 'the contract cannot be read'}`,
      missing ? 'write it, or correct the name of the feature in describeParity' : 'make the file readable',
      { cause: error },
    )
  }
}

/**
 * The contract that `text` holds.
 *
 * @throws ParityError PARITY_CONTRACT_INVALID, with every place that is wrong
 */
export function parseContract(text: string, o: { readonly file: string; readonly feature: string }): Contract {
  const parsed = parseYaml(text, o.file)
  const valid = validate(parsed, contractSchema, o.file)
  if (!valid.ok) throw locatedError('PARITY_CONTRACT_INVALID', valid.errors)
  const { principals, misfits: unfit } = principalsOf(valid.value.principals)
  const errors = misfits(valid.value, unfit, parsed, o)
  if (errors.length > 0) throw locatedError('PARITY_CONTRACT_INVALID', errors)
  const { $schema: _, inputs, fixtures, headers, probe, ...rest } = valid.value
  const contract = {
    ...rest,
    principals,
    headers: headers ?? null,
    probe: probe ?? null,
    inputsFrom: fixtures ?? inputs ?? o.feature,
    fixturesFrom: fixtures ?? o.feature,
  }
  return { ...contract, id: sha256(canonicalText(contract)) }
}

/** What the schema alone cannot see. */
function misfits(
  file: ContractFile,
  unfit: readonly Misfit[],
  parsed: ParsedYaml,
  o: { file: string; feature: string },
): readonly Located[] {
  const errors: Located[] = []
  const add = (path: readonly (string | number)[], of: 'key' | 'value', message: string, fix: string) => {
    const place = parsed.ok ? parsed.at(path, of) : { line: 1, column: 1 }
    errors.push({ file: o.file, ...place, message, fix })
  }
  if (file.feature !== o.feature) {
    const message = `the contract is that of the feature ${file.feature}, and stands in the folder of ${o.feature}`
    add(['feature'], 'value', message, `write \`feature: ${o.feature}\`, or rename the folder`)
  }
  if (file.inputs !== undefined && file.fixtures !== undefined) {
    add(['inputs'], 'key', '`inputs` and `fixtures` stand together', 'keep `fixtures`: it shares the inputs as well')
  }
  if (file.probe !== undefined && file.reset === 'none') {
    add(['probe'], 'key', '`probe` stands there, and nothing is reset', 'write `reset: case`, or remove `probe`')
  }
  for (const output of Object.keys(file.checkable)) {
    if (Object.hasOwn(file.outputs, output)) continue
    const known = Object.keys(file.outputs).join(', ') || 'none'
    add(['checkable', output], 'key', `${output} is not one of the outputs (${known})`, 'declare it under outputs')
  }
  for (const { path, of, message, fix } of unfit) add(path, of, message, fix)
  for (const kind of ['outputs', 'errors'] as const) {
    for (const [section, list] of Object.entries(file[kind])) {
      for (const [at, text] of list.entries()) {
        const wrong = pathError(text)
        if (wrong !== null) add([kind, section, at], 'value', `${text}: ${wrong.message}`, wrong.fix)
      }
    }
  }
  return errors
}

/** What is wrong with the path of a field: it may be what rules take, or any query of RFC 9535. */
function pathError(text: string): { readonly message: string; readonly fix: string } | null {
  const selector = parseSelector(text)
  if (selector.ok) return null
  if (!text.startsWith('$')) return selector
  const query = queryJson(null, text)
  return query.ok ? null : query
}
