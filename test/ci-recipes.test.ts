import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { parseArguments } from '../src/cli/arguments.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { gitIn, type LintProject, lintProject } from './lint-project.ts'
import { DEFAULT } from './project.ts'

const REPO = join(import.meta.dirname, '..')
const BLOCKS = [...readFileSync(join(REPO, 'docs/ci.md'), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text ?? '',
)

const github = z.object({
  jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ run: z.string().optional() })) })),
})
const gitlab = z.object({ script: z.array(z.string()) })

/** The shell lines of each job, by `<provider> <job>`. */
const JOBS = new Map<string, readonly string[]>()
for (const text of BLOCKS) {
  const file: unknown = parse(text)
  const actions = github.safeParse(file)
  if (actions.success) {
    for (const [name, { steps }] of Object.entries(actions.data.jobs)) {
      JOBS.set(
        `github ${name}`,
        steps.flatMap(({ run }) => run?.trim().split('\n') ?? []),
      )
    }
    continue
  }
  for (const [name, job] of Object.entries(z.record(z.string(), z.unknown()).parse(file))) {
    const lines = gitlab.safeParse(job)
    if (lines.success) JOBS.set(`gitlab ${name}`, lines.data.script)
  }
}
const LINES = [...JOBS].flatMap(([job, lines]) => lines.map(line => [job, line] as const))

describe('the recipes of docs/ci.md', () => {
  test('are three jobs for each of the two', () => {
    expect([...JOBS.keys()].sort()).toEqual(
      ['github', 'gitlab'].flatMap(provider => ['base', 'nightly', 'parity'].map(job => `${provider} ${job}`)),
    )
  })

  test('do the same in both', () => {
    const own = /^git fetch/
    const shape = (job: string) =>
      JOBS.get(job)
        ?.filter(line => !own.test(line))
        .map(line => line.replace(/\$\w+/, '$BRANCH'))
    for (const job of ['parity', 'base', 'nightly']) expect(shape(`gitlab ${job}`)).toEqual(shape(`github ${job}`))
  })

  const commands = LINES.filter(([, line]) => line.startsWith('npx vitest-parity '))
  test.each(commands)('%s: %s is a command with these options', (_, line) => {
    const [name, ...words] = line.replaceAll('"', '').split(' ').slice(2)
    const command = COMMANDS.find(each => each.name === name)
    expect(command).toBeDefined()
    if (command !== undefined) expect(() => parseArguments(command, words)).not.toThrow()
  })

  test('name only options that Vitest has', () => {
    const runs = LINES.flatMap(([, line]) => (line.startsWith('npx vitest run') ? [line] : []))
    expect(runs).toHaveLength(2)
    const help = spawnSync(process.execPath, [join(REPO, 'node_modules/vitest/vitest.mjs'), 'run', '--help'], {
      encoding: 'utf8',
    })
    for (const option of runs.flatMap(line => line.match(/--[\w-]+/g) ?? []))
      expect(help.stdout).toContain(`${option} `)
  })

  test('turn nothing green that is not', () => {
    expect(BLOCKS.join('\n')).not.toMatch(/continue-on-error|allow_failure|\|\| true/)
  })
})

