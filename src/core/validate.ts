import { z } from 'zod'
import { nearest } from './nearest.ts'
import type { Located, ParsedYaml } from './yaml.ts'

/**
 * The value of a parsed YAML file under a schema, or every way in which it does not fit, with place and repair and in
 * file order. An unknown key of a strict object names the nearest known one. A message of the schema's own may end in
 * `\nFix: …`.
 */
export function validate<T>(
  parsed: ParsedYaml,
  schema: z.ZodType<T>,
  file: string,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly Located[] } {
  if (!parsed.ok) return parsed
  const result = schema.safeParse(parsed.value, { error: messageOf })
  if (result.success) return { ok: true, value: result.data }
  const errors = withoutMeant(result.error.issues.flatMap(issue => faultsOf(issue, [])))
    .map(({ path, of, message, fix }) => ({ file, ...parsed.at(path, of), message, fix }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  return { ok: false, errors }
}

interface Fault {
  readonly path: readonly (string | number)[]
  readonly of: 'key' | 'value'
  readonly message: string
  readonly fix: string
  /** The known key that an unknown one was probably meant for. */
  readonly meant?: string
}

/** Without the faults that a known key is missing where an unknown key was meant for it. */
function withoutMeant(faults: readonly Fault[]): Fault[] {
  const meant = new Set(
    faults.flatMap(({ path, meant: key }) => (key === undefined ? [] : [JSON.stringify([...path.slice(0, -1), key])])),
  )
  return faults.filter(({ path }) => !meant.has(JSON.stringify(path)))
}

const FIX = '\nFix: '

/** Messages of the issues whose raw form knows more than their final one; the schema's and zod's own for all others. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const { inst } = issue
    return inst instanceof z.ZodObject ? JSON.stringify(Object.keys(inst.shape)) : '[]'
  }
  if (issue.code === 'too_small' && issue.minimum === 1) return `empty${FIX}write it, or remove the key`
  if (issue.code !== 'invalid_type') return undefined
  const expected = TYPE_WORDS[issue.expected] ?? `a ${issue.expected}`
  if (issue.input === undefined) return `missing: expected ${expected}${FIX}add it`
  return `expected ${expected}, received ${typeWord(issue.input)}${FIX}write ${expected}`
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  int: 'a whole number',
  null: 'null',
}

function typeWord(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return Array.isArray(value) ? 'a list' : (TYPE_WORDS[typeof value] ?? `a ${typeof value}`)
}

function faultsOf(issue: z.core.$ZodIssue, above: readonly (string | number)[]): Fault[] {
  const path = [...above, ...issue.path.map(key => (typeof key === 'number' ? key : String(key)))]
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(path, key, issue.message))
  if (issue.code === 'invalid_union') {
    const branch = closest(
      issue.errors.map(inner => inner.flatMap(one => faultsOf(one, path))),
      path.length,
    )
    if (branch !== null) return branch
  }
  const name = path.at(-1)
  const subject = typeof name === 'string' ? `"${name}": ` : ''
  const said = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  const [message = '', fix = 'correct the value'] = said.split(FIX)
  if (issue.code === 'invalid_value' && issue.values.length > 0) {
    const values = issue.values.map(String)
    return [{ path, of: 'value', message: `${subject}expected ${listed(values)}`, fix: `write ${listed(values)}` }]
  }
  return [{ path, of: issue.code === 'invalid_key' ? 'key' : 'value', message: subject + message, fix }]
}

function unknownKey(path: readonly (string | number)[], key: string, knownText: string): Fault {
  const parsed: unknown = JSON.parse(knownText)
  const known = Array.isArray(parsed) ? parsed.map(String) : []
  const near = nearest(key, known)
  return {
    path: [...path, key],
    of: 'key',
    message: `unknown key "${key}"${near === null ? '' : `; did you mean "${near}"?`}`,
    fix: near === null ? `remove it; the keys are ${known.join(', ')}` : `write ${near}`,
    ...(near === null ? {} : { meant: near }),
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/**
 * Of the branches of a union the one that was probably meant: where an unknown key resembles a known one, else where the
 * first fault lies deepest; null when none is of the right type at all.
 */
function closest(branches: readonly (readonly Fault[])[], level: number): Fault[] | null {
  let best: readonly Fault[] | null = null
  let score = 0
  for (const faults of branches) {
    const depth = (faults[0]?.path.length ?? level) - level
    const reached = depth + (faults.some(({ meant }) => meant !== undefined) ? 0.5 : 0)
    if (reached <= score) continue
    score = reached
    best = faults
  }
  return best === null ? null : [...best]
}
