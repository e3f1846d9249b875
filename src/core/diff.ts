import type { Comparison, DifferenceKind, InputStep, Observation, StepObservation } from '../model.ts'
import { type Aliases, aliasesOf } from './aliases.ts'
import { BREVITY_VISITS_MAX, type Budget, type Listener, MATCH_VISITS_MAX, type Pair, walkPair } from './diff-walk.ts'
import { documentOf, isStoredAsJson, type StepDocument } from './documents.ts'
import { documentsInStep, type InStepDocuments } from './documents-in-step.ts'
import { collectFindings, cut, type Findings, tokenOf } from './findings.ts'
import { compareHeaders } from './headers.ts'
import type { Matcher } from './matcher.ts'
import { representations } from './representation.ts'
import { compareScalars, type Scalar, UNCOVERED } from './scalars.ts'
import { countSelected } from './selected.ts'
import { sharedWith } from './sharing.ts'
import { type CaseTerms, type Terms, termsOf } from './terms.ts'
import type { RuleSet } from './tolerance.ts'

/** Version of the comparator: part of the adapter that a verdict names. It changes when a verdict could. */
export const COMPARATOR = '1'

/**
 * The differences between what the legacy showed and what the candidate showed, under the rules.
 *
 * Total: never throws, whatever the observations hold. Reflexive. Symmetric up to swapping the sides, on decoded documents.
 * Differences stand by step, then status, headers, document, each in the order of the golden, then of the actual.
 *
 * 1. **Recording.** A golden without steps is the fault `content-missing`. When a body of it does not decode, or broke
 *    off, the faults are all there is.
 * 2. **Steps** are compared by position. One that stands on one side only is `missing` or `extra`; two of different sorts
 *    (a response, an output or error, a program) are `content_kind`, except that a program is judged against an output or
 *    error by its document alone (rule 6).
 * 3. **Responses.** Status by value. Headers as `compareHeaders` says. A response that broke off after its head is
 *    `protocol_error`, and its body is not compared. A body that does not decode is `undecodable_body`; one over the
 *    bound is the fault `over-limit`.
 * 4. **Programs.** `exit` and `stderr` by value, then the document on standard output.
 * 5. **Documents** of different kinds (`decodeBody`) are `content_kind`. A property of the representation that differs
 *    is a note.
 * 6. **Errors.** A step that threw and one that did not are `threw`; so is every difference between two errors.
 *    An output without a JSON form is `content_kind` at the place that has none.
 * 7. **Governing.** What governs a node is told by its `MatchState`: under no rule it is `uncovered`.
 * 8. `ignore` passes the subtree, its presence included.
 * 9. A node on one side only is `missing` or `extra`; a null against absence is `null_vs_missing`.
 * 10. Another JSON type is `type_changed`; null is a type.
 * 11. **Scalars** as `compareScalars` says: `value_changed`; `format_changed` when only the text of a number differs under
 *     `exact`; under `structural` another format class is `type_changed`.
 * 12. **Objects** by key set. A name that occurs more than once agrees when its values agree one by one in the order
 *     written; else it is `duplicate_key`.
 * 13. **Arrays under `structural`**: empty against non-empty is `array_length`; every element agrees with some element of
 *     the other side, both ways.
 * 14. **Arrays under `order_insensitive`**: as multisets, by an assignment of greatest size. An element that occurs on both
 *     sides, but another number of times, is `count`.
 * 15. **All other arrays** by position. The same multiset in another order is one `order`.
 * 16. **Elements without a counterpart** (13, 14) are set against the closest on the other side, and the leaf is told.
 * 17. **Bindings.** With the steps of the input: a step that is `given` is not compared. Where two values differ that both sides
 *     bound under one name, and no rule governs the place, they stand for each other (`aliasesOf`); values that are not one
 *     to one, or do not repeat what `same` says, are `value_changed` under `builtin:binding`. A recording that does not
 *     repeat it is the fault `unbound`.
 * 18. **A candidate that was cut** by a fault is compared in the steps it showed; the fault stands beside the differences.
 * 19. **Bounds.** Matching elements visits at most `MATCH_VISITS_MAX` nodes; beyond that the array is the fault `budget`.
 *     At most `REPORTED_MAX` differences are reported, the rest counted; tokens are cut at `TOKEN_MAX` characters.
 *
 * **Rule uses.** One entry for each rule, in file order: the nodes of the golden that it governs first, and how many nodes
 * of either side differed by value and passed only because of it. Then the built-in leniencies that were needed.
 */
