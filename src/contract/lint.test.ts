import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../core/canonical.ts'
import { compileTolerance, type RuleSet } from '../core/tolerance.ts'
import type { FixtureSet, ReadFixture } from '../golden/store.ts'
import type { Bucket, Case, Observation, Request } from '../model.ts'
import { parseContract } from './contract.ts'
import { distinctKey } from './distinct.ts'
import { type Finding, isNote, LINT_RULES, type LintInput, lint } from './lint.ts'

const id = sha256('x')
const CONTRACT = `feature: forex
lab: forex-express3
revision: forex-1
sends: [POST /convert]
outputs: { convert: [$.amount, $.lines] }
errors: { unknown: [$.error.code] }
rules: { RULE-1: x }
`
const TOLERANCE = 'exact: [$.error, $.lines]\nstructural: [$.lines.id]\nnumeric_tolerance: { $.amount: 0.01 }\n'
const DECISIONS = `- { id: R-1, rule: structural $.lines.id, reason: x, evidence: control, author: ana, approved_by: null }
- { id: R-2, rule: numeric_tolerance $.amount, reason: x, evidence: control, author: ana, approved_by: ben }
`

function rulesOf(text: string, rulesText: string): RuleSet {
  const compiled = compileTolerance({ file: 'forex.yaml', text, rulesFile: 'forex.rules.yaml', rulesText })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return compiled.rules
}

function caseOf(n: number, bucket: Bucket, request: Partial<Request> = {}): Case {
  const asked = { method: 'POST', path: '/convert', headers: [], body: { json: { [`field${n}`]: n } }, ...request }
  const covers = ['outputs.convert', 'errors.unknown', n === 0 ? 'rules.RULE-1:not' : 'rules.RULE-1']
  return { name: `${100 + n}-${bucket}-x`, bucket, covers, steps: [{ request: asked }], now: null, class: null, id }
}

const body = { json: { amount: 1, lines: { id: 'x', text: 'y' } } }
const answer: Observation = [{ kind: 'response', method: 'GET', response: { status: 200, headers: [], body } }]
const CASES = Array.from({ length: 10 }, (_, n) =>
  caseOf(n, (['happy', 'error', 'edge', 'rule'] as const)[n % 4] ?? 'happy'),
)

function fixturesOf(names: readonly string[], revision = 'forex-1', observation = answer): FixtureSet {
  const entry = { id, input: id, revision, retention: 'none', frozen: '2026-01-01T00:00:00Z', expires: null } as const
  const fixtures = Object.fromEntries(names.map(name => [name, entry]))
  return {
    id,
    names,
    manifest: { format: 1, feature: 'forex', set: id, revision, lab: null, recorder: 'x', maskRules: 'x', fixtures },
    read: (name): ReadFixture =>
      names.includes(name)
        ? { ok: true, fixture: { name, id, input: id, observation } }
        : { ok: false, fault: { reason: 'no-fixture', step: 0, message: 'it was never recorded' } },
  }
}

function inputOf(o: Partial<LintInput> & { text?: string; tolerance?: string; decisions?: string } = {}): LintInput {
  const { text, tolerance, decisions, ...rest } = o
  const cases = o.cases ?? CASES
  return {
    contract: parseContract(text ?? CONTRACT, { file: 'contract.yaml', feature: 'forex' }),
    cases,
    fixtures: fixturesOf(cases.map(c => c.name)),
    ruleSet: rulesOf(tolerance ?? TOLERANCE, decisions ?? DECISIONS),
    divergences: [],
    pending: [],
    labRevision: 'forex-1',
    ...rest,
  }
}

const errorsOf = (input: LintInput) => lint(input).filter(finding => !isNote(finding))
const textOf = ({ rule, file, message }: Finding) => `${rule}: ${file}: ${message}`

