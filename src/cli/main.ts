/** The process behind `npx vitest-parity`: real terminal, real signals, one exit code. */
import type { Terminal } from './command.ts'

const NODE_LEAST = [22, 22] as const

/** Said before anything else is loaded, since what is loaded may not even parse on an older Node. */
function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < NODE_LEAST[0] || (major === NODE_LEAST[0] && minor < NODE_LEAST[1])
}

/** Aborted by the first signal; a second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(130)
      interrupted.abort(new Error(`interrupted by ${name}`))
    })
  }
  return interrupted.signal
}

async function main(words: readonly string[]): Promise<number> {
  if (isOld(process.versions.node)) {
    process.stderr.write(
      `vitest-parity: Node ${NODE_LEAST.join('.')} or later is needed, and this is ${process.versions.node}\n` +
        'Fix: install a newer Node, or: npm install -D node@24\n',
    )
    return 2
  }
  const [{ COMMANDS }, { runProgram }] = await Promise.all([import('./commands.ts'), import('./program.ts')])
  const terminal: Terminal = {
    cwd: process.cwd(),
    env: process.env,
    signal: untilInterrupted(),
    out: text => process.stdout.write(`${text}\n`),
    err: text => process.stderr.write(`${text}\n`),
    ...(process.stderr.isTTY === true ? { live: (text: string) => process.stderr.write(`\r\u001b[K${text}`) } : {}),
  }
  return runProgram(COMMANDS, words, terminal)
}

process.exitCode = await main(process.argv.slice(2))