export function compare(golden: Observation, actual: Observation, rules: RuleSet, on: CaseTerms = {}): Comparison {
  return compareUnder(golden, actual, { ...termsOf(rules), ...on })
}

export function compareUnder(golden: Observation, actual: Observation, terms: Terms): Comparison {
  const aliases = aliasesOf(terms.steps ?? [], golden, actual)
  const inNamesOfLegacy = () =>
    compareDocumentsOf({ golden, actual, terms, aliases }, documentsOf(golden, actual, null), true).comparison
  if (aliases?.crossed) return inNamesOfLegacy()
  const quick = compareDocumentsOf({ golden, actual, terms, aliases }, documentsOf(golden, actual, terms.matcher))
  // What was left out had to be told after all.
  const plain = quick.toldSparse ? compareWhole(golden, actual, terms) : quick.comparison
  // Elements are matched by what they hold: where ids differ, that may have kept them apart.
  const matched = plain.differences.length > 0 && terms.rules.some(({ key }) => key === 'order_insensitive')
  if (!matched || aliases === null || aliases.renamings.length === 0) return plain
  const named = inNamesOfLegacy()
  return sizeOf(named) < sizeOf(plain) ? named : plain
}

function sizeOf({ differences, moreDifferences }: Comparison): number {
  return differences.length + moreDifferences
}

/** What `compareUnder` returns, from the whole tree of every document: the slower one of its two ways. */
export function compareWhole(golden: Observation, actual: Observation, terms: Terms): Comparison {
  const aliases = aliasesOf(terms.steps ?? [], golden, actual)
  return compareDocumentsOf({ golden, actual, terms, aliases }, documentsOf(golden, actual, null)).comparison
}

interface Compared {
  readonly comparison: Comparison
  /** A difference shows a tree that does not hold all that its text does. */
  readonly toldSparse: boolean
}

interface Compare {
  readonly golden: Observation
  readonly actual: Observation
  readonly terms: Terms
  readonly aliases: Aliases | null
}

function compareDocumentsOf(o: Compare, documents: readonly Documents[], rename = false): Compared {
  const { golden, actual, terms, aliases } = o
  const { steps = [], cut: cutBy } = terms
  const findings = collectFindings(golden, actual, terms.limits, aliases, rename)
  const broken = reportRecording(golden, documents, findings, steps) || tellUnfit(aliases, findings)
  let toldSparse = false
  for (const [step, { left, right, inStep }] of documents.entries()) {
    if (broken) break
    const x = golden[step]
    const y = actual[step]
    if (steps[step]?.given === true || (y === undefined && cutBy !== undefined)) continue
    if (x === undefined || y === undefined) {
      const path = { path: '$', pointer: '', state: UNCOVERED }
      const [legacy, candidate] = [x, y].map(side => (side === undefined ? null : JSON.stringify(side.kind)))
      const kind = y === undefined ? 'missing' : 'extra'
      findings.difference(step, () => ({ kind, ...path, legacy: legacy ?? null, candidate: candidate ?? null }))
    } else if (left !== undefined && right !== undefined) {
      const onSparse = () => {
        toldSparse = true
      }
      compareStep({ step, x, y, left, right, inStep, terms, findings, onSparse })
      findings.broken(step)
    }
  }
  if (cutBy !== undefined && !broken) findings.fault(cutBy)
  return { comparison: findings.result(terms.rules), toldSparse }
}

interface Documents {
  readonly left: StepDocument | undefined
  readonly right: StepDocument | undefined
  /** Set where `left` and `right` hold only what differs. */
  readonly inStep: InStepDocuments | null
}

