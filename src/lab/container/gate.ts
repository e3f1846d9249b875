import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Container } from 'dockerode'
import type { Forward } from '../tools/gate.ts'
import type { ProbeAnswer, ProbeRequest } from '../tools/probe.ts'
import type { Engine } from './engine.ts'
import { execute } from './exec.ts'
import { hardened, TOOL_CONFINEMENT } from './hardening.ts'
import { startContainer } from './lab-container.ts'
import type { LabNetworks } from './networks.ts'
import { type Watched, watch } from './watched.ts'

/** The port that the gate listens on, inside; outside the engine picks one. */
const GATE_PORT = 8080
const NODE = '/usr/local/bin/node'

/** Words that run one of the programs in ../tools in a container of the tool image: its text goes along, no file is needed. */
export function toolCommand(
  program: 'gate' | 'probe' | 'self-probe' | 'egress-probe',
  args: readonly string[],
): string[] {
  const ending = extname(fileURLToPath(import.meta.url))
  const text = readFileSync(new URL(`../tools/${program}${ending}`, import.meta.url), 'utf8')
  const type = ending === '.ts' ? 'module-typescript' : 'module'
  return [NODE, '--no-warnings', `--input-type=${type}`, '--eval', text, '--', ...args]
}

/** What is asked from outside: the one container of a lab on both networks. */
export interface Gate {
  readonly watched: Watched
  /** Without a trailing slash. */
  readonly url: string
}

/** Starts the gate in front of one service. It finds the service by name when the first connection comes. */
export async function startGate(
  engine: Engine,
  o: {
    readonly name: string
    readonly image: string
    readonly labels: Readonly<Record<string, string>>
    readonly networks: LabNetworks
    readonly to: { readonly service: string; readonly port: number }
    readonly onCreated: (id: string) => void
  },
): Promise<Gate> {
  const forward: Forward = { listen: GATE_PORT, host: o.to.service, port: o.to.port }
  const [program, ...words] = toolCommand('gate', [`${forward.listen}=${forward.host}:${forward.port}`])
  const id = await startContainer(
    engine,
    {
      name: o.name,
      image: o.image,
      labels: o.labels,
      entrypoint: program === undefined ? null : [program],
      command: words,
      user: TOOL_CONFINEMENT.user,
      workdir: '/',
      env: [],
      hostConfig: { ...hardened(TOOL_CONFINEMENT), Sysctls: { 'net.ipv4.ip_forward': '0' } },
      network: { id: o.networks.outer, aliases: [] },
      alsoOn: [o.networks.inner],
      published: [GATE_PORT],
    },
    o.onCreated,
  )
  return adoptGate(engine, id)
}

/** Watches a gate that stands. */
export async function adoptGate(engine: Engine, id: string): Promise<Gate> {
  const [watched, url] = await Promise.all([
    watch(engine, id, { conceal: line => line, onLine: () => {} }),
    gateUrl(engine, id),
  ])
  return { watched, url }
}

/** Where the gate is published. */
async function gateUrl(engine: Engine, id: string): Promise<string> {
  const { NetworkSettings } = await engine.docker.getContainer(id).inspect()
  const [binding] = NetworkSettings.Ports[`${GATE_PORT}/tcp`] ?? []
  if (binding === undefined) throw new Error('the gate is published on no port: it ended as it started')
  return `http://${binding.HostIp}:${binding.HostPort}`
}

/** What became of the gate's connections to the service: whether one was ever made, and why the last one was not. */
export function seenByGate(gate: Gate): { readonly connected: boolean; readonly failing: string | null } {
  const states = gate.watched
    .lines()
    .map(line => /^\S+:\d+ (.+)$/.exec(line)?.[1])
    .filter(state => state !== undefined)
  const last = states.at(-1)
  return { connected: states.includes('connected'), failing: last === undefined || last === 'connected' ? null : last }
}

/** Asks a service from inside the gate until it answers or the budget of the request is gone; `cut` after `timeoutMs`. `failed` is null when it behaved as expected. */
export async function probeFromGate(
  gate: Container,
  request: ProbeRequest,
  timeoutMs: number,
): Promise<{ readonly failed: string | null; readonly cut: boolean }> {
  const command = toolCommand('probe', [JSON.stringify(request)])
  const { exitCode, output } = await execute(gate, { command, timeoutMs })
  if (exitCode === null) return { failed: `the probe had not ended after ${Math.ceil(timeoutMs)} ms`, cut: true }
  if (exitCode !== 0) return { failed: `the probe in the gate failed: ${output}`, cut: false }
  const answer: ProbeAnswer = JSON.parse(output.split('\n').at(-1) ?? '')
  return { ...answer, cut: false }
}
