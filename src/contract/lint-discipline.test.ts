import { describe, expect, test } from 'vitest'
import { sha256 } from '../core/canonical.ts'
import type { Json } from '../core/json.ts'
import { compileTolerance, type RuleSet } from '../core/tolerance.ts'
import type { ReadFixture } from '../golden/store.ts'
import type { Bucket, Case, InputStep, StepObservation } from '../model.ts'
import { parseContract } from './contract.ts'
import { type Finding, isNote, type LintInput, lint } from './lint.ts'

const id = sha256('x')
const CONTRACT = `feature: orders
lab: old
revision: r1
sends: [POST /orders]
reset: case
outputs: { order: [$.id, $.total, $.tags, $.at] }
rules: { RULE-1: x }
`

interface Shown {
  readonly name?: string
  readonly covers?: readonly string[]
  readonly steps?: readonly InputStep[]
  readonly now?: string
  /** What the legacy answered; one that is no object is a status. */
  readonly golden?: readonly Json[]
}

const get = (path: string): InputStep => ({ request: { method: 'GET', path, headers: [] } })
const post = (more: Partial<InputStep> = {}, path = '/orders'): InputStep => ({
  request: { method: 'POST', path, headers: [], body: { json: { a: 1 } } },
  ...more,
})

function answer(shown: Json): StepObservation {
  const json = { status: 200, headers: [], body: { json: shown } }
  return {
    kind: 'response',
    method: 'GET',
    response: typeof shown === 'number' ? { status: shown, headers: [] } : json,
  }
}

/** Two cases that show both sides of the one rule, then those given. */
function inputOf(
  shown: readonly Shown[],
  o: { text?: string; tolerance?: string } & Partial<LintInput> = {},
): LintInput {
  const { text = CONTRACT, tolerance = 'exact: [$.id, $.total, $.tags, $.at]\n', ...rest } = o
  const all: readonly Shown[] = [
    { covers: ['outputs.order', 'rules.RULE-1'], steps: [post(), get('/orders/1')], golden: [{ id: 1 }, { id: 1 }] },
    { covers: ['rules.RULE-1:not'], now: '2026-05-05T00:00:00Z', golden: [404] },
    ...shown,
  ]
  const cases = all.map(
    ({ name, covers = ['outputs.order'], steps = [get('/orders')], now = null }, at): Case => ({
      name: name ?? `${100 + at}-happy-x`,
      bucket: (/^\d+-(\w+)-/.exec(name ?? '')?.[1] ?? 'happy') as Bucket,
      covers,
      steps,
      now,
      class: null,
      id,
    }),
  )
  const goldens = new Map(cases.map((c, at) => [c.name, (all[at]?.golden ?? [{ id: 1 }]).map(answer)]))
  return {
    contract: parseContract(text, { file: 'contract.yaml', feature: 'orders' }),
    cases,
    fixtures: {
      id,
      names: [...goldens.keys()],
      manifest: null,
      read: (name): ReadFixture => {
        const observation = goldens.get(name)
        if (observation !== undefined) return { ok: true, fixture: { name, id, input: id, observation } }
        return { ok: false, fault: { reason: 'no-fixture', step: 0, message: 'x' } }
      },
    },
    ruleSet: rulesOf(tolerance),
    divergences: [],
    pending: [],
    labRevision: 'r1',
    ...rest,
  }
}

function rulesOf(text: string): RuleSet {
  const compiled = compileTolerance({ file: 'orders.yaml', text })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return compiled.rules
}

function found(rule: Finding['rule'], ...o: Parameters<typeof inputOf>): string[] {
  return lint(inputOf(...o))
    .filter(finding => finding.rule === rule)
    .map(({ file, message }) => `${file}: ${message}`)
}

describe('rule-one-sided', () => {
  const text = CONTRACT.replace('RULE-1: x', 'RULE-1: x, RULE-2: y')

  test('names a rule that no case shows from the other side', () => {
    const shown = [{ covers: ['rules.RULE-2'] }]
    expect(found('rule-one-sided', shown, { text })).toEqual([
      'parity/orders/contract.yaml: no case shows where rules.RULE-2 does not apply',
    ])
    expect(found('rule-one-sided', [...shown, { covers: ['rules.RULE-2:not'] }], { text })).toEqual([])
  })

  test('wants two cases: one that says both shows neither', () => {
    expect(found('rule-one-sided', [{ covers: ['rules.RULE-2', 'rules.RULE-2:not'] }], { text })).toHaveLength(1)
  })

  test('leaves a rule without any case to section-uncovered', () => {
    const shown = [{ covers: ['rules.RULE-2:not'] }]
    expect(found('rule-one-sided', shown, { text })).toEqual([])
    expect(found('section-uncovered', shown, { text })).toHaveLength(1)
  })

  test('takes :not for rules alone', () => {
    expect(found('section-invented', [{ covers: ['outputs.order:not'] }])).toHaveLength(1)
    expect(found('section-invented', [{ covers: ['rules.RULE-1:not'] }])).toEqual([])
  })
})

