import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { eventually, isAlive, type LabText, temporaryFolder, writeLab } from '../../test/lab-folder.ts'
import { targetOfLab } from '../pipeline/lab-target.ts'
import { openTarget } from '../replay/driver.ts'
import { LabFailure } from './lab-failure.ts'
import { loadLab } from './lab-file.ts'
import { type LabOptions, type RunningLab, startLab } from './process-driver.ts'

async function start(text: Partial<LabText>, options: Partial<LabOptions> = {}): Promise<RunningLab> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const lab = await loadLab(await writeLab(folder.path, { app: '', service: '    call: [node, app.cjs]', ...text }))
  const running = await startLab(lab, { signal: new AbortController().signal, ...options })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

async function failureOf(text: Partial<LabText>): Promise<LabFailure> {
  const outcome = await start(text).catch((error: unknown) => error)
  if (outcome instanceof LabFailure) return outcome
  throw new Error(`expected a LabFailure, received ${String(outcome)}`)
}

function folderOf({ drive }: RunningLab): string {
  if (drive.kind !== 'command') throw new Error('expected a lab that is called')
  return drive.cwd
}

/** What the program of the lab showed, once for each input. */
async function answersOf(running: RunningLab, inputs: readonly number[]) {
  const signal = new AbortController().signal
  const context = { clock: running.clock, tz: 'UTC', signal, label: 'the legacy' }
  await using driver = await openTarget(targetOfLab(running), context)
  const steps = inputs.map(input => ({ input }))
  const driven = await driver.drive(
    { name: '001-happy-a', bucket: 'happy', covers: [], steps, now: null, class: null, id: 'sha256:0' },
    { signal, timeoutMs: 10_000 },
  )
  if (!driven.ok) throw new Error(driven.fault.message)
  return driven.observation.map(seen => {
    if (seen.kind !== 'command') throw new Error(`expected a command, received ${seen.kind}`)
    return { exit: seen.exit, stdout: Buffer.from(seen.stdout).toString('utf8'), stderr: seen.stderr }
  })
}

const COUNTING = `
const fs = require('node:fs')
const count = fs.existsSync('count') ? Number(fs.readFileSync('count', 'utf8')) + 1 : 1
fs.writeFileSync('count', String(count))
`

