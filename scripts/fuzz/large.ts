/** Attacks by size: depth, width, length, and rules that multiply states. Each must end, and end right. */
import type { Observation } from '../../src/model.ts'
import type { Random } from './random.ts'
import type { Trial } from './trial.ts'

function served(text: string, type = 'application/json'): Observation {
  const body = { bytes: Buffer.from(text) }
  return [
    {
      kind: 'response',
      method: 'GET',
      response: { status: 200, headers: [['Content-Type', type]], body },
    },
  ]
}

/** The type is JSON unless it is said. */
type Sized = Omit<Trial, 'golden' | 'actual'> & { readonly texts: readonly [string, string]; readonly type?: string }
type Large = (random: Random) => Sized

const DEEP_RULES = [
  '',
  'structural:\n  - $.a\n',
  'exact:\n  - $..a\n',
  'order_insensitive:\n  - $..a\n',
  'order_insensitive:\n  - $..*\n',
  'numeric_tolerance:\n  $..a: 1\n',
  'ignore:\n  - $..zz\n',
  'exact:\n  - $..a.*.*.*.*.*.*.*.*\nnumeric_tolerance:\n  $..a.*.a.*.a: 1\n',
]

const deep: Large = random => {
  const levels = random.pick([1000, 10_000, 100_000, 1_000_000])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
    ['{"b":[1],"a":', '}'],
    ['[1,', ']'],
  ] as const)
  const text = (leaf: string): string => open.repeat(levels) + leaf + close.repeat(levels)
  const same = random.chance(0.5)
  const yaml = random.pick(DEEP_RULES)
  const expect = same
    ? 'equal'
    : yaml.startsWith('structural') || yaml.includes('numeric_tolerance')
      ? 'open'
      : 'different'
  return {
    texts: [text('1'), text(same ? '1.0' : '2')],
    yaml: same && yaml.startsWith('exact') ? '' : yaml,
    expect,
    why: `${levels} levels of ${open}`,
  }
}

const wide: Large = random => {
  const size = random.pick([1000, 30_000, 100_000])
  const name = random.pick([
    (at: number): string => `k${at}`,
    (at: number): string => String(at),
    (at: number): string => String(size - at),
    (at: number): string => `${at}`.padStart(7, '0'),
  ])
  const members = Array.from({ length: size }, (_, at) => `"${name(at)}":${at}`)
  const same = random.chance(0.5)
  const other = same
    ? random.shuffled(members.slice(0, 2000))
    : members.slice(0, 2000).map((member, at) => (at === 7 ? `${member}1` : member))
  const rest = members.slice(2000)
  const repeats = random.chance(0.2) ? `,${Array.from({ length: 5000 }, () => '"dup":1').join()}` : ''
  const texts = [`{${members.join()}${repeats}}`, `{${[...other, ...rest].join()}${repeats}}`] as const
  return {
    texts,
    yaml: random.pick(['', 'exact:\n  - $.*\n', 'ignore:\n  - $.zz\n']),
    expect: same ? 'equal' : 'different',
    why: `${size} members`,
  }
}

const long: Large = random => {
  const size = random.pick([100, 1000, 10_000, 100_000])
  const element = random.pick([
    (at: number): string => String(at),
    (at: number): string => `{"id":${at},"x":"${at % 7}"}`,
    (at: number): string => `[${at % 3},{"y":${at}}]`,
    (at: number): string => `"${at % 10}"`,
  ])
  const items = Array.from({ length: size }, (_, at) => element(at))
  const swap = random.chance(0.5)
    ? [...items].reverse()
    : random.shuffled(items.slice(0, 1500)).concat(items.slice(1500))
  const same = random.chance(0.5)
  const other = same ? swap : swap.map((item, at) => (at === 3 ? '"fuzz-marker"' : item))
  return {
    texts: [`{"a":[${items.join()}]}`, `{"a":[${other.join()}]}`],
    yaml: 'order_insensitive:\n  - $.a\n',
    expect: same ? 'equal' : 'different',
    why: `${size} elements in another order`,
  }
}

