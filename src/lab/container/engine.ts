import { existsSync } from 'node:fs'
import type Dockerode from 'dockerode'
import { LabFailure } from '../lab-failure.ts'
import { unlessAborted, within } from '../supervise.ts'

/** A container engine that answers. */
export interface Engine {
  readonly docker: Dockerode
  readonly testcontainers: typeof import('testcontainers')
  readonly version: string
  readonly apiVersion: string
  /** `linux/amd64` */
  readonly platform: string
}

const PING_TIMEOUT_MS = 5000
const INSTALL = 'npm install -D testcontainers dockerode'
const WITHOUT = 'replaying recorded fixtures needs no engine'

/** The packages that reach an engine, loaded when a lab needs them. **Throws** LabFailure(dependency-missing). */
async function packages(): Promise<{
  readonly Docker: typeof Dockerode
  readonly testcontainers: typeof import('testcontainers')
}> {
  // its reaper is an image that many networks cannot reach; what we create is removed by our own janitor and sweep
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true'
  try {
    const [{ default: Docker }, testcontainers] = await Promise.all([import('dockerode'), import('testcontainers')])
    return { Docker, testcontainers }
  } catch (cause) {
    const [, name = 'testcontainers'] = /Cannot find (?:package|module) '([^']+)'/.exec(String(cause)) ?? []
    const what = `a container lab needs the package ${name}, which cannot be loaded`
    throw new LabFailure('dependency-missing', what, `${INSTALL}; ${WITHOUT}`, { cause })
  }
}

/**
 * The engine of this machine, or that of DOCKER_HOST, asked within 5 s whether it is there.
 *
 * **Throws** LabFailure(`dependency-missing`), or the reason of `signal`.
 */
export async function openEngine(o: {
  readonly signal: AbortSignal
  /** Default: that of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>
}): Promise<Engine> {
  const { Docker, testcontainers } = await packages()
  const host = (o.env ?? process.env).DOCKER_HOST
  const docker = new Docker(optionsOf(host))
  const where = host ?? '/var/run/docker.sock'
  const asking = docker.version().then(
    version => ({ version }),
    (error: unknown) => ({ error }),
  )
  const answer = await unlessAborted(within(asking, PING_TIMEOUT_MS), o.signal)
  if (answer === null) {
    const what = `the container engine at ${where} did not answer within ${PING_TIMEOUT_MS} ms`
    throw new LabFailure('dependency-missing', what, `restart it; ${WITHOUT}`)
  }
  if ('error' in answer) throw unreachable(where, answer.error)
  const { Version, ApiVersion, Os, Arch } = answer.version
  if (Os !== 'linux') {
    const what = `the container engine at ${where} runs ${Os} containers, and labs are linux ones`
    throw new LabFailure('dependency-missing', what, `switch it to linux containers; ${WITHOUT}`)
  }
  return { docker, testcontainers, version: Version, apiVersion: ApiVersion, platform: `${Os}/${Arch}` }
}

function optionsOf(host: string | undefined): Dockerode.DockerOptions {
  if (host === undefined || host === '') return { socketPath: '/var/run/docker.sock' }
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) }
  // tcp:// and ssh:// are read from DOCKER_HOST by the package itself
  return {}
}

/** Why an engine cannot be asked, each with its own remedy. */
export function unreachable(where: string, error: unknown): LabFailure {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message : String(error)
  const fail = (what: string, remedy: string): LabFailure =>
    new LabFailure('dependency-missing', `${what} (${code || text})`, `${remedy}; ${WITHOUT}`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM') {
    const remedy = `give this user the right: sudo usermod -aG docker "$USER", then log in again`
    return fail(`this user may not speak to the container engine at ${where}`, remedy)
  }
  if (code === 'ENOENT') {
    const there = existsSync('/usr/bin/dockerd') || existsSync('/usr/local/bin/dockerd')
    return fail(
      `no container engine listens at ${where}`,
      there
        ? 'start it: sudo systemctl start docker, or dockerd'
        : 'install Docker Engine 20.10 or later, and start it',
    )
  }
  if (code === 'ECONNREFUSED') return fail(`the container engine at ${where} is not running`, 'start it')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return fail(`the host of the container engine at ${where} has no address`, 'correct DOCKER_HOST')
  }
  const version = /client version [\d.]+ is too (old|new).*/i.exec(text)
  if (version !== null) {
    return fail(
      `the container engine at ${where} speaks another version of the API: ${version[0]}`,
      version[1] === 'old' ? 'unset DOCKER_API_VERSION, or update dockerode' : 'update the engine to 20.10 or later',
    )
  }
  return fail(`the container engine at ${where} refused: ${text.split('\n', 1)[0]}`, 'read the words of the engine')
}
