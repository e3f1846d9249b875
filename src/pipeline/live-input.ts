import { parseInput } from '../contract/inputs.ts'
import { isObject, type Json, membersOf, textOf, toJson } from '../core/json.ts'
import { ParityError } from '../errors.ts'
import type { Case } from '../model.ts'

/** A name that an input may have; its bucket says that nobody thought the case out as one of the corpus. */
const NAME = '000-replay-live'
const FORMS =
  "give one request, as { method: 'GET', path: '/rates' }; a list of steps, as [{ request: { … } }]; or { steps: [ … ] }, with the members of a file of inputs/"

/**
 * The case that a test gives as a value, read as strictly as a file of inputs.
 *
 * Of a service that is asked: one request, a list of steps, or what a whole file holds (`steps`, and `covers`, `now`,
 * `class`). Of a function or a program: the input itself, whatever it is.
 *
 * @throws ParityError PARITY_INPUT_INVALID
 */
export function readLiveInput(value: unknown, o: { readonly name: string; readonly of: 'request' | 'input' }): Case {
  const given = toJson(value)
  if (!given.ok) throw invalid([`the input has no JSON form: ${given.what} at ${given.path}`], ['give plain data'])
  const file = o.of === 'input' ? { steps: [{ input: given.value }] } : fileOf(given.value)
  if (file === null) throw invalid(['the input is neither a request nor steps'], [FORMS])
  const beside: string[] = []
  const parsed = parseInput(textOf(file), {
    file: 'toMatchLegacy',
    name: NAME,
    read: name => {
      beside.push(name)
      throw new Error('no file stands beside a test')
    },
  })
  if (parsed.ok) return { ...parsed.case, name: o.name }
  const [absent] = beside
  if (absent !== undefined)
    throw invalid([`no file ${absent} stands beside a test`], ['give the body itself, as base64'])
  throw invalid(
    parsed.errors.map(({ message }) => message),
    parsed.errors.map(({ fix }) => fix),
  )
}

/** What a file of inputs would hold; null for what is none of the forms. */
function fileOf(value: Json): Json | null {
  if (Array.isArray(value)) return { steps: value }
  if (!isObject(value)) return null
  const names = membersOf(value).map(([name]) => name)
  if (names.includes('steps')) return value
  return names.includes('method') || names.includes('path') ? { steps: [{ request: value }] } : null
}

function invalid(messages: readonly string[], fixes: readonly string[]): ParityError {
  const what = messages.map(message => `toMatchLegacy: ${message}`).join('\n')
  return new ParityError('PARITY_INPUT_INVALID', what, [...new Set(fixes)].join('; '))
}
