/** Who calls: credentials come from the environment or a login, reach the service, and are kept nowhere. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Verdict } from '../src/model.ts'
import { openSuite } from '../src/pipeline/check.ts'
import { recordFeature } from '../src/pipeline/record.ts'
import type { Project } from './project.ts'
import {
  ENV,
  holders,
  INPUTS,
  KEY,
  MARK,
  PASSWORD,
  PRINCIPALS,
  type VaultText,
  vaultCandidate,
  vaultProject,
} from './vault.ts'

const PLANTED = [
  PASSWORD,
  KEY,
  MARK,
  encodeURIComponent(PASSWORD),
  Buffer.from(`for:tk/${MARK}`).toString('base64').slice(0, 14),
]

function withEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    const before = process.env[name]
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
    onTestFinished(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
}

/** Records the vault; what was printed and reported comes back as one text. */
async function recorded(o: VaultText = {}, env: Readonly<Record<string, string>> = ENV) {
  const project = vaultProject(o)
  onTestFinished(() => project[Symbol.dispose]())
  withEnv(env)
  const lines: string[] = []
  const report = await recordFeature({
    root: project.root,
    feature: 'vault',
    signal: new AbortController().signal,
    onLog: line => lines.push(line),
  })
  return { project, report, shown: `${lines.join('\n')}\n${JSON.stringify(report)}` }
}

const planted = (text: string): readonly string[] => PLANTED.filter(one => text.includes(one))
const golden = (project: Project, name: string): string =>
  readFileSync(join(project.root, '__golden__', 'vault', `${name}.json`), 'utf8')

let project: Project
let printed = ''
let incomplete: unknown = 'nothing was recorded'
beforeAll(async () => {
  Object.assign(process.env, ENV)
  project = vaultProject()
  const lines: string[] = []
  const { signal } = new AbortController()
  try {
    const report = await recordFeature({
      root: project.root,
      feature: 'vault',
      signal,
      onLog: line => lines.push(line),
    })
    incomplete = report.incomplete
    printed = `${lines.join('\n')}\n${JSON.stringify(report)}`
  } catch (error) {
    incomplete = error
  }
  for (const name of Object.keys(ENV)) delete process.env[name]
})
afterAll(() => project[Symbol.dispose]())

interface Said {
  /** By case: the state, or the reason with its message. */
  readonly said: Record<string, string>
  /** Credentials that were seen anywhere. */
  readonly found: readonly string[]
}

function saidOf(verdicts: readonly Verdict[]): Record<string, string> {
  const lines = verdicts.map(verdict => {
    if (verdict.state === 'UNVERIFIABLE') return [verdict.case, `${verdict.reason}: ${verdict.message}`]
    if (verdict.state === 'PARITY') return [verdict.case, 'PARITY']
    return [verdict.case, `DIVERGED ${verdict.differences.map(({ path }) => path).join(' ')}`]
  })
  return Object.fromEntries(lines)
}

/** What a run of Vitest says and shows, with a changed candidate. */
async function run(change: string): Promise<Said & { readonly code: number | null }> {
  const file = 'parity/vault/candidate/app.cjs'
  const own = readFileSync(join(project.root, file), 'utf8')
  project.write(file, own.replace("  if (url === '/login') {", `  ${change}\n  if (url === '/login') {`))
  try {
    const { code, stdout, stderr } = await project.run(['run', '--project', 'parity'], ENV)
    const found = [...planted(stdout + stderr), ...holders(project.root, PLANTED)]
    return { code, said: saidOf(project.report().verdicts), found }
  } finally {
    project.write(file, own)
  }
}

/** The same without Vitest. */
async function checked(change: string, env: Readonly<Record<string, string | undefined>> = ENV): Promise<Said> {
  withEnv(env)
  const options = { candidate: vaultCandidate(change) }
  const o = { root: project.root, dirs: {}, feature: 'vault', options, asOf: '2026-12-01', candidateId: 'vault 1' }
  const suite = openSuite(o)
  try {
    const verdicts: Verdict[] = []
    for (const name of NAMES) verdicts.push(await suite.check(name))
    return { said: saidOf(verdicts), found: planted(JSON.stringify(verdicts)) }
  } finally {
    await suite.close()
  }
}

const NAMES = Object.keys(INPUTS)
const OTHERS = { '003-happy-key': 'PARITY', '010-error-nobody': 'PARITY' }

