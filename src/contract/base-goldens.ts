import { compareCodePoints } from '../core/canonical.ts'
import { coverNoise } from '../core/noise.ts'
import { withoutIndexes } from '../core/selector.ts'
import type { CalibrationEntry, ManifestEntry } from '../golden/manifest.ts'
import type { Sha256 } from '../model.ts'
import type { BaseFinding, Judging, Side } from './base.ts'

/** Goldens and cases that changed or went, and what is said of those that stayed. */
export function goldenFindings(before: Side, after: Side, judging: Judging): readonly BaseFinding[] {
  // whoever shares the inputs or goldens of another feature leaves them to that one
  const { feature, fixturesFrom, inputsFrom } = after.contract
  const goldens = fixturesFrom === feature && before.contract.fixturesFrom === feature
  const inputs = inputsFrom === feature && before.contract.inputsFrom === feature
  const names = [...(goldens ? before.fixtures.names : []), ...(inputs ? before.cases.keys() : [])]
  return [...new Set(names)].sort(compareCodePoints).flatMap(name => {
    const gone = [
      ...(inputs && before.cases.has(name) && !after.cases.has(name) ? ['input'] : []),
      ...(goldens && before.fixtures.names.includes(name) && !isThere(name, after) ? ['golden'] : []),
    ]
    if (gone.length > 0) return removed(name, gone, judging)
    return goldens && before.fixtures.names.includes(name) ? moved(name, before, { after, judging }) : []
  })
}

function isThere(name: string, { fixtures }: Side): boolean {
  const read = fixtures.read(name)
  return read.ok || read.fault.reason !== 'no-fixture'
}

function removed(name: string, what: readonly string[], { files, decider }: Judging): readonly BaseFinding[] {
  const lack = decider.lackOf(`case ${name}`)
  if (lack === null) return []
  const file = `${what.includes('input') ? files.inputs : files.golden}/${name}.json`
  const message = `the ${what.join(' and the ')} of ${name} ${what.length > 1 ? 'are' : 'is'} gone, and ${lack.message}`
  return [{ rule: 'case-removed', file, message, fix: `put back what is gone, or ${lack.fix}` }]
}

interface Moving {
  readonly after: Side
  readonly judging: Judging
}

function moved(name: string, before: Side, { after, judging }: Moving): readonly BaseFinding[] {
  const { files } = judging
  const file = `${files.golden}/${name}.json`
  const [old, now] = [before.fixtures.read(name), after.fixtures.read(name)]
  if (!now.ok) {
    if (!old.ok) return []
    const fix = 'put it back, or record it again and accept what the legacy says'
    return [{ rule: 'golden-changed', file, message: `it was edited: ${now.fault.message}`, fix }]
  }
  const was = before.fixtures.manifest?.fixtures[name]?.id ?? (old.ok ? old.fixture.id : null)
  if (isAccepted(name, now.fixture.id, { before, after })) return []
  if (was !== null && was !== now.fixture.id) {
    const fix = `put it back, or record it and accept it: npx vitest-parity accept ${after.contract.feature} ${name} --reason "…" --author "…"`
    const message = `it was ${shown(was)} and is ${shown(now.fixture.id)}, and accepted.ndjson has no new line that says so`
    return [{ rule: 'golden-changed', file, message, fix }]
  }
  return [...entryFindings(name, before, { after, judging }), ...noiseFindings(name, before, { after, judging })]
}

function shown(id: Sha256): string {
  return id.slice(0, 'sha256:'.length + 12)
}

/** Whether this branch accepted exactly this payload for the case. */
function isAccepted(
  name: string,
  id: Sha256,
  { before, after }: { readonly before: Side; readonly after: Side },
): boolean {
  const known = new Set(before.accepted.map(({ line }) => line))
  return after.accepted.some(each => each.case === name && each.to === id && !known.has(each.line))
}

function entryFindings(name: string, before: Side, { after, judging }: Moving): readonly BaseFinding[] {
  const old = before.fixtures.manifest?.fixtures[name]
  const now = after.fixtures.manifest?.fixtures[name]
  if (old === undefined || now === undefined) return []
  // a new revision of the whole contract is one decision
  const repinned = before.contract.revision !== after.contract.revision && now.revision === after.contract.revision
  const keys = (Object.keys(old) as (keyof ManifestEntry)[]).filter(
    key => key !== 'id' && !(key === 'revision' && repinned),
  )
  const changed = keys.filter(key => old[key] !== now[key])
  const lack = changed.length === 0 ? null : judging.decider.lackOf(`case ${name}`)
  if (lack === null) return []
  const what = changed.map(key => `\`${key}\` went from ${String(old[key])} to ${String(now[key])}`).join(', ')
  const file = `${judging.files.golden}/manifest.json`
  return [
    {
      rule: 'entry-changed',
      file,
      message: `${name}: ${what}, and ${lack.message}`,
      fix: `put it back, or ${lack.fix}`,
    },
  ]
}

function noiseFindings(name: string, before: Side, { after, judging }: Moving): readonly BaseFinding[] {
  const read = after.fixtures.read(name)
  const old = read.ok ? before.calibration?.fixtures[read.fixture.id] : undefined
  if (!read.ok || old === undefined) return []
  const now = after.calibration?.fixtures[read.fixture.id]
  const what = changeOfNoise(
    old,
    now,
    fresh => coverNoise(fresh, read.fixture.observation, after.ruleSet).uncovered.length === 0,
  )
  const lack = what === null ? null : judging.decider.lackOf(`case ${name}`)
  if (lack === null) return []
  const file = `${judging.files.golden}/calibration.json`
  const fix = `put it back, or record the case again; else ${lack.fix}`
  return [
    {
      rule: 'calibration-changed',
      file,
      message: `${name}: ${what}, its golden is as it was, and ${lack.message}`,
      fix,
    },
  ]
}

/** What the calibration of a golden no longer says, or says anew and no rule covers; null when that is nothing. */
function changeOfNoise(
  old: CalibrationEntry,
  now: CalibrationEntry | undefined,
  isCovered: (fresh: CalibrationEntry['noise']) => boolean,
): string | null {
  if (now === undefined) return 'nothing is said any more of where the legacy differs from itself'
  if (now.captures < old.captures) return `${now.captures} captures stand there in place of ${old.captures}`
  const placeOf = ({ step, path }: CalibrationEntry['noise'][number]) => `${step} ${withoutIndexes(path)}`
  const [was, is] = [new Set(old.noise.map(placeOf)), new Set(now.noise.map(placeOf))]
  const lost = old.noise.filter(each => !is.has(placeOf(each)))
  if (lost.length > 0) return `noise at ${lost.map(({ path }) => path).join(', ')} is gone`
  const fresh = now.noise.filter(each => !was.has(placeOf(each)))
  if (fresh.length === 0 || isCovered(fresh)) return null
  return `noise at ${fresh.map(({ path }) => path).join(', ')} is added, and no rule covers it`
}
