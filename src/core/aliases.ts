import type { Difference, InputStep, Observation } from '../model.ts'
import { type Binding, type Bound, nodesOf, parseSource, type Source, type Taken, take } from './bindings.ts'
import { equalDecimals } from './decimal.ts'
import { boundText, filledTemplate } from './filled.ts'
import { formatClass } from './formats.ts'
import { isObject, type Json, NumberToken } from './json.ts'
import { isLink, ownPath } from './links.ts'
import type { Renaming } from './renamed.ts'

/** A value that both sides bound under one name, at one step. */
interface Pair {
  readonly name: string
  readonly step: number
  readonly source: Source
  /** Which values are of one kind: what they were asked of, and where they stand in the answer. */
  readonly family: string
  readonly legacy: Bound
  readonly candidate: Bound
  /** Where it stands on each side. */
  readonly paths: readonly [string, string]
  readonly pointer: string
}

/** A place that has to repeat bound values. */
interface Repeat {
  readonly step: number
  readonly source: Source
  readonly template: string
  readonly legacy: { readonly wanted: Bound | null; readonly nodes: readonly Taken[] }
  readonly candidate: { readonly wanted: Bound | null; readonly nodes: readonly Taken[] }
}

/** A difference that only the bindings show. */
export type Broken = Pick<Difference, 'path' | 'pointer' | 'kind' | 'hint'> & {
  readonly step: number
  readonly legacy: Json
  /** Undefined where there is nothing. */
  readonly candidate: Json | undefined
}

/** The values that two sides of a sequence gave the same names, and where one may stand for the other. */
export interface Aliases {
  /** The names whose values a difference between two values comes from; null when it comes from none. */
  explain(o: {
    readonly step: number
    readonly path: string
    readonly legacy: Json | undefined
    readonly candidate: Json | undefined
    /** A rule says how the place is compared: only `same`, which names the place itself, goes before it. */
    readonly ruled: boolean
  }): string | null
  /** What to write where a difference is one of bound values at a place that they do not reach; null where it is none. */
  suggest(
    o: Pick<Difference, 'step' | 'path'> & {
      readonly legacy?: Json | undefined
      readonly candidate?: Json | undefined
    },
  ): string | null
  /** The pairs of two names, as what a member is called on either side. */
  readonly renamings: readonly Renaming[]
  /**
   * What one side calls a thing is what the other calls another: two equal values then say nothing, and all has to be
   * compared in the names of one side.
   */
  readonly crossed: boolean
  /** What two sides that agree everywhere would still have broken: two values where the other side has one. */
  readonly broken: readonly Broken[]
  /** Where the legacy itself does not repeat what the input says; its first step. */
  readonly unfit: { readonly step: number; readonly message: string } | null
}

/**
 * The aliases of a sequence: each binding gives a pair of values, the legacy's and the candidate's.
 *
 * 1. At the place that binds, two values of one type, format class and emptiness stand for each other.
 * 2. From then on they do so wherever a member of the same name, the same header or the same cookie holds exactly this pair.
 * 3. Where `same` says so, each side must hold what its template comes to with the values of that side.
 * 4. Where one side calls a thing what the other calls another, equal values do not agree: both are read in the names of the
 *    legacy.
 * 5. Within one family (the same request and the same place of its answer) the pairs are one to one.
 */
export function aliasesOf(steps: readonly InputStep[], golden: Observation, actual: Observation): Aliases | null {
  if (!steps.some(({ bind, same }) => bind !== undefined || same !== undefined)) return null
  const pairs: Pair[] = []
  const repeats: Repeat[] = []
  const values = { legacy: new Map<string, Bound>(), candidate: new Map<string, Bound>() }
  for (const [step, input] of steps.entries()) {
    const [x, y] = [golden[step], actual[step]]
    if (x === undefined || y === undefined) break
    for (const [name, text] of Object.entries(input.bind ?? {})) {
      const parsed = parseSource(text)
      const path = input.request?.path ?? null
      const [legacy, candidate] = [take(text, x, path), take(text, y, path)]
      if (legacy.ok) values.legacy.set(name, legacy.value)
      if (candidate.ok) values.candidate.set(name, candidate.value)
      if (!parsed.ok || !legacy.ok || !candidate.ok || !alike(legacy, candidate)) continue
      const family = familyOf(input, text)
      const paths = [legacy.path, candidate.path] as const
      pairs.push({
        name,
        step,
        source: parsed.source,
        family,
        legacy: legacy.value,
        candidate: candidate.value,
        paths,
        pointer: legacy.pointer,
      })
    }
    for (const [text, template] of Object.entries(input.same ?? {})) {
      const parsed = parseSource(text)
      if (!parsed.ok) continue
      const side = (seen: typeof x, own: Map<string, Bound>) => ({
        wanted: filledTemplate(template, own),
        nodes: nodesOf(parsed.source, seen),
      })
      const legacy = side(x, values.legacy)
      repeats.push({ step, source: parsed.source, template, legacy, candidate: side(y, values.candidate) })
    }
  }
  const renamings = pairs.flatMap(({ name, step, paths, legacy, candidate }): Renaming[] => {
    const member = lastName(paths[0])
    return member === null || equalScalars(legacy, candidate) ? [] : [{ member, name, step, legacy, candidate }]
  })
  const near = pairsByLegacy(pairs)
  const firstNames = new Set(renamings.map(({ member, legacy }) => `${member} ${sortOf(legacy)} ${boundText(legacy)}`))
  return {
    explain: difference => explain(difference, near(difference.legacy), repeats, pairs),
    suggest: difference => suggest(difference, pairs),
    renamings,
    crossed: renamings.some(x => firstNames.has(`${x.member} ${sortOf(x.candidate)} ${boundText(x.candidate)}`)),
    broken: [...notOneToOne(pairs), ...notRepeated(repeats)].sort((a, b) => a.step - b.step),
    unfit: unfitOf(repeats),
  }
}

