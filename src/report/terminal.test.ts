import { describe, expect, test } from 'vitest'
import { judge } from '../core/verdict.ts'
import type { Basis, Difference, Fault, Reason, Verdict } from '../model.ts'
import type { RunEvent, RunFacts, StoredEvent } from '../run/events.ts'
import { escapeText } from './escape.ts'
import { fold } from './fold.ts'
import { jsonText } from './json.ts'
import { rerunCommand, terminalText } from './terminal.ts'

const BASIS: Basis = {
  fixtureSet: null,
  calibration: null,
  ruleSet: `sha256:4c1e${'0'.repeat(60)}`,
  decisions: null,
  contract: null,
  adapter: { comparator: 'c', candidate: 'k' },
  asOf: '2026-01-02',
}
const FACTS: RunFacts = {
  id: 'r',
  node: 'v24',
  vitest: '5',
  asOf: '2026-01-02',
  shard: null,
  explicit: true,
  allow: [],
}

function difference(over: Partial<Difference> = {}): Difference {
  const base = { kind: 'value_changed', step: 0, path: '$.a', pointer: '/a', legacy: '1', candidate: '2' } as const
  return { ...base, rule: 'uncovered', ...over }
}

function verdict(
  name: string,
  what: { differences?: Difference[]; faults?: Fault[]; reason?: Reason; message?: string; decided?: string },
): Verdict {
  const fault = { reason: what.reason ?? 'no-fixture', step: 0, message: what.message ?? 'why' }
  const { differences = [], faults = [] } = what
  const comparison = { differences, moreDifferences: 0, faults, notes: [], ruleUses: [] }
  return judge({
    feature: 'fx',
    case: name,
    fixture: null,
    basis: BASIS,
    dimensions: { compared: ['response'], notRun: [] },
    outcome: what.reason === undefined ? { comparison } : { fault },
    decided: what.decided ?? null,
  })
}

function stored(events: readonly RunEvent[]): StoredEvent[] {
  return events.map((event, index) => ({ id: index + 1, at: '2026-01-02T03:04:05.000Z', ...event }))
}

function run(
  verdicts: readonly Verdict[],
  more: { facts?: Partial<RunFacts>; events?: RunEvent[]; vitestFailed?: boolean } = {},
) {
  const cases = verdicts.map(each => ({ key: each.id, feature: 'fx', case: each.case, test: `fx ${each.case}` }))
  return fold(
    stored([
      { type: 'run-started', run: { ...FACTS, ...more.facts } },
      { type: 'selected', file: 'f', cases },
      ...verdicts.map(each => ({ type: 'verdict', key: each.id, verdict: each }) as const),
      ...(more.events ?? []),
      { type: 'run-ended', reason: 'finished', vitestFailed: more.vitestFailed ?? false },
    ]),
  )
}

const text = (verdicts: readonly Verdict[]): string => terminalText(run(verdicts), { color: false })

describe('the exit code', () => {
  const parity = verdict('a', {})
  const diverged = verdict('b', { differences: [difference()] })
  const decided = verdict('c', { differences: [difference()], decided: 'D-1' })
  const missing = verdict('d', { reason: 'no-fixture' })
  const image = verdict('e', { reason: 'lab-image' })
  const failure: RunEvent = { type: 'failure', where: 'unit', message: 'no' }
  const gate: RunEvent = {
    type: 'gate',
    feature: 'fx',
    result: { gate: 'candidate', state: 'failed', reason: 'timeout', text: 't', remedy: null },
  }
  test.each([
    ['all equal', run([parity]), 0],
    ['a divergence', run([parity, diverged, missing]), 1],
    ['a decided divergence', run([decided]), 0],
    ['unverifiable', run([parity, missing]), 2],
    ['unverifiable, and a failure outside', run([parity, missing], { events: [failure] }), 1],
    ['allowed', run([parity, image], { facts: { allow: ['lab-image'] } }), 0],
    ['all allowed: nothing was compared', run([image], { facts: { allow: ['lab-image'] } }), 2],
    ['nothing selected, and it was asked for', run([]), 2],
    ['nothing selected, and it was not', run([], { facts: { explicit: false } }), 0],
    ['an empty shard', run([], { facts: { shard: '2/3' } }), 0],
    ['a gate that failed', run([parity], { events: [gate] }), 2],
    ['Vitest failed for a reason that is not known here', run([parity], { vitestFailed: true }), 1],
    [
      'a selected case without a verdict',
      run([parity], {
        events: [{ type: 'selected', file: 'g', cases: [{ key: 'x', feature: 'fx', case: 'x', test: 'fx x' }] }],
      }),
      2,
    ],
    ['a verdict that nobody selected', run([parity], { events: [{ type: 'verdict', key: 'x', verdict: missing }] }), 2],
  ])('for %s', (_name, report, code) => {
    expect(report.summary.exitCode).toBe(code)
    expect(report.summary.because.length > 0).toBe(code !== 0)
  })
})

