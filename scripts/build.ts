/**
 * `npm run build`: compiles `src` into a clean `dist`, and links `node_modules/.bin/vitest-parity` to `bin/`, which in this
 * repository runs the source: what is being edited. npm runs it before it packs, and with `--keep-going` as `prepare`: after
 * `npm ci`, and by `npx` in this repository, where a type error must not take the command away.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
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

/** Links the command where npm would put that of an installed package, so that scripts find it by its name. */
function link(): void {
  if (!existsSync(bin)) return
  const target = join(bin, 'vitest-parity')
  rmSync(target, { force: true })
  symlinkSync('../../bin/vitest-parity.js', target)
}

const status = compile()
if (process.platform !== 'win32') link()
process.exitCode = process.argv.includes('--keep-going') ? 0 : status
