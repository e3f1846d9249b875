import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FAKE, makeProject } from './project.ts'

const PLAN = FAKE.split(' from ')[1]?.trim()
const SUITE = (feature: string, cases: readonly string[]): string => `${FAKE}import { plan } from ${PLAN}
plan('${feature}', { cases: ${JSON.stringify(cases)} })
describeParity('${feature}', { candidate: http('http://127.0.0.1:9') })
`

describe('a worker that dies', () => {
  test('leaves its file worker-crashed, at import too, and the others are judged', async () => {
    using project = makeProject({
      files: {
        'parity/a/fine.parity.ts': SUITE('fine', ['001-happy']),
        'parity/a/dies.parity.ts': SUITE('dies', ['001-happy-slow', '002-happy-killed', '003-happy']),
        'parity/a/import.parity.ts': `process.kill(process.pid, 'SIGKILL')\n`,
        'unit.test.ts': `import { test } from 'vitest'\ntest('a unit test', () => {})\n`,
      },
    })
    const { code, stderr } = await project.run(['run'])
    const states = project.states()
    expect(states).toMatchObject({
      'dies 002-happy-killed': 'UNVERIFIABLE worker-crashed',
      'dies 003-happy': 'UNVERIFIABLE worker-crashed',
      'fine 001-happy': 'PARITY',
      'import parity/a/import.parity.ts': 'UNVERIFIABLE worker-crashed',
    })
    // what had ended before may or may not have been heard of
    expect(states['dies 001-happy-slow']).toMatch(/^(PARITY|UNVERIFIABLE worker-crashed)$/)
    expect(stderr).toContain('parity/a/dies.parity.ts: the worker died while the file ran')
    expect(project.report().failures).toEqual([])
    expect(project.report().summary.selected).toBe(5)
    expect(code).toBe(2)
  }, 100_000)

  test('leaves the files queued behind it not-run', async () => {
    using project = makeProject({
      files: {
        'parity/a/1-dies.parity.ts': SUITE('dies', ['001-happy-killed', '002-happy']),
        'parity/a/2-behind.parity.ts': SUITE('behind', ['001-happy']),
        'parity/a/3-behind.parity.ts': SUITE('behind', ['001-happy']),
      },
      config:
        'test: { isolate: false, fileParallelism: false, maxWorkers: 1, sequence: { sequencer: class { sort(f) { return f.sort((a, b) => a.moduleId < b.moduleId ? -1 : 1) } shard(f) { return f } } } }',
    })
    const { code } = await project.run(['run', '--project', 'parity'])
    expect(project.states()).toEqual({
      'dies 001-happy-killed': 'UNVERIFIABLE worker-crashed',
      'dies 002-happy': 'UNVERIFIABLE worker-crashed',
      '2-behind parity/a/2-behind.parity.ts': 'UNVERIFIABLE not-run',
      '3-behind parity/a/3-behind.parity.ts': 'UNVERIFIABLE not-run',
    })
    expect(code).toBe(2)
  }, 100_000)
})

describe('the watchdog', () => {
  test('ends a file that loops without end, and one whose import never ends, and says the bound', async () => {
    using project = makeProject({
      parity: '{ watchdogMs: 2000 }',
      files: {
        'parity/a/loops.parity.ts': SUITE('loops', ['001-happy-slow', '002-happy-loop', '003-happy']),
        'parity/a/top.parity.ts': 'for (;;) {}\n',
        'parity/a/waits.parity.ts': 'await new Promise(() => { setInterval(() => {}, 1000) })\n',
        'parity/a/fine.parity.ts': SUITE('fine', ['001-happy']),
      },
    })
    const { code, stderr } = await project.run(['run', '--project', 'parity'])
    expect(project.states()).toMatchObject({
      'fine 001-happy': 'PARITY',
      'loops 002-happy-loop': 'UNVERIFIABLE worker-crashed',
      'loops 003-happy': 'UNVERIFIABLE worker-crashed',
      'top parity/a/top.parity.ts': 'UNVERIFIABLE worker-crashed',
      'waits parity/a/waits.parity.ts': 'UNVERIFIABLE worker-crashed',
    })
    expect(stderr).toContain('parity/a/loops.parity.ts: the worker gave no sign of life for 2000 ms and was ended')
    expect(stderr).toContain('parity/a/waits.parity.ts: the file was still being imported after 2000 ms and was ended')
    expect(code).toBe(2)
  }, 100_000)
})

