import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { z } from 'zod'
import { parseYaml } from '../../src/core/yaml.ts'
import { filesIn, textIn } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

const FILE = 'case.yaml'

const caseSchema = z.object({
  name: z.string().optional(),
  yaml: z.string().optional(),
  json: z.string().nullish(),
  tree: z.string().optional(),
  fail: z.boolean().optional(),
})
type Case = z.infer<typeof caseSchema> & { readonly title: string }

/** YAML test suite: what must fail fails with a place; what is valid has exactly the value, or is refused by name. */
export const yamlTestSuite: Suite = {
  name: 'yaml-test-suite',
  folder: 'conformance/yaml-test-suite',
  run(folder) {
    const cases = filesIn(folder)
      .filter(file => file.endsWith('.yaml'))
      .flatMap(file => casesIn(textIn(folder, file), file))
    return [
      { name: 'yaml-test-suite fail', results: cases.filter(each => each.fail === true).map(fails) },
      { name: 'yaml-test-suite valid', results: cases.filter(each => each.fail !== true).map(reads) },
    ]
  },
}

/** The cases of a file; one that leaves something out has it from the case before. */
function casesIn(text: string, file: string): Case[] {
  const cases: Case[] = []
  for (const [at, each] of z.array(caseSchema).parse(parse(text)).entries()) {
    const before = cases.at(-1)
    const { fail: _fail, ...inherited } = before ?? { title: '' }
    cases.push({ ...inherited, ...each, title: `${file}#${at}` })
  }
  return cases
}

/** The text of a case without the characters that stand for what cannot be seen. Source: ReadMe.md of the suite. */
function plain(text: string): string {
  return text
    .replace(/␣/g, ' ')
    .replace(/—*»/g, '\t')
    .replace(/↵/g, '')
    .replace(/←/g, '\r')
    .replace(/⇔/g, '\ufeff')
    .replace(/∎\n?$/, '')
}

function fails({ title, yaml = '' }: Case): Result {
  const text = plain(yaml)
  const parsed = parseYaml(text, FILE)
  if (parsed.ok) return judged(title, ['must be refused, and parses'])
  return judged(title, placeFaults(parsed.errors, text))
}

interface Place {
  readonly line: number
  readonly column: number
  readonly message: string
}

function placeFaults([first]: readonly Place[], text: string): string[] {
  if (first === undefined) return ['refused without an error']
  const lines = text.split('\n').length
  if (first.line >= 1 && first.line <= lines && first.column >= 1) return []
  return [`${first.line}:${first.column} lies outside its ${lines} lines: ${first.message}`]
}

/** What our files do not have, by the beginning of the message that says so. */
const REFUSED: readonly (readonly [start: RegExp, by: string])[] = [
  [/^a tab$/, 'a tab'],
  [/^an alias$/, 'an alias'],
  [/^an anchor$/, 'an anchor'],
  [/^a tag$/, 'a tag'],
  [/^a second document$/, 'a second document'],
  [/^a (?:%YAML )?directive$/, 'a directive'],
  [/^a merge key$/, 'a merge key'],
  [/^a key that is a list or a mapping$/, 'a key that is a list or a mapping'],
  [/^the key ".*" occurs twice$/s, 'a key that occurs twice'],
  [/^"(?:__proto__)?" is no key$/, 'an empty key'],
]

function reads({ title, yaml = '', json }: Case): Result {
  const text = plain(yaml)
  const parsed = parseYaml(text, FILE)
  if (!parsed.ok) {
    const message = parsed.errors[0]?.message ?? ''
    const by = REFUSED.find(([start]) => start.test(message))?.[1]
    const faults = placeFaults(parsed.errors, text)
    if (by === undefined) faults.push(`refused without a name: ${message}`)
    return by !== undefined && faults.length === 0 ? { case: title, state: 'refused', by } : judged(title, faults)
  }
  if (json === undefined || json === null) return { case: title, state: 'unasserted', why: 'no value is given' }
  const wanted: unknown = json.trim() === '' ? null : JSON.parse(json)
  return judged(title, isDeepStrictEqual(parsed.value, wanted) ? [] : [`read as ${JSON.stringify(parsed.value)}`])
}