describe('the terminal report', () => {
  test('escapes control characters, escape sequences and bidirectional controls of whatever it prints', () => {
    const evil = '\u001b[31mred\u0007\u202egnp.exe\r\nnext\u2028\u200b\ud800'
    const printed = text([
      verdict(`010-${evil}`, {
        differences: [difference({ path: `$[${evil}]`, legacy: `"${evil}"`, rule: evil, hint: evil })],
      }),
      verdict(`020-${evil}`, { reason: 'test-error', message: evil }),
    ])
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
    expect(printed).toContain('\\u{1b}[31mred\\u{7}\\u{202e}gnp.exe\\r\\nnext\\u{2028}\\u{200b}\\u{d800}')
    expect(escapeText(escapeText(evil))).toBe(escapeText(evil))
  })

  test('colours only when it is told to', () => {
    const report = run([verdict('a', {})])
    expect(terminalText(report, { color: true })).toContain('\u001b[32m✓\u001b[0m a')
    expect(terminalText(report, { color: false })).not.toContain('\u001b')
  })

  test('cuts long tokens and long lists, and says what it cut', () => {
    const many = Array.from({ length: 14 }, (_, index) =>
      difference({ path: `$[${index}]`, legacy: `"${'x'.repeat(300)}"` }),
    )
    const printed = text([verdict('a', { differences: many })])
    expect(printed).toContain('… (302 characters)')
    expect(printed).toContain('… and 4 more: npx vitest-parity show fx a')
  })

  test('says beside a divergence what could not be compared after it', () => {
    const faults: Fault[] = [{ reason: 'unbound', step: 0, message: 'step 0: no `id`; 3 steps were not driven' }]
    const printed = text([verdict('a', { differences: [difference()], faults })])
    expect(printed).toContain('\n       beside it  unbound: step 0: no `id`; 3 steps were not driven.\n')
  })

  test('says one cause of many unverifiable cases once', () => {
    const printed = text(
      ['a', 'b', 'c'].map(name => verdict(name, { reason: 'calibration-missing', message: 'no entry' })),
    )
    expect(printed).toContain('? 3 cases       UNVERIFIABLE  calibration-missing: no entry. Fix: ')
    expect(printed.match(/calibration-missing/g)).toHaveLength(1)
  })

  test('gives an error of several lines its own lines, and no second fix', () => {
    const printed = text([
      verdict('a.parity.ts', { reason: 'environment', message: 'tolerance/fx.yaml:2:1: a tab\nFix: two spaces\u0007' }),
    ])
    expect(printed).toContain(
      'UNVERIFIABLE  environment\n       tolerance/fx.yaml:2:1: a tab\n       Fix: two spaces\\u{7}\n parity',
    )
  })

  test('gathers what many cases share into its cause, with the smallest counterexample', () => {
    const long = difference({ legacy: '"long"', candidate: '"longer"' })
    const shown = text([verdict('a', { differences: [long] }), verdict('b', { differences: [difference()] })])
    expect(shown).toContain(' causes  1\n   fx  $.a  value_changed   2 cases   smallest b   legacy 1   candidate 2\n')
  })

  test('names no cause apart where every case has its own, or all are decided', () => {
    const other = difference({ path: '$.b', pointer: '/b' })
    expect(text([verdict('a', { differences: [difference()] }), verdict('b', { differences: [other] })])).not.toContain(
      'causes',
    )
    const decided = ['a', 'b'].map(name => verdict(name, { differences: [difference()], decided: 'D-1' }))
    expect(text(decided)).not.toContain('causes')
  })

  test('tells many decided divergences in one line, and many decisions by the first of them', () => {
    const names = Array.from({ length: 21 }, (_, index) => `case-${String(index).padStart(2, '0')}`)
    const many = names.map(name => verdict(name, { differences: [difference()], decided: 'D-1, D-2, D-3, D-4, D-5' }))
    const printed = text([...many, verdict('open', { differences: [difference()] })])
    expect(printed).toMatch(
      /✗ 21 cases +DIVERGED, all of it decided {3}one of them: npx vitest-parity show fx case-00\n/,
    )
    expect(printed).not.toContain('case-01')
    expect(printed).toMatch(/✗ open +DIVERGED\n/)
    expect(text(many.slice(1))).toMatch(/✗ case-01 +DIVERGED {2}decided: D-1, D-2, D-3 and 2 more\n/)
  })

  test('names a decided divergence as decided, without a rerun line', () => {
    const printed = text([verdict('a', { differences: [difference()], decided: 'D-1' })])
    expect(printed).toMatch(/✗ a {13}DIVERGED {2}decided: D-1/)
    expect(printed).not.toContain('rerun')
  })

  test.each([
    ['fx a', ['fx a', 'fx b'], "'fx a'"],
    ['fx a', ['fx a', 'fx ab'], "'^fx a$'"],
    ['fx (a) it’s $1.50', ['fx (a) it’s $1.50'], "'fx \\(a\\) it’s \\$1\\.50'"],
    ["fx it's", ["fx it's"], "'fx it'\\''s'"],
  ])('reruns %j alone', (name, all, quoted) => {
    expect(rerunCommand(name, all)).toBe(`npx vitest run --project parity -t ${quoted}`)
  })
})

