import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Terminal } from './command.ts'
import { COMMANDS } from './commands.ts'
import { runProgram } from './program.ts'

const vitest = join(import.meta.dirname, '../../node_modules/vitest')
let cwd = ''

/** Runs a command in the project and returns its exit code and what it printed. */
async function run(words: readonly string[], env: Terminal['env'] = {}) {
  const printed = { out: '', err: '' }
  const code = await runProgram(COMMANDS, words, {
    cwd,
    env,
    signal: new AbortController().signal,
    out: text => {
      printed.out += `${text}\n`
    },
    err: text => {
      printed.err += `${text}\n`
    },
  })
  return { code, ...printed }
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'first süite-'))
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }\n')
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(vitest, join(cwd, 'node_modules/vitest'))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe('a project that init begins', () => {
  test('gets every file once, and keeps what is there the second time', async () => {
    const first = JSON.parse((await run(['init', '--no-record', '--json'])).out)
    expect(first.config).toEqual({ state: 'created', file: 'vitest.config.ts' })
    expect(first.files.length).toBeGreaterThan(15)
    expect(first.files.every((each: { state: string }) => each.state === 'written')).toBe(true)
    expect(first.next).toEqual(['npx vitest-parity record hello', 'npx vitest run --project parity'])

    writeFileSync(join(cwd, 'tolerance/hello.yaml'), '# mine\nstructural: [$.requestId, $.servedAt]\n')
    rmSync(join(cwd, 'parity/hello/hello.parity.ts'))
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('node_modules/\n.parity/\n')
    writeFileSync(join(cwd, '.gitignore'), 'dist\n')
    const second = await run(['init', '--no-record'])
    expect(second.code).toBe(0)
    expect(second.out).toContain('kept     tolerance/hello.yaml\n')
    expect(second.out).toContain('written  parity/hello/hello.parity.ts\n')
    expect(second.out).toContain('Next: add .parity/ to .gitignore\n')
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('dist\n')
    expect(readFileSync(join(cwd, 'tolerance/hello.yaml'), 'utf8')).toMatch(/^# mine/)
    rmSync(join(cwd, 'tolerance/hello.yaml'))
    await run(['init', '--no-record'])
  })

  test('lint finds nothing but that no case was recorded', async () => {
    const { code, out } = await run(['lint', '--json'])
    expect(code).toBe(1)
    const rules = new Set(JSON.parse(out).findings.map((finding: { rule: string }) => finding.rule))
    expect([...rules].sort()).toEqual(['floor', 'input-without-golden'])
  })

  test('records twelve goldens from its legacy, and lint is content', async () => {
    const { code, err, out } = await run(['record', 'hello'])
    expect(err).toBe('')
    expect(code, out).toBe(0)
    expect(existsSync(join(cwd, '__golden__/hello/001-happy-plain.json'))).toBe(true)
    expect(await run(['lint'])).toEqual({ code: 0, out: '0 findings in hello\n', err: '' })
  })

  test('calibrate covers the noise by rules, and proves them at every place', async () => {
    const { code, out } = await run(['calibrate', 'hello', '--json'])
    const { cases, seeded } = JSON.parse(out)
    expect(code, out).toBe(0)
    expect(cases).toHaveLength(12)
    expect(cases[0]).toMatchObject({
      name: '001-happy-plain',
      captures: 2,
      noise: [
        { path: '$.servedAt', kind: 'timestamp' },
        { path: '$.requestId', kind: 'id' },
      ],
      uncovered: [],
    })
    expect(seeded.caught).toBe(seeded.total)
    expect(seeded.total).toBeGreaterThan(20)
  })

  test('recording again moves no golden', async () => {
    const before = readFileSync(join(cwd, '__golden__/hello/001-happy-plain.json'), 'utf8')
    expect((await run(['record', 'hello', '001-happy-plain'])).code).toBe(0)
    expect(readFileSync(join(cwd, '__golden__/hello/001-happy-plain.json'), 'utf8')).toBe(before)
    expect(existsSync(join(cwd, '__golden__/hello/pending'))).toBe(false)
  })

  test('show has numbers as the legacy wrote them, as text and as JSON', async () => {
    const asText = await run(['show', 'hello', '001-happy-plain'])
    expect(asText.out).toContain('"width": 0.30000000000000004')
    expect(asText.out).toContain('structural $.requestId  R-001')
    expect(asText.out).toContain('none: npx vitest run --project parity')
    const asJson = JSON.parse((await run(['show', 'hello', '001-happy-plain', '--json'])).out)
    expect(asJson).toMatchObject({ feature: 'hello', case: '001-happy-plain', verdict: null })
    expect(asJson.golden.id).toBe(asJson.manifest.id)
    expect(asJson.rules.rules).toContainEqual({
      rule: 'numeric_tolerance $.width',
      key: 'numeric_tolerance',
      path: '$.width',
      bound: '0.000001',
      decision: 'R-003',
    })
  })
})

describe('a legacy that changed', () => {
  test('leaves the golden alone, waits in pending, and is accepted once, by name and with a reason', async () => {
    const server = join(cwd, 'labs/hello-legacy/server.cjs')
    const golden = join(cwd, '__golden__/hello/030-rule-formal.json')
    const before = readFileSync(golden, 'utf8')
    writeFileSync(server, readFileSync(server, 'utf8').replace("en: 'Good day'", "en: 'Good evening'"))
    const recorded = await run(['record', 'hello', '030-rule-formal'])
    expect(recorded.code).toBe(1)
    expect(recorded.out).toContain('npx vitest-parity accept hello 030-rule-formal')
    expect(readFileSync(golden, 'utf8')).toBe(before)

    const shown = await run(['show', 'hello', '030-rule-formal'])
    expect(shown.out).toContain('pending      another payload waits: npx vitest-parity accept hello 030-rule-formal')
    expect((await run(['show', 'hello'])).out).toMatch(/^ {2}030-rule-formal {2}.*pending$/m)

    const accept = ['accept', 'hello', '030-rule-formal', '--author', 'ana']
    expect(await run(accept)).toMatchObject({ code: 2, err: expect.stringContaining('--reason is missing') })
    expect(await run([...accept, '--reason', 'evening', '--json'], { CI: 'true' })).toMatchObject({
      code: 2,
      out: expect.stringContaining('PARITY_ACCEPT_REFUSED'),
    })
    expect(readFileSync(golden, 'utf8')).toBe(before)
    expect((await run([...accept, '--reason', 'evening'], { CI: '' })).code).toBe(0)
    expect(readFileSync(golden, 'utf8')).toContain('Good evening')
  })
})

test('an interrupted recording stops what it started, says so, and leaves the goldens as they were', async () => {
  const before = readFileSync(join(cwd, '__golden__/hello/manifest.json'), 'utf8')
  const server = join(cwd, 'labs/hello-legacy/server.cjs')
  const text = readFileSync(server, 'utf8')
  try {
    const asked = join(cwd, 'asked')
    const never = `if (path === '/health') return require('fs').writeFileSync(${JSON.stringify(asked)}, '')`
    writeFileSync(server, text.replace("if (path === '/health') return", `${never}\n  if (path === '') return`))
    const main = join(import.meta.dirname, 'main.ts')
    const child = spawn(process.execPath, [main, 'record', 'hello'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let err = ''
    child.stderr.on('data', chunk => {
      err += chunk
    })
    const closed = once(child, 'close')
    await expect.poll(() => existsSync(asked), { timeout: 20_000 }).toBe(true)
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
    expect(err).toContain('interrupted')
    expect(readFileSync(join(cwd, '__golden__/hello/manifest.json'), 'utf8')).toBe(before)
  } finally {
    writeFileSync(server, text)
  }
}, 30_000)

describe('what is not there', () => {
  test.each([
    [['show', 'helo'], 'PARITY_FEATURE_UNKNOWN', 'write `hello`'],
    [['show', 'hello', '001-happy-plan'], 'PARITY_CASE_UNKNOWN', 'did you mean 001-happy-plain?'],
    [['record', 'hello', '001-happy-plan'], 'PARITY_RECORD_CASE', 'write `001-happy-plain`'],
    [['lint', 'helo'], 'PARITY_FEATURE_UNKNOWN', 'write `hello`'],
  ])('%j names the nearest', async (words, code, fix) => {
    const { out, code: exit } = await run([...words, '--json'])
    expect(exit).toBe(2)
    expect(JSON.parse(out).error).toMatchObject({ code, fix })
  })

  test('an empty folder is no project, and has no feature', async () => {
    const project = cwd
    cwd = mkdtempSync(join(tmpdir(), 'empty-'))
    try {
      expect(JSON.parse((await run(['init', '--json'])).out).error.code).toBe('PARITY_INIT_PROJECT')
      expect((await run(['lint'])).err).toContain('begin here: npx vitest-parity init')
      writeFileSync(join(cwd, 'package.json'), '{}')
      expect((await run(['init'])).err).toBe(
        'vitest-parity: init: Vitest 5 is needed, and none is installed\nFix: npm install -D vitest@5\n',
      )
    } finally {
      rmSync(cwd, { recursive: true })
      cwd = project
    }
  })

  test('a broken tolerance file is a finding of lint with its place, and an error of show', async () => {
    const file = join(cwd, 'tolerance/hello.yaml')
    const text = readFileSync(file, 'utf8')
    try {
      writeFileSync(file, `${text}ignore: [$]\n`)
      const lines = text.split('\n').length
      const { code, out } = await run(['lint'])
      expect(code).toBe(1)
      expect(out).toContain(`tolerance/hello.yaml:${lines}:10: ignore over a whole body: $`)
      expect((await run(['show', 'hello'])).code).toBe(2)
    } finally {
      writeFileSync(file, text)
    }
  })

  test('a broken input is named by its path from the project', async () => {
    const file = join(cwd, 'parity/hello/inputs/040-edge-broken.json')
    try {
      writeFileSync(file, '{')
      expect((await run(['lint'])).out).toMatch(/^parity\/hello\/inputs\/040-edge-broken\.json:1:/m)
      expect((await run(['show', 'hello'])).err).toMatch(/^vitest-parity: parity\/hello\/inputs\/040-edge-broken/m)
    } finally {
      rmSync(file)
    }
  })
})
