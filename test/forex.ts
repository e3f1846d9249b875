/** A copy of the forex feature in a folder of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { copiedProject, type Edit } from './copied-project.ts'
import type { Project } from './project.ts'

const FOLDERS = ['parity/forex', '__golden__/forex', 'labs/forex-express3']

export function forexProject(name: string, edits: readonly Edit[] = []): Project {
  return copiedProject({ name, folders: FOLDERS, edits })
}

/** `.parity/report.json` from its verdicts on, as it was written. */
export function verdictBytes(project: Project): string {
  const text = readFileSync(join(project.root, '.parity', 'report.json'), 'utf8')
  return text.slice(text.indexOf('\n  "verdicts": ['))
}
