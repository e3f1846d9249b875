/** Live suites in the real Vitest whose lab ends, does not boot, or has to be stopped. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordFeature } from '../src/pipeline/record.ts'
import { eventually, isAlive } from './lab-folder.ts'
import { get, type LiveText, liveFiles } from './live-folder.ts'
import { makeProject, type Project, source } from './project.ts'

const RUN_MS_MAX = 100_000
/** The candidate of every suite here: it answers as the legacies do. */
const CANDIDATE = `http(async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ path: request.url }))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: 'http://127.0.0.1:' + server.address().port, [Symbol.asyncDispose]: async () => void server.close() }
})`
const IMPORTS = `import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describeParity, expectParity, fn, http, test } from 'vitest-parity'\n`

const ANSWERS = 'json(response, { path: request.url })'
/** Each of the two processes leaves its id beside the project. */
const TELLS = (root: string): string =>
  `fs.writeFileSync('${root}/' + (fs.existsSync('${root}/legacy.pid') ? 'control.pid' : 'legacy.pid'), String(process.pid))`

const inputs = {
  '001-happy-a': get('/a'),
  '002-happy-b': get('/b'),
  '003-happy-c': get('/c'),
  '004-happy-d': get('/d'),
}

function liveProject(name: string, text: Partial<LiveText>, o: { suite?: string; parity?: string } = {}): Project {
  const project = makeProject({
    name,
    ...(o.parity === undefined ? {} : { parity: o.parity }),
    files: {
      'parity/live/live.parity.ts': `${IMPORTS}${o.suite ?? `describeParity('live', { against: 'live', candidate: ${CANDIDATE} })`}`,
    },
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
  })
  const before = TELLS(project.root)
  for (const [path, body] of Object.entries(liveFiles({ legacy: ANSWERS, before, inputs, ...text })))
    project.write(path, body)
  return project
}

const pidsOf = ({ root }: Project): number[] =>
  ['legacy', 'control']
    .map(name => join(root, `${name}.pid`))
    .filter(existsSync)
    .map(path => Number(readFileSync(path, 'utf8')))
const linesWith = (text: string, part: string): number => text.split('\n').filter(line => line.includes(part)).length

