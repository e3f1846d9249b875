import { readFileSync } from 'node:fs'
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
      'control-degraded',
      'coverage-missing',
      'lab-isolation',
      'stream-open',
      'unbound',
      'unmatched',
      'mask-key-missing',
      'stub-diverged',
      'tap-not-attached',
      'window-not-quiet',
      'batch-class',
    ])
    expect(rows.filter(row => row.last !== 'not yet' && row.last !== 'yes')).toEqual([])
  })
})

describe('docs/errors.md', () => {
  test('has every error code once, sorted as in the table, and no other', () => {
    expect(rowsOf(docs('errors.md')).map(row => row.name)).toEqual(Object.keys(ERROR_CODES).sort())
  })
})
