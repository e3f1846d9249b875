/** The hello suite, recorded, in a git repository of its own: what lint and its base check are tried on. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COMMANDS } from '../src/cli/commands.ts'
import { runProgram } from '../src/cli/program.ts'
import { recordFeature } from '../src/pipeline/record.ts'

const TEMPLATE = join(import.meta.dirname, '../template/hello')

export interface LintProject extends Disposable {
  /** The folder of the project. */
  readonly root: string
  git(...args: readonly string[]): string
  read(path: string): string
  write(path: string, text: string): void
  edit(path: string, from: string, to: string): void
  remove(path: string): void
  /** Puts the folder back to a branch `work` that begins at `main`. */
  reset(): void
  /** What `vitest-parity <words>` prints and returns in the folder. */
  run(...words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>
}

/** A project on the branch `work`, one commit after `main`, in `folder` of its repository. */
export async function lintProject(o: { readonly folder?: string } = {}): Promise<LintProject> {
  const repository = mkdtempSync(join(tmpdir(), 'parity-lint-'))
  const root = join(repository, o.folder ?? '')
  mkdirSync(root, { recursive: true })
  cpSync(TEMPLATE, root, { recursive: true })
  const { incomplete } = await recordFeature({ root, feature: 'hello', signal: new AbortController().signal })
  if (incomplete.length > 0) throw new Error(JSON.stringify(incomplete))
  const project = projectAt(repository, root)
  gitIn(repository, ['init', '--quiet', '--initial-branch=main'])
  project.git('add', '--all')
  project.git('commit', '--quiet', '--message=all')
  project.git('switch', '--quiet', '--create', 'work')
  return project
}

function projectAt(repository: string, root: string): LintProject {
  const at = (path: string) => join(root, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  return {
    root,
    read,
    write,
    git: (...args) => gitIn(root, args),
    edit: (path, from, to) => {
      const text = read(path)
      if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
      write(
        path,
        text.replace(from, () => to),
      )
    },
    remove: path => rmSync(at(path), { recursive: true }),
    reset: () => {
      gitIn(root, ['checkout', '--quiet', '--force', '-B', 'work', 'main'])
      gitIn(root, ['clean', '-fdq'])
    },
    run: async (...words) => {
      const printed = { out: '', err: '' }
      const code = await runProgram(COMMANDS, words, {
        cwd: root,
        env: {},
        signal: new AbortController().signal,
        out: text => {
          printed.out += `${text}\n`
        },
        err: text => {
          printed.err += `${text}\n`
        },
      })
      return { code, ...printed }
    },
    [Symbol.dispose]: () => rmSync(repository, { recursive: true, force: true }),
  }
}

/** What git prints, whoever runs it and however it is set up. */
export function gitIn(cwd: string, args: readonly string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