/** Every element fits many others: the assignment has the most to do. */
const dense: Large = random => {
  const size = random.pick([30, 100, 300, 1000, 3000])
  const shift = random.pick(['0', '0.5', '1'])
  const list = (by: number): string =>
    Array.from(
      { length: size },
      (_, at) => `{"x":${at % 17}${by === 0 ? '' : '.5'},"y":${(at * 7) % 13},"z":${by}}`,
    ).join()
  const yaml = `order_insensitive:\n  - $.a\nnumeric_tolerance:\n  "$.a[*].x": ${shift}\n  "$.a[*].y": 3\n  "$.a[*].z": 1\n`
  return {
    texts: [`{"a":[${list(0)}]}`, `{"a":[${list(1)}]}`],
    yaml,
    expect: 'open',
    why: `${size} elements that fit many`,
  }
}

const shapes: Large = random => {
  const size = random.pick([100, 1000, 5000])
  const distinct = random.pick([1, 10, size])
  const list = (at: number): string => `{"k${at % distinct}":{"v":[${at % 2}]}}`
  const items = Array.from({ length: size }, (_, at) => list(at))
  const same = random.chance(0.5)
  const other = random.shuffled(items.slice(0, 500)).concat(items.slice(500))
  return {
    texts: [`{"a":[${items.join()}]}`, `{"a":[${(same ? other : [...other, '{"odd":{"v":[0]}}']).join()}]}`],
    yaml: 'structural:\n  - $.a\n',
    expect: same ? 'equal' : 'different',
    why: `${size} elements of ${distinct} shapes`,
  }
}

const digits: Large = random => {
  const size = random.pick([1000, 100_000, 1_000_000])
  const base = '7'.repeat(size)
  const [first, second, equal] = random.pick([
    [base, `${base}.0`, true],
    [base, `${base.slice(0, -1)}8`, false],
    [`0.${base}`, `0.${base}0`, true],
    [`0.${'0'.repeat(size)}1`, `1e-${size + 1}`, true],
    [`1${'0'.repeat(size)}`, `1e${size}`, true],
    [`1e${'9'.repeat(size)}`, `1e${'9'.repeat(size)}`, true],
    [`1e${'9'.repeat(size)}`, `1e${'9'.repeat(size - 1)}8`, false],
    [`1e-${'9'.repeat(size)}`, '0', false],
    [`${base}e-${size}`, `${base}0e-${size + 1}`, true],
  ] as const)
  const eps = random.pick(['0', '1e-99999999', `1e-${'9'.repeat(1000)}`, '1e-2000000'])
  const yaml = random.chance(0.5) ? '' : `numeric_tolerance:\n  $.n: ${eps}\n`
  return {
    texts: [`{"n":${first}}`, `{"n":${second}}`],
    yaml,
    expect: equal ? 'equal' : yaml === '' ? 'different' : 'open',
    why: `numbers of ${size} digits`,
  }
}

const strings: Large = random => {
  const size = random.pick([10_000, 1_000_000])
  const unit = random.pick(['a', '\\u0061', '\\ud800', '\\\\', '😀', 'a@', 'a.', '1-', 'http://', '%'])
  const same = random.chance(0.5)
  const text = unit.repeat(size)
  const yaml = random.pick(['', 'structural:\n  - $.s\n', 'exact:\n  - $.s\n'])
  const expect = same ? 'equal' : yaml.startsWith('structural') ? 'open' : 'different'
  return {
    texts: [`{"s":"${text}"}`, `{"s":"${text}${same ? '' : 'x'}"}`],
    yaml,
    expect,
    why: `a string of ${size} times ${unit}`,
  }
}

/** Rules whose states multiply on the way down. */
const automata: Large = random => {
  const rules = Array.from({ length: 20 + random.int(60) }, (_, at) => {
    const tail = Array.from({ length: 2 + random.int(14) }, () => random.pick(['.*', '.*', '..a', '.b', '.a']))
    return `  - $..${at % 2 === 0 ? 'a' : 'b'}${tail.join('')}\n`
  })
  const nest = (level: number): string =>
    level === 0 ? '1' : `{"a":${nest(level - 1)},"b":${random.chance(0.3) ? nest(level - 1) : '[1,2]'}}`
  const text = nest(14)
  const expect = random.chance(0.5) ? 'equal' : 'different'
  const other = expect === 'equal' ? text : text.replace(':1,', ':2,')
  return { texts: [text, other], yaml: `exact:\n${[...new Set(rules)].join('')}`, expect, why: 'rules of many states' }
}

