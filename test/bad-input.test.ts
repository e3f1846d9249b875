/** What a user can get wrong, and what a candidate can do, through real runs of Vitest. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Verdict } from '../src/model.ts'
import { forexProject } from './forex.ts'
import { type Ended, makeProject, type Project, source } from './project.ts'

const RUN = ['run', '--project', 'parity']
const SERVER = 'parity/forex/candidate/server.ts'

describe('an empty project', () => {
  test('has nothing to judge: exit code 2, whatever Vitest is told to pass', async () => {
    using project = makeProject({ files: {} })
    for (const args of [[], ['--passWithNoTests']]) {
      const { code, stderr } = await project.run([...RUN, ...args])
      expect(stderr).toContain('exit 2: nothing was selected')
      expect(code).toBe(2)
      expect(project.report().summary).toMatchObject({ selected: 0, parity: 0, exitCode: 2 })
    }
  })
})

test('a file with groups and no test in them is counted: exit code 2', async () => {
  using project = makeProject({
    files: {
      'parity/hollow/hollow.parity.ts': `import { describe } from 'vitest'\ndescribe('hollow', () => {})\n`,
    },
  })
  const { code } = await project.run(RUN)
  expect(project.states()).toEqual({ 'hollow parity/hollow/hollow.parity.ts': 'UNVERIFIABLE test-error' })
  expect(code).toBe(2)
})

/** Tolerances of the template with one mistake each, where it stands, and words of the message and the fix. */
const MISTAKES: Readonly<Record<string, readonly [add: string, place: string, message: string]>> = {
  tab: ['ignore:\n\t- $.tab\n', '16:1', 'a tab\nFix: use spaces; inside double quotes write \\t'],
  twice: ['structural:\n  - $.other\n', '15:1', 'the key "structural" occurs twice\nFix: keep one of the two'],
  sixth: [
    'structual:\n  - $.other\n',
    '15:1',
    'unknown key "structual"; did you mean "structural"?\nFix: write structural',
  ],
  both: [
    'ignore:\n  - $.greeting\n',
    '16:5',
    'two rules for one node: "ignore $.greeting" and "exact $.greeting" (line 4)\nFix: remove one of the two',
  ],
  whole: ['ignore:\n  - $\n', '16:5', 'ignore over a whole body: $\nFix: name the fields that it is meant for'],
}

/** The feature of the template under another name, with text added to its tolerance. */
function addFeature(project: Project, name: string, tolerance: string): void {
  const template = source('template/hello')
  const from = join(template, 'parity/hello')
  cpSync(from, join(project.root, 'parity', name), {
    recursive: true,
    filter: path => !path.endsWith('hello.parity.ts'),
  })
  const read = (path: string): string => readFileSync(join(template, path), 'utf8')
  project.write(
    `parity/${name}/contract.yaml`,
    read('parity/hello/contract.yaml').replace('feature: hello', `feature: ${name}`),
  )
  project.write(
    `parity/${name}/${name}.parity.ts`,
    read('parity/hello/hello.parity.ts').replaceAll("'hello'", `'${name}'`),
  )
  project.write(`tolerance/${name}.yaml`, `${read('tolerance/hello.yaml')}${tolerance}`)
}

describe('features without goldens, five of them with a mistake in their tolerance', () => {
  let project: Project
  let ended: Ended
  beforeAll(async () => {
    project = makeProject({
      files: {},
      config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
    })
    cpSync(source('template/hello/labs'), join(project.root, 'labs'), { recursive: true })
    addFeature(project, 'sound', '')
    for (const [name, [added]] of Object.entries(MISTAKES)) addFeature(project, name, added)
    ended = await project.run(RUN)
  })
  afterAll(() => project[Symbol.dispose]())

  const verdictsOf = (feature: string): readonly Verdict[] =>
    project.report().verdicts.filter(verdict => verdict.feature === feature)

  test('the sound one is no-fixture in every case, with the command that records it', () => {
    expect(verdictsOf('sound')).toHaveLength(12)
    for (const verdict of verdictsOf('sound')) {
      expect(verdict).toMatchObject({
        state: 'UNVERIFIABLE',
        reason: 'no-fixture',
        remedy: `record it: npx vitest-parity record sound ${verdict.case}`,
      })
    }
  })

  test.each(Object.entries(MISTAKES))('%s: file, line and column, and the fix', (name, [, place, message]) => {
    const [verdict, ...more] = verdictsOf(name)
    expect(more).toEqual([])
    expect(verdict).toMatchObject({
      case: `parity/${name}/${name}.parity.ts`,
      state: 'UNVERIFIABLE',
      reason: 'environment',
      message: `tolerance/${name}.yaml:${place}: ${message}`,
    })
    expect(ended.stderr).toContain(`tolerance/${name}.yaml:${place}`)
  })

  test('all are counted, and the run is unverifiable', () => {
    expect(project.report().summary).toMatchObject({ selected: 17, unverifiable: 17, parity: 0, exitCode: 2 })
    expect(ended.code).toBe(2)
  })
})

