import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { appThatAnswers, eventually, isAlive, temporaryFolder, writeLab } from '../../test/lab-folder.ts'

/** Runs a program that boots a lab and then does `ending`; resolves to what is to be gone, and to the program. */
async function runParent(ending: string, app: string) {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const dir = await writeLab(folder.path, { app })
  const program = join(folder.path, 'parent.mts')
  const source = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
  await writeFile(
    program,
    `import { loadLab } from ${source('./lab-file.ts')}
     import { startLab } from ${source('./process-driver.ts')}
     const lab = await startLab(await loadLab(${JSON.stringify(dir)}), { signal: new AbortController().signal, onLog: console.log })
     console.log(JSON.stringify(await (await fetch(lab.drive.url)).json()))
     ${ending}`,
  )
  const env = { ...process.env, TMPDIR: folder.path, NODE_OPTIONS: '' }
  const parent = spawn(process.execPath, ['--no-warnings', program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  parent.stderr.resume()
  const ended = new Promise<number | string | null>(resolve => {
    parent.once('exit', (code, signal) => resolve(code ?? signal))
  })
  const lines: string[] = []
  createInterface({ input: parent.stdout }).on('line', line => lines.push(line))
  return { parent, ended, lines, tmp: folder.path }
}

const APP = appThatAnswers(
  '{ pid: process.pid, supervisor: process.ppid, cwd: process.cwd(), child }',
  `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']).pid`,
)

test.each([
  ['runs to its end', '', 'nothing', 0],
  ['throws', `throw new Error('enough')`, 'nothing', 1],
  ['rejects without a handler', `void Promise.reject(new Error('enough'))`, 'nothing', 1],
  ['calls process.exit', 'process.exit(5)', 'nothing', 5],
  ['is killed with kill -9', 'setInterval(() => {}, 1000)', 'SIGKILL', 'SIGKILL'],
  ['gets SIGTERM', 'setInterval(() => {}, 1000)', 'SIGTERM', 'SIGTERM'],
  ['gets SIGINT', 'setInterval(() => {}, 1000)', 'SIGINT', 'SIGINT'],
  ['aborts', 'process.abort()', 'nothing', 'SIGABRT'],
] as const)(
  'nothing of a lab is left when its parent %s',
  async (_, ending, signal, expected) => {
    const { parent, ended, lines, tmp } = await runParent(ending, APP)
    expect(await eventually(() => lines.some(line => line.startsWith('{')), 15_000)).toBe(true)
    const shown = JSON.parse(lines.find(line => line.startsWith('{')) ?? '') as Record<string, number | string>
    const pids = [shown.pid, shown.supervisor, shown.child].map(Number)
    if (signal !== 'nothing') {
      expect(pids.filter(isAlive)).toEqual(pids)
      parent.kill(signal)
    }
    expect(await ended).toBe(expected)
    expect(await eventually(() => !pids.some(isAlive))).toBe(true)
    expect(await eventually(() => !existsSync(String(shown.cwd)))).toBe(true)
    expect((await readdir(tmp)).filter(name => name.startsWith('vitest-parity-lab-'))).toEqual([])
  },
  40_000,
)

test('nothing of a lab is left when its parent is killed before the legacy is ready', async () => {
  const app = `console.log(JSON.stringify({ pid: process.pid, cwd: process.cwd() })); setInterval(() => {}, 1000)`
  const { parent, lines } = await runParent('', app)
  expect(await eventually(() => lines.some(line => line.startsWith('{')), 15_000)).toBe(true)
  const { pid, cwd } = JSON.parse(lines.find(line => line.startsWith('{')) ?? '') as { pid: number; cwd: string }
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  expect(await eventually(() => !isAlive(pid) && !existsSync(cwd))).toBe(true)
}, 40_000)

test('nothing of the legacy is left when its supervisor is killed', async () => {
  const { lines } = await runParent('setInterval(() => {}, 1000)', APP)
  expect(await eventually(() => lines.some(line => line.startsWith('{')), 15_000)).toBe(true)
  const shown = JSON.parse(lines.find(line => line.startsWith('{')) ?? '') as Record<string, number | string>
  process.kill(Number(shown.supervisor), 'SIGKILL')
  expect(await eventually(() => ![shown.pid, shown.child].map(Number).some(isAlive))).toBe(true)
  expect(await eventually(() => !existsSync(String(shown.cwd)))).toBe(true)
}, 40_000)
