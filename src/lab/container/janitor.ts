import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Dockerode from 'dockerode'
import { LabFailure } from '../lab-failure.ts'
import { sessionId } from './session.ts'
import { sweep } from './sweep.ts'

const PROGRAM = fileURLToPath(new URL(`./janitor-program${extname(fileURLToPath(import.meta.url))}`, import.meta.url))

/** What the way to the engine depends on; nothing else of the environment reaches the janitor. */
const PASSED_ON = [
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_API_VERSION',
  'HOME',
  'PATH',
  'SSH_AUTH_SOCK',
  'TMPDIR',
]

let swept: Promise<unknown> | null = null

/**
 * Before a process creates its first object: its own janitor stands ready, and what earlier processes left behind is gone.
 * May be called before each.
 *
 * **Throws** LabFailure (`environment`) when no janitor can be started. A sweep that fails stops nothing.
 */
export async function guardSession(docker: Dockerode): Promise<void> {
  await startJanitor(sessionId())
  swept ??= sweep(docker).catch(() => {})
  await swept
}

const janitors = new Map<string, ChildProcess>()

/**
 * Makes sure that whatever `session` creates is removed once this process has ended, however it ends: a process of its own
 * waits for the end of a pipe that only this one holds. To be called before the first object of a session is created.
 * It does not keep this process alive. Resolves to its process id.
 *
 * **Throws** LabFailure (`environment`) when no process can be started.
 */
export async function startJanitor(session: string): Promise<number> {
  const running = janitors.get(session)
  if (running?.pid !== undefined && running.exitCode === null && running.signalCode === null) return running.pid
  const env = Object.fromEntries(PASSED_ON.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])))
  const janitor = spawn(process.execPath, ['--no-warnings', PROGRAM, session], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  janitors.set(session, janitor)
  janitor.stdin.on('error', () => {}) // a janitor that was killed: the next sweep does its work
  await new Promise<void>((resolve, reject) => {
    janitor.once('spawn', resolve)
    janitor.once('error', cause => {
      const what = `the process that cleans up after a lab cannot be started (${cause.message})`
      reject(new LabFailure('environment', what, 'end some processes of this user, then run again', { cause }))
    })
  })
  janitor.unref()
  ;(janitor.stdin as Socket).unref()
  return janitor.pid ?? 0
}