/** Answers some requests by hand, octet by octet; all others are those of the real candidate. */
const MISBEHAVE = `import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const HEAD = 'HTTP/1.1 200 OK\\r\\nContent-Type: application/json; charset=utf-8\\r\\n'
const ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
  '/rates?base=eur': socket => socket.end(HEAD + 'Content-Length: 500\\r\\n\\r\\n{"base":"EUR",'),
  '/rates?symbols=jpy,GBP': socket => socket.end(HEAD + 'Transfer-Encoding: chunked\\r\\n\\r\\n5\\r\\n{"bas\\r\\n'),
  '/rates?base=CHF&date=2026-01-02': socket => socket.end(HEAD + 'Content-Length: 2\\r\\n\\r\\n{"base":"CHF"}'),
  '/rates?base=ABC': () => {},
  '/rates?date=02.01.2026': socket => socket.write(HEAD + 'Content-Length: 500\\r\\n\\r\\n{'),
  '/rates?date=2026-01-03': socket => socket.end('220 mail.example ESMTP\\r\\n'),
  '/rates?symbols=XXX': socket => socket.destroy(),
  '/rates?base=': socket => {
    const html = '<!doctype html>' + 'x'.repeat(5_000_000)
    socket.end('HTTP/1.1 422 Unprocessable Entity\\r\\nContent-Type: text/html; charset=utf-8\\r\\nContent-Length: ' + html.length + '\\r\\n\\r\\n' + html)
  },
}

export function misbehave(request: IncomingMessage): boolean {
  const answer = ANSWERS[request.url ?? '']
  if (request.method !== 'GET' || answer === undefined) return false
  answer(request.socket)
  return true
}
`

describe('a candidate that misbehaves in some of its answers', () => {
  let project: Project
  let ended: Ended
  const verdictOf = (name: string): Verdict | undefined =>
    project.report().verdicts.find(verdict => verdict.case === name)

  beforeAll(async () => {
    project = forexProject('misbehaves', [
      {
        file: SERVER,
        from: "from './requests.ts'\n",
        to: "from './requests.ts'\nimport { misbehave } from './misbehave.ts'\n",
      },
      {
        file: SERVER,
        from: 'async (request, response) => {\n',
        to: 'async (request, response) => {\n    if (misbehave(request)) return\n',
      },
      { file: 'parity/forex/forex.parity.ts', from: '{ candidate: http(', to: '{ timeoutMs: 1500, candidate: http(' },
    ])
    project.write('parity/forex/candidate/misbehave.ts', MISBEHAVE)
    ended = await project.run(RUN)
  })
  afterAll(() => project[Symbol.dispose]())

  test.each<[string, string, string, RegExp]>([
    [
      'closes in the middle of a body',
      '003-happy-rates-of-base',
      'protocol_error $',
      /before the 500 bytes that Content-Length announces/,
    ],
    ['closes before the last chunk', '006-happy-rates-of-symbols', 'protocol_error $', /before the last chunk/],
    [
      'lies in Content-Length',
      '007-happy-rates-of-date',
      'protocol_error $',
      /longer than the 2 bytes that Content-Length announces/,
    ],
    ['answers 5 MB of HTML', '057-edge-base-empty', 'header_changed header.content-type, content_kind $', /text\/html/],
  ])('%s: DIVERGED', (_what, name, differences, shown) => {
    const verdict = verdictOf(name)
    if (verdict?.state !== 'DIVERGED') throw new Error(`${name} is ${JSON.stringify(verdict)}`)
    expect(verdict.differences.map(({ kind, path }) => `${kind} ${path}`).join(', ')).toBe(differences)
    expect(verdict.differences.map(({ candidate }) => candidate).join()).toMatch(shown)
    expect(JSON.stringify(verdict).length).toBeLessThan(20_000)
  })

  test.each<[string, string, string, RegExp]>([
    ['never answers', '011-error-unknown-base', 'timeout', /no response head from the candidate within 1500 ms/],
    [
      'begins a body and hangs',
      '024-error-malformed-date',
      'timeout',
      /the body of the candidate did not end within 1500 ms/,
    ],
    ['speaks another protocol', '025-error-future-date', 'transport', /is not HTTP\/1\.1/],
    ['closes without an answer', '054-edge-no-symbols', 'transport', /broke before a response head/],
  ])('%s: UNVERIFIABLE, with the bound where there is one', (_what, name, reason, message) => {
    expect(verdictOf(name)).toMatchObject({ state: 'UNVERIFIABLE', reason, message: expect.stringMatching(message) })
  })

  test('all others are as before, and a proven difference makes the exit code 1', () => {
    expect(project.report().summary).toMatchObject({ selected: 69, parity: 61, diverged: 4, unverifiable: 4 })
    expect(ended.code).toBe(1)
  })

  test('what could not be judged alone makes it 2', async () => {
    const { code } = await project.run([...RUN, '-t', 'forex 011-error-unknown-base'])
    expect(project.states()).toEqual({ 'forex 011-error-unknown-base': 'UNVERIFIABLE timeout' })
    expect(code).toBe(2)
  })
})

test('a candidate that dies on the way fails once, blocks what comes after it, and keeps what was judged before', async () => {
  using project = forexProject('dies', [
    {
      file: SERVER,
      from: 'async (request, response) => {\n',
      to: "async (request, response) => {\n    if (request.url === '/rate') return void (server.close(), server.closeAllConnections())\n",
    },
  ])
  const { code, stderr } = await project.run(RUN)
  const states = project.states()
  expect(states['forex 020-edge-oversize']).toBe('PARITY')
  expect(states['forex 021-error-unknown-route']).toBe('UNVERIFIABLE transport')
  const later = Object.entries(states).filter(([name]) => name > 'forex 022')
  expect(later.length).toBeGreaterThan(40)
  expect(later.filter(([, state]) => state !== 'UNVERIFIABLE blocked')).toEqual([])
  expect(stderr).toMatch(/\d+ cases {2,}UNVERIFIABLE {2}blocked by candidate/)
  expect(code).toBe(2)
})