test('the report is the same for the same events in another order of execution', () => {
  const verdicts = ['b', 'a', 'Z', 'é', '\u{1f600}', '\uffee'].map(name => verdict(name, {}))
  const one = run(verdicts)
  const other = run([...verdicts].reverse())
  expect(one.judgements.map(each => each.verdict.case)).toEqual(['Z', 'a', 'b', 'é', '\uffee', '\u{1f600}'])
  expect(jsonText(other)).toBe(jsonText(one))
})

test('two tests of one name stand in one order, whichever ended first', () => {
  const pair = [verdict('001-happy', {}), verdict('001-happy', { differences: [difference()] })]
  expect(jsonText(run(pair.toReversed()))).toBe(jsonText(run(pair)))
})

describe('a live suite', () => {
  const suite = (against: 'live' | undefined): RunEvent => ({
    type: 'suite',
    file: `${against ?? 'recorded'}.parity.ts`,
    context: {
      feature: 'fx',
      lab: 'fx-lab',
      labDetail: 'node 0.10.48',
      fixtures: against === 'live' ? 0 : 34,
      basis: BASIS,
      gates: ['candidate', 'calibration'],
      ...(against === undefined ? {} : { against }),
    },
  })
  const lab = (text: string, failed: boolean): RunEvent => {
    const result = { gate: 'lab', text } as const
    if (!failed) return { type: 'gate', feature: 'fx', result: { ...result, state: 'ok', reason: null, remedy: null } }
    const why = { state: 'failed', reason: 'lab-boot', remedy: 'read the log' } as const
    return { type: 'gate', feature: 'fx', result: { ...result, ...why } }
  }
  const shown = (events: RunEvent[]): string => terminalText(run([verdict('a', {})], { events }), { color: false })

  test('says that it is, and what was booted', () => {
    const report = shown([suite('live'), lab('fx-lab answers', false)])
    expect(report).toContain(
      ' parity  fx  (fx-lab · node 0.10.48 · against: live · rules 4c1e)\n   ✓ lab           fx-lab answers\n',
    )
  })

  test('shows the log of a lab that did not boot below its line, escaped', () => {
    const report = shown([suite('live'), lab('fx-lab ended\n  its last 1 lines:\n  \u001b[31mno licence', true)])
    expect(report).toContain(
      '   ✗ lab           lab-boot: fx-lab ended. Fix: read the log\n         its last 1 lines:\n         \\u{1b}[31mno licence\n',
    )
  })

  test('beside a recorded one of the same feature is told, in whatever order they came', () => {
    for (const events of [
      [suite('live'), suite(undefined)],
      [suite(undefined), suite('live')],
    ]) {
      expect(run([], { events }).features).toMatchObject([{ against: 'both', fixtures: 34 }])
      expect(shown(events)).toContain('(fx-lab · node 0.10.48 · 34 fixtures · against: live · rules 4c1e)')
    }
    expect(run([], { events: [suite(undefined)] }).features).toMatchObject([{ against: 'recorded' }])
  })
})