describe('case-without-section', () => {
  test('names a case that covers nothing, unless it is traffic as it came', () => {
    expect(found('case-without-section', [{ covers: [] }])).toEqual([
      'parity/orders/inputs/102-happy-x.json: it covers no section of the contract',
    ])
    expect(found('case-without-section', [{ name: '200-replay-x', covers: [] }])).toEqual([])
  })
})

describe('a corpus that is much alike', () => {
  const copies = Array.from({ length: 3 }, (_, n) => ({ steps: [get(`/items/${n}`)] }))

  test('corpus-alike: more than half of the cases are near-copies', () => {
    expect(found('corpus-alike', [...copies, ...copies])).toEqual([
      'parity/orders/inputs: 5 of 8 cases are near-copies: they differ in values alone',
    ])
    expect(found('corpus-alike', copies)).toEqual([])
  })

  test('corpus-alike leaves out traffic as it came', () => {
    const replayed = copies.map((each, n) => ({ ...each, name: `20${n}-replay-x` }))
    expect(found('corpus-alike', [...copies, ...replayed])).toEqual([])
  })

  test('corpus-one-answer: every step ends with one status', () => {
    const cases = [{ golden: [{ id: 1 }] }]
    expect(found('corpus-one-answer', cases)).toEqual([])
    const input = inputOf(cases)
    const same = lint({ ...input, cases: input.cases.filter(({ name }) => name !== '101-happy-x') })
    expect(same.filter(({ rule }) => rule === 'corpus-one-answer')).toMatchObject([
      { message: 'every step of every case ends alike: status 200' },
    ])
  })

  test('corpus-one-route: every request is of one method and route', () => {
    const input = inputOf([{}, {}])
    expect(lint(input).filter(({ rule }) => rule === 'corpus-one-route')).toEqual([])
    const cases = input.cases.filter(({ steps }) => steps.length === 1)
    expect(lint({ ...input, cases }).filter(({ rule }) => rule === 'corpus-one-route')).toMatchObject([
      { message: 'every request is a GET /orders' },
    ])
  })
})

describe('loosening rules and what the goldens show of them', () => {
  const untriggered = (tolerance: string, golden: Json) =>
    found('loosening-untriggered', [{ golden: [golden] }], { tolerance })
  const rows: readonly [string, string, Json, Json][] = [
    ['a bound needs a number', 'numeric_tolerance: { $.total: 0.01 }\n', { total: 1 }, { total: '1' }],
    ['any order needs two elements', 'order_insensitive: [$.tags]\n', { tags: [1, 2] }, { tags: [1] }],
    ['a shape needs more than null', 'structural: [$.at]\n', { at: 'x' }, { at: null }],
    ['what is ignored has to be there', 'ignore: [$.at]\n', { at: null }, { id: 1 }],
  ]
  test.each(rows)('loosening-untriggered: %s', (_, tolerance, shown, missed) => {
    expect(untriggered(tolerance, shown)).toEqual([])
    expect(untriggered(tolerance, missed)).toHaveLength(1)
  })

  test('loosening-untriggered asks nothing of rules that loosen nothing', () => {
    expect(untriggered('exact: [$.at]\nnumeric_tolerance: { $.total: 0 }\n', { id: 1 })).toEqual([])
  })

  test('loosening-untriggered counts no step that is given, for none is compared', () => {
    const steps = [post({ given: true }), get('/orders')]
    const golden = [{ at: 'x' }, { id: 1 }]
    expect(found('loosening-untriggered', [{ steps, golden }], { tolerance: 'ignore: [$.at]\n' })).toHaveLength(1)
  })

  test('loosening-everywhere: a rule that governs all that any golden answers', () => {
    const input = inputOf([{ golden: [{ data: { id: 1 } }] }], { tolerance: 'ignore: [$.data]\n' })
    const only = { ...input, cases: input.cases.slice(2) }
    expect(lint(only).filter(({ rule }) => rule === 'loosening-everywhere')).toMatchObject([
      {
        file: 'tolerance/orders.yaml:1:10',
        message: '`ignore $.data` governs all that any golden answers: nothing shows where it ends',
      },
    ])
  })

  test('loosening-everywhere: a value beside it, or an answer without it, is enough', () => {
    const tolerance = 'ignore: [$.data]\n'
    const beside = inputOf([{ golden: [{ data: { id: 1 }, id: 2 }] }], { tolerance })
    expect(lint({ ...beside, cases: beside.cases.slice(2) }).map(({ rule }) => rule)).not.toContain(
      'loosening-everywhere',
    )
    expect(found('loosening-everywhere', [{ golden: [{ data: { id: 1 } }] }], { tolerance })).toEqual([])
  })
})

