import { readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { type Contract, readContract } from '../contract/contract.ts'
import { readInputs } from '../contract/inputs.ts'
import { locatedError } from '../contract/located.ts'
import { refuseUnknownPrincipals } from '../contract/principals.ts'
import { probeOf } from '../contract/probe.ts'
import { type DecidedDivergence, readDivergences } from '../core/divergences.ts'
import { nearest } from '../core/nearest.ts'
import { compileTolerance, type RuleSet } from '../core/tolerance.ts'
import { parseYaml } from '../core/yaml.ts'
import { ParityError } from '../errors.ts'
import type { Calibration } from '../golden/manifest.ts'
import { type FixtureSet, readCalibration, readFixtureSet } from '../golden/store.ts'
import { type LabFile, validateLab } from '../lab/lab-file.ts'
import type { Case } from '../model.ts'
import { dirsOf } from './dirs.ts'
import type { Dirs } from './suite.ts'

/** The folder of features; fixed, so that a feature is found by its name alone. */
export const PARITY_DIR = 'parity'

export interface FeatureOptionsOnDisk {
  /** The folder of the project. */
  readonly root: string
  readonly dirs: Dirs
  readonly feature: string
}

/** Where the files of a feature lie, absolute. */
export interface FeaturePaths {
  readonly parity: string
  readonly golden: string
  readonly tolerance: string
  readonly rules: string
  readonly divergences: string
  readonly labs: string
}

/** All that is written down about a feature. Nothing of it was run. */
export interface Feature {
  readonly name: string
  readonly paths: FeaturePaths
  readonly contract: Contract
  /** By name, sorted by code point. */
  readonly cases: ReadonlyMap<string, Case>
  /** The case that shows whether a reset put the state back; null when the contract names none. */
  readonly probe: Case | null
  readonly fixtures: FixtureSet
  readonly calibration: Calibration | null
  readonly rules: RuleSet
  /** Differences that somebody decided to keep. */
  readonly divergences: readonly DecidedDivergence[]
  /** What its `lab.yaml` says; null when the contract names no lab, or the lab has no such file. */
  readonly lab: LabFile | null
}

/**
 * Reads contract, inputs, goldens, calibration, tolerances and lab of one feature.
 *
 * **Throws** PARITY_FEATURE_UNKNOWN with the nearest known name, and the codes of each file that is not as it should be.
 */
export function readFeature(o: FeatureOptionsOnDisk): Feature {
  const parity = join(o.root, PARITY_DIR)
  refuseUnknown(parity, o.feature)
  const contract = readContract(parity, o.feature)
  const dirs = dirsOf(o.root, o.dirs)
  const paths: FeaturePaths = {
    parity,
    golden: join(o.root, dirs.golden, contract.fixturesFrom),
    tolerance: join(o.root, dirs.tolerance, `${o.feature}.yaml`),
    rules: join(o.root, dirs.tolerance, `${o.feature}.rules.yaml`),
    divergences: join(parity, o.feature, 'divergences.yaml'),
    labs: join(o.root, dirs.labs),
  }
  const cases = new Map(readInputs(parity, contract.inputsFrom).map(each => [each.name, each]))
  refuseUnknownPrincipals(contract.principals, cases.values(), join(parity, contract.inputsFrom, 'inputs'))
  const contractFile = join(parity, o.feature, 'contract.yaml')
  return {
    name: o.feature,
    paths,
    contract,
    cases,
    probe: probeOf(contract, cases, { file: contractFile, text: textOf(contractFile) ?? '' }),
    fixtures: readFixtureSet(paths.golden),
    calibration: readCalibration(paths.golden),
    rules: readRules(o.root, paths, contract),
    divergences: readDecided(o.root, paths),
    lab: contract.lab === null ? null : readLabFile(join(paths.labs, contract.lab, 'lab.yaml')),
  }
}

/** Names of the folders that hold a contract, sorted. */
export function featureNames(root: string): readonly string[] {
  return foldersOf(join(root, PARITY_DIR)).filter(
    name => textOf(join(root, PARITY_DIR, name, 'contract.yaml')) !== null,
  )
}

function foldersOf(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name)
      .sort()
  } catch {
    return []
  }
}

function refuseUnknown(parity: string, feature: string): void {
  const known = foldersOf(parity)
  if (known.includes(feature)) return
  const near = nearest(feature, known)
  throw new ParityError(
    'PARITY_FEATURE_UNKNOWN',
    `there is no feature \`${feature}\` (known: ${known.join(', ') || 'none'})`,
    near === null ? `create ${PARITY_DIR}/${feature}/contract.yaml` : `write \`${near}\``,
  )
}

function readRules(root: string, paths: FeaturePaths, contract: Contract): RuleSet {
  const text = textOf(paths.tolerance)
  const decisions = textOf(paths.rules)
  const compiled = compileTolerance({
    file: shown(root, paths.tolerance),
    text: text ?? '{}\n',
    ...(decisions === null ? {} : { rulesFile: shown(root, paths.rules), rulesText: decisions }),
    ...(contract.headers === null ? {} : { headers: contract.headers }),
  })
  if (!compiled.ok) throw locatedError('PARITY_TOLERANCE_INVALID', compiled.errors)
  return compiled.rules
}

function readDecided(root: string, paths: FeaturePaths): readonly DecidedDivergence[] {
  const read = readDivergences(shown(root, paths.divergences), textOf(paths.divergences) ?? '')
  if (!read.ok) throw locatedError('PARITY_DIVERGENCES_INVALID', read.errors)
  return read.value
}

function readLabFile(path: string): LabFile | null {
  const text = textOf(path)
  if (text === null) return null
  const checked = validateLab(parseYaml(text, path), path)
  if (!checked.ok) throw locatedError('PARITY_LAB_INVALID', checked.errors)
  return checked.value
}

/** The text of a file; null when there is none. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** A path as messages show it: from the root where it lies below. */
function shown(root: string, path: string): string {
  const below = relative(resolve(root), path)
  return below.startsWith('..') || isAbsolute(below) ? path : below
}
