/** Copies of the repository's own features, as a user has them, for real runs of Vitest. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, type Project, source } from './project.ts'

/** The day that the copies are judged at, so that a run over midnight stays the same. */
const AS_OF = '2026-12-01'

/** Search text and replacement in one file. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/**
 * A copy of these folders and of all tolerance files, with the edits made. Outside version control, so that the candidate is
 * `unknown` in every copy.
 */
export function copiedProject(o: {
  readonly name: string
  readonly folders: readonly string[]
  readonly edits: readonly Edit[]
  /** How long a run may take before it is killed. Default 90_000. */
  readonly runMsMax?: number
}): Project {
  const project = makeProject({
    name: o.name,
    parity: `{ asOf: '${AS_OF}' }`,
    files: {},
    ...(o.runMsMax === undefined ? {} : { runMsMax: o.runMsMax }),
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
  })
  for (const folder of ['tolerance', ...o.folders]) {
    const filter = (path: string): boolean => !path.includes('node_modules')
    cpSync(source(folder), join(project.root, folder), { recursive: true, filter })
  }
  for (const { file, from, to } of o.edits) project.write(file, replacedOnce(project, file, from, to))
  return project
}

function replacedOnce(project: Project, file: string, from: string, to: string): string {
  const text = readFileSync(join(project.root, file), 'utf8')
  const found = text.split(from).length - 1
  if (found !== 1) throw new Error(`${file}: \`${from}\` stands there ${found} times, not once`)
  return text.replace(from, () => to)
}