describe('steps', () => {
  const bound = post({ bind: { id: '$.id' } })

  test('binding-unbound: a name that no earlier step binds', () => {
    expect(found('binding-unbound', [{ steps: [bound, get('/orders/{{idd}}')] }])).toEqual([
      'parity/orders/inputs/102-happy-x.json: step 1 uses {{idd}}, which no earlier step binds',
    ])
    expect(found('binding-unbound', [{ steps: [bound, get('/orders/{{id}}')] }])).toEqual([])
    expect(found('binding-unbound', [{ steps: [get('/orders/{{id}}'), bound] }])).toHaveLength(1)
    expect(found('binding-unbound', [{ steps: [get('/orders/\\{{id}}')] }])).toEqual([])
  })

  test('binding-unused: a binding that nothing after it needs', () => {
    expect(
      found('binding-unused', [{ steps: [bound, get('/orders')], golden: [{ id: 7 }, { total: 1 }] }]),
    ).toHaveLength(1)
    expect(found('binding-unused', [{ steps: [get('/orders'), bound], golden: [{ id: 7 }, { id: 7 }] }])).toHaveLength(
      1,
    )
  })

  test('binding-unused: sent, repeated or seen again is used', () => {
    expect(found('binding-unused', [{ steps: [bound, get('/orders/{{id}}')], golden: [{ id: 7 }, 404] }])).toEqual([])
    const repeated = { ...get('/orders'), same: { '$.order': '{{id}}' } }
    expect(found('binding-unused', [{ steps: [bound, repeated], golden: [{ id: 7 }, { order: 7 }] }])).toEqual([])
    const listed: Json = { all: [{ id: 7 }] }
    expect(found('binding-unused', [{ steps: [bound, get('/orders')], golden: [{ id: 7 }, listed] }])).toEqual([])
  })

  test('principal-unknown: somebody whom the contract does not name', () => {
    const text = `${CONTRACT}principals: { alice: { header: Authorization, env: TOKEN } }\n`
    expect(found('principal-unknown', [{ steps: [post({ as: 'alic' })] }], { text })).toEqual([
      'parity/orders/inputs/102-happy-x.json: it calls as alic, whom the contract does not have (known: alice)',
    ])
    expect(found('principal-unknown', [{ steps: [post({ as: 'alice' })] }], { text })).toEqual([])
  })
})

describe('recipes by the shape of a feature', () => {
  const single = [{ steps: [post()] }]
  const alone = (text: string) => {
    const input = inputOf(single, { text })
    return lint({ ...input, cases: input.cases.slice(1) }).map(({ rule }) => rule)
  }

  test('state-unseen: state is put back, and no case looks at it after a change', () => {
    expect(alone(CONTRACT)).toContain('state-unseen')
    expect(found('state-unseen', single)).toEqual([])
    expect(alone(CONTRACT.replace('sends: [POST /orders]\n', ''))).not.toContain('state-unseen')
  })

  test('state-kept: requests may change state, and nothing puts it back', () => {
    expect(found('state-kept', single, { text: CONTRACT.replace('reset: case', 'reset: none') })).toEqual([
      'parity/orders/contract.yaml: POST /orders may change state, and nothing puts it back: each case starts from what the others left',
    ])
    expect(found('state-kept', single)).toEqual([])
  })

  test('recipe-replay: a heavy feature without traffic as it came', () => {
    const text = `${CONTRACT}tier: heavy\n`
    expect(found('recipe-replay', single, { text })).toHaveLength(1)
    expect(found('recipe-replay', [{ name: '200-replay-x' }], { text })).toEqual([])
    expect(found('recipe-replay', single)).toEqual([])
  })

  test('recipe-properties: a function without invariants', () => {
    const input = inputOf([{ steps: [{ input: 1 }] }])
    const cases = input.cases.slice(2)
    expect(lint({ ...input, cases }).map(({ rule }) => rule)).toContain('recipe-properties')
    expect(lint(input).map(({ rule }) => rule)).not.toContain('recipe-properties')
    const sound = inputOf([{ steps: [{ input: 1 }] }], { text: `${CONTRACT}invariants: { INV-1: x }\n` })
    expect(lint({ ...sound, cases }).map(({ rule }) => rule)).not.toContain('recipe-properties')
  })

  test('clock-one: a clock that never moves', () => {
    const still = { labClock: '2026-05-05T00:00:00.000Z' }
    expect(found('clock-one', single, still)).toHaveLength(1)
    expect(found('clock-one', [...single, { now: '2026-05-06T00:00:00Z' }], still)).toEqual([])
    expect(found('clock-one', single, { labClock: null })).toEqual([])
  })

  test('what files alone cannot tell is a note', () => {
    const notes = [
      'corpus-one-answer',
      'corpus-one-route',
      'state-kept',
      'recipe-replay',
      'recipe-properties',
      'clock-one',
    ]
    expect(notes.map(rule => isNote({ rule: rule as Finding['rule'] }))).toEqual(notes.map(() => true))
    expect(isNote({ rule: 'state-unseen' })).toBe(false)
  })
})