describe('goldens', () => {
  test('are recorded of every case', () => {
    expect(incomplete).toEqual([])
  })

  test('hold the name of the principal in place of every credential, and the log of the legacy does as well', () => {
    expect(JSON.parse(golden(project, '001-happy-twice')).steps[1].response.body.json).toEqual({
      user: 'alice',
      token: '{credential:alice}',
      logins: 1,
      query: '/t?token={credential:alice}',
      code: expect.stringContaining('{credential:alice}'),
      password: '{credential:alice}',
    })
    expect(golden(project, '001-happy-twice')).toContain('Bearer {credential:alice}')
    expect(golden(project, '003-happy-key')).toContain('{credential:bob}')
    expect(printed).toContain('asked for /login')
    expect(printed).toContain('{credential:alice}')
    expect([...planted(printed), ...holders(project.root, PLANTED)]).toEqual([])
  })
})

describe('a run', () => {
  test('logs in once per case, at the side that is asked, and finds parity; nothing of it is kept', async () => {
    expect(await run('')).toEqual({ code: 0, said: Object.fromEntries(NAMES.map(name => [name, 'PARITY'])), found: [] })
  })

  test('is DIVERGED where the candidate answers a principal otherwise, and shows no credential', async () => {
    expect(
      await run(`if (url === '/me' && token) return json(response, { token: token + '!', user: 'alice' })`),
    ).toEqual({
      code: 1,
      said: {
        '001-happy-twice': expect.stringMatching(/^DIVERGED .*steps\[0\]:\$\.token/),
        '002-happy-packed': 'PARITY',
        ...OTHERS,
      },
      found: [],
    })
  })

  test('whose login is refused on the candidate alone is unverifiable, with the principal and the status', async () => {
    const message = 'environment: the login of alice at the candidate failed: POST /login answered 401'
    expect(await run(`if (url === '/login') return json(response, { error: body }, 401)`)).toEqual({
      code: 2,
      said: { '001-happy-twice': message, '002-happy-packed': message, ...OTHERS },
      found: [],
    })
  })

  test('whose candidate breaks off once it knows who calls shows no credential', async () => {
    const { said, found } = await run(`if (token) return request.socket.destroy()`)
    expect(said['002-happy-packed']).toBe('transport: the connection to the candidate broke before a response head')
    expect(found).toEqual([])
  })
})

describe('a case', () => {
  test.each<[string, string, string]>([
    [
      'gives nothing',
      `if (url === '/login') return json(response, { key: body })`,
      'environment: the login of alice at the candidate failed: POST /login gives no token: $.token selects nothing in its answer',
    ],
    [
      'gives a list',
      `if (url === '/login') return json(response, { token: [body] })`,
      'environment: the login of alice at the candidate failed: POST /login gives no token: $.token selects an array: it must be a string, a number or a boolean',
    ],
    [
      'breaks off',
      `if (url === '/login') return request.socket.destroy()`,
      'transport: the login of alice at the candidate: the connection to the candidate broke before a response head',
    ],
    [
      'gives what is too short to be kept out',
      `if (url === '/login') return json(response, { token: 'short' })`,
      'environment: what the login of alice at the candidate gives is shorter than 8 characters: too short to be kept out of goldens and reports',
    ],
    [
      'gives what no header can hold',
      `if (url === '/login') return json(response, { token: body + '\\n' + body })`,
      'environment: what the login of alice at the candidate gives cannot stand in the header Authorization: it has line breaks, control characters or spaces around it',
    ],
  ])('whose login %s is unverifiable, and the others are not', async (_name, change, message) => {
    expect(await checked(change)).toEqual({
      said: { '001-happy-twice': message, '002-happy-packed': message, ...OTHERS },
      found: [],
    })
  })

  test('without a variable names the principal and the variable, and drives the cases of the others', async () => {
    const { said, found } = await checked('', { PARITY_VAULT_PASSWORD: undefined, PARITY_VAULT_KEY: 'seven77' })
    expect(said).toEqual({
      '001-happy-twice':
        'environment: the principal alice needs the variable PARITY_VAULT_PASSWORD of the environment, and it is not set',
      '002-happy-packed':
        'environment: the principal alice needs the variable PARITY_VAULT_PASSWORD of the environment, and it is not set',
      '003-happy-key':
        'environment: PARITY_VAULT_KEY of bob is shorter than 8 characters: too short to be kept out of goldens and reports',
      '010-error-nobody': 'PARITY',
    })
    expect([...found, ...holders(project.root, ['seven77']), JSON.stringify(said).includes('seven77')]).toEqual([false])
  })

  test('with a variable that no header can hold says so, and not what it holds', async () => {
    const { said, found } = await checked('', { ...ENV, PARITY_VAULT_KEY: `${KEY}\n` })
    expect(said['003-happy-key']).toBe(
      'environment: PARITY_VAULT_KEY of bob cannot stand in the header X-Api-Key: it has line breaks, control characters or spaces around it',
    )
    expect(found).toEqual([])
  })
})

