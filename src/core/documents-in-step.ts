import { Buffer } from 'node:buffer'
import type { FieldList, StepObservation } from '../model.ts'
import { isJsonType } from './bodies.ts'
import { undoCodings } from './codings.ts'
import type { StepDocument } from './documents.ts'
import type { Json } from './json.ts'
import { keptText } from './json-kept.ts'
import { inStep } from './lockstep.ts'
import type { Matcher } from './matcher.ts'
import { parameterOf, parseMediaType } from './media-type.ts'

/** The documents of two steps whose texts were walked side by side. */
export interface InStepDocuments {
  readonly left: StepDocument
  readonly right: StepDocument
  /** The whole document of the golden; null where no rule asks for it. */
  readonly golden: Json
  /** Trees of the documents that do not hold all that their text does: none of these may be told. */
  readonly sparse: ReadonlySet<Json>
}

/**
 * The documents of two steps that both show JSON and nothing else to be told of it, read without making trees of what is
 * the same; null where `documentOf` has to read them. Rules need the tree of the golden, to count what they select.
 */
export function documentsInStep(
  golden: StepObservation,
  actual: StepObservation,
  matcher: Matcher,
  step: number,
): InStepDocuments | null {
  const left = textOf(golden)
  const right = left === null ? null : textOf(actual)
  if (left === null || right === null) return null
  const root = matcher.body(step)
  const ruled = root.rule !== null || !root.inert
  if (ruled && left.tree === undefined) return null
  const tree = left.tree ?? null
  if (left.tree !== undefined && Buffer.compare(left.octets, right.octets) === 0) {
    return { left: jsonDocument(tree), right: jsonDocument(tree), golden: tree, sparse: NONE }
  }
  const walked = inStep(left.octets, right.octets, root)
  if (walked === null) return null
  if (walked.same) return { left: jsonDocument(tree), right: jsonDocument(tree), golden: tree, sparse: NONE }
  return { left: jsonDocument(walked.x), right: jsonDocument(walked.y), golden: tree, sparse: walked.sparse }
}

const NONE: ReadonlySet<Json> = new Set()

function jsonDocument(value: Json): StepDocument {
  return { kind: 'json', value, notes: [], fault: null, threw: false, failed: false, unserialisable: null }
}

interface Text {
  /** UTF-8, as far as it is text at all. */
  readonly octets: Uint8Array
  /** Its value, when that is known. */
  readonly tree?: Json
}

/** The octets that are a step's document if they are JSON; null where more would have to be looked at. */
function textOf(step: StepObservation): Text | null {
  if (step.kind === 'command') return step.stdout.length === 0 ? null : { octets: step.stdout }
  if (step.kind !== 'response') return null
  const { status, headers, body, broken } = step.response
  const bodiless = step.method.toUpperCase() === 'HEAD' || status < 200 || status === 204 || status === 304
  if (bodiless || broken !== undefined || body === undefined || !saysJson(headers)) return null
  if ('json' in body) {
    const octets = keptText(body.json)
    return octets === null ? null : { octets, tree: body.json }
  }
  if (!('bytes' in body) || valuesOf(headers, 'transfer-encoding').some(value => !/^chunked$/i.test(value))) return null
  const uncoded = undoCodings(body.bytes, valuesOf(headers, 'content-encoding'))
  return uncoded.ok && uncoded.bytes.length > 0 ? { octets: uncoded.bytes } : null
}

function saysJson(headers: FieldList): boolean {
  const type = parseMediaType(valuesOf(headers, 'content-type').at(-1) ?? '')
  return isJsonType(type?.essence ?? null) && /^utf-?8$/i.test(parameterOf(type, 'charset') ?? 'utf-8')
}

function valuesOf(headers: FieldList, name: string): string[] {
  return headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value)
}
