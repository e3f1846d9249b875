/** json-server 0.12, 0.17 and 1.x for real: what a swap, a lost binding and a control that goes green come to. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hosted } from '../parity/json-server/candidate/hosted.ts'
import { compare } from '../src/core/diff.ts'
import type { Difference, DifferenceKind, Observation } from '../src/model.ts'
import { readFeature } from '../src/pipeline/feature.ts'
import { type Driver, openTarget } from '../src/replay/driver.ts'
import { http } from '../src/replay/target.ts'
import { copiedProject, type Edit } from './copied-project.ts'

const ROOT = join(import.meta.dirname, '..')
const { signal } = new AbortController()
const feature = readFeature({ root: ROOT, dirs: {}, feature: 'json-server' })

const MIRRORED: Partial<Record<DifferenceKind, DifferenceKind>> = {
  missing: 'extra',
  extra: 'missing',
  header_missing: 'header_extra',
  header_extra: 'header_missing',
}

function told({ kind, path, legacy, candidate }: Difference): string {
  return `${kind} ${path} ${legacy} → ${candidate}`
}

function mirrored({ kind, path, legacy, candidate }: Difference): string {
  return `${MIRRORED[kind] ?? kind} ${path} ${candidate} → ${legacy}`
}

describe('swapping legacy and candidate', () => {
  const server = hosted(new URL('../parity/json-server-next/candidate/server.ts', import.meta.url))
  let driver: Driver
  beforeAll(async () => {
    driver = await openTarget(
      http(context => server.start(context)),
      { clock: null, tz: 'UTC', signal },
    )
  })
  afterAll(() => driver[Symbol.asyncDispose]())

  test('mirrors every difference between 0.12 and 1.x, case by case', async () => {
    let differences = 0
    for (const input of feature.cases.values()) {
      const read = feature.fixtures.read(input.name)
      if (!read.ok) throw new Error(read.fault.message)
      await server.reset()
      const driven = await driver.drive(input, { signal, timeoutMs: 30_000 })
      const candidate: Observation = driven.ok ? driven.observation : driven.seen
      // what the legacy has to repeat, 1.x as the legacy need not
      const steps = input.steps.slice(0, candidate.length).map(({ same: _, ...step }) => step)
      const legacy = read.fixture.observation.slice(0, candidate.length)
      const there = compare(legacy, candidate, feature.rules, { steps })
      const back = compare(candidate, legacy, feature.rules, { steps })
      expect(there.differences.map(told).sort(), input.name).toEqual(back.differences.map(mirrored).sort())
      differences += there.differences.length
    }
    expect(differences).toBeGreaterThan(1_000)
  })
})

/** The states of the cases of a feature in a copy of the repository, and how the run ended. */
async function judged(name: string, edits: readonly Edit[]) {
  const folders = ['parity/json-server', 'parity/json-server-next', '__golden__/json-server', 'labs/json-server-012']
  using project = copiedProject({ name: `json-server-${name}`, folders, edits })
  const { code, stdout, stderr } = await project.run(['run', '--project', 'parity', `parity/${name}/`])
  return { code, printed: stdout + stderr, states: project.states() }
}

describe('a binding that is removed', () => {
  test('is one cause, not forty: its case is unbound, and every other is as before', async () => {
    const whole = await judged('json-server', [])
    expect(whole.code).toBe(0)
    const edit: Edit = {
      file: 'parity/json-server/inputs/130-rule-life-of-a-post.json',
      from: '"bind":{"id":"$.id"},"same":{"header.location":"/posts/{{id}}"},',
      to: '',
    }
    const { code, states } = await judged('json-server', [edit])
    expect(code).toBe(2)
    const key = 'json-server 130-rule-life-of-a-post'
    expect(states).toEqual({ ...whole.states, [key]: 'UNVERIFIABLE unbound' })
    expect(whole.states[key]).toBe('PARITY')
    expect(Object.keys(states)).toHaveLength(120)
  })
})

describe('the known-bad control', () => {
  test('passes while all that 1.x does otherwise is seen', async () => {
    const { code, states } = await judged('json-server-next', [])
    expect(code).toBe(0)
    expect(new Set(Object.values(states))).toEqual(new Set(['DIVERGED']))
  })

  test('fails when it goes green: every decision that no longer occurs says so', async () => {
    const edit: Edit = {
      file: 'parity/json-server-next/json-server-next.parity.ts',
      from: './candidate/server.ts',
      to: '../json-server/candidate/server.ts',
    }
    const { code, printed, states } = await judged('json-server-next', [edit])
    expect(code).toBe(1)
    expect(Object.values(states).filter(state => state === 'PARITY').length).toBeGreaterThan(100)
    expect(printed).toContain('no longer occurs: remove the entry')
  })
})