/** Which values are of one kind: those of one request, from one place of its answer. */
export function familyOf({ request }: InputStep, source: string): string {
  return `${request?.method} ${request?.path.split('?', 1)[0]} ${source}`
}

/** Whether two bound values may stand for each other at all. */
export function alike(legacy: Binding & { ok: true }, candidate: Binding & { ok: true }): boolean {
  const [x, y] = [legacy.value, candidate.value]
  if (typeof x === 'string' && typeof y === 'string') return formatClass(x) === formatClass(y)
  // true and false name nothing
  if (typeof x === 'boolean') return x === y
  return sortOf(x) === sortOf(y)
}

function sortOf(value: Json): string {
  return value instanceof NumberToken ? 'number' : typeof value
}

/** The pairs that a value of the legacy can be of; those whose text may be written otherwise are always among them. */
function pairsByLegacy(pairs: readonly Pair[]): (legacy: Json | undefined) => readonly Pair[] {
  const index = new Map<string, Pair[]>()
  const loose: Pair[] = []
  for (const pair of pairs) {
    if (pair.legacy instanceof NumberToken || isLink(pair.source)) loose.push(pair)
    else {
      const key = `${sortOf(pair.legacy)} ${boundText(pair.legacy)}`
      const known = index.get(key)
      if (known === undefined) index.set(key, [pair])
      else known.push(pair)
    }
  }
  return legacy => {
    if (legacy instanceof NumberToken) return pairs
    const own = typeof legacy === 'string' || typeof legacy === 'number' ? boundText(legacy) : ''
    return [...(index.get(`${typeof legacy} ${own}`) ?? []), ...loose]
  }
}

function explain(
  o: Parameters<Aliases['explain']>[0],
  pairs: readonly Pair[],
  repeats: readonly Repeat[],
  all: readonly Pair[],
): string | null {
  const { step, path, legacy, candidate } = o
  if (legacy === undefined || candidate === undefined) return null
  if (path === 'header.link') return o.ruled ? null : explainLinks(o, all)
  const reaching = o.ruled ? [] : pairs
  const pair = reaching.find(
    one =>
      one.step <= step &&
      reaches(one, step, path) &&
      holds(one.source, legacy, one.legacy) &&
      holds(one.source, candidate, one.candidate) &&
      aroundOf(one.source, legacy, one.legacy) === aroundOf(one.source, candidate, one.candidate),
  )
  if (pair !== undefined) return pair.name
  const repeat = repeats.find(
    one =>
      one.step === step &&
      [...one.legacy.nodes, ...one.candidate.nodes].some(node => node.path === path) &&
      isWanted(one.source, legacy, one.legacy.wanted) &&
      isWanted(one.source, candidate, one.candidate.wanted),
  )
  return repeat?.template ?? null
}

/** The template that makes both values of the one pair, as something to write under `same`. */
function suggest({ step, path, legacy, candidate }: Parameters<Aliases['suggest']>[0], pairs: readonly Pair[]) {
  for (const pair of pairs) {
    const { name } = pair
    if (pair.step > step || boundText(pair.legacy) === boundText(pair.candidate)) continue
    const template = equalScalars(legacy ?? null, pair.legacy)
      ? `{{${name}}}`
      : typeof legacy === 'string'
        ? legacy.replace(boundText(pair.legacy), () => `{{${name}}}`)
        : null
    if (template === null || template === legacy) continue
    const wanted = filledTemplate(template, new Map([[name, pair.candidate]]))
    if (!equalScalars(wanted, candidate ?? null)) continue
    return `each side shows its own ${name}: if it has to, add "same": {"${path}": "${template}"} to step ${step}`
  }
  return null
}

/** A header of links holds several: it is explained when the links that were bound are all that differs. */
function explainLinks({ step, legacy, candidate }: Parameters<Aliases['explain']>[0], pairs: readonly Pair[]) {
  if (typeof legacy !== 'string' || typeof candidate !== 'string') return null
  const known = pairs.filter(one => one.source.kind === 'link' && one.step <= step)
  const written = known.reduce(
    (text, { legacy, candidate }) => text.replaceAll(`<{self}${legacy}>`, () => `<{self}${candidate}>`),
    legacy,
  )
  return written === candidate ? known.map(({ name }) => name).join(', ') : null
}

