/** Attacks through documents that are no JSON, and through sequences: rules that name a part of what `$` is there. */
import { parseJson } from '../../src/core/json.ts'
import type { FieldList, Observation, StepObservation } from '../../src/model.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import { judge } from './oracle.ts'
import type { Random } from './random.ts'
import { yamlOf } from './rules.ts'
import { anySpelling, type Tree, textOfTree } from './tree.ts'
import type { Trial } from './trial.ts'

function step(type: string, body: string | Uint8Array, status = 200): StepObservation {
  const headers: FieldList = [['Content-Type', type]]
  return { kind: 'response', method: 'GET', response: { status, headers, body: { bytes: Buffer.from(body) } } }
}

type Expectation = Pick<Trial, 'yaml' | 'expect'>
interface Kind {
  readonly type: string
  readonly golden: string
  readonly actual: string
  readonly rules: readonly Expectation[]
}

const ignore = (path: string): string => `ignore:\n  - ${path}\n`

/** Each pair differs in one place; rules that name that place let it pass, rules beside it do not. */
const KINDS: readonly Kind[] = [
  {
    type: 'text/plain',
    golden: 'one\ntwo\nthree\n',
    actual: 'one\n2\nthree\n',
    rules: [
      { yaml: ignore('$.lines[1]'), expect: 'equal' },
      { yaml: ignore('$.lines[*]'), expect: 'equal' },
      { yaml: ignore('$.lines[0]'), expect: 'different' },
      { yaml: 'order_insensitive:\n  - $.lines\n', expect: 'different' },
      { yaml: 'structural:\n  - $.lines[1]\n', expect: 'equal' },
    ],
  },
  {
    type: 'text/plain',
    golden: 'one\ntwo\nthree\n',
    actual: 'three\none\ntwo\n',
    rules: [
      { yaml: 'order_insensitive:\n  - $.lines\n', expect: 'equal' },
      { yaml: '', expect: 'different' },
    ],
  },
  {
    type: 'text/plain',
    golden: 'one\r\ntwo\r\n',
    actual: 'one\ntwo\n',
    rules: [{ yaml: '', expect: 'equal' }],
  },
  {
    type: 'application/octet-stream',
    golden: 'abc\u0000def',
    actual: 'abc\u0000deg',
    rules: [
      { yaml: ignore('$.sha256'), expect: 'equal' },
      { yaml: ignore('$.sizeBytes'), expect: 'different' },
    ],
  },
  {
    type: 'application/octet-stream',
    golden: 'abc\u0000def',
    actual: 'abc\u0000defg',
    rules: [
      { yaml: ignore('$.sha256'), expect: 'different' },
      { yaml: 'ignore:\n  - $.sha256\n  - $.sizeBytes\n', expect: 'equal' },
    ],
  },
  {
    type: 'application/x-www-form-urlencoded',
    golden: 'a=1&b=2&a=3',
    actual: 'b=2&a=3&a=1',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: 'order_insensitive:\n  - $.a\n', expect: 'equal' },
      { yaml: ignore('$.b'), expect: 'different' },
    ],
  },
  {
    type: 'text/event-stream',
    golden: 'id: 1\nevent: e\ndata: x\n\nid: 2\ndata: y\n\n',
    actual: 'id: 1\nevent: e\ndata: x\n\nid: 3\ndata: y\n\n',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: ignore('"$[*].id"'), expect: 'equal' },
      { yaml: ignore('"$[0].id"'), expect: 'different' },
      { yaml: ignore('"$[*].data"'), expect: 'different' },
    ],
  },
  {
    type: 'text/event-stream',
    golden: 'data: x\ndata: y\n\n: comment\n\n',
    actual: 'data:x\r\ndata:y\r\n\r\n',
    rules: [{ yaml: '', expect: 'equal' }],
  },
  {
    type: 'application/xml',
    golden: '<?xml version="1.0"?><a b="1" c="2"><d>x</d></a>',
    actual: "<a  c='2' b='1' ><d>&#120;</d></a>",
    rules: [{ yaml: '', expect: 'equal' }],
  },
  {
    type: 'application/xml',
    golden: '<a b="1"><d>x</d></a>',
    actual: '<a b="2"><d>x</d></a>',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: ignore('$.attributes.b'), expect: 'equal' },
      { yaml: ignore('$.children'), expect: 'different' },
    ],
  },
  {
    type: 'application/xml',
    golden: '<a><d>x</d><e/></a>',
    actual: '<a><d>y</d><e/></a>',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: ignore('$.attributes'), expect: 'different' },
      { yaml: ignore('$.children'), expect: 'equal' },
    ],
  },
  {
    type: 'application/xml',
    golden: '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
    actual: '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hosts">]><a>&e;</a>',
    rules: [{ yaml: '', expect: 'different' }],
  },
  {
    type: 'application/xml',
    golden: '<a __proto__="1" constructor="2"/>',
    actual: '<a __proto__="2" constructor="2"/>',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: ignore('$.attributes.__proto__'), expect: 'equal' },
    ],
  },
  {
    type: 'application/xml',
    golden: '<a b="1"><b/><b/></a>',
    actual: '<a b="1"><b/></a>',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: 'structural:\n  - $.children\n', expect: 'equal' },
    ],
  },
  {
    type: 'application/x-ndjson',
    golden: '{"a":1,"b":2}\n{"c":3}\n',
    actual: '{"b":2.0, "a":1}\n{"c": 3}\n',
    rules: [{ yaml: '', expect: 'equal' }],
  },
  {
    type: 'application/x-ndjson',
    golden: '{"a":1}\n{"c":3}\n',
    actual: '{"c":3}\n{"a":1}\n',
    rules: [{ yaml: '', expect: 'different' }],
  },
  {
    type: 'multipart/form-data; boundary=XX',
    golden: '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX--\r\n',
    actual: '--XX\r\ncontent-disposition: form-data; name="a"\r\n\r\n2\r\n--XX--\r\n',
    rules: [
      { yaml: '', expect: 'different' },
      { yaml: ignore('"$[0].body"'), expect: 'equal' },
      { yaml: ignore('"$[0].name"'), expect: 'different' },
    ],
  },
]