/** Many lines, fields, events, elements or parts; one of them may be another. */
const volumes: Large = random => {
  const size = random.pick([1000, 9000, 100_000])
  const [type, open, item, close] = random.pick<readonly [string, string, (at: number | string) => string, string]>([
    ['text/plain', '', at => `line ${at}\n`, ''],
    ['text/plain', '', at => `${Number(at) % 3 || at}\r\n`, ''],
    ['application/x-www-form-urlencoded', 'z=1', at => `&a=${at}`, ''],
    ['application/x-www-form-urlencoded', 'z=1', at => `&k${at}=1`, ''],
    ['text/event-stream', '', at => `id: ${at}\ndata: x${at}\n\n`, ''],
    ['text/event-stream', '', at => `data: x${at}\n`, '\n'],
    ['application/x-ndjson', '', at => `{"a":"${at}"}\n`, ''],
    ['application/xml', '<r>', at => `<e a="${at}"/>`, '</r>'],
    ['application/xml', '<r>', at => `<e>${at}&amp;</e>`, '</r>'],
    ['application/xml', '<r', at => ` k${at}="1"`, '/>'],
    ['multipart/mixed; boundary=b', '', at => `--b\r\n\r\n${at}\r\n`, '--b--\r\n'],
    ['application/octet-stream', '', at => `${at}\u0000`, ''],
  ])
  const same = random.chance(0.5)
  const other = random.int(size)
  const body = (marked: boolean): string =>
    open + Array.from({ length: size }, (_, at) => item(marked && at === other ? 'marker' : at)).join('') + close
  const expect = same ? 'equal' : 'different'
  return { type, texts: [body(false), body(!same)], yaml: '', expect, why: `${size} times ${item(7)}` }
}

/** XML and multipart that are made to be expensive; only an end is required. */
const bombs: Large = random => {
  const size = random.pick([1000, 100_000, 1_000_000])
  const entities = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('')
  const [type, text] = random.pick([
    ['application/xml', '<a>'.repeat(size) + '</a>'.repeat(size)],
    ['application/xml', `<!DOCTYPE a [<!ENTITY e0 "x">${entities}]><a>&e12;</a>`],
    ['application/xml', `<a ${'b="1" '.repeat(size)}/>`],
    ['application/xml', `<a>${'<![CDATA['.repeat(size)}`],
    ['application/xml', `<a>${'<!--'.repeat(size)}--></a>`],
    ['application/xml', `<a>${'&#120;'.repeat(size)}</a>`],
    ['multipart/mixed; boundary=b', `--b\r\n${'X: y\r\n'.repeat(size)}\r\n\r\n--b--`],
    ['multipart/mixed; boundary=b', '--b\r\n'.repeat(size)],
    ['multipart/mixed; boundary=b', `${'--b'.repeat(size)}`],
    [`multipart/mixed; boundary=${'b'.repeat(size)}`, 'x'],
    ['text/event-stream', ':'.repeat(size)],
    ['text/event-stream', 'data\n'.repeat(size)],
    ['application/x-www-form-urlencoded', '&'.repeat(size)],
    ['application/x-www-form-urlencoded', '%'.repeat(size)],
    ['application/x-www-form-urlencoded', 'a=1&'.repeat(size)],
    ['text/plain', '\r'.repeat(size)],
    [`text/plain; ${'a=b; '.repeat(size)}`, 'x'],
    [`text/plain; a="${'\\\\'.repeat(size)}`, 'x'],
    ['application/x-ndjson', '\n'.repeat(size)],
    ['application/x-ndjson', '[\n'.repeat(size)],
    ['application/json', '['.repeat(size)],
    ['application/json', '{"a":'.repeat(size)],
    ['application/json', '"'.repeat(size)],
    ['application/json', '\\"'.repeat(size)],
    ['application/json', `[${'"\\'.repeat(size)}`],
  ] as const)
  const texts = [text, random.chance(0.5) ? text : `${text}x`] as const
  return { type, texts, yaml: '', expect: 'open', broken: true, why: `${size} times ${text.slice(0, 20)}` }
}

const ALL: readonly Large[] = [deep, wide, long, dense, shapes, digits, strings, automata, volumes, bombs]

/** Any of the attacks by size. */
export function large(random: Random): Trial {
  const { texts, type, ...rest } = random.pick(ALL)(random)
  return { ...rest, mayGiveUp: true, golden: served(texts[0], type), actual: served(texts[1], type) }
}
