/** `calibrate`: is the noise of the legacy covered, and does the comparator see a mismatch at every place? */
import { type CaseNoise, calibrateFeature, type FeatureCalibration } from '../pipeline/calibrate.ts'
import {
  type Arguments,
  type Command,
  EXIT_FINDINGS,
  EXIT_OK,
  positional,
  printJson,
  type Terminal,
} from './command.ts'
import { placeText, proposalLines } from './noise-lines.ts'

function noiseLine({ name, captures, noise, uncovered }: CaseNoise): string {
  if (captures === 0) return `✗ ${name}  no capture stands behind it`
  const open = new Set(uncovered.map(({ path }) => path))
  const covered = noise.filter(({ path }) => !open.has(path)).map(({ path, kind }) => `${path} (${kind})`)
  const parts = [
    `${captures} captures`,
    noise.length === 0 ? 'no noise' : '',
    covered.length === 0 ? '' : `covered ${covered.join(', ')}`,
    uncovered.length === 0 ? '' : `control-unstable: uncovered ${uncovered.map(placeText).join(', ')}`,
  ]
  return `${uncovered.length === 0 ? '✓' : '✗'} ${name}  ${parts.filter(part => part !== '').join(' · ')}`
}

/** How many of its seeded mutants each comparator judged rightly. */
function rateLine(rates: FeatureCalibration['seeded']['byComparator']): string[] {
  const parts = Object.entries(rates).map(([name, { caught, total }]) => `${name} ${caught}/${total}`)
  return parts.length === 0 ? [] : [`  ${parts.join(' · ')}`]
}

function lines({ feature, cases, seeded }: FeatureCalibration): string[] {
  const proposals = cases.flatMap(each => each.proposals)
  const refused = cases.flatMap(each => each.refused)
  const missing = cases.filter(each => each.captures === 0).map(each => each.name)
  return [
    ...cases.map(noiseLine),
    `${seeded.survivors.length === 0 ? '✓' : '✗'} seeded ${seeded.caught}/${seeded.total} caught`,
    ...rateLine(seeded.byComparator),
    ...seeded.survivors.map(line => `  ${line}`),
    ...seeded.unprovable.map(line => `  unprovable: ${line}`),
    ...proposalLines(feature, { proposals, refused }),
    ...(missing.length === 0 ? [] : [`Fix: npx vitest-parity record ${feature} ${missing.join(' ')}`]),
  ]
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const feature = positional(args, 0, 'feature')
  const result = await calibrateFeature({ root: terminal.cwd, feature, signal: terminal.signal })
  if (args.json) printJson(terminal, result)
  else terminal.out(lines(result).join('\n'))
  const clean =
    result.cases.every(each => each.captures > 0 && each.uncovered.length === 0) && result.seeded.survivors.length === 0
  return clean ? EXIT_OK : EXIT_FINDINGS
}

export const calibrate: Command = {
  name: 'calibrate',
  summary: 'Say what noise the rules cover, and prove the comparator at every place',
  positionals: ['<feature>'],
  options: {},
  example: 'npx vitest-parity calibrate forex',
  run,
}
