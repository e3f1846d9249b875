/**
 * `npm run check`: types, lint and format, dead exports, the layout and the published schemas.
 * Prints one line a step as it ends, what failed after the last one, and exits 1 when anything did.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { layoutFindings } from './layout.ts'

interface Outcome {
  readonly failed: boolean
  readonly output: string
}
interface Step {
  readonly name: string
  readonly fix: string
  readonly run: () => Promise<Outcome>
}

const root = join(import.meta.dirname, '..')

/** Runs a program of `node_modules` on this Node and keeps what it printed. */
function program(path: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, path), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', chunk => {
      output += chunk
    })
    child.stderr.on('data', chunk => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', code => resolve({ failed: code !== 0, output }))
  })
}

async function layout(): Promise<Outcome> {
  const findings = layoutFindings(root)
  return { failed: findings.length > 0, output: findings.map(f => `${f.file}:${f.line} ${f.message}\n`).join('') }
}

const steps: readonly Step[] = [
  {
    name: 'types',
    fix: 'correct the types, then: npx tsc -p .',
    run: () => program('node_modules/typescript/bin/tsc', ['-p', '.', '--noEmit']),
  },
  {
    name: 'lint and format',
    fix: 'npm run format',
    run: () => program('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
  },
  {
    name: 'dead exports',
    fix: 'delete what nobody imports',
    run: () => program('node_modules/knip/bin/knip.js', ['--no-progress']),
  },
  { name: 'layout', fix: 'see CONTRIBUTING.md, "How the code reads"', run: layout },
  { name: 'schemas', fix: 'npm run schemas', run: () => program('scripts/schemas.ts', ['--check']) },
]

const failures: string[] = []
for (const step of steps) {
  const start = performance.now()
  const { failed, output } = await step.run()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${failed ? '✗' : '✓'} ${step.name.padEnd(16)} ${seconds} s`)
  if (failed) failures.push(`\n${step.name}\n${output.trimEnd()}\nFix: ${step.fix}`)
}
for (const failure of failures) console.log(failure)
process.exitCode = failures.length > 0 ? 1 : 0
