import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../src/errors.ts'
import { ALLOWABLE_REASONS, REASONS } from '../src/model.ts'

const docs = (name: string) => readFileSync(join(import.meta.dirname, '../docs', name), 'utf8')

/** First and last cell of every row whose first cell is a code word. */
function rowsOf(text: string): { name: string; row: string; last: string }[] {
  return [...text.matchAll(/^\| `([\w-]+)` \|.*\| ([^|]*) \|$/gm)].map(match => ({
    name: match[1] ?? '',
    row: match[0],
    last: match[2] ?? '',
  }))
}

const root = join(import.meta.dirname, '..')
const sources = ['src', 'test']
  .flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
  )
  .filter(name => name.endsWith('.ts') && name !== 'test/docs.test.ts')
const textOf = (names: readonly string[]) => names.map(name => readFileSync(join(root, name), 'utf8')).join('\n')
const testText = textOf(sources.filter(name => name.endsWith('.test.ts')))
const sourceText = textOf(
  sources.filter(name => name.startsWith('src/') && !name.endsWith('.test.ts') && name !== 'src/model.ts'),
)

describe('docs/reasons.md', () => {
  const rows = rowsOf(docs('reasons.md'))

  test('has every reason once, and no other', () => {
    expect(rows.map(row => row.name).sort()).toEqual(Object.keys(REASONS).sort())
  })

  test('says of exactly the allowable reasons that they may be allowed', () => {
    const allowed = rows.filter(row => row.row.includes('May be allowed')).map(row => row.name)
    expect(allowed.sort()).toEqual([...ALLOWABLE_REASONS].sort())
  })

  test('pins the reasons that nothing produces yet', () => {
    expect(rows.filter(row => row.last === 'not yet').map(row => row.name)).toEqual([
      'fixture-quarantined',
      'coverage-missing',
      'mask-key-missing',
      'stub-diverged',
      'tap-not-attached',
      'window-not-quiet',
      'batch-class',
    ])
    expect(rows.filter(row => row.last !== 'not yet' && row.last !== 'yes')).toEqual([])
  })

  test('names a producer only where the sources name the reason, and a test does too', () => {
    const silent = rows.filter(row => !sourceText.includes(`'${row.name}'`)).map(row => row.name)
    const produced = rows.filter(row => row.last === 'yes').map(row => row.name)
    expect(produced.filter(name => silent.includes(name))).toEqual([])
    expect(produced.filter(name => !testText.includes(name))).toEqual([])
  })
})

describe('docs/errors.md', () => {
  test('has every error code once, sorted as in the table, and no other', () => {
    expect(rowsOf(docs('errors.md')).map(row => row.name)).toEqual(Object.keys(ERROR_CODES).sort())
  })

  test('names only errors that the sources throw and a test meets', () => {
    const codes = Object.keys(ERROR_CODES)
    expect(codes.filter(code => !sourceText.replace(/^ {2}PARITY_\w+: .*$/gm, '').includes(`'${code}'`))).toEqual([])
    expect(codes.filter(code => !testText.includes(code))).toEqual([])
  })
})
