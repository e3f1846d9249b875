/** A legacy that answers while the suite runs: what it is compared with, what it is itself held against, and how it ends. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { answering, get, lineOf, openLiveFolder, serving } from '../../test/live-folder.ts'
import { fn } from '../replay/target.ts'
import type { Subject } from './suite.ts'

const LAB = /^sha256:[0-9a-f]{64}$/

describe('a live suite', () => {
  test('compares with what the lab answers now, without goldens, and writes none', async () => {
    const text = {
      legacy: 'json(response, { path: request.url })',
      inputs: { '001-happy-a': get('/a'), '002-happy-b': get('/b') },
    }
    await using suite = openLiveFolder(text, { candidate: answering({ path: '/a' }) })
    expect(suite.cases).toEqual(['001-happy-a', '002-happy-b'])
    const verdict = await suite.check('001-happy-a')
    expect(verdict).toMatchObject({
      state: 'PARITY',
      fixture: null,
      basis: { fixtureSet: null, calibration: null, lab: expect.stringMatching(LAB) },
      dimensions: { compared: ['response'], notRun: [] },
    })
    expect(lineOf(await suite.check('002-happy-b'))).toBe('DIVERGED $.path "/b" "/a"')
    expect(readdirSync(suite.root).sort()).toEqual(['labs', 'parity', 'tolerance'])
  })

  test('seeds its mismatches into what the lab answers, and says so', async () => {
    const text = { legacy: 'json(response, { n: 1 })', inputs: { '001-happy-a': get('/a'), '002-happy-b': get('/b') } }
    await using suite = openLiveFolder(text, { candidate: answering({ n: 1 }) })
    expect((await suite.calibration()).text).toBe('the legacy answered no case')
    await suite.check('001-happy-a')
    const { seeded, text: shown } = await suite.calibration()
    expect(seeded.total).toBeGreaterThan(5)
    expect(seeded.caught).toBe(seeded.total)
    expect(shown).toBe(`control clean (live, 1 case) · seeded ${seeded.total}/${seeded.total} caught`)
    await suite.check('002-happy-b')
    expect((await suite.calibration()).seeded).toEqual(seeded) // its places are proven
  })

  test('names the lab in its gate, with what was booted, and boots nothing before', async () => {
    const text = { legacy: 'json(response, {})', inputs: { '001-happy-a': get('/a') } }
    await using suite = openLiveFolder(text, { candidate: answering({}) })
    expect(suite.context).toMatchObject({ against: 'live', gates: ['lab', 'candidate', 'calibration'], fixtures: 0 })
    expect(await suite.gate('lab')).toEqual({
      gate: 'lab',
      state: 'ok',
      reason: null,
      text: 'small answers, and once more as its control (driver process · isolation none · 2026-01-02T03:04:05Z)',
      remedy: null,
    })
  })

  test('gives a verdict that is the same bytes in another run, and another one for another lab', async () => {
    const text = { legacy: 'json(response, { n: 1 })', inputs: { '001-happy-a': get('/a') } }
    const ids: string[] = []
    for (const more of ['', '', '// the same legacy, written otherwise']) {
      await using suite = openLiveFolder({ ...text, before: more }, { candidate: answering({ n: 1 }) })
      ids.push((await suite.check('001-happy-a')).id)
    }
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })
})

describe('a legacy that differs from itself', () => {
  test.each<[string, string, string]>([
    [
      'a random field',
      'json(response, { id: String(Math.random()), n: 1 })',
      '$.id (value); proposed: structural $.id',
    ],
    [
      'a counter, which is out of step in the control',
      'json(response, { id: n, n: 1 })',
      '$.id (id); proposed: structural $.id',
    ],
    [
      'a status by chance',
      'json(response, { id: 1, n: 1 }, n % 2 ? 200 : 201)',
      'status (value); proposed: none; too broad to propose: ignore status (whole-outcome)',
    ],
  ])('is unstable and the field is named: %s', async (_what, legacy, places) => {
    await using suite = openLiveFolder(
      { legacy, inputs: { '001-happy-a': get('/a') } },
      { candidate: answering({ id: 1, n: 1 }) },
    )
    expect(lineOf(await suite.check('001-happy-a'))).toMatch(
      new RegExp(`^control-unstable: the legacy differs from itself at ${places.replaceAll(/[$.()]/g, '\\$&')}`),
    )
    expect((await suite.calibration()).text).toMatch(/^control unstable in 1 \(live, 1 case\)/)
  })

  test('is a reference where a rule covers the field, and the rest is compared', async () => {
    const text = { legacy: 'json(response, { id: String(Math.random()), n: 1 })', tolerance: 'structural: [$.id]\n' }
    await using same = openLiveFolder(
      { ...text, inputs: { '001-happy-a': get('/a') } },
      { candidate: answering({ id: '0.5', n: 1 }) },
    )
    expect(lineOf(await same.check('001-happy-a'))).toBe('PARITY')
    await using other = openLiveFolder(
      { ...text, inputs: { '001-happy-a': get('/a') } },
      { candidate: answering({ id: '0.5', n: 2 }) },
    )
    expect(lineOf(await other.check('001-happy-a'))).toBe('DIVERGED $.n 1 2')
  })
})

describe('a legacy that is no reference', () => {
  test('both fail alike where success is expected: both-failed, and not where the case covers an error', async () => {
    const inputs = { '001-happy-a': get('/a'), '010-error-a': get('/a') }
    await using suite = openLiveFolder({ legacy: 'json(response, {}, 503)', inputs }, { candidate: answering({}, 503) })
    expect(lineOf(await suite.check('001-happy-a'))).toMatch(/^both-failed: .* \(status 503\)/)
    expect(lineOf(await suite.check('010-error-a'))).toBe('PARITY')
  })

  test('asked for what the contract does not list, neither side gets the request', async () => {
    const posted: string[] = []
    const candidate = serving(() => (request, response) => {
      posted.push(request.method ?? '')
      response.end('{}')
    })
    const post = { steps: [{ request: { method: 'POST', path: '/a' } }] }
    await using suite = openLiveFolder(
      { legacy: 'json(response, { n })', inputs: { '001-happy-a': post } },
      { candidate },
    )
    expect(lineOf(await suite.check('001-happy-a'))).toMatch(/^side-effects-not-allowed: POST \/a/)
    expect(posted).toEqual([])
  })
})

describe('state', () => {
  const shop = {
    before: 'let stock = 3',
    legacy: "if (request.method === 'POST') stock--; json(response, { stock })",
    inputs: {
      '001-happy-buy': { steps: [{ request: { method: 'POST', path: '/buy' } }] },
      '002-happy-left': get('/stock'),
    },
  }
  const candidate = serving(() => {
    let stock = 3
    return (request, response) => {
      if (request.method === 'POST') stock -= 1
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ stock }))
    }
  })

  test.each<['case' | 'suite' | 'none', string]>([
    ['case', 'DIVERGED $.stock 3 9'],
    ['suite', 'DIVERGED $.stock 1 9'],
    ['none', 'DIVERGED $.stock 1 9'],
  ])('is put back per %s on all sides', async (reset, left) => {
    await using suite = openLiveFolder({ ...shop, contract: `reset: ${reset}\nsends: [POST /buy]\n` }, { candidate })
    expect(lineOf(await suite.check('001-happy-buy'))).toBe('PARITY')
    expect(lineOf(await suite.check('001-happy-buy'))).toBe('PARITY')
    expect(lineOf(await suite.check('002-happy-left'))).toBe('PARITY')
    const verdict = await suite.live(
      { method: 'GET', path: '/stock' },
      { as: 'by hand', subject: { target: answering({ stock: 9 }) } },
    )
    expect(lineOf(verdict)).toBe(left)
  })
})

test('a legacy whose reset does nothing is found out by the probe, and blocks what comes after', async () => {
  const text = {
    before: 'let stock = 3',
    legacy:
      "if (request.url === '/reset') { response.writeHead(204); return response.end() } if (request.method === 'POST') stock--; json(response, { stock })",
    service: 'reset: { http: POST /reset }',
    contract: 'reset: case\nprobe: 002-happy-left\nsends: [POST /buy]\n',
    inputs: {
      '001-happy-buy': { steps: [{ request: { method: 'POST', path: '/buy' } }] },
      '002-happy-left': get('/stock'),
    },
  }
  await using suite = openLiveFolder(text, {
    candidate: serving(() => {
      let stock = 3
      return (request, response) => {
        if (request.method === 'POST') stock -= 1
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ stock }))
      }
    }),
  })
  expect(lineOf(await suite.check('001-happy-buy'))).toBe('PARITY')
  expect(lineOf(await suite.check('002-happy-left'))).toBe(
    'control-unstable: after the reset the legacy no longer shows the seed state: the probe 002-happy-left differs from what it showed first, at $.stock (value_changed)',
  )
  expect(await suite.check('001-happy-buy')).toMatchObject({ cause: { gate: 'lab', reason: 'control-unstable' } })
})

describe('a legacy that is called', () => {
  const app = `let text = ''
process.stdin.on('data', chunk => { text += chunk }).on('end', () => {
  const { a, b } = JSON.parse(text)
  if (b === 0) { console.log(JSON.stringify({ threw: { name: 'RangeError', code: null, message: 'by zero' } })); process.exit(1) }
  console.log(JSON.stringify({ quotient: a / b, at: process.env.PARITY_CLOCK }))
})`
  const lab = `id: small
claim: what the test needs
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
services:
  app: { call: [node, app.cjs] }
`
  const divide = fn(({ a, b }: { a: number; b: number }, { clock }) => {
    if (b === 0) throw new RangeError('by zero')
    return { quotient: a / b, at: clock }
  })
  const inputs = {
    '001-happy-half': { steps: [{ input: { a: 1, b: 2 } }] },
    '010-error-zero': { covers: ['errors.zero'], steps: [{ input: { a: 1, b: 0 } }] },
    '020-edge-later': { covers: ['edges.later'], now: '2027-05-06T07:08:09Z', steps: [{ input: { a: 9, b: 3 } }] },
  }
  const files = { 'labs/small/lab.yaml': lab, 'labs/small/app.cjs': app }

  test('is compared with a function, its errors too, at the instant of each case', async () => {
    await using suite = openLiveFolder({ legacy: '', inputs, files }, { candidate: divide })
    expect((await suite.gate('lab')).state).toBe('ok')
    for (const name of suite.cases) expect([name, lineOf(await suite.check(name))]).toEqual([name, 'PARITY'])
  })

  test('answers what a test makes up, for a function and for an output that the test observed', async () => {
    await using suite = openLiveFolder({ legacy: '', inputs, files }, { candidate: divide })
    const asked = async (subject: Subject) => lineOf(await suite.live({ a: 7, b: 2 }, { as: 'by hand', subject }))
    const at = '2026-01-02T03:04:05Z'
    expect(await asked({ target: divide })).toBe('PARITY')
    expect(await asked({ target: fn(() => ({ quotient: 3, at })) })).toBe('DIVERGED $.quotient 3.5 3')
    expect(await asked({ observed: { quotient: 3.5, at } })).toBe('PARITY')
    expect(await asked({ observed: { quotient: 3, at } })).toBe('DIVERGED $.quotient 3.5 3')
  })
})

test('an output that the test observed is no answer to requests', async () => {
  const text = { legacy: 'json(response, { n: 1 })', inputs: { '001-happy-a': get('/a') } }
  await using suite = openLiveFolder(text, { candidate: answering({ n: 1 }) })
  const asked = suite.live({ method: 'GET', path: '/a' }, { as: 'by hand', subject: { observed: { n: 1 } } })
  await expect(asked).rejects.toMatchObject({ code: 'PARITY_OUTPUT_UNFIT' })
})

test('each side runs at the instant of the case, and state builds up at each of them', async () => {
  const text = {
    legacy: 'json(response, { at: process.env.PARITY_CLOCK, n: ++seen })',
    before: 'let seen = 0',
    contract: 'reset: suite\n',
    inputs: {
      '001-happy-now': get('/a'),
      '002-happy-then': get('/a', { now: '2027-05-06T07:08:09Z' }),
      '003-happy-now-again': get('/a'),
      '004-happy-then-again': get('/a', { now: '2027-05-06T07:08:09Z' }),
    },
  }
  const candidate = serving(at => {
    let seen = 0
    return (_request, response) => {
      seen += 1
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ at, n: seen }))
    }
  })
  await using suite = openLiveFolder(text, { candidate })
  for (const name of suite.cases) expect([name, lineOf(await suite.check(name))]).toEqual([name, 'PARITY'])
})
