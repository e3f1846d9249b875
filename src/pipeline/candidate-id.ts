import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compareCodePoints, sha256 } from '../core/canonical.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/**
 * Returns the identity of the checked-out candidate: `git:<commit>`, with `+<hash>` when tracked or new files differ from it;
 * `unknown` outside a git checkout. What a run itself writes (`.parity/`) and what it compares against (goldens, tolerances)
 * does not count: those have ids of their own. The hash is over names and contents, so that how git is set up to draw a
 * diff leaves no trace in it.
 */
export async function candidateIdOf(root: string): Promise<string> {
  const git = async (args: readonly string[]): Promise<string> => {
    const done = await run('git', args, { cwd: root, maxBuffer: OUTPUT_BYTES_MAX, timeout: 30_000 })
    return done.stdout
  }
  const own = [
    ':(exclude,top,glob)**/.parity/**',
    ':(exclude,top,glob)**/__golden__/**',
    ':(exclude,top,glob)**/tolerance/**',
  ]
  try {
    const [commit, changed, untracked, top] = await Promise.all([
      git(['rev-parse', '--verify', 'HEAD']),
      git(['diff', 'HEAD', '--name-only', '--no-renames', '--no-relative', '--no-ext-diff', '-z', '--', ':/', ...own]),
      git(['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/', ...own]),
      git(['rev-parse', '--show-toplevel']),
    ])
    const names = [...new Set(`${changed}${untracked}`.split('\0').filter(Boolean))].sort(compareCodePoints)
    if (names.length === 0) return `git:${commit.trim()}`
    const parts: string[] = []
    for (const name of names) parts.push(name, await contentOf(join(top.trimEnd(), name)))
    return `git:${commit.trim()}+${sha256(parts.join('\0')).slice('sha256:'.length, 'sha256:'.length + 12)}`
  } catch {
    return 'unknown'
  }
}

/** What stands for the content of a changed file: its hash, the target of a link, or why it has none. */
async function contentOf(path: string): Promise<string> {
  const target = await readlink(path).catch(() => null)
  if (target !== null) return `link ${target}`
  try {
    return sha256(await readFile(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'deleted'
    if (code === 'EISDIR') return 'a repository of its own'
    throw error
  }
}
