/** The verdicts of a run are the same bytes wherever, whenever and however it runs. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forexProject, verdictBytes } from './forex.ts'
import type { Project } from './project.ts'

const RUN = ['run', '--project', 'parity']

let here: Project
let first = ''
beforeAll(async () => {
  here = forexProject('here')
  const { code } = await here.run(RUN)
  expect(code).toBe(0)
  first = verdictBytes(here)
  expect(first.length).toBeGreaterThan(50_000)
})
afterAll(() => here[Symbol.dispose]())

describe('the verdicts of forex are the same bytes', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    [
      'in Los Angeles in German, in another order',
      ['--sequence.shuffle', '--sequence.seed=7'],
      { TZ: 'America/Los_Angeles', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' },
    ],
    [
      'in Kathmandu without a language, file by file, in one worker that is not isolated',
      ['--no-file-parallelism', '--no-isolate'],
      { TZ: 'Asia/Kathmandu', LANG: 'C', LC_ALL: 'C' },
    ],
  ])('%s', async (_name, args, env) => {
    const { code } = await here.run([...RUN, ...args], env)
    expect(verdictBytes(here)).toBe(first)
    expect(code).toBe(0)
  })

  test('in a folder with blanks and other letters, in threads and in another order', async () => {
    using there = forexProject('Größe, öre & 円 (2)')
    const { code } = await there.run([...RUN, '--pool=threads', '--sequence.shuffle', '--sequence.seed=99'])
    expect(verdictBytes(there)).toBe(first)
    expect(code).toBe(0)
  })

  test('from each of two runs in one folder at once', async () => {
    const runs = join(here.root, '.parity', 'runs')
    const earlier = readdirSync(runs)
    const codes = await Promise.all([here.run(RUN), here.run(RUN)])
    expect(codes.map(({ code }) => code)).toEqual([0, 0])
    expect(verdictBytes(here)).toBe(first)
    const verdicts = readdirSync(runs)
      .filter(id => !earlier.includes(id))
      .map(id => verdictsOf(readFileSync(join(runs, id, 'events.ndjson'), 'utf8')))
    expect(verdicts).toHaveLength(2)
    expect(verdicts[0]).toHaveLength(69)
    expect(verdicts[1]).toEqual(verdicts[0])
  })
})

/** The verdicts among the events of a run, by case. */
function verdictsOf(text: string): unknown[] {
  const events: { type: string; verdict: { case: string } }[] = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  return events
    .flatMap(event => (event.type === 'verdict' ? [event.verdict] : []))
    .sort((a, b) => (a.case < b.case ? -1 : 1))
}

describe('a checkout that cannot be written', () => {
  test('is judged all the same: a file stands where the folder of reports would be', async () => {
    using project = forexProject('occupied')
    writeFileSync(join(project.root, '.parity'), 'no folder\n')
    const { code, stderr } = await project.run(RUN)
    expect(stderr).toMatch(/69 PARITY of 69\n parity {2}the report could not be written to \.parity\/ /)
    expect(code).toBe(0)
  })

  /** Root ignores the mode of a folder, and others may not mount: each has one of the two. */
  const mountable = spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/tmp']).status === 0
  const lock = mountable ? 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"' : 'chmod 555 "$1"'

  test('is judged all the same: nothing can be written in its folder', async () => {
    using project = forexProject('read-only')
    rmSync(join(project.root, '.parity'), { recursive: true, force: true })
    const script = `${lock} && cd "$1" && ! touch x 2>&- && exec "$2" "$3" run --project parity`
    const vitest = join(project.root, 'node_modules/vitest/vitest.mjs')
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|TEST$)/.test(name)),
    )
    const shell = ['sh', '-c', script, 'sh', project.root, process.execPath, vitest]
    const [program = '', ...args] = mountable ? ['unshare', '-m', ...shell] : shell
    const { status, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...env, NO_COLOR: '1' },
      timeout: 60_000,
    })
    chmodSync(project.root, 0o755)
    // Node names a read-only file system ENOENT when it makes folders recursively.
    expect(stderr).toMatch(
      /69 PARITY of 69\n parity {2}the report could not be written to \.parity\/ \((EROFS|ENOENT|EACCES)\)/,
    )
    expect(status).toBe(0)
    expect(existsSync(join(project.root, '.parity'))).toBe(false)
  })
})
