import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('a caller that never hangs up does not keep the process of a closed listener alive', async () => {
  const listener = JSON.stringify(new URL('./egress-listener.ts', import.meta.url).href)
  const program = `
    import { connect } from 'node:net'
    import { listenEverywhere } from ${listener}
    const listener = await listenEverywhere()
    const caller = connect({ host: '127.0.0.1', port: listener.port, allowHalfOpen: true })
    caller.on('error', () => {})
    caller.once('data', () => { caller.unref(); console.log('answered'); listener.close() })`
  const words = ['--no-warnings', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  expect(stdout).toBe('answered\n')
})