describe('a legacy that is killed while the suite runs', () => {
  const suite = `describeParity('live', { against: 'live', candidate: ${CANDIDATE} }, ({ candidate }) => {
    const killed = \`\${process.cwd()}/legacy.pid\`
    test('by hand, before', async () => {
      await expectParity(candidate).toMatchLegacy({ method: 'GET', path: '/before' })
      process.kill(Number(readFileSync(killed, 'utf8')), 'SIGKILL')
    })
    test('by hand, met', async () => { await expectParity(candidate).toMatchLegacy({ method: 'GET', path: '/met' }) })
    for (const name of ['x', 'y', 'z']) {
      test('by hand, after ' + name, async () => { await expectParity(candidate).toMatchLegacy({ method: 'GET', path: '/' + name }) })
    }
    test('by hand, recorded', async () => { await expectParity(candidate).toMatchFixture('001-happy-a') })
  })`

  test(
    'is told once by the case that met it; later live cases are blocked, and recorded ones are judged',
    async () => {
      using project = liveProject('live-killed', { before: '' }, { suite })
      const { root } = project
      await recordFeature({ root, feature: 'live', signal: new AbortController().signal })
      project.write(
        'labs/small/app.cjs',
        `require('fs'); ${readFileSync(join(root, 'labs/small/app.cjs'), 'utf8').replace('let n = 0', `let n = 0; ${TELLS(root)}`)}`,
      )
      const { code, stderr } = await project.run(['run', '--project', 'parity'])
      expect(project.states()).toEqual({
        'live 001-happy-a': 'PARITY',
        'live 002-happy-b': 'PARITY',
        'live 003-happy-c': 'PARITY',
        'live 004-happy-d': 'PARITY',
        'live by hand, after x': 'UNVERIFIABLE blocked',
        'live by hand, after y': 'UNVERIFIABLE blocked',
        'live by hand, after z': 'UNVERIFIABLE blocked',
        'live by hand, before': 'PARITY',
        'live by hand, met': 'UNVERIFIABLE lab-boot',
        'live by hand, recorded': 'PARITY',
      })
      expect(stderr).toMatch(
        /\? by hand, met +UNVERIFIABLE {2}lab-boot\n +lab small: the legacy was ended by SIGKILL\n +its last 1 lines:\n +listens\n/,
      )
      expect(stderr).toMatch(/\? 3 cases +UNVERIFIABLE {2}blocked by lab \(lab-boot\)\n/)
      expect(linesWith(stderr, 'listens')).toBe(2) // the log: in the report of parity, and in that of Vitest
      const recorded = project.report().verdicts.find(each => each.case === 'by hand, recorded')
      expect(recorded).toMatchObject({
        fixture: expect.stringMatching(/^sha256:/),
        basis: { fixtureSet: expect.stringMatching(/^sha256:/) },
      })
      expect(recorded?.basis.lab).toBeUndefined()
      expect(pidsOf(project).map(isAlive)).toEqual([false, false])
      expect(code).toBe(2)
    },
    RUN_MS_MAX,
  )

  test(
    'lets the run pass where the project allows its reason, for the case that met it and for those it blocks',
    async () => {
      using project = liveProject(
        'live-allowed',
        {},
        {
          suite: suite.replace(/test\('by hand, recorded'.*\n/, ''),
          parity: "{ unverifiable: { allow: ['lab-boot'] } }",
        },
      )
      const { code } = await project.run(['run', '--project', 'parity'])
      expect(project.report().summary).toMatchObject({ parity: 5, unverifiable: 4, allowed: 4, exitCode: 0 })
      expect(code).toBe(0)
    },
    RUN_MS_MAX,
  )
})

describe('a lab that does not boot', () => {
  test(
    'fails once, in the test named after it, with its log; every live case is blocked by it',
    async () => {
      using project = liveProject('live-dead', { before: "console.log('no licence'); process.exit(1)" })
      const { code, stdout, stderr } = await project.run(['run', '--project', 'parity'])
      expect(Object.values(project.states())).toEqual(Array(4).fill('UNVERIFIABLE blocked'))
      expect(project.report().features[0]?.gates).toMatchObject([
        { gate: 'candidate', state: 'ok' },
        { gate: 'lab', state: 'failed', reason: 'lab-boot' },
      ])
      expect(stderr).toMatch(
        /✗ lab +lab-boot: lab small ended with exit code 1 before it was ready: .*\n +its last 1 lines:\n +no licence\n/,
      )
      expect(linesWith(stderr, 'no licence')).toBe(2) // the report of parity, and that of Vitest
      expect(stdout).toMatch(/× lab /)
      expect(stderr).toMatch(/\? 4 cases +UNVERIFIABLE {2}blocked by lab \(lab-boot\)\n/)
      expect(code).toBe(2)
    },
    RUN_MS_MAX,
  )

  test(
    'is not booted where no live case is selected',
    async () => {
      using project = liveProject(
        'live-unasked',
        { before: "console.log('no licence'); process.exit(1)" },
        {
          suite: `describeParity('live', { against: 'live', candidate: ${CANDIDATE} }, ({ candidate }) => {
        test('by hand, recorded', async () => { await expectParity(candidate).toMatchFixture('001-happy-a') })
      })`,
        },
      )
      await project.run(['run', '--project', 'parity', '-t', 'by hand, recorded'])
      expect(project.states()).toEqual({ 'live by hand, recorded': 'UNVERIFIABLE no-fixture' })
      expect(project.report().features[0]?.gates.map(({ gate }) => gate)).toEqual(['candidate'])
    },
    RUN_MS_MAX,
  )
})

describe('a live lab is stopped', () => {
  const slow = "if (request.url === '/c') return; json(response, { path: request.url })"

  test(
    'by Ctrl-C, and what was judged is told',
    async () => {
      using project = liveProject('live-interrupted', { legacy: slow })
      const running = project.start(['run', '--project', 'parity'])
      await eventually(() => pidsOf(project).length === 2, 60_000)
      await running.seen(/003-happy-c|listens|RUN/)
      expect(pidsOf(project).map(isAlive)).toEqual([true, true])
      process.kill(-(running.child.pid ?? 0), 'SIGINT')
      const { code } = await running.ended
      expect(code).not.toBe(0)
      expect(await eventually(() => !pidsOf(project).some(isAlive))).toBe(true)
      expect(project.report().summary.selected).toBe(4)
    },
    RUN_MS_MAX,
  )

  test(
    'when its worker is killed',
    async () => {
      const suite = `describeParity('live', { against: 'live', candidate: ${CANDIDATE} }, ({ candidate }) => {
      test('dies', async () => {
        await expectParity(candidate).toMatchLegacy({ method: 'GET', path: '/a' })
        process.kill(process.pid, 'SIGKILL')
      })
    })`
      using project = liveProject('live-crashed', {}, { suite })
      await project.run(['run', '--project', 'parity'])
      expect(project.states()).toMatchObject({ 'live dies': 'UNVERIFIABLE worker-crashed' })
      expect(pidsOf(project)).toHaveLength(2)
      expect(await eventually(() => !pidsOf(project).some(isAlive))).toBe(true)
    },
    RUN_MS_MAX,
  )
})

test(
  'a function is compared with a legacy that is called, on its corpus and on what a test makes up',
  async () => {
    const app = `let text = ''
process.stdin.on('data', chunk => { text += chunk }).on('end', () => {
  const { price, pieces } = JSON.parse(text)
  if (pieces < 0) { console.log('{"threw":{"name":"RangeError","code":null,"message":"pieces"}}'); process.exit(1) }
  console.log(JSON.stringify({ total: price * pieces }))
})`
    const lab = `id: small\nclaim: what the test needs\nrevision: r1\ndriver: process\nisolation: none\nservices: { app: { call: [node, app.cjs] } }\n`
    const files = { 'labs/small/lab.yaml': lab, 'labs/small/app.cjs': app }
    const input = (pieces: number): unknown => ({ covers: [], steps: [{ input: { price: 3, pieces } }] })
    const inputs = { '001-happy-two': input(2), '002-happy-twelve': input(12), '010-error-negative': input(-1) }
    const suite = `const total = ({ price, pieces }) => {
  if (pieces < 0) throw new RangeError('pieces')
  return { total: pieces > 10 ? price * pieces - 1 : price * pieces }
}
describeParity('live', { against: 'live', candidate: fn(total) }, ({ candidate }) => {
  test('three, by hand', async () => { await expectParity(candidate).toMatchLegacy({ price: 3, pieces: 3 }) })
  test('eleven, by hand', async () => { await expectParity(candidate).toMatchLegacy({ price: 3, pieces: 11 }) })
  test('three, observed', async () => { await expectParity({ total: 9 }).toMatchLegacy({ price: 3, pieces: 3 }) })
})`
    using project = liveProject('live-called', { files, inputs }, { suite })
    const { code } = await project.run(['run', '--project', 'parity'])
    expect(project.states()).toEqual({
      'live 001-happy-two': 'PARITY',
      'live 002-happy-twelve': 'DIVERGED',
      'live 010-error-negative': 'PARITY',
      'live eleven, by hand': 'DIVERGED',
      'live three, by hand': 'PARITY',
      'live three, observed': 'PARITY',
    })
    expect(project.report().verdicts.find(each => each.case === 'eleven, by hand')).toMatchObject({
      differences: [{ path: '$.total', legacy: '33', candidate: '32' }],
    })
    expect(code).toBe(1)
  },
  RUN_MS_MAX,
)

test(
  'a live suite without a lab, without its lab.yaml, or of another revision is refused with the fix',
  async () => {
    for (const [edit, code, text] of [
      [
        (contract: string) => contract.replace('lab: small\n', ''),
        'PARITY_FEATURE_LIVE',
        'add `lab: <name>` to parity/live/contract.yaml',
      ],
      [
        (contract: string) => contract.replace('lab: small', 'lab: smal'),
        'PARITY_LAB_MISSING',
        'write labs/smal/lab.yaml',
      ],
      [
        (contract: string) => contract.replace('revision: r1', 'revision: r2'),
        'PARITY_RECORD_REVISION',
        'write the same revision in both',
      ],
    ] as const) {
      using project = liveProject('live-refused', {})
      project.write(
        'parity/live/contract.yaml',
        edit(readFileSync(join(project.root, 'parity/live/contract.yaml'), 'utf8')),
      )
      const { code: exit, stderr } = await project.run(['run', '--project', 'parity'])
      expect(project.states()).toEqual({ 'live parity/live/live.parity.ts': 'UNVERIFIABLE environment' })
      expect(project.report().verdicts[0]).toMatchObject({ message: expect.stringContaining(`Fix: ${text}`) })
      expect(stderr, code).toContain(`Fix: ${text}`)
      expect(exit).toBe(2)
    }
  },
  RUN_MS_MAX,
)