function reaches({ step, source, paths }: Pair, at: number, path: string): boolean {
  if (at === step && paths.includes(path)) return true
  if (source.kind !== 'body') return paths.includes(path)
  const last = lastName(paths[0])
  return last !== null && last === lastName(path)
}

/** The name of the member that a path ends in; null when it ends in an index or at the root. */
function lastName(path: string): string | null {
  if (!path.startsWith('$')) return null
  const found = /(?:\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\])$/.exec(path)
  return found?.[1] ?? found?.[2] ?? null
}

/** Whether what stands at a place is a bound value: a header may hold it under its own authority, or among other links. */
function holds(source: Source, found: Json, bound: Bound): boolean {
  if (isLink(source) && typeof found === 'string' && typeof bound === 'string') {
    return ownPath(found, bound) === bound
  }
  return equalScalars(found, bound)
}

/** What a location says beside the bound path: its authority and its fragment. Empty where it is relative, or no link. */
function aroundOf(source: Source, found: Json, bound: Bound): string {
  if (!isLink(source) || typeof found !== 'string' || typeof bound !== 'string') return ''
  const at = found.indexOf(bound)
  return at === -1 ? '' : `${found.slice(0, at)} ${found.slice(at + bound.length)}`
}

function isWanted(source: Source, found: Json, wanted: Bound | null): boolean {
  if (wanted === null) return false
  if (isLink(source) && typeof found === 'string' && typeof wanted === 'string') {
    return ownPath(found, '/') === ownPath(wanted, '/')
  }
  return equalScalars(found, wanted)
}

function equalScalars(x: Json, y: Json): boolean {
  if (x === null || y === null || Array.isArray(x) || Array.isArray(y)) return false
  if (sortOf(x) !== sortOf(y) || (isObject(x) && !(x instanceof NumberToken))) return false
  if (sortOf(x) !== 'number') return x === y
  return equalDecimals(boundText(x as Bound), boundText(y as Bound))
}

/** Pairs of one family that share a value on one side alone; told at the second step that binds. */
function notOneToOne(pairs: readonly Pair[]): Broken[] {
  const broken: Broken[] = []
  const forward = new Map<string, Pair>()
  const backward = new Map<string, Pair>()
  for (const pair of pairs) {
    const keys = [pair.legacy, pair.candidate].map(value => `${pair.family}\n${sortOf(value)} ${keyOf(value)}`)
    const [x = '', y = ''] = keys
    const there = forward.get(x)
    const back = backward.get(y)
    const clash =
      there !== undefined && keyOf(there.candidate) !== keyOf(pair.candidate)
        ? `the legacy gave one value at steps ${there.step} and ${pair.step}, the candidate two`
        : back !== undefined && keyOf(back.legacy) !== keyOf(pair.legacy)
          ? `the candidate gave one value at steps ${back.step} and ${pair.step}, the legacy two`
          : null
    if (clash !== null) broken.push(brokenAt({ ...pair, path: pair.paths[0], hint: clash }))
    if (there === undefined) forward.set(x, pair)
    if (back === undefined) backward.set(y, pair)
  }
  return broken
}

function keyOf(value: Bound): string {
  return boundText(value)
}

function notRepeated(repeats: readonly Repeat[]): Broken[] {
  return repeats.flatMap(({ step, source, template, legacy, candidate }) => {
    const [first] = legacy.nodes
    if (first === undefined || !legacy.nodes.every(({ value }) => isWanted(source, value, legacy.wanted))) return []
    // a header that is not compared would be missed by nobody
    if (candidate.nodes.length === 0) {
      const hint = `it has to repeat ${template}, and the candidate has nothing there`
      return [brokenAt({ ...first, step, legacy: first.value, candidate: undefined, hint })]
    }
    return candidate.nodes.flatMap((node, at) => {
      if (isWanted(source, node.value, candidate.wanted)) return []
      const hint = `it has to repeat ${template}${candidate.wanted === null ? '' : `, which is ${boundText(candidate.wanted)} on this side`}`
      return [brokenAt({ ...node, step, legacy: legacy.nodes[at]?.value ?? null, candidate: node.value, hint })]
    })
  })
}

function brokenAt({ step, path, pointer, legacy, candidate, hint }: Omit<Broken, 'kind'>): Broken {
  const isHeader = path.startsWith('header.')
  const changed = isHeader ? 'header_changed' : 'value_changed'
  const missing = isHeader ? 'header_missing' : 'missing'
  const kind = candidate === undefined ? missing : changed
  return { step, path, pointer, kind, legacy, candidate, ...(hint === undefined ? {} : { hint }) }
}

function unfitOf(repeats: readonly Repeat[]): Aliases['unfit'] {
  for (const { step, source, template, legacy } of repeats) {
    const what = source.kind === 'body' ? source.query : `${source.kind}.${source.name}`
    if (legacy.nodes.length === 0) return { step, message: `same: ${what} selects nothing in the answer of the legacy` }
    if (!legacy.nodes.every(({ value }) => isWanted(source, value, legacy.wanted))) {
      return { step, message: `same: the legacy does not hold ${template} at ${what}` }
    }
  }
  return null
}