/** One of the pairs above, either way round. */
function kinds(random: Random): Trial {
  const { type, golden, actual, rules } = random.pick(KINDS)
  const { yaml, expect } = random.pick(rules)
  const sides = [[step(type, golden)], [step(type, actual)]] as const
  const [first, second] = random.chance(0.5) ? sides : [sides[1], sides[0]]
  return { golden: first, actual: second, yaml, expect, why: `${type}: ${golden.slice(0, 30)}` }
}

/** Rules that name one step of several must touch that step alone. */
function sequence(random: Random): Trial {
  const length = 2 + random.int(2)
  const named = random.int(length)
  const scoped = anyTree(random, { ...anyTaste(random), repeats: 0 })
  const rules = rulesAround(random, scoped, 3)
  const trees = Array.from({ length }, () => (random.chance(0.7) ? scoped : anyTree(random, anyTaste(random))))
  trees[named] = scoped
  const copies = trees.map((tree, at): Tree => {
    const own = at === named ? rules : []
    return random.chance(0.75) ? equalCopy(random, tree, own) : nearCopy(random, tree, 1, anyTaste(random))
  })
  const judgements = trees.map((tree, at) => judge(tree, copies[at] ?? tree, at === named ? rules : []))
  const served = (list: readonly Tree[]): Observation =>
    list.map(tree => step('application/json', textOfTree(tree, anySpelling(random))))
  const open = judgements.some(one => one.open || one.tied)
  const agree = judgements.every(one => one.agree)
  return {
    golden: served(trees),
    actual: served(copies),
    yaml: yamlOf(rules).replaceAll('"$', `"steps[${named}]:$`),
    expect: open ? 'open' : agree ? 'equal' : 'different',
    refuse: judgements.some(one => one.tied),
    why: `rules for step ${named} of ${length}`,
  }
}

/** A function's output, and a program's JSON judged against another program's or a function's. */
function outputs(random: Random): Trial {
  const golden = anyTree(random, { ...anyTaste(random), repeats: 0 })
  const rules = rulesAround(random, golden, 3)
  const equal = random.chance(0.5)
  const actual = equal
    ? equalCopy(random, golden, rules)
    : nearCopy(random, golden, 1 + random.int(2), anyTaste(random))
  const judged = judge(golden, actual, rules)
  const sort = random.pick(['functions', 'programs', 'both'] as const)
  const emitted = (tree: Tree, asFunction: boolean): StepObservation | null => {
    const text = textOfTree(tree, anySpelling(random))
    if (!asFunction) return { kind: 'command', exit: 0, stdout: Buffer.from(text), stderr: '' }
    const read = parseJson(text)
    return read.ok ? { kind: 'output', output: read.value } : null
  }
  const first = emitted(golden, sort === 'functions')
  const second = emitted(actual, sort !== 'programs')
  const open = judged.open || judged.tied || first === null || second === null
  return {
    golden: first === null ? [] : [first],
    actual: second === null ? [] : [second],
    yaml: yamlOf(rules),
    expect: open ? 'open' : judged.agree ? 'equal' : 'different',
    refuse: judged.tied,
    broken: first === null || second === null,
    why: `outputs of ${sort}`,
  }
}

export const KIND_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = { kinds, sequence, outputs }