test('the watchdog closes the run where the file hangs in a thread, which cannot be ended alone', async () => {
  using project = makeProject({
    parity: '{ watchdogMs: 2000 }',
    files: { 'parity/a/loops.parity.ts': SUITE('loops', ['001-happy', '002-happy-loop']) },
  })
  const { code, stderr } = await project.run(['run', '--project', 'parity', '--pool=threads'])
  expect(project.states()).toMatchObject({ 'loops 002-happy-loop': 'UNVERIFIABLE worker-crashed' })
  expect(stderr).toContain('gave no sign of life for 2000 ms')
  expect(code).toBe(2)
}, 100_000)

describe('an interrupted run', () => {
  const files = {
    'parity/a/hangs.parity.ts': SUITE('hangs', ['001-happy', '010-error-diverged', '020-edge-hangs', '030-rule']),
  }

  test('prints what was judged and stops what was started, on Ctrl-C as a terminal sends it', async () => {
    using project = makeProject({ files })
    const running = project.start(['run', '--project', 'parity'], { FAKE_CLOSED: '1' })
    await running.seen(/hanging/)
    process.kill(-(running.child.pid ?? 0), 'SIGINT')
    const { code, stderr, stdout } = await running.ended
    expect(stdout + stderr).toContain('closed hangs')
    expect(stderr).toContain(' parity  1 PARITY · 1 DIVERGED · 2 UNVERIFIABLE of 4  (interrupted)')
    expect(project.states()).toEqual({
      'hangs 001-happy': 'PARITY',
      'hangs 010-error-diverged': 'DIVERGED',
      'hangs 020-edge-hangs': 'UNVERIFIABLE not-run',
      'hangs 030-rule': 'UNVERIFIABLE not-run',
    })
    expect(code).toBe(1)
  }, 100_000)

  test('does the same on SIGTERM to the main process alone', async () => {
    using project = makeProject({ files })
    const running = project.start(['run', '--project', 'parity'])
    await running.seen(/hanging/)
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect(stderr).toContain('of 4  (interrupted)')
    expect(code).toBe(1)
  }, 100_000)

  test('exits with 130 on the second Ctrl-C, and leaves no worker', async () => {
    using project = makeProject({
      files: { 'parity/a/loop.parity.ts': SUITE('loop', ['001-happy-slow', '020-edge-loop']) },
    })
    const running = project.start(['run', '--project', 'parity'])
    await running.seen(/RUN/)
    await new Promise(resolve => setTimeout(resolve, 2_500))
    running.child.kill('SIGINT')
    await running.seen(/once more to exit at once/)
    running.child.kill('SIGINT')
    const { code } = await running.ended
    expect(code).toBe(130)
    await expect.poll(() => groupMembers(running.child.pid ?? 0), { timeout: 3_000 }).toEqual([])
  }, 100_000)

  test('leaves a file that had not begun not-run, because of the interrupt', async () => {
    using project = makeProject({
      files: { ...files, 'parity/b/later.parity.ts': SUITE('later', ['001-happy']) },
    })
    const running = project.start(['run', '--project', 'parity', '--maxWorkers=1'])
    await running.seen(/hanging/)
    process.kill(-(running.child.pid ?? 0), 'SIGINT')
    await running.ended
    const verdict = project.report().verdicts.find(each => each.feature === 'later')
    expect(verdict).toMatchObject({ state: 'UNVERIFIABLE', reason: 'not-run', message: 'the run was interrupted' })
  }, 100_000)

  test('that is killed leaves its events, whole and in order', async () => {
    using project = makeProject({ files })
    const running = project.start(['run', '--project', 'parity'])
    await running.seen(/hanging/)
    await new Promise(resolve => setTimeout(resolve, 500))
    process.kill(-(running.child.pid ?? 0), 'SIGKILL')
    await running.ended
    const [events] = project.events()
    expect(events?.map(event => event.id)).toEqual(events?.map((_, index) => index + 1))
    expect(events?.map(event => event.type)).toEqual(['run-started', 'suite', 'selected', 'verdict', 'verdict'])
  }, 100_000)
})

/** Processes of a group that still run, by /proc. */
function groupMembers(group: number): string[] {
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const fields = readFileSync(join('/proc', pid, 'stat'), 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return Number(fields[2]) === group && fields[0] !== 'Z'
    } catch {
      return false
    }
  })
}
