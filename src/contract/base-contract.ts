import type { Side } from './base.ts'
import { SECTIONS } from './contract.ts'

/** A key of the contract that promises less than before, or moves what it is held against. */
export interface Move {
  readonly key: string
  readonly what: string
}

const TIERS = ['trivial', 'standard', 'heavy'] as const

/** What the contract no longer promises, in the order of its keys. Pure. */
export function contractMoves(before: Side, after: Side): readonly Move[] {
  const [old, now] = [before.contract, after.contract]
  const moves: Move[] = []
  const add = (key: string, what: string) => moves.push({ key, what })
  if (TIERS.indexOf(now.tier) < TIERS.indexOf(old.tier)) add('tier', `the tier went from ${old.tier} to ${now.tier}`)
  for (const key of ['lab', 'revision', 'inputsFrom', 'fixturesFrom', 'reset'] as const) {
    const name = { lab: key, revision: key, inputsFrom: 'inputs', fixturesFrom: 'fixtures', reset: key }[key]
    if (old[key] !== now[key]) add(name, `\`${name}\` went from ${old[key] ?? 'none'} to ${now[key] ?? 'none'}`)
  }
  if (old.probe !== null && old.probe !== now.probe) add('probe', `the probe ${old.probe} is gone`)
  const headers = before.ruleSet.headers.filter(name => !after.ruleSet.headers.includes(name))
  if (headers.length > 0)
    add('headers', `${headers.join(', ')} ${headers.length === 1 ? 'is' : 'are'} no longer compared`)
  for (const [output, way] of Object.entries(now.checkable)) {
    const was = old.checkable[output] ?? 'dual-run'
    if (way !== was && way !== 'dual-run' && Object.hasOwn(old.outputs, output)) {
      add('checkable', `the output ${output} went from ${was} to ${way}`)
    }
  }
  for (const kind of SECTIONS) {
    const gone = Object.keys(old[kind]).filter(name => !Object.hasOwn(now[kind], name))
    if (gone.length > 0) add(kind, `${kind} no longer ${gone.length === 1 ? 'has' : 'have'} ${gone.join(', ')}`)
  }
  for (const kind of ['outputs', 'errors'] as const) {
    for (const [section, fields] of Object.entries(old[kind])) {
      const left = now[kind][section]
      const gone = left === undefined ? [] : fields.filter(field => !left.includes(field))
      if (gone.length > 0) add(kind, `${kind}.${section} no longer declares ${gone.join(', ')}`)
    }
  }
  const effects = old.sideEffects.filter(effect => !now.sideEffects.includes(effect))
  if (effects.length > 0) add('sideEffects', `sideEffects no longer has ${effects.join(', ')}`)
  return moves
}