describe('lint', () => {
  test('finds nothing where all files agree', () => {
    expect(errorsOf(inputOf())).toEqual([])
  })

  const decided = { path: '$.amount', kind: 'value_changed', legacy: '1', candidate: '2', reason: 'x' } as const
  const rows: readonly [keyof typeof LINT_RULES, string, Parameters<typeof inputOf>[0], string][] = [
    [
      'divergence-without-case',
      'a decided divergence of a case that does not exist',
      { divergences: [{ ...decided, id: 'D-1', case: '100-hapy-x', author: 'ana', approved_by: null }] },
      'parity/forex/divergences.yaml: D-1 decides a divergence of 100-hapy-x, which does not exist',
    ],
    [
      'evidence-not-noisy',
      'a decision that names the control, of a rule that covers stable places too',
      {
        captured: [
          {
            golden: [{ kind: 'output', output: { lines: { id: { of: 'a', at: '1' } } } }],
            noise: [{ step: 0, path: '$.lines.id.at', pointer: '/lines/id/at', first: '"1"', second: '"2"' }],
          },
        ],
      },
      'tolerance/forex.rules.yaml: R-1 says `evidence: control`, and the legacy never differed from itself at $.lines.id.of',
    ],
    [
      'payload-waits',
      'a changed payload that waits',
      { pending: ['100-happy-x'] },
      '__golden__/forex/pending/100-happy-x.json: the legacy answered otherwise than its golden says',
    ],
    [
      'section-uncovered',
      'a section without a case',
      { text: `${CONTRACT}edges: { big: x }\n` },
      'parity/forex/contract.yaml: no case covers edges.big',
    ],
    [
      'section-invented',
      'a case that covers what is not there',
      { cases: [...CASES, { ...caseOf(11, 'happy'), covers: ['errors.unknwn'] }] },
      'parity/forex/inputs/111-happy-x.json: it covers errors.unknwn, which the contract does not have; did you mean errors.unknown?',
    ],
    [
      'buckets',
      'an empty bucket',
      { cases: Array.from({ length: 10 }, (_, n) => caseOf(n, n % 2 ? 'happy' : 'error')) },
      'there is no case in the bucket rule',
    ],
    [
      'floor',
      'too few cases',
      { cases: CASES.slice(0, 9) },
      'the tier standard asks for 10 distinct recorded cases, there are 9',
    ],
    [
      'floor',
      'a near-copy in place of a case',
      { cases: [...CASES.slice(0, 9), { ...caseOf(0, 'rule'), name: '900-rule-copy' }] },
      'there are 9; near-copies do not count: 900-rule-copy (as 100-happy-x)',
    ],
    [
      'floor',
      'a heavy tier',
      { text: `${CONTRACT}tier: heavy\n` },
      'the tier heavy asks for 30 distinct recorded cases, there are 10',
    ],
    [
      'output-without-tolerance',
      'a field without a rule',
      { text: CONTRACT.replace('$.amount', '$.amount, $.total') },
      'tolerance/forex.yaml: $.total of outputs.convert has no rule',
    ],
    [
      'output-without-tolerance',
      'what a query selects in a golden, without a rule',
      {
        text: CONTRACT.replace('$.amount', '$.amount, \'$.parts[?@.kind=="x"].sum\''),
        fixtures: fixturesOf(
          CASES.map(c => c.name),
          'forex-1',
          [
            {
              kind: 'output',
              output: {
                parts: [
                  { kind: 'y', sum: 1 },
                  { kind: 'x', sum: 2 },
                ],
              },
            },
          ],
        ),
      },
      'tolerance/forex.yaml: $.parts[1].sum of outputs.convert has no rule',
    ],
    [
      'tolerance-without-output',
      'a rule about nothing',
      { tolerance: `${TOLERANCE}ignore: [$.meta]\n` },
      'tolerance/forex.yaml:4:10: `ignore $.meta` is about nothing that the contract declares',
    ],
    [
      'rule-without-decision',
      'a loosening that nobody decided',
      { decisions: DECISIONS.split('\n').slice(1).join('\n') },
      '`structural $.lines.id` loosens the comparison',
    ],
    [
      'decision-without-rule',
      'a decision about no rule',
      {
        decisions: `${DECISIONS}- { id: R-3, rule: ignore $.gone, reason: x, evidence: y, author: a, approved_by: null }\n`,
      },
      'R-3 decides `ignore $.gone`',
    ],
    [
      'revision',
      'a lab of another revision',
      { labRevision: 'forex-2' },
      'the contract pins forex-1, the lab forex-express3 is at forex-2',
    ],
    ['revision', 'no such lab', { labRevision: null }, 'there is no lab forex-express3'],
    [
      'revision',
      'goldens of another revision',
      {
        fixtures: fixturesOf(
          CASES.map(c => c.name),
          'forex-0',
        ),
      },
      '__golden__/forex/manifest.json: recorded at another revision than forex-1: 100-happy-x',
    ],
    [
      'sends-missing',
      'a request that is not listed',
      { text: CONTRACT.replace('POST /convert', 'POST /other') },
      '100-happy-x sends POST /convert, which is not listed',
    ],
    [
      'sends-unused',
      'an entry that no case sends',
      { text: CONTRACT.replace('POST /convert', 'POST /convert, GET /rates') },
      'no case sends GET /rates, or it changes no state',
    ],
    [
      'golden-without-input',
      'a golden without input',
      { fixtures: fixturesOf([...CASES.map(c => c.name), '999-happy-old']) },
      '__golden__/forex/999-happy-old.json: there is no input 999-happy-old',
    ],
    [
      'input-without-golden',
      'an input without golden',
      { fixtures: fixturesOf(CASES.slice(1).map(c => c.name)) },
      'parity/forex/inputs/100-happy-x.json: it was never recorded',
    ],
  ]
  test.each(rows)('%s: names %s', (rule, _name, o, text) => {
    const found = lint(inputOf(o)).filter(finding => finding.rule === rule)
    expect(found.map(textOf).join('\n')).toContain(text)
  })

  test('has a row for each of its rules, here or in a test of its own', () => {
    const tests = readdirSync(import.meta.dirname).filter(name => /^lint.*\.test\.ts$/.test(name))
    const text = tests.map(name => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n')
    expect(Object.keys(LINT_RULES).filter(rule => !text.includes(`'${rule}'`))).toEqual([])
  })

  test('lets a decision stand that another one supersedes', () => {
    const old = '- { id: R-0, rule: ignore $.gone, reason: x, evidence: y, author: a, approved_by: null }\n'
    const decisions = `${old}${DECISIONS.replace('null }', 'null, supersedes: R-0 }')}`
    expect(lint(inputOf({ decisions })).filter(({ rule }) => rule === 'decision-without-rule')).toEqual([])
  })

  test('asks no decision for a numeric tolerance of 0, which loosens nothing', () => {
    const tolerance = TOLERANCE.replace('0.01', '0.00')
    expect(errorsOf(inputOf({ tolerance, decisions: DECISIONS.split('\n')[0] ?? '' }))).toEqual([])
  })

  test('asks no case for an output that another lane proves', () => {
    const text = `${CONTRACT.replace('outputs: {', 'outputs: { mail: [$.amount],')}checkable: { mail: elsewhere }\n`
    expect(errorsOf(inputOf({ text }))).toEqual([])
  })
})

describe('two cases are near-copies', () => {
  const answered = (status: number, body: unknown): Observation => [
    {
      kind: 'response',
      method: 'POST',
      response: {
        status,
        headers: [['Content-Type', 'application/json']],
        body: { bytes: Buffer.from(JSON.stringify(body)) },
      },
    },
  ]
  const key = (request: Partial<Request>, status = 200, body: unknown = { a: 1 }) =>
    distinctKey(caseOf(1, 'happy', request), answered(status, body))
  const base = { path: '/convert/7?a=1', body: { json: { from: 'USD', amount: 1 } } }
  const rows: readonly [string, string, boolean][] = [
    ['of other values', key({ ...base, body: { json: { amount: 99, from: 'EUR' } } }), true],
    ['of another number in the route', key({ ...base, path: '/convert/8?a=2' }), true],
    ['with other values in the answer', key(base, 200, { a: 2 }), true],
    ['with more elements of one shape', key(base, 200, [1, 2]), false],
    ['but not of another method', key({ ...base, method: 'PUT' }), false],
    ['but not of another route', key({ ...base, path: '/rates/7?a=1' }), false],
    ['but not with another query name', key({ ...base, path: '/convert/7?b=1' }), false],
    ['but not with another header', key({ ...base, headers: [['X-A', '1']] }), false],
    ['but not of another type', key({ ...base, body: { json: { from: 'USD', amount: '1' } } }), false],
    ['but not with null', key({ ...base, body: { json: { from: null, amount: 1 } } }), false],
    ['but not without a member', key({ ...base, body: { json: { from: 'USD' } } }), false],
    ['but not of another status', key(base, 201), false],
    ['but not of another answer', key(base, 200, { a: 1, b: 2 }), false],
  ]
  test.each(rows)('%s', (_name, other, same) => {
    expect(other === key(base)).toBe(same)
  })

  test('whatever the number of elements of one shape', () => {
    expect(key(base, 200, [1, 2, 3])).toBe(key(base, 200, [4]))
    expect(key(base, 200, [])).not.toBe(key(base, 200, [4]))
  })
})
