import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Served, StartContext } from 'vitest-parity'

/** A server in a process of its own. */
export interface Hosted {
  /** Starts it; it ends when it is disposed, when `signal` aborts, and with this process. */
  start(context: Pick<StartContext, 'signal'>): Promise<Served>
  /** Puts the database back to its seed. */
  reset(): Promise<void>
}

/**
 * A server whose program calls `serve` of `host.ts`. It runs in a process of its own, without the environment of the
 * tests: json-server and its packages read NODE_ENV.
 */
export function hosted(program: URL): Hosted {
  let running: ChildProcess | null = null
  return {
    async start({ signal }) {
      const child = fork(program, {
        env: { PATH: process.env.PATH },
        execArgv: ['--stack-trace-limit=0'], // as the lab
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      const stop = (): void => void child.kill()
      signal.addEventListener('abort', stop, { once: true })
      const ended = once(child, 'exit')
      running = child
      const url = await answerOf(child)
      return {
        url,
        async [Symbol.asyncDispose]() {
          running = null
          signal.removeEventListener('abort', stop)
          stop()
          await ended
        },
      }
    },
    async reset() {
      if (running === null) return
      const answer = answerOf(running)
      running.send('reset')
      await answer
    },
  }
}

/** The next message of the child. */
async function answerOf(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const gone = (code: number | null): void => reject(new Error(`the server ended with exit code ${code}`))
  child.once('exit', gone)
  child.once('message', message => resolve(String(message)))
  try {
    return await promise
  } finally {
    child.off('exit', gone)
  }
}
