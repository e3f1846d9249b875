import {
  looseReference,
  nodesOf,
  parseSource,
  referencesIn,
  referencesOf,
  type Source,
  take,
} from '../core/bindings.ts'
import { nearest } from '../core/nearest.ts'
import { parseSelector } from '../core/selector.ts'
import type { Case, InputStep, Observation } from '../model.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'

/** Names that steps use and nobody gives, bindings that nothing needs, and callers that the contract does not know. */
export function stepFindings({ contract, cases, fixtures }: LintInput, files: LintFiles): readonly Finding[] {
  return cases.flatMap(c => {
    const file = `${files.inputs}/${c.name}.json`
    const read = fixtures.read(c.name)
    return [
      ...unboundFindings(c, file),
      ...unusedFindings(c, read.ok ? read.fixture.observation : [], file),
      ...principalFindings(c, Object.keys(contract.principals), { file, contract: files.contract }),
    ]
  })
}

function unboundFindings({ steps }: Case, file: string): readonly Finding[] {
  const loose = looseReference(steps)
  if (loose === null) return []
  const bound = steps.slice(0, loose.step).flatMap(({ bind }) => Object.keys(bind ?? {}))
  const near = nearest(loose.name, bound)
  const message = `step ${loose.step} uses {{${loose.name}}}, which no earlier step binds`
  const fix =
    near === null
      ? `bind it before: "bind": { "${loose.name}": "$.${loose.name}" }; as literal text it is \\{{${loose.name}}}`
      : `write {{${near}}}`
  return [{ rule: 'binding-unbound', file, message, fix }]
}

function unusedFindings({ steps }: Case, golden: Observation, file: string): readonly Finding[] {
  return steps.flatMap((step, at) =>
    Object.entries(step.bind ?? {})
      .filter(([name, text]) => !isReferred(name, { steps, at }) && !isSeenAgain(text, { steps, golden, at }))
      .map(
        ([name, text]): Finding => ({
          rule: 'binding-unused',
          file,
          message: `step ${at} binds ${name} (${text}), which nothing after it uses: its value is not compared, and for nothing`,
          fix: `remove it, or use {{${name}}} in a later step`,
        }),
      ),
  )
}

/** Whether a later step sends the value, or a place has to repeat it. */
function isReferred(name: string, { steps, at }: { readonly steps: readonly InputStep[]; readonly at: number }) {
  return steps.slice(at).some((step, after) => {
    const repeated = Object.values(step.same ?? {}).flatMap(referencesIn)
    return repeated.includes(name) || (after > 0 && referencesOf(step).includes(name))
  })
}

/** Whether a later answer has a place of that name, where the values of the two sides stand for each other. */
function isSeenAgain(
  text: string,
  o: { readonly steps: readonly InputStep[]; readonly golden: Observation; readonly at: number },
): boolean {
  const { golden, at, steps } = o
  const [seen, ...later] = golden.slice(at)
  const parsed = parseSource(text)
  if (seen === undefined || !parsed.ok) return false
  const source = againSource(parsed.source, take(text, seen, steps[at]?.request?.path ?? null))
  return source !== null && later.some(step => nodesOf(source, step).length > 0)
}

function againSource(source: Source, taken: ReturnType<typeof take>): Source | null {
  if (source.kind !== 'body') return source
  const parsed = taken.ok ? parseSelector(taken.path) : null
  const last = parsed?.ok === true ? parsed.selector.segments.at(-1) : undefined
  return last?.kind === 'name' ? { kind: 'body', query: `$..[${JSON.stringify(last.name)}]` } : null
}

function principalFindings(
  { steps }: Case,
  known: readonly string[],
  files: { readonly file: string; readonly contract: string },
): readonly Finding[] {
  const called = [...new Set(steps.flatMap(({ as }) => (as === undefined ? [] : [as])))]
  return called
    .filter(name => !known.includes(name))
    .map((name): Finding => {
      const near = nearest(name, known)
      return {
        rule: 'principal-unknown',
        file: files.file,
        message: `it calls as ${name}, whom the contract does not have (known: ${known.join(', ') || 'none'})`,
        fix: near === null ? `add ${name} to principals of ${files.contract}` : `write "as": "${near}"`,
      }
    })
}
