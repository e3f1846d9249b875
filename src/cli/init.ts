/** `init`: a first suite in an existing project, recorded from a small legacy of its own, and its first verdict. */
import { spawn } from 'node:child_process'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ParityError } from '../errors.ts'
import { type Arguments, type Command, EXIT_FINDINGS, EXIT_OK, printJson, type Terminal } from './command.ts'
import { installedVitest } from './doctor.ts'
import { isClean, recordInto, recordLines } from './record.ts'
import { addPlugin, type ConfigOutcome } from './vitest-config.ts'

export interface WrittenFile {
  readonly file: string
  /** `kept`: it existed, and is as it was. */
  readonly state: 'written' | 'kept'
}

const FEATURE = 'hello'
const RUN = 'npx vitest run --project parity'
/** In the package beside `src` and `dist` alike. */
const TEMPLATE = fileURLToPath(new URL('../../template/hello', import.meta.url))

/** Copies the files of the first suite into `cwd`, sorted by path. A file that exists is never touched. */
export function writeSuite(cwd: string): WrittenFile[] {
  const files = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(TEMPLATE.length + 1))
    .sort()
  return files.map(file => {
    const target = join(cwd, file)
    const name = file.split(sep).join('/')
    if (existsSync(target)) return { file: name, state: 'kept' }
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(TEMPLATE, file), target, constants.COPYFILE_EXCL)
    return { file: name, state: 'written' }
  })
}

/**
 * That `cwd` is a project with Vitest 5.
 * **Throws** PARITY_INIT_PROJECT
 */
export function requireProject(cwd: string): void {
  if (!existsSync(join(cwd, 'package.json'))) {
    throw new ParityError(
      'PARITY_INIT_PROJECT',
      'init: there is no package.json in this folder',
      'npm init -y && npm install -D vitest@5 vitest-parity',
    )
  }
  const version = installedVitest(cwd)
  if (version?.startsWith('5.') === true) return
  throw new ParityError(
    'PARITY_INIT_PROJECT',
    `init: Vitest 5 is needed, and ${version === null ? 'none' : version} is installed`,
    'npm install -D vitest@5',
  )
}

/** Runs the suite with the project's own Vitest on this terminal, standard output kept free for JSON, and returns its exit code. */
function firstVerdict(terminal: Terminal, json: boolean): Promise<number> {
  const manifest = createRequire(join(terminal.cwd, 'package.json')).resolve('vitest/package.json')
  const program = join(dirname(manifest), 'vitest.mjs')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'run', '--project', 'parity', `parity/${FEATURE}/`], {
      cwd: terminal.cwd,
      stdio: ['ignore', json ? process.stderr : 'inherit', 'inherit'],
      signal: terminal.signal,
    })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? EXIT_FINDINGS))
  })
}

/** Keeps reports out of version control where no `.gitignore` says anything yet; otherwise it is left alone. */
function ignoreReports(cwd: string): 'written' | 'covers it' | 'lacks it' {
  const file = join(cwd, '.gitignore')
  if (!existsSync(file)) {
    writeFileSync(file, 'node_modules/\n.parity/\n', { flag: 'wx' })
    return 'written'
  }
  return /^\/?\.parity\/?$/m.test(readFileSync(file, 'utf8')) ? 'covers it' : 'lacks it'
}

function describeConfig(config: ConfigOutcome): string {
  switch (config.state) {
    case 'created':
      return `written  ${config.file}`
    case 'edited':
      return `edited   ${config.file}: the parity plugin`
    case 'kept':
      return `kept     ${config.file}: it has the parity plugin`
    case 'by-hand':
      return `left     ${config.file}: add to it by hand\n${config.edit}`
    default:
      return config satisfies never
  }
}

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  requireProject(terminal.cwd)
  const say = (text: string) => (args.json ? terminal.err(text) : terminal.out(text))
  const files = writeSuite(terminal.cwd)
  for (const { file, state } of files) say(`${state.padEnd(8)} ${file}`)
  const config = addPlugin(terminal.cwd)
  say(describeConfig(config))
  const byHand = config.state === 'by-hand'
  const ignore = ignoreReports(terminal.cwd)
  if (ignore === 'written') say('written  .gitignore')
  const next = [
    ...(byHand ? [`edit ${config.file} as said above`] : []),
    ...(ignore === 'lacks it' ? ['add .parity/ to .gitignore'] : []),
  ]
  let exitCode: number = byHand ? EXIT_FINDINGS : EXIT_OK
  if (args.flags.has('no-record')) {
    next.push(`npx vitest-parity record ${FEATURE}`, RUN)
  } else {
    say(`Recording ${FEATURE} from labs/hello-legacy, twice with a reset between`)
    const recorded = await recordInto(terminal, { feature: FEATURE, names: [], keepLab: false })
    for (const line of recordLines(recorded)) say(line)
    if (!isClean(recorded)) exitCode = EXIT_FINDINGS
    else if (byHand) next.push(RUN)
    else exitCode = await firstVerdict(terminal, args.json)
    if (exitCode === EXIT_OK) next.push(`change a line of parity/${FEATURE}/candidate/server.ts, then: ${RUN}`)
  }
  for (const step of next) say(`Next: ${step}`)
  if (args.json) printJson(terminal, { files, config, exitCode, next })
  return exitCode
}

export const init: Command = {
  name: 'init',
  summary: 'Write a first suite into this project, record it and run it',
  positionals: [],
  options: { 'no-record': { type: 'boolean', summary: 'write the files, and neither record nor run' } },
  example: 'npx vitest-parity init',
  run,
}