describe('recording', () => {
  test('of cases whose login the legacy refuses is incomplete, and freezes the others', async () => {
    const { report, shown, project: own } = await recorded({}, { ...ENV, PARITY_VAULT_PASSWORD: 'another-password' })
    const fault = {
      reason: 'environment',
      step: 0,
      message: 'the login of alice at the legacy failed: POST /login answered 401',
    }
    expect(report.incomplete).toEqual([
      { name: '001-happy-twice', fault },
      { name: '002-happy-packed', fault },
    ])
    expect(golden(own, '003-happy-key')).toContain('{credential:bob}')
    expect([...planted(shown), ...holders(own.root, [...PLANTED, 'another-password'])]).toEqual([])
    expect(shown).not.toContain('another-password')
  })

  test('sends no login that the contract does not list', async () => {
    const { report } = await recorded({ sends: 'sends: []' })
    expect(report.incomplete[0]?.fault).toEqual({
      reason: 'side-effects-not-allowed',
      step: 0,
      message:
        'the login of alice at the legacy: POST /login may change state, and the contract does not list it under sends:',
    })
  })
})

describe('a contract', () => {
  const refusal = async (o: VaultText, input?: unknown): Promise<string> => {
    const own = vaultProject(o)
    onTestFinished(() => own[Symbol.dispose]())
    if (input !== undefined) own.write('parity/vault/inputs/004-happy-more.json', JSON.stringify(input))
    const refused = recordFeature({ root: own.root, feature: 'vault', signal: new AbortController().signal })
    return refused.then(
      () => 'recorded',
      (error: Error) => error.message.replaceAll(own.root, ''),
    )
  }
  const step = (as: string, headers: readonly unknown[] = []) => ({
    covers: [],
    steps: [{ request: { method: 'GET', path: '/me', headers }, as }],
  })

  test.each<[string, string, RegExp]>([
    [
      'without a way to a credential',
      'principals: { a: { header: A } }',
      /contract\.yaml:\d+:\d+: a principal has either `env`/,
    ],
    ['with both ways', PRINCIPALS.replace('    value:', '    env: X\n    value:'), /a principal has either `env`/],
    [
      'with a value beside a variable',
      'principals: { a: { header: A, env: B, value: C } }',
      /`value` stands beside `env`/,
    ],
    [
      'whose value names what no login binds',
      PRINCIPALS.replace('{{token}}', '{{tokn}}'),
      /the login binds no \{\{tokn\}\}/,
    ],
    [
      'whose value leaves a binding out',
      PRINCIPALS.replace('Bearer {{token}}', 'Bearer'),
      /it leaves out \{\{token\}\}/,
    ],
    [
      'whose login refers to a binding',
      PRINCIPALS.replace('{{env.PARITY_VAULT_PASSWORD}}', '{{pw}}'),
      /\{\{pw\}\} is bound by nothing before a login/,
    ],
    ['whose login binds no place', PRINCIPALS.replace('$.token', 'token'), /"token" names no place of an answer/],
    [
      'whose login binds two and says nothing of the header',
      PRINCIPALS.replace('    value: Bearer {{token}}\n', '').replace('{ token: $.token }', '{ a: $.a, b: $.b }'),
      /binds 2 values, and nothing says how/,
    ],
    ['with an unknown key', PRINCIPALS.replace('header: X-Api-Key', 'haeder: X-Api-Key'), /haeder/],
  ])('%s is refused at its place', async (_name, principals, message) => {
    expect(await refusal({ principals })).toMatch(message)
  })

  test('that declares no such principal is told where the step is, and who is meant', async () => {
    const message = await refusal({}, step('alcie'))
    expect(message).toContain(
      '004-happy-more.json:1:1: $.steps[0].as: the contract declares no principal `alcie` (known: alice, bob)',
    )
    expect(message).toContain('Fix: write `alice`')
  })

  test('whose step sends the header of its principal itself is refused', async () => {
    expect(await refusal({}, step('alice', [['authorization', 'x']]))).toContain(
      '$.steps[0].request.headers: authorization is what `as` adds',
    )
  })
})
