/** E4 and E5: a legacy of one zone and locale, and a rewrite that runs in the process of the run, on machines of others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordFeature } from '../src/pipeline/record.ts'
import { makeProject, type Project, source } from './project.ts'

const ABROAD = { TZ: 'America/Los_Angeles', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' }
/** At midnight UTC, where a day to the west is another day; and a number that Germans write with a comma. */
const LEGACY = `
const day = new Date('2016-09-01T00:00:00Z')
console.log(JSON.stringify({ day: day.toLocaleDateString(), number: (1234.5).toLocaleString(), zone: String(day) }))
`
const SUITE = `import { describeParity, fn } from 'vitest-parity'
const day = new Date('2016-09-01T00:00:00Z')
describeParity('days', {
  candidate: fn(() => ({ day: day.toLocaleDateString(), number: (1234.5).toLocaleString(), zone: String(day) })),
})
`

function daysProject(o: { readonly lab?: string; readonly env?: string } = {}): Project {
  return makeProject({
    name: 'days',
    parity: `{ asOf: '2026-12-01' }`,
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }, test: { env: ${o.env ?? '{}'} },`,
    files: {
      'labs/days/days.cjs': LEGACY,
      'labs/days/lab.yaml': `id: days
claim: what day it is
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
${o.lab ?? ''}services:
  days:
    call: [node, days.cjs]
    reset: none
`,
      'parity/days/contract.yaml':
        'feature: days\nlab: days\nrevision: r1\nsends: []\nreset: none\noutputs: { all: [$.day] }\n',
      'parity/days/inputs/001-happy-day.json': '{ "covers": ["outputs.all"], "steps": [{ "input": null }] }',
      'parity/days/days.parity.ts': SUITE,
      'tolerance/days.yaml': '{}\n',
    },
  })
}

const { signal } = new AbortController()
const RUN = ['run', '--project', 'parity']

describe('E4, E5: a machine in another zone and language', () => {
  let project: Project
  beforeAll(async () => {
    project = daysProject()
    await recordFeature({ root: project.root, feature: 'days', signal })
  })
  afterAll(() => project[Symbol.dispose]())

  test('gives the same verdict: the run is put where the lab is', async () => {
    await project.run(RUN, ABROAD)
    expect(project.states()).toEqual({ 'days 001-happy-day': 'PARITY' })
  })
})

test('E4: a lab in another zone takes the run there', async () => {
  using project = daysProject({ lab: 'tz: Asia/Tokyo\n' })
  await recordFeature({ root: project.root, feature: 'days', signal })
  await project.run(RUN)
  expect(project.states()).toEqual({ 'days 001-happy-day': 'PARITY' })
})

test('E5: a run that cannot be put into the language of the lab is UNVERIFIABLE, and says what to set', async () => {
  using project = daysProject({ env: `{ LC_ALL: 'de_DE.UTF-8' }` })
  await recordFeature({ root: project.root, feature: 'days', signal })
  await project.run(RUN)
  expect(project.states()).toEqual({ 'days 001-happy-day': 'UNVERIFIABLE environment' })
  expect(project.report().verdicts[0]).toMatchObject({
    message:
      "the legacy runs in the locale C.UTF-8 (en-US), this process in de-DE: set LC_ALL: 'C.UTF-8' under test.env",
  })
})

test('E5: a lab in another language is met once the run is set to it', async () => {
  using project = daysProject({ lab: 'locale: de_DE.UTF-8\n', env: `{ LC_ALL: 'de_DE.UTF-8' }` })
  await recordFeature({ root: project.root, feature: 'days', signal })
  await project.run(RUN)
  expect(project.states()).toEqual({ 'days 001-happy-day': 'PARITY' })
})
