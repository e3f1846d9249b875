import type { Comparison, Difference, DifferenceKind, Fault, Note, Observation, RuleUse } from '../model.ts'
import type { Aliases } from './aliases.ts'
import { compareCodePoints } from './canonical.ts'
import type { Listener, Place } from './diff-walk.ts'
import { agree, MATCH_VISITS_MAX, OverBudget } from './diff-walk.ts'
import { beginningOf, type Json, parseJson } from './json.ts'
import type { MatchState } from './matcher.ts'
import { received, renamed } from './renamed.ts'
import { UNCOVERED } from './scalars.ts'
import { normalisedPath, pointerOf } from './selector.ts'
import type { Rule } from './tolerance.ts'

/** Reported differences and notes; beyond it they are only counted. */
export const REPORTED_MAX = 100
/** Characters of a token; a longer one is cut, and the cut is said. */
export const TOKEN_MAX = 400

/** The built-in leniency for values that both sides bound. */
export const BINDING = 'builtin:binding'

export interface Limits {
  readonly reportedMax: number
  readonly tokenMax: number
}
export const LIMITS: Limits = { reportedMax: REPORTED_MAX, tokenMax: TOKEN_MAX }

/** The JSON text of a value, cut where it is long; null for absence. */
export function tokenOf(value: Json | undefined, tokenMax: number): string | null {
  if (value === undefined) return null
  const { text, length } = beginningOf(value, tokenMax)
  return cut(text, tokenMax, length)
}

/** A text, or the beginning of one of that length, cut where it is long, with its length. */
export function cut(text: string, tokenMax: number, length = text.length): string {
  if (length <= tokenMax) return text
  const unit = text.charCodeAt(tokenMax - 1)
  const end = unit >= 0xd800 && unit <= 0xdbff ? tokenMax - 1 : tokenMax
  return `${text.slice(0, end)}… (cut, ${length} characters)`
}

/** The segments from the root to a place. */
export function segmentsOf(place: Place): (string | number)[] {
  const segments: (string | number)[] = []
  for (let at = place; at !== null; at = at.up) segments.push(at.segment)
  return segments.reverse()
}

export interface Told {
  readonly kind: DifferenceKind
  /** `$…`, `status`, `header.x`: without the prefix of the step. */
  readonly path: string
  readonly pointer: string
  readonly legacy: string | null
  readonly candidate: string | null
  readonly state: MatchState
  readonly hint?: string | undefined
}

/** Collects what one comparison finds. */
export interface Findings {
  /** `rule` stands for the one that governs, where none does. */
  difference(step: number, told: () => Told, rule?: string): void
  note(step: number, note: { readonly id: string; readonly path: string; readonly detail: string }): void
  selected(rule: Rule, nodes?: number): void
  hid(rule: Rule): void
  fault(fault: Fault): void
  /** Whether the bindings explain a header that differs; it is then a note. The tokens are JSON texts. */
  explained(step: number, found: Pick<Told, 'path' | 'legacy' | 'candidate' | 'state'>): boolean
  /** What to write where a header differs by bound values alone. The tokens are JSON texts. */
  suggested(step: number, found: Pick<Told, 'path' | 'legacy' | 'candidate'>): string | undefined
  /** A document of the candidate as it is compared: in the names of the legacy where elements are matched. */
  renamed(step: number, document: Json, state: MatchState): Json
  /** Tells what only the bindings of a step show. */
  broken(step: number): void
  /** Hears the walk of a step's document; `kindOf` may give its differences another kind. */
  listener(step: number, kindOf?: (kind: DifferenceKind) => DifferenceKind): Listener
  result(rules: readonly Rule[]): Comparison
}

