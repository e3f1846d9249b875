/** The table of `npm run sabotage` is whole, and fits the sources as they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SABOTAGES } from '../scripts/sabotage/all.ts'
import { MUTATION_NAMES } from '../scripts/sabotage/mutations.ts'
import { REASON_PLACES } from '../scripts/sabotage/reasons.ts'
import { RULES } from '../scripts/sabotage/rules.ts'
import { sabotaged } from '../scripts/sabotage/sabotage.ts'
import { REASONS, TOLERANCE_KEYS } from '../src/model.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(name => `${folder}/${name}`)
    .filter(name => name.endsWith('.ts'))
    .sort()
const SOURCES = filesBelow('src').filter(name => !name.endsWith('.test.ts') && name !== 'src/model.ts')

/** Lines that give a reason; a type, an example in a message or a comparison with one gives none. */
function producersOf(reason: string): string[] {
  return SOURCES.flatMap(file =>
    read(file)
      .split('\n')
      .filter(line => line.includes(`'${reason}'`) && !/Extract<Reason|allow: \[|^\s*(?:\*|\/\/)/.test(line))
      .filter(line => line.replaceAll(new RegExp(`[!=]== '${reason}'`, 'g'), '').includes(`'${reason}'`))
      .map(line => `${file}: ${line.trim()}`),
  )
}

const produced = Object.keys(REASONS).filter(reason => producersOf(reason).length > 0)

describe('reasons', () => {
  test('that nothing gives yet are these, and no other', () => {
    expect(Object.keys(REASONS).filter(reason => !produced.includes(reason))).toEqual([
      'fixture-quarantined', // the mask gate
      'coverage-missing',
      'mask-key-missing',
      'stub-diverged',
      'tap-not-attached', // events
      'window-not-quiet',
      'batch-class',
    ])
  })

  test('that something gives are named by a test', () => {
    const about = /\/(?:sabotage|docs|schemas|errors)\.test\.ts$/
    const tests = [...filesBelow('src'), ...filesBelow('test')].filter(
      name => name.endsWith('.test.ts') && !about.test(name),
    )
    const text = tests.map(read).join('\n')
    expect(produced.filter(reason => !new RegExp(`'(?:UNVERIFIABLE )?${reason}'`).test(text))).toEqual([])
  })

  test('that something gives, and these alone, have a producer in docs/reasons.md', () => {
    const rows = [...read('docs/reasons.md').matchAll(/^\| `([\w-]+)` \|.*\| yes \|$/gm)].map(match => match[1] ?? '')
    expect(rows.sort()).toEqual([...produced].sort())
  })

  test('that something gives can be taken away', () => {
    const taken = new Set(REASON_PLACES.map(({ name }) => name.slice('reason '.length, name.indexOf(':'))))
    expect(produced.filter(reason => !taken.has(reason))).toEqual([])
  })
})

describe('what can be taken away', () => {
  test('has each kind of rule', () => {
    const kinds = new Set(RULES.map(({ name }) => name.slice('rule '.length, name.indexOf(':'))))
    expect([...TOLERANCE_KEYS, 'uncovered'].filter(key => !kinds.has(key))).toEqual([])
  })

  test('has each seeded mutation that the sources name', () => {
    const named = filesBelow('src/core')
      .filter(name => /\/mut/.test(name) && !name.endsWith('.test.ts'))
      .flatMap(name => [
        ...read(name).matchAll(
          /\b(?:caught|passed|mutant|rootMutant|of)\(\s*(?:seed, (?:'[\w$]+'|`[^`]*`), |'(?:sha256|sizeBytes)', )?'([^']+)'/g,
        ),
        ...read(name).matchAll(/(?:\b(?:passing|customMutant|changed)\(\s*(?:seed, )?|mutation: )'([^']+)'/g),
      ])
      .map(match => match[1] ?? '')
    expect(new Set(named)).toEqual(MUTATION_NAMES)
  })

  test('stands in its file exactly once, has a name of its own, and names tests that exist', () => {
    expect(new Set(SABOTAGES.map(({ name }) => name)).size).toBe(SABOTAGES.length)
    const tests = [...filesBelow('src'), ...filesBelow('test')].filter(name => name.endsWith('.test.ts'))
    for (const sabotage of SABOTAGES) {
      const text = read(sabotage.file)
      expect(sabotaged(text, sabotage)).not.toBe(text)
      expect(sabotage.tests.filter(each => !tests.some(name => name.includes(each)))).toEqual([])
      expect(sabotage.tests).not.toEqual([])
    }
  })
})
