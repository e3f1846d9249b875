/** The forex service in Ruby: what a change of its rewrite turns, and that the container of Express 3 holds the same program. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { copiedProject, type Edit } from './copied-project.ts'
import { source } from './project.ts'

const FOLDERS = ['parity/forex', 'parity/forex-sinatra', '__golden__/forex-sinatra', 'labs/forex-sinatra']
const SERVER = 'parity/forex-sinatra/candidate/server.ts'
const REQUESTS = 'parity/forex-sinatra/candidate/requests.ts'
/** Decided in divergences.yaml: words of the JSON parser, and an object as Ruby writes it down. */
const DECIDED = ['018-error-malformed-json', '042-edge-currency-object', '045-edge-bom']

/** What differs at which paths, by case, and how the run ended. */
async function judged(name: string, edits: readonly Edit[]) {
  using project = copiedProject({ name: `forex-sinatra-${name}`, folders: FOLDERS, edits })
  const { code, stdout, stderr } = await project.run(['run', '--project', 'parity', 'parity/forex-sinatra/'])
  const { verdicts } = project.report()
  const turned = verdicts.flatMap(verdict =>
    verdict.state === 'DIVERGED'
      ? [[verdict.case, verdict.differences.map(({ path }) => path).join(' ')] as const]
      : [],
  )
  const unverifiable = verdicts.filter(({ state }) => state === 'UNVERIFIABLE').map(verdict => verdict.case)
  return { code, printed: stdout + stderr, count: verdicts.length, turned: Object.fromEntries(turned), unverifiable }
}

const decided = Object.fromEntries(DECIDED.map(name => [name, '$.error.message']))

describe('the rewrite of the Sinatra service', () => {
  test('differs in three decided places, and in no other of 68 cases', async () => {
    const { code, count, turned, unverifiable } = await judged('whole', [])
    expect(unverifiable).toEqual([])
    expect(turned).toEqual(decided)
    expect(count).toBe(68)
    expect(code).toBe(0)
  })

  test('is told apart from one that answers as Express does', async () => {
    const edits: readonly Edit[] = [
      // a path in any case
      { file: SERVER, from: '} ${asked.path.replace(', to: '} ${asked.path.toLowerCase().replace(' },
      // the first of a repeated name in place of the last
      { file: REQUESTS, from: '[value].flat().at(-1)', to: '[value].flat().at(0)' },
      // a day that begins this very instant has no rates yet
      { file: SERVER, from: 'day > now.getTime()', to: 'day >= now.getTime()' },
      // a rate of ten places
      { file: SERVER, from: 'RATE_PLACES = 6', to: 'RATE_PLACES = 10' },
      // targets that only Puma refuses
      { file: SERVER, from: '/["<>]/', to: '/["]{9}/' },
    ]
    const { code, turned } = await judged('express', edits)
    const rates = (places: readonly number[]): string => places.map(at => `$.rates[${at}].rate`).join(' ')
    expect(turned).toEqual({
      ...decided,
      '003-happy-rates-of-base': rates([0, 1, 2, 3, 4]),
      '005-happy-lower-case': '$.rate',
      '007-happy-rates-of-date': rates([0, 1, 2, 3, 4]),
      '009-happy-amount-as-text': '$.rate',
      '036-edge-amount-many-digits': '$.rate',
      '046-edge-form-repeated': '$.from $.amount $.rate',
      // a pound is 14 crowns exactly
      '050-edge-method-override': rates([0, 1, 2, 3]),
      '051-edge-path-case-and-slash': 'status header.content-type $',
      '052-edge-path-escaped': 'status header.content-type $',
      '058-edge-day-begins': 'status $.base $.timestamp $.count $.rates $.error',
      '065-rule-fee-in-source-currency': '$.rate',
      '066-rule-through-the-dollar': '$.rate',
      '067-rule-last-base': '$.base $.rates[0].rate',
    })
    expect(code).toBe(1)
  })

  test('keeps a number a Float to callers in Ruby: 20965 in place of 20965.0 is told', async () => {
    const edit: Edit = { file: SERVER, from: 'text}.0`', to: 'text}`' }
    const { turned } = await judged('integers', [edit])
    expect(turned['066-rule-through-the-dollar']).toBe('$.amount')
    expect(turned['008-happy-same-currency']).toBe('$.rate $.fee')
    expect(turned['001-happy-usd']).toBeUndefined()
  })

  test('fails when a decided difference is gone', async () => {
    const edit: Edit = {
      file: SERVER,
      from: 'JSON.stringify(value) : String(value)',
      to: '`{"CODE"=>"EUR"}` : String(value)',
    }
    const { code, printed, turned } = await judged('ruby', [edit])
    expect(Object.keys(turned)).toEqual(['018-error-malformed-json', '045-edge-bom'])
    expect(printed).toContain('no longer occurs: remove the entry')
    expect(code).toBe(1)
  })
})

describe('Express 3 in a container', () => {
  test.each([
    ['app/server.js', 'app/server.js'],
    ['clock.js', 'app/clock.js'],
  ])('runs the %s of the process lab, byte for byte', (process, container) => {
    const there = readFileSync(source(`labs/forex-express3/${process}`))
    expect(readFileSync(source(`labs/forex-express3-container/${container}`)).equals(there)).toBe(true)
  })

  test('runs the same packages', () => {
    const packages = (lab: string): unknown => {
      const { packages } = JSON.parse(readFileSync(source(`labs/${lab}/package-lock.json`), 'utf8'))
      return { ...packages, '': packages[''].dependencies }
    }
    expect(packages('forex-express3-container')).toEqual(packages('forex-express3'))
  })
})
