import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { sha256 } from '../src/core/canonical.ts'
import type { Capture, FreezeOptions } from '../src/golden/freeze.ts'
import { readFixtureSet } from '../src/golden/store.ts'
import type { Case, FieldList, StepObservation } from '../src/model.ts'

/** A folder for the goldens of one feature that does not exist yet, under one with a space and a letter outside ASCII; gone after the test. */
export function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'parity golden ü '))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return join(root, 'forex')
}

export const JSON_TYPE: FieldList = [['Content-Type', 'application/json']]
export const input = sha256('input')

export function answered(body: string | Uint8Array, headers: FieldList = JSON_TYPE, method = 'GET'): StepObservation {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { kind: 'response', method, response: { status: 200, headers, body: { bytes } } }
}

export function capture(name: string, body: string, o: Partial<Capture> = {}): Capture {
  return { name, input, observation: [answered(body)], captures: 2, noise: [], ...o }
}

export function options(dir: string, captures: readonly Capture[], o: Partial<FreezeOptions> = {}): FreezeOptions {
  return {
    dir,
    feature: 'forex',
    revision: 'forex-1',
    lab: { id: 'forex-express3', hash: sha256('lab') },
    recorder: 'vitest-parity 0.1.0',
    maskRules: 'builtin-secrets-1',
    now: '2026-11-30T10:00:00Z',
    captures,
    sameExceptNoise: () => false,
    ...o,
  }
}

export function caseOf(name: string, id = input): Case {
  const steps = [{ request: { method: 'HEAD', path: '/', headers: [] } }]
  return { name, bucket: 'happy', covers: [], steps, now: null, class: null, id }
}

export function filesOf(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    entries
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(dir.length + 1), readFileSync(path, 'latin1')]),
  )
}

export function reasonOf(dir: string, name: string): string {
  const read = readFixtureSet(dir).read(name)
  return read.ok ? 'ok' : read.fault.reason
}

export function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
