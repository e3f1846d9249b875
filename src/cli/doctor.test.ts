import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examine, type Machine, probeIn } from './doctor.ts'

const repository = join(import.meta.dirname, '../..')
const bare: Machine = {
  cwd: repository,
  nodeVersion: '24.21.0',
  platform: 'linux',
  arch: 'x64',
  probe: async () => null,
  engine: async () => ({ why: 'no container engine listens at /x (ENOENT)', remedy: 'install it' }),
  version: () => null,
  labs: async () => [],
}

test('a machine with nothing beside Node and Vitest still replays', async () => {
  const findings = await examine(bare)
  expect(findings.filter(f => f.required).map(f => [f.id, f.state])).toEqual([
    ['node', 'ok'],
    ['vitest', 'ok'],
    ['report-folder', 'ok'],
  ])
  expect(findings.filter(f => f.state === 'missing').map(f => f.id)).toEqual([
    'npm',
    'git',
    'docker',
    'testcontainers',
    'dockerode',
    'mmdebstrap',
    'mitmdump',
  ])
})

test('whatever is missing says what to do', async () => {
  for (const f of await examine({ ...bare, nodeVersion: '20.1.0', platform: 'darwin', arch: 'arm64' })) {
    expect(f.fix === null, f.id).toBe(f.state === 'ok')
  }
})

test.each([
  ['20.20.2', 'missing'],
  ['22.21.9', 'missing'],
  ['22.22.0', 'ok'],
  ['24.0.0', 'ok'],
])('Node %s is %s', async (nodeVersion, state) => {
  expect((await examine({ ...bare, nodeVersion })).find(f => f.id === 'node')?.state).toBe(state)
})

test('a project without Vitest is told to install it', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'doctor-'))
  try {
    expect((await examine({ ...bare, cwd })).find(f => f.id === 'vitest')).toMatchObject({
      state: 'missing',
      fix: 'npm install -D vitest@5',
    })
  } finally {
    rmSync(cwd, { recursive: true })
  }
})

test('a probe answers with what the program printed, and with null for one that fails or is not there', async () => {
  const probe = probeIn(repository)
  expect(await probe(process.execPath, ['--version'])).toBe(process.version)
  expect(await probe(process.execPath, ['--no-such-option'])).toBeNull()
  expect(await probe('no-such-program-anywhere', [])).toBeNull()
})