describe('run in a clone', () => {
  let origin: LintProject
  let clone = ''
  beforeAll(async () => {
    origin = await lintProject()
    const suite = 'parity/hello/hello.parity.ts'
    origin.edit(suite, "'vitest-parity'", `'${join(REPO, 'src/index.ts')}'`)
    origin.write('.gitignore', 'node_modules/\n.parity/\n')
    origin.write('package.json', '{ "type": "module", "private": true }\n')
    origin.write(
      'vitest.config.ts',
      `import { parity } from '${join(REPO, 'src/vitest/plugin.ts')}'\nexport ${DEFAULT} { plugins: [parity()] }\n`,
    )
    origin.git('add', '--all')
    origin.git('commit', '--quiet', '--message=suite')
    origin.git('branch', '--force', 'main')
  })
  afterAll(() => origin[Symbol.dispose]())
  beforeEach(() => {
    origin.reset()
    return () => rmSync(clone, { recursive: true, force: true })
  })

  /** Clones the branch as CI does, and links what `npm ci` would install. */
  function checkOut(): void {
    origin.git('add', '--all')
    origin.git('commit', '--quiet', '--allow-empty', '--message=change')
    clone = mkdtempSync(join(tmpdir(), 'parity-ci-'))
    gitIn(clone, ['clone', '--quiet', '--branch=work', origin.root, '.'])
    mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true })
    symlinkSync(join(REPO, 'node_modules/vitest'), join(clone, 'node_modules/vitest'))
    symlinkSync(join(REPO, 'node_modules/vitest/vitest.mjs'), join(clone, 'node_modules/.bin/vitest'))
    symlinkSync(join(REPO, 'bin/vitest-parity.js'), join(clone, 'node_modules/.bin/vitest-parity'))
  }

  /** The exit code of a job, and what it printed. As both providers do, it ends with the first line that fails. */
  function run(job: string): { readonly code: number | null; readonly output: string } {
    const script = (JOBS.get(job) ?? []).filter(line => line !== 'npm ci').join('\n')
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|NODE_ENV$|TEST$|CI|GITHUB_|GIT_)/.test(name),
    )
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: clone,
      encoding: 'utf8',
      timeout: 90_000,
      env: {
        ...Object.fromEntries(inherited),
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
        CI: 'true',
        NO_COLOR: '1',
        npm_config_offline: 'true',
        GITHUB_BASE_REF: 'main',
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      },
    })
    return { code: status, output: `${stdout}${stderr}` }
  }

  // the scripts of the two differ only in how the base comes to be there
  test('a branch that loosens nothing is green', () => {
    origin.edit('tolerance/hello.yaml', '$.width: 0.000001', '$.width: 0.0000001')
    checkOut()
    for (const job of ['github parity', 'github base', 'gitlab base']) {
      const { code, output } = run(job)
      expect(code, `${job}: ${output}`).toBe(0)
    }
    const { summary } = JSON.parse(readFileSync(join(clone, '.parity/report.json'), 'utf8'))
    expect(summary).toMatchObject({ selected: 12, parity: 12 })
  }, 120_000)

  test('base is red for a branch that loosens a rule', () => {
    origin.edit('tolerance/hello.yaml', '$.width: 0.000001', '$.width: 0.5')
    checkOut()
    for (const job of ['github base', 'gitlab base']) {
      const { code, output } = run(job)
      expect(code, job).toBe(1)
      expect(output).toContain('has the bound 0.5 in place of 0.000001')
    }
  }, 120_000)

  test('parity is red for a candidate that changed', () => {
    origin.edit('parity/hello/candidate/server.ts', "'Good day'", "'Good night'")
    checkOut()
    expect(run('github parity').code).toBe(1)
  }, 120_000)

  test('nightly is green while the legacy stands still, and red once it moved', () => {
    checkOut()
    const still = run('github nightly')
    expect(still.code, still.output).toBe(0)
    rmSync(clone, { recursive: true, force: true })
    origin.edit('labs/hello-legacy/server.cjs', "'Good day'", "'Good night'")
    checkOut()
    const moved = run('github nightly')
    expect(moved.code).toBe(1)
    expect(moved.output).toContain('pending')
  }, 120_000)

  test('nightly is red for a golden that nobody had recorded', () => {
    origin.write(
      'parity/hello/inputs/004-happy-french.json',
      origin.read('parity/hello/inputs/002-happy-german.json').replace('lang=de', 'lang=fr'),
    )
    checkOut()
    const { code, output } = run('github nightly')
    expect(code).toBe(1)
    expect(output).toContain('004-happy-french.json')
  }, 120_000)
})
