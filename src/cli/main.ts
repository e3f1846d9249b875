#!/usr/bin/env node
/** The process behind `npx vitest-parity`: real terminal, real signals, one exit code. */
import { COMMANDS } from './commands.ts'
import { runProgram } from './program.ts'

const interrupted = new AbortController()
let signals = 0
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    signals += 1
    if (signals > 1) process.exit(130)
    interrupted.abort(new Error(`interrupted by ${name}`))
  })
}

process.exitCode = await runProgram(COMMANDS, process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  isTTY: process.stderr.isTTY === true,
  signal: interrupted.signal,
  out: text => process.stdout.write(`${text}\n`),
  err: text => process.stderr.write(`${text}\n`),
})
