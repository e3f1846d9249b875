import type { Container } from 'dockerode'
import { tryProbe } from '../readiness.ts'
import { execute } from './exec.ts'
import { probeFromGate } from './gate.ts'
import { runCommand } from './readiness.ts'
import { mariadbQuestion, mariadbStatement, postgresStatements } from './reset.ts'
import type { ServiceSpec } from './spec.ts'

const TIMEOUT_MS = 30_000
const TABLES_MAX = 10_000

export interface Hooked {
  readonly service: ServiceSpec
  readonly container: Container
  /** Where the service is asked from outside; null where it is not the driven one. */
  readonly url: string | null
  readonly gate: Container
  readonly signal: AbortSignal
}

/** Brings the first state of one service back without restarting it. Null: it worked; else what was seen, within 30 s a command. */
export async function runHook(o: Hooked): Promise<string | null> {
  const { container } = o
  const { reset } = o.service
  switch (reset.kind) {
    case 'none':
    case 'restart':
      return null
    case 'http':
      return request(o, reset)
    case 'exec':
      return runCommand(container, reset.command, TIMEOUT_MS)
    case 'template':
      return reset.engine === 'postgres' ? postgres(container, reset) : mariadb(container, reset)
    default:
      return reset satisfies never
  }
}

async function request(
  { service, url, gate, signal }: Hooked,
  reset: ServiceSpec['reset'] & { readonly kind: 'http' },
): Promise<string | null> {
  const asked = { ...reset, body: null }
  if (url !== null) return tryProbe(url, asked, TIMEOUT_MS, signal)
  const { name: host, port } = service
  if (port === null) return `service ${host} has no port to be asked at`
  return (await probeFromGate(gate, { ...asked, host, port, budgetMs: TIMEOUT_MS, once: true }, TIMEOUT_MS)).failed
}

type Template = ServiceSpec['reset'] & { readonly kind: 'template' }

async function postgres(container: Container, reset: Template): Promise<string | null> {
  for (const statement of postgresStatements(reset)) {
    const failed = await runCommand(container, [...reset.client, statement], TIMEOUT_MS)
    if (failed !== null) return failed
  }
  return null
}

async function mariadb(container: Container, reset: Template): Promise<string | null> {
  const command = [...reset.client, mariadbQuestion(reset)]
  const { exitCode, output } = await execute(container, { command, timeoutMs: TIMEOUT_MS, linesMax: TABLES_MAX })
  if (exitCode !== 0) return `the tables of ${reset.from} cannot be listed: ${output}`
  const statement = mariadbStatement(reset, output)
  if (statement === null) return `the database ${reset.from} has no tables`
  return runCommand(container, [...reset.client, statement], TIMEOUT_MS)
}