/** The documents of each step; with a matcher those that can be are read side by side. */
function documentsOf(golden: Observation, actual: Observation, matcher: Matcher | null): Documents[] {
  const documents: Documents[] = []
  for (let step = 0; step < Math.max(golden.length, actual.length); step += 1) {
    const x = golden[step]
    const y = actual[step]
    const inStep = matcher === null || x === undefined || y === undefined ? null : documentsInStep(x, y, matcher, step)
    if (inStep !== null) {
      documents.push({ left: inStep.left, right: inStep.right, inStep })
      continue
    }
    // A side that was decoded as JSON before settles how the other is read.
    const reading = { json: isStoredAsJson(x) || isStoredAsJson(y), crossed: x?.kind !== y?.kind }
    documents.push({ left: x && documentOf(x, reading), right: y && documentOf(y, reading), inStep: null })
  }
  return documents
}

/** Tells that the recording does not repeat what the input says it repeats; true when it does not. */
function tellUnfit(aliases: Aliases | null, findings: Findings): boolean {
  if (aliases === null || aliases.unfit === null) return false
  findings.fault({ reason: 'unbound', ...aliases.unfit })
  return true
}

/** Reports what is wrong with the recording; true when something is. */
function reportRecording(
  golden: Observation,
  documents: readonly Documents[],
  findings: Findings,
  steps: readonly InputStep[],
): boolean {
  let wrong = golden.length === 0
  if (wrong) findings.fault({ reason: 'content-missing', step: 0, message: 'the recording has no steps' })
  for (const [step, { left }] of documents.entries()) {
    if (steps[step]?.given === true) continue
    const observed = golden[step]
    if (observed?.kind === 'response' && observed.response.broken !== undefined) {
      findings.fault({ reason: 'corrupt-recording', step, message: 'the recorded response broke off' })
      wrong = true
    }
    if (left?.fault) {
      findings.fault({ ...left.fault, step })
      wrong = true
    }
  }
  return wrong
}

interface Step {
  readonly step: number
  readonly x: StepObservation
  readonly y: StepObservation
  readonly left: StepDocument
  readonly right: StepDocument
  readonly inStep: InStepDocuments | null
  readonly terms: Terms
  readonly findings: Findings
  /** Hears that a difference shows a sparse tree. */
  onSparse(): void
}

function compareStep(o: Step): void {
  const { x, y } = o
  if (x.kind === 'response' && y.kind === 'response') {
    compareScalar(o, 'status', x.response.status, y.response.status, 'status')
    compareHeaderSections(o, x.response.headers, y.response.headers)
    if (y.response.broken === undefined) compareDocuments(o)
    else tellRoot(o, 'protocol_error', null, y.response.broken)
  } else if (x.kind === 'command' && y.kind === 'command') {
    compareScalar(o, 'exit', x.exit, y.exit, 'exit')
    compareScalar(o, 'stderr', x.stderr, y.stderr)
    compareDocuments(o)
  } else if (x.kind === 'response' || y.kind === 'response') tellRoot(o, 'content_kind', x.kind, y.kind)
  else if (o.left.unserialisable !== null || o.right.unserialisable !== null) {
    const [legacy, candidate] = [o.left, o.right].map(side => side.unserialisable?.what ?? side.kind)
    tellRoot(
      o,
      'content_kind',
      legacy ?? null,
      candidate ?? null,
      (o.right.unserialisable ?? o.left.unserialisable)?.path,
    )
  } else if (o.left.threw !== o.right.threw || o.left.failed !== o.right.failed) tellThrew(o)
  else compareDocuments(o)
}

/** Compares the values of a root that is a single scalar. */
function compareScalar(o: Step, root: string, x: Scalar, y: Scalar, kind?: DifferenceKind): void {
  const state = o.terms.matcher.scalar(o.step, root)
  if (state.rule !== null) o.findings.selected(state.rule)
  const finding = compareScalars(x, y, state)
  if (finding.outcome === 'tolerated' && state.rule !== null) o.findings.hid(state.rule)
  if (finding.outcome !== 'different') return
  o.findings.difference(o.step, () => ({
    kind: kind ?? finding.kind,
    path: root,
    pointer: '',
    legacy: tokenOf(x, o.terms.limits.tokenMax),
    candidate: tokenOf(y, o.terms.limits.tokenMax),
    state,
    hint: finding.hint,
  }))
}

