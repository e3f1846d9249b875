/** A copy of the forex feature in a folder of its own, as a user has it, for real runs of Vitest. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, type Project, source } from './project.ts'

/** The day that the copies are judged at, so that a run over midnight stays the same. */
const AS_OF = '2026-12-01'
const FOLDERS = ['parity/forex', 'tolerance', '__golden__/forex', 'labs/forex-express3']

/** Search text and replacement in one file. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Outside version control, so that the candidate is `unknown` in every copy. */
export function forexProject(name: string, edits: readonly Edit[] = []): Project {
  const project = makeProject({
    name,
    parity: `{ asOf: '${AS_OF}' }`,
    files: {},
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
  })
  for (const folder of FOLDERS) {
    const filter = (path: string): boolean => !path.includes('node_modules')
    cpSync(source(folder), join(project.root, folder), { recursive: true, filter })
  }
  for (const { file, from, to } of edits) project.write(file, replacedOnce(project, file, from, to))
  return project
}

function replacedOnce(project: Project, file: string, from: string, to: string): string {
  const text = readFileSync(join(project.root, file), 'utf8')
  const found = text.split(from).length - 1
  if (found !== 1) throw new Error(`${file}: \`${from}\` stands there ${found} times, not once`)
  return text.replace(from, () => to)
}

/** `.parity/report.json` from its verdicts on, as it was written. */
export function verdictBytes(project: Project): string {
  const text = readFileSync(join(project.root, '.parity', 'report.json'), 'utf8')
  return text.slice(text.indexOf('\n  "verdicts": ['))
}
