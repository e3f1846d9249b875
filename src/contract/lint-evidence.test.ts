import { expect, test } from 'vitest'
import type { Json } from '../core/json.ts'
import { type Noise, noiseOf } from '../core/noise.ts'
import { compileTolerance, type RuleSet } from '../core/tolerance.ts'
import type { Observation } from '../model.ts'
import { evidenceFindings } from './lint-evidence.ts'

const files = { decisions: 'tolerance/forex.rules.yaml' }

/** One rule with one decision. */
function decided(rule: string, evidence: string): RuleSet {
  const [key = '', path = ''] = rule.split(' ')
  const rulesText = `- { id: R-1, rule: '${rule}', reason: x, evidence: '${evidence}', author: ana, approved_by: null }\n`
  const compiled = compileTolerance({ file: 't.yaml', text: `${key}: ['${path}']\n`, rulesFile: 'r.yaml', rulesText })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return compiled.rules
}

const output = (value: Json): Observation => [{ kind: 'output', output: value }]
const captured = (first: Json, second: Json): { golden: Observation; noise: readonly Noise[] }[] => {
  return [{ golden: output(first), noise: noiseOf(output(first), output(second)) }]
}
const META = captured({ meta: { pid: 1, version: 'x' } }, { meta: { pid: 2, version: 'x' } })

test('a rule that covers a stable place beside a noisy one is found, with the place and what is left of the rule', () => {
  expect(evidenceFindings(decided('ignore $.meta', 'control'), META, files)).toEqual([
    {
      rule: 'evidence-not-noisy',
      file: 'tolerance/forex.rules.yaml',
      message: 'R-1 says `evidence: control`, and the legacy never differed from itself at $.meta.version',
      fix: 'narrow `ignore $.meta` to $.meta.pid; or supersede R-1, with the record of a decision as its evidence',
    },
  ])
})

test('a rule of stable places alone is to be removed', () => {
  const [finding] = evidenceFindings(decided('structural $.meta.version', 'Control '), META, files)
  expect(finding?.fix).toMatch(/^remove `structural \$\.meta\.version`;/)
})

test.each([
  ['covers only what was noisy', 'ignore $.meta.pid', 'control', META],
  ['names another evidence', 'ignore $.meta', 'decisions/7.md', META],
  ['is of a feature without captures', 'ignore $.meta', 'control', []],
  [
    'covers an order that was seen in two',
    'order_insensitive $.list',
    'control',
    captured({ list: [1, 2] }, { list: [2, 1] }),
  ],
])('a decision stands that %s', (_, rule, evidence, captures) => {
  expect(evidenceFindings(decided(rule, evidence), captures, files)).toEqual([])
})

test('an order that never changed is found too', () => {
  const captures = captured({ list: [1, 2] }, { list: [1, 2] })
  expect(evidenceFindings(decided('order_insensitive $.list', 'control'), captures, files)).toHaveLength(1)
})

test('ten places are named at most', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`m${String.fromCharCode(97 + n)}`, 1]))
  const [finding] = evidenceFindings(decided('ignore $.all', 'control'), captured({ all: many }, { all: many }), files)
  expect(finding?.message).toMatch(/\$\.all\.mj, 2 more$/)
})