export function collectFindings(
  golden: Observation,
  actual: Observation,
  limits: Limits,
  aliases: Aliases | null,
  /** Whether documents of the candidate are compared in the names of the legacy. */
  rename = false,
): Findings {
  const several = golden.length > 1 || actual.length > 1
  const placed = (step: number, path: string) => (several ? `steps[${step}]:${path}` : path)
  const differences: Difference[] = []
  const notes: Note[] = []
  const faults: Fault[] = []
  const builtins = new Map<string, number>()
  const uses = new Map<string, { selected: number; hid: number }>()
  let more = 0
  const use = (rule: Rule) => {
    const known = uses.get(rule.text) ?? { selected: 0, hid: 0 }
    uses.set(rule.text, known)
    return known
  }
  const renamingsAt = (step: number) => (aliases?.renamings ?? []).filter(one => one.step <= step)
  const findings: Findings = {
    difference(step, told, rule = 'uncovered') {
      if (differences.length >= limits.reportedMax) {
        more += 1
        return
      }
      const { kind, path, pointer, legacy, candidate, state, hint } = told()
      differences.push({
        kind,
        step,
        path: placed(step, path),
        pointer,
        legacy,
        candidate,
        rule: state.rule?.text ?? rule,
        ...(hint === undefined ? {} : { hint }),
      })
    },
    note(step, { id, path, detail }) {
      builtins.set(id, (builtins.get(id) ?? 0) + 1)
      if (notes.length < limits.reportedMax) {
        notes.push({ id, step, path: placed(step, path), detail: cut(detail, limits.tokenMax) })
      }
    },
    selected(rule, nodes = 1) {
      use(rule).selected += nodes
    },
    hid(rule) {
      use(rule).hid += 1
    },
    fault(fault) {
      faults.push(fault)
    },
    explained(step, { path, legacy, candidate, state }) {
      if (aliases === null || legacy === null || candidate === null) return false
      const ruled = state.rule !== null
      const values = { step, path, legacy: scalarOf(legacy), candidate: scalarOf(candidate), ruled }
      const name = aliases.explain(values)
      if (name !== null) findings.note(step, { id: BINDING, path, detail: `${name}: ${legacy}/${candidate}` })
      return name !== null
    },
    suggested(step, { path, legacy, candidate }) {
      if (aliases === null || legacy === null || candidate === null) return undefined
      const values = { legacy: scalarOf(legacy), candidate: scalarOf(candidate) }
      return aliases.suggest({ step, path, ...values }) ?? undefined
    },
    renamed(step, document, state) {
      if (!rename) return document
      const { value, places } = renamed(document, state, renamingsAt(step))
      for (const { path, renaming } of places) {
        const [left, right] = [renaming.legacy, renaming.candidate].map(each => tokenOf(each, limits.tokenMax))
        findings.note(step, { id: BINDING, path, detail: `${renaming.name}: ${left}/${right}` })
      }
      return value
    },
    broken(step) {
      for (const one of aliases?.broken ?? []) {
        const path = placed(step, one.path)
        if (one.step !== step || differences.some(told => told.step === step && told.path === path)) continue
        const [legacy, candidate] = [one.legacy, one.candidate].map(value => tokenOf(value, limits.tokenMax))
        const told = { ...one, path: one.path, legacy: legacy ?? null, candidate: candidate ?? null, state: UNCOVERED }
        findings.difference(step, () => told, BINDING)
      }
    },
    listener(step, kindOf = kind => kind) {
      return {
        difference(told) {
          const found = rename
            ? { ...told, candidate: received(told.candidate, told.place?.segment, renamingsAt(step)) }
            : told
          if (aliases !== null && found.kind === 'value_changed') {
            const path = normalisedPath(segmentsOf(found.place))
            const { legacy, candidate } = found
            const ruled = found.state.rule !== null
            const name = aliases.explain({ step, path, legacy, candidate, ruled })
            if (name !== null) {
              const [left, right] = [legacy, candidate].map(value => tokenOf(value, limits.tokenMax))
              findings.note(step, { id: BINDING, path, detail: `${name}: ${left}/${right}` })
              return
            }
          }
          findings.difference(step, () => {
            const segments = segmentsOf(found.place)
            const path = normalisedPath(segments)
            const hint =
              found.hint ?? aliases?.suggest({ ...found, step, path }) ?? hintFor(found.legacy, found.candidate)
            return {
              ...found,
              hint,
              kind: kindOf(found.kind),
              path,
              pointer: pointerOf(segments),
              legacy: tokenOf(found.legacy, limits.tokenMax),
              candidate: tokenOf(found.candidate, limits.tokenMax),
            }
          })
        },
        note: (id, place, detail) => findings.note(step, { id, path: normalisedPath(segmentsOf(place)), detail }),
        hid: rule => findings.hid(rule),
        overBudget(place) {
          const path = placed(step, normalisedPath(segmentsOf(place)))
          findings.fault({
            reason: 'budget',
            step,
            message: `matching the elements of ${path} takes more than ${MATCH_VISITS_MAX} visits`,
          })
        },
      }
    },
    result: rules => ({
      differences,
      moreDifferences: more,
      faults,
      notes,
      ruleUses: [...rules.map(rule => ruleUse(rule, uses.get(rule.text))), ...builtinUses(builtins)],
    }),
  }
  return findings
}

/** The one value that a token holds; undefined for a list of them. */
function scalarOf(token: string): Json | undefined {
  const parsed = parseJson(token)
  return parsed.ok && !Array.isArray(parsed.value) ? parsed.value : undefined
}

/** Characters of a text that a hint looks into. */
const HINTED_MAX = 64 * 1024

/** Texts that hold JSON, as the data of an event may, are compared as texts. */
function hintFor(legacy: Json | undefined, candidate: Json | undefined): string | undefined {
  if (typeof legacy !== 'string' || typeof candidate !== 'string') return undefined
  if (![legacy, candidate].every(text => text.length <= HINTED_MAX && /^\s*[[{]/.test(text))) return undefined
  const [left, right] = [parseJson(legacy), parseJson(candidate)]
  const budget = { visitsMax: HINTED_MAX, visits: 0, depth: 0 }
  try {
    const same = left.ok && right.ok && agree(left.value, right.value, UNCOVERED, budget)
    return same ? 'the same JSON, written differently' : undefined
  } catch (error) {
    if (error instanceof OverBudget) return undefined
    throw error
  }
}

function ruleUse(rule: Rule, use: { readonly selected: number; readonly hid: number } | undefined): RuleUse {
  return { rule: rule.text, id: rule.id, selected: use?.selected ?? 0, hid: use?.hid ?? 0 }
}

/** Built-in leniencies are counted like rules: every place they were needed is one that they selected, and hid. */
function builtinUses(counts: ReadonlyMap<string, number>): RuleUse[] {
  return [...counts]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([rule, count]) => ({ rule, id: null, selected: count, hid: count }))
}