function compareHeaderSections(
  o: Step,
  golden: readonly (readonly [string, string])[],
  actual: readonly (readonly [string, string])[],
): void {
  const { findings, step, terms } = o
  const state = (name: string) => terms.matcher.scalar(step, `header.${name}`)
  for (const name of new Set(golden.map(([name]) => name.toLowerCase()))) {
    const { rule } = state(name)
    if (rule !== null) findings.selected(rule)
  }
  for (const { name, state: governing, found } of compareHeaders({ golden, actual, compared: terms.headers, state })) {
    const path = `header.${name}`
    if (found.outcome === 'note') findings.note(step, { id: found.id, path, detail: found.detail })
    else if (found.outcome === 'tolerated') {
      if (governing.rule !== null) findings.hid(governing.rule)
    } else if (!findings.explained(step, { ...found, path, state: governing })) {
      const [legacy, candidate] = [found.legacy, found.candidate].map(
        token => token && cut(token, terms.limits.tokenMax),
      )
      findings.difference(step, () => ({
        ...found,
        path,
        state: governing,
        hint: findings.suggested(step, { ...found, path }),
        legacy: legacy ?? null,
        candidate: candidate ?? null,
      }))
    }
  }
}

function compareDocuments(o: Step): void {
  const { left, right, step, terms, findings } = o
  const root = terms.matcher.body(step)
  for (const [rule, nodes] of countSelected(o.inStep?.golden ?? left.value, root)) findings.selected(rule, nodes)
  const candidate = findings.renamed(step, right.value, root)
  if (right.fault !== null) {
    if (right.fault.reason === 'over-limit') findings.fault({ ...right.fault, step })
    else tellRoot(o, 'undecodable_body', null, right.fault.message)
    return
  }
  if (left.kind !== right.kind) {
    tellRoot(o, 'content_kind', left.kind, right.kind)
    return
  }
  for (const note of representations(left.notes, right.notes)) findings.note(step, { ...note, path: '$' })
  const shared = sharedWith(left.value, candidate)
  if (shared === left.value) return
  const kindOf = left.threw ? () => 'threw' as const : undefined
  const budget = (visitsMax: number): Budget => ({ visitsMax, visits: 0, depth: 0 })
  const walk = {
    listener: watched(findings.listener(step, kindOf), o),
    budget: budget(MATCH_VISITS_MAX),
    brevity: budget(BREVITY_VISITS_MAX),
    found: false,
  }
  const pair: Pair = {
    x: left.value,
    y: shared,
    state: root,
    place: null,
    governed: root.rule === null ? null : { rule: root.rule, hid: false },
  }
  walkPair(walk, pair)
}

/** The listener; of documents read side by side it also hears when one of their sparse trees is told. */
function watched(listener: Listener, { inStep, onSparse }: Step): Listener {
  if (inStep === null || inStep.sparse.size === 0) return listener
  return {
    ...listener,
    difference(found) {
      const { legacy = null, candidate = null } = found
      if (inStep.sparse.has(legacy) || inStep.sparse.has(candidate)) onSparse()
      listener.difference(found)
    },
  }
}

function tellRoot(o: Step, kind: DifferenceKind, legacy: string | null, candidate: string | null, path = '$'): void {
  o.findings.difference(o.step, () => ({
    kind,
    path,
    pointer: '',
    legacy: tokenOf(legacy ?? undefined, o.terms.limits.tokenMax),
    candidate: tokenOf(candidate ?? undefined, o.terms.limits.tokenMax),
    state: o.terms.matcher.body(o.step),
  }))
}

function tellThrew(o: Step): void {
  const [legacy, candidate] = [o.left, o.right].map(side =>
    side.kind === 'empty' ? null : tokenOf(side.value, o.terms.limits.tokenMax),
  )
  o.findings.difference(o.step, () => ({
    kind: 'threw',
    path: '$',
    pointer: '',
    legacy: legacy ?? null,
    candidate: candidate ?? null,
    state: o.terms.matcher.body(o.step),
  }))
}
