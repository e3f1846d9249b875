import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { compareUnder } from '../../src/core/diff.ts'
import { normalisedPath } from '../../src/core/selector.ts'
import type { RuleSet } from '../../src/core/tolerance.ts'
import type { Difference, Observation } from '../../src/model.ts'
import { rulesOf, textIn, toldOf } from './observed.ts'
import { observedIn } from './recordings.ts'
import { judged, type Result, type Suite } from './result.ts'

const judgementSchema = z.object({
  format: z.string(),
  verdict: z.string(),
  differences: z.array(z.object({ path: z.string(), class: z.string() })),
})
type Judgement = z.infer<typeof judgementSchema>

/**
 * Judged drift pairs. Under no rule every path judged `behaviour` is told. Under a tolerance file that ignores the paths
 * judged `noise` it still is, and a pair of noise alone has no difference.
 */
export const pairs: Suite = {
  name: 'pairs',
  folder: 'pairs',
  run(folder) {
    const found = readdirSync(folder)
      .sort()
      .map(name => pairIn(join(folder, name), name))
    const sums: Record<string, number> = {}
    for (const { figures } of found) {
      for (const [name, count] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + count
    }
    const { behaviour = 0, recalled = 0, reported = 0, founded = 0, ...rest } = sums
    const figures = {
      'paths judged behaviour': behaviour,
      'of them told, per mille': perMille(recalled, behaviour),
      'differences told under the noise rules': reported,
      'of them judged other than noise, per mille': perMille(founded, reported),
      ...rest,
    }
    return [{ name: 'pairs', results: found.map(({ result }) => result), figures }]
  },
}

function perMille(part: number, whole: number): number {
  return whole === 0 ? 1000 : Math.round((part / whole) * 1000)
}

interface Pair {
  readonly result: Result
  readonly figures: Readonly<Record<string, number>>
}

function pairIn(folder: string, name: string): Pair {
  const judgement = judgementSchema.parse(JSON.parse(textIn(folder, 'judgement.json')))
  const [golden, actual] = ['before', 'after'].map(side =>
    observedIn(judgement.format, textIn(folder, fileOf(folder, side))),
  )
  if (golden === undefined || actual === undefined) return { result: judged(name, ['no recordings']), figures: {} }
  const places = judgement.differences.map(({ path, class: kind }) => ({ ...placeOf(path, judgement), path, kind }))
  const headers = headerNames([...golden, ...actual])
  const strict = tell(golden, actual, rulesOf('', headers))
  const noise = places.filter(({ kind }) => kind === 'noise')
  const tolerated = tell(golden, actual, rulesOf(toleranceOf(noise, golden.length), headers))
  const behaviour = places.filter(({ kind }) => kind === 'behaviour')
  const faults = [strict, tolerated].flatMap((told, at) => {
    const missed = behaviour.filter(place => !told.differences.some(each => meets(each, place)))
    return missed.map(({ path }) => `${path} is not told${at === 0 ? '' : ' under the noise rules'}`)
  })
  faults.push(...strict.faults, ...tolerated.faults)
  const noiseOnly = judgement.differences.every(({ class: kind }) => kind === 'noise')
  if ((judgement.verdict === 'noise' || noiseOnly) && tolerated.differences.length > 0) {
    faults.push(`noise alone, and told: ${toldOf({ ...EMPTY, differences: tolerated.differences }).join(', ')}`)
  }
  const meant = places.filter(({ kind }) => kind !== 'noise')
  return {
    result: judged(name, faults),
    figures: {
      behaviour: behaviour.length,
      recalled: behaviour.filter(place => strict.differences.some(each => meets(each, place))).length,
      reported: tolerated.differences.length,
      founded: tolerated.differences.filter(each => meant.some(place => meets(each, place))).length,
      'paths judged at all': places.length,
      'of them told under no rule': places.filter(place => strict.differences.some(each => meets(each, place))).length,
    },
  }
}

const EMPTY = { moreDifferences: 0, faults: [], notes: [], ruleUses: [] }

function fileOf(folder: string, side: string): string {
  const file = readdirSync(folder)
    .sort()
    .find(name => name.startsWith(`${side}.`) && !name.includes('upstream'))
  return file ?? `${side}.json`
}

function headerNames(steps: Observation): string[] {
  return steps.flatMap(step =>
    step.kind === 'response' ? step.response.headers.map(([name]) => name.toLowerCase()) : [],
  )
}

/** All differences: the cap on what is reported is for readers. */
function tell(golden: Observation, actual: Observation, { matcher, rules, headers }: RuleSet) {
  const limits = { reportedMax: 10_000, tokenMax: 100 }
  const { differences, faults } = compareUnder(golden, actual, { matcher, rules, headers, limits })
  return { differences, faults: faults.map(({ message }) => message) }
}

/** Where a judged path stands: `root` as in paths of differences, `$` for a document. */
interface Place {
  readonly step: number
  readonly root: string
  readonly segments: readonly (string | number)[]
}

function placeOf(path: string, { format }: Judgement): Place {
  const segments = segmentsOf(path)
  if (format === 'json') return { step: 0, root: '$', segments }
  const [exchange, part, ...below] = segments
  const step = 2 * Number(exchange)
  if (part === 'headers') return { step: step + 1, root: `header.${below[0]}`, segments: [] }
  if (part === 'status') return { step: step + 1, root: 'status', segments: [] }
  if (part !== 'body') return { step, root: '$', segments: [part ?? '', ...below] }
  if (below[0] !== '<binary>') return { step: step + 1, root: '$', segments: below }
  return { step: step + 1, root: '$', segments: [below[1] === 'bytes' ? 'sizeBytes' : 'sha256'] }
}

/** The segments of `$[0].body.a[1]`; names in judgements hold neither dots nor brackets. */
function segmentsOf(path: string): (string | number)[] {
  return [...path.slice(1).matchAll(/\[(\d+)\]|\.([^.[]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )
}

/** Whether a difference speaks of a judged place: there, above it, or below it. */
function meets({ step, path, pointer }: Difference, place: Place): boolean {
  const root = path.replace(/^steps\[\d+\]:/, '')
  if (step !== place.step || (place.root === '$' ? !root.startsWith('$') : root !== place.root)) return false
  if (place.root !== '$') return true
  const there = pointer
    .split('/')
    .slice(1)
    .map(each => each.replaceAll('~1', '/').replaceAll('~0', '~'))
  return there.every((segment, at) => at >= place.segments.length || String(place.segments[at]) === segment)
}

/** A tolerance file that ignores the places. A place below another is left out: nothing is compared there. */
function toleranceOf(places: readonly Place[], steps: number): string {
  const paths = places.map(({ step, root, segments }) => {
    return `${steps > 1 ? `steps[${step}]:` : ''}${root === '$' ? normalisedPath(segments) : root}`
  })
  const outer = [...new Set(paths)].filter(
    path => !paths.some(other => path.startsWith(`${other}.`) || path.startsWith(`${other}[`)),
  )
  return `ignore: ${JSON.stringify(outer)}`
}
