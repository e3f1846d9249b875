/** The product catalog: each change of its rewrite turns the cases that are about it, and no other. */
import { describe, expect, test } from 'vitest'
import { copiedProject, type Edit } from './copied-project.ts'

const FOLDERS = ['parity/catalog', '__golden__/catalog', 'labs/catalog-php']
const CANDIDATE = 'parity/catalog/candidate'
/** Decided in divergences.yaml. */
const DECIDED = ['218-error-stock-out-of-range', '311-edge-emoji-search', '325-edge-same-change-twice']

/** The cases that differ or could not be told, beside those that are decided. */
async function turned(name: string, edits: readonly Edit[]) {
  using project = copiedProject({ name: `catalog-${name}`, folders: FOLDERS, edits })
  const { code } = await project.run(['run', '--project', 'parity', 'parity/catalog/'])
  const states = Object.entries(project.states()).map(([key, state]) => [key.replace('catalog ', ''), state] as const)
  return {
    code,
    count: states.length,
    decided: states.filter(([key, state]) => DECIDED.includes(key) && state === 'DIVERGED').map(([key]) => key),
    others: Object.fromEntries(states.filter(([key, state]) => !DECIDED.includes(key) && state !== 'PARITY')),
  }
}

describe('the rewrite of the product catalog', () => {
  test('differs where it was decided, and in no other case', { timeout: 300_000 }, async () => {
    expect(await turned('whole', [])).toEqual({ code: 0, count: 87, decided: DECIDED, others: {} })
  })

  test.each<{ what: string; edit: Edit; cases: readonly string[] }>([
    {
      what: 'tells letters in capitals from small ones',
      edit: { file: `${CANDIDATE}/collation.ts`, from: 'base.toUpperCase()', to: 'base' },
      cases: ['101-rule-sku-in-another-case', '105-rule-search-in-capitals', '107-rule-category-in-another-case'],
    },
    {
      what: 'skips one product more',
      edit: {
        file: `${CANDIDATE}/server.ts`,
        from: '(page - 1) * limit',
        to: '(page - 1) * limit + (page > 1 ? 1 : 0)',
      },
      cases: ['110-rule-pages-by-link', '111-rule-last-page'],
    },
    {
      what: 'puts what has no value last',
      edit: { file: `${CANDIDATE}/products.ts`, from: 'ASC NULLS FIRST', to: 'ASC NULLS LAST' },
      cases: ['117-rule-sort-by-day'],
    },
    {
      what: 'goes by another day than today',
      edit: { file: `${CANDIDATE}/server.ts`, from: 'released <= ?', to: 'released < ?' },
      cases: ['124-rule-available'],
    },
  ])('is DIVERGED where it $what', { timeout: 300_000 }, async ({ what, edit, cases }) => {
    const { code, others } = await turned(what.replaceAll(' ', '-'), [edit])
    expect(code).toBe(1)
    expect(Object.keys(others)).toEqual(expect.arrayContaining([...cases]))
    expect(new Set(Object.values(others))).toEqual(new Set(['DIVERGED']))
  })
})
