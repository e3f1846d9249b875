/**
 * `npm run build`, and what npm runs as `prepare`: compiles `src` into a clean `dist`, and links
 * `node_modules/.bin/vitest-parity` to the source, so that `npx vitest-parity` in this repository runs what is being edited.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')

/** Compiles, and returns the exit code of the compiler. Nothing to compile is a success. */
function compile(): number {
  const sources = existsSync(join(root, 'src'))
    ? readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
    : []
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  if (sources.length === 0) return 0
  const done = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  return done.status ?? 1
}

/** Links the command to its source. The first line of `main.ts` names `node`, and npm puts the pinned one first on PATH. */
function link(): void {
  const source = join(root, 'src/cli/main.ts')
  if (!existsSync(bin) || !existsSync(source)) return
  chmodSync(source, 0o755)
  const target = join(bin, 'vitest-parity')
  rmSync(target, { force: true })
  symlinkSync('../../src/cli/main.ts', target)
}

const status = compile()
const main = join(root, 'dist/cli/main.js')
if (existsSync(main)) chmodSync(main, 0o755)
if (process.platform !== 'win32') link()
process.exitCode = status
