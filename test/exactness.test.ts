/**
 * One change turns exactly the cases that it must, and no other: real runs over a copy of forex. Changes that touch
 * different cases share a run, because each costs seconds; `forex-changes.ts` says what each of them turns.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFixtureSet } from '../src/golden/store.ts'
import type { Verdict } from '../src/model.ts'
import { forexProject } from './forex.ts'
import { CANDIDATE, type Change, GOLDENS, RULES } from './forex-changes.ts'
import { type Project, source } from './project.ts'

let before: ReadonlyMap<string, Verdict> = new Map()
const byCase = (project: Project): ReadonlyMap<string, Verdict> =>
  new Map(project.report().verdicts.map(verdict => [verdict.case, verdict]))

beforeAll(async () => {
  using project = forexProject('before')
  const { code } = await project.run(['run', '--project', 'parity'])
  expect(code).toBe(0)
  before = byCase(project)
})

function shown(verdict: Verdict): string {
  if (verdict.state === 'PARITY') return 'PARITY'
  if (verdict.state === 'UNVERIFIABLE') return verdict.reason
  return verdict.differences.map(({ path }) => path).join(' ')
}

/** Runs a copy with all edits: what turned is as the table says, everything else as it was, in what `same` looks at. */
async function turnsExactly(changes: readonly Change[], same: (verdict: Verdict) => unknown): Promise<void> {
  using project = forexProject(
    'edited',
    changes.flatMap(({ edits }) => edits),
  )
  const { code } = await project.run(['run', '--project', 'parity'])
  const after = byCase(project)
  const expected = new Map<string, string>()
  for (const { turned } of changes) {
    for (const [name, to] of Object.entries(turned)) {
      expected.set(name, expected.has(name) ? `${expected.get(name)} ${to}` : to)
    }
  }
  const turned = [...after].filter(([, verdict]) => verdict.state !== 'PARITY')
  expect(Object.fromEntries(turned.map(([name, verdict]) => [name, shown(verdict)]))).toEqual(
    Object.fromEntries(expected),
  )
  expect([...after.keys()]).toEqual([...before.keys()])
  for (const [name, verdict] of after) {
    const old = before.get(name)
    if (old !== undefined && !expected.has(name)) expect([name, same(verdict)]).toEqual([name, same(old)])
  }
  const diverged = turned.some(([, verdict]) => verdict.state === 'DIVERGED')
  expect(code).toBe(diverged ? 1 : turned.length > 0 ? 2 : 0)
}

const whole = (verdict: Verdict): unknown => verdict
/** A note of a header that is not compared comes or goes with it. */
const withoutNotes = ({ id: _, notes: _n, ruleUses: _r, ...rest }: Verdict): unknown => rest
/** Every verdict names the rules that it was made under. */
const withoutRules = ({ id: _, ruleUses: _r, notes: _n, basis, ...rest }: Verdict): unknown => ({
  ...rest,
  basis: { ...basis, ruleSet: null },
})

describe('one line of the candidate turns exactly its cases, at exactly its paths', () => {
  test.each(Object.entries(CANDIDATE))('%s', async (name, changes) => {
    await turnsExactly(changes, name === 'a header that is not compared' ? withoutNotes : whole)
  })
})

describe('one rule turns exactly the cases that it governs', () => {
  test.each(Object.entries(RULES))('%s', async (_name, changes) => {
    await turnsExactly(changes, withoutRules)
  })
})

describe('one character of a golden turns exactly its case', () => {
  test.each(Object.entries(GOLDENS))('%s', async (_name, changes) => {
    await turnsExactly(changes, whole)
  })

  describe('wherever it stands', () => {
    const name = '054-edge-no-symbols'
    let project: Project
    beforeAll(() => {
      project = forexProject('characters')
    })
    afterAll(() => project[Symbol.dispose]())

    test('in the payload, in its id or in the names around them, and blanks between tokens are no content', () => {
      const text = readFileSync(source(`__golden__/forex/${name}.json`), 'utf8')
      const dir = join(project.root, '__golden__/forex')
      const passed: string[] = []
      for (let at = 0; at < text.length; at += 1) {
        // A digit becomes another digit, so that numbers stay numbers.
        const other = /\d/.test(text[at] ?? '') ? String((Number(text[at]) + 1) % 10) : '~'
        project.write(`__golden__/forex/${name}.json`, `${text.slice(0, at)}${other}${text.slice(at + 1)}`)
        if (readFixtureSet(dir).read(name).ok) passed.push(`${at}: ${text[at]} → ${other}`)
      }
      expect(passed).toEqual([])
      project.write(`__golden__/forex/${name}.json`, text.replaceAll('\n  ', '\n\t'))
      expect(readFixtureSet(dir).read(name).ok).toBe(true)
      const others = readFixtureSet(dir).names.filter(each => each !== name)
      project.write(`__golden__/forex/${name}.json`, text.replace('XXX', 'XXY').replace('"count": 0', '"count": 1'))
      const touched = readFixtureSet(dir)
      expect(others.filter(each => !touched.read(each).ok)).toEqual([])
    })
  })
})