test('runs the program once for each step, which sees the lab as the machine and nothing more of this one', async () => {
  process.env.PARITY_TEST_LEAK = 'seen'
  onTestFinished(() => {
    delete process.env.PARITY_TEST_LEAK
  })
  const running = await start({
    app: `
const { TZ, LANG, LC_ALL, PARITY_CLOCK, RATE, PARITY_TEST_LEAK } = process.env
const input = require('node:fs').readFileSync(0, 'utf8')
console.error('read ' + input)
console.log(JSON.stringify({ TZ, LANG, LC_ALL, PARITY_CLOCK, RATE, PARITY_TEST_LEAK, cwd: process.cwd(), home: process.env.HOME, argv: process.argv.slice(2) }))
process.exit(Number(input))`,
    service: '    call: [node, app.cjs, --all]\n    env: { RATE: "19" }',
  })
  const [first, second] = await answersOf(running, [0, 3])
  expect([first?.exit, first?.stderr, second?.exit, second?.stderr]).toEqual([0, 'read 0\n', 3, 'read 3\n'])
  const seen = JSON.parse(first?.stdout ?? '')
  expect(seen).toMatchObject({ TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', RATE: '19', argv: ['--all'] })
  expect(seen.PARITY_CLOCK).toBe('2026-01-02T03:04:05Z')
  expect(seen).not.toHaveProperty('PARITY_TEST_LEAK')
  expect(seen.cwd).toBe(folderOf(running))
  expect(seen.home).not.toBe(process.env.HOME)
})

test('keeps what the program wrote beside itself until a reset, which brings a fresh copy at the same clock', async () => {
  const running = await start({ app: `${COUNTING}console.log(count)` })
  expect((await answersOf(running, [0, 0])).map(({ stdout }) => stdout)).toEqual(['1\n', '2\n'])
  const before = folderOf(running)
  await running.reset()
  expect(existsSync(before)).toBe(false)
  expect(running.clock).toBe('2026-01-02T03:04:05Z')
  expect((await answersOf(running, [0])).map(({ stdout }) => stdout)).toEqual(['1\n'])
})

test('leaves the copy alone where there is nothing to reset, unless the clock is another', async () => {
  const app = `${COUNTING}console.log(count + ' ' + process.env.PARITY_CLOCK)`
  const running = await start({ app, service: '    call: [node, app.cjs]\n    reset: none' })
  await answersOf(running, [0])
  await running.reset()
  expect((await answersOf(running, [0]))[0]?.stdout).toBe('2 2026-01-02T03:04:05Z\n')
  await running.reset({ clock: '2030-01-01T00:00:00Z' })
  expect((await answersOf(running, [0]))[0]?.stdout).toBe('1 2030-01-01T00:00:00Z\n')
})

test('shows how a program ended, by exit code or by signal, as its answer: it is no crash of the lab', async () => {
  const running = await start({
    app: `if (require('node:fs').readFileSync(0, 'utf8') === '1') process.kill(process.pid, 'SIGKILL'); throw new Error('broken')`,
  })
  const [thrown, killed] = await answersOf(running, [0, 1])
  expect(thrown?.exit).toBe(1)
  expect(thrown?.stderr).toContain('Error: broken')
  expect(killed?.exit).toBe(137)
  expect(running.crashed()).toBeNull()
  expect(running.logs()).toBe('')
})

test.each([
  ['on PATH', 'cobol-9000', `looked in ${process.env.PATH}`],
  ['in its folder', './cobol-9000', 'name it in npm: of lab.yaml'],
  ['as a file that may not be run', './app.cjs', 'install ./app.cjs'],
])('names a program that is not there: %s', async (_, program, remedy) => {
  const failure = await failureOf({ service: `    call: [${program}]` })
  expect(failure.reason).toBe('dependency-missing')
  expect(failure.message).toBe(`lab a-lab: ${program} cannot be run: there is no such program`)
  expect(failure.remedy).toContain(remedy)
})

test('says that it is gone once its keeper was killed, and a reset brings it back', async () => {
  const running = await start({ app: `console.log('here')` })
  const folder = folderOf(running)
  expect(await answersOf(running, [0])).toMatchObject([{ stdout: 'here\n' }])
  const keeper = await answersOf(
    await start({
      app: `
const fs = require('node:fs')
for (const pid of fs.readdirSync('/proc').filter(name => /^\\d+$/.test(name))) {
  try {
    const words = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')
    const at = fs.readlinkSync('/proc/' + pid + '/cwd')
    if (words.includes('setInterval') && ${JSON.stringify(folder)}.startsWith(at + '/')) console.log(pid)
  } catch {}
}`,
    }),
    [0],
  )
  const pid = Number(keeper[0]?.stdout)
  expect(pid).toBeGreaterThan(1)
  process.kill(pid, 'SIGKILL')
  expect(await eventually(() => running.crashed() !== null)).toBe(true)
  expect(running.crashed()).toBe('the copy that the legacy runs in is gone: its keeper was ended by SIGKILL')
  await running.reset()
  expect(running.crashed()).toBeNull()
  expect(await answersOf(running, [0])).toMatchObject([{ stdout: 'here\n' }])
})

test.each(['disposed', 'aborted'])('leaves neither a folder nor what the program started once it is %s', async how => {
  const own = new AbortController()
  const running = await start(
    {
      app: `
const { spawn } = require('node:child_process')
const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
left.unref()
console.log(left.pid)`,
    },
    { signal: own.signal },
  )
  const pid = Number((await answersOf(running, [0]))[0]?.stdout)
  const folder = folderOf(running)
  expect([isAlive(pid), existsSync(folder)]).toEqual([true, true])
  if (how === 'aborted') own.abort()
  else await running[Symbol.asyncDispose]()
  expect(await eventually(() => !existsSync(folder) && !isAlive(pid))).toBe(true)
  expect(running.crashed()).toBeNull()
})
