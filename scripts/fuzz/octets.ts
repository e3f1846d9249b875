/** Attacks through the octets themselves: garbled JSON, charsets, equal octets that mean different things, garbled rules. */
import { gzipSync } from 'node:zlib'
import { parseJson } from '../../src/core/json.ts'
import { parseKeeping } from '../../src/core/json-kept.ts'
import type { Body, FieldList, Observation } from '../../src/model.ts'
import { trialOf } from './documents.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import type { Random } from './random.ts'
import { yamlOf } from './rules.ts'
import { anySpelling, PLAIN, textOfTree } from './tree.ts'
import type { Trial } from './trial.ts'

function served(headers: FieldList, body: Body, status = 200): Observation {
  return [{ kind: 'response', method: 'GET', response: { status, headers, body } }]
}

const JUNK = [
  ...['00', '01', '0b', '0c', '20', '0a', '0d', '09', '22', '5c', '2c', '3a', '5b', '5d', '7b', '7d', '2d', '2b', '2e'],
  ...['30', '65', '45', '75', '2f', '27', '7f', '80', 'c0', 'ff', 'c2a0', 'efbbbf', 'eda080', 'e280a8', '5c7564383030'],
  ...['5c78', '4e614e', '74727565', '6e756c6c', '2f2a2a2f', 'f0908080', 'f4908080'],
].map(hex => Buffer.from(hex, 'hex'))

function garble(random: Random, bytes: Buffer): Buffer {
  const at = random.int(bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random.int(4)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, after.subarray(1)])
    case 2:
      return Buffer.concat([before, random.pick(JUNK), after.subarray(1)])
    default:
      return Buffer.concat([before, random.pick(JUNK), after])
  }
}

/** A byte order mark at the beginning is representation, and left out by the decoder. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

/** JSON text with a few octets wrong: what is no JSON on either side is compared as it stands. */
function garbled(random: Random): Trial {
  const text = textOfTree(anyTree(random, anyTaste(random)), anySpelling(random))
  const first = random.chance(0.7) ? garble(random, Buffer.from(text)) : Buffer.from(text)
  const second = random.chance(0.15) ? first : garble(random, random.chance(0.5) ? first : Buffer.from(text))
  const headers: FieldList = [['Content-Type', 'application/json']]
  const [one, other] = [isJson(first), isJson(second)]
  const lines = (bytes: Buffer): string =>
    bytes.toString('latin1').replaceAll(/\r\n?/g, '\n').replaceAll('\u00ef\u00bb\u00bf', '').replace(/\n$/, '')
  // Line ends and a byte order mark are representation, and an empty body is another matter.
  const apart = lines(first) !== lines(second) && first.length > 0 && second.length > 0
  const expect = first.equals(second) ? 'equal' : one && other ? 'open' : apart ? 'different' : 'open'
  return {
    golden: served(headers, { bytes: first }),
    actual: served(headers, { bytes: second }),
    yaml: '',
    expect,
    why: `garbled: ${first.toString('latin1')} | ${second.toString('latin1')}`,
  }
}

const CHARSETS = ['utf-8', 'iso-8859-1', 'windows-1252', 'utf-16le', 'utf-16be'] as const
type Charset = (typeof CHARSETS)[number]

function encoded(text: string, charset: Charset): Buffer {
  if (charset === 'utf-8') return Buffer.from(text)
  if (charset === 'utf-16le') return Buffer.from(text, 'utf16le')
  return charset === 'utf-16be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, 'latin1')
}

/** One text in two charsets is one text; the same octets in two charsets are two texts. */
function charsets(random: Random): Trial {
  const [first, second] = [random.pick(CHARSETS), random.pick(CHARSETS)]
  const text = random.pick(['é', 'naïve café', 'a\nß\n', 'Ã©', 'plain', 'ÿþ', 'aé'])
  const typed = (charset: Charset): FieldList => [['Content-Type', `text/plain; charset=${charset}`]]
  const bytes = encoded(text, first)
  const same = random.chance(0.5)
  const other = same ? encoded(text, second) : bytes
  const read = (octets: Uint8Array, charset: Charset): string => new TextDecoder(charset).decode(octets)
  return {
    golden: served(typed(first), { bytes }),
    actual: served(typed(second), { bytes: other }),
    yaml: '',
    expect: read(bytes, first) === read(other, second) ? 'equal' : 'different',
    why: `${text} as ${first}, ${same ? 'and' : 'its octets as'} ${second}`,
  }
}

/** The same octets under two headers, where they mean different documents. */
function twofold(random: Random): Trial {
  const json = '{"a":[1,2],"b":"x"}'
  const zipped = gzipSync(json)
  const type = ['Content-Type', 'application/json'] as const
  const coding = ['Content-Encoding', 'gzip'] as const
  const form = 'a=1&b=2'
  const trials: readonly Pick<Trial, 'golden' | 'actual' | 'expect' | 'why' | 'headers'>[] = [
    {
      golden: served([type], { bytes: zipped }),
      actual: served([type, coding], { bytes: zipped }),
      expect: 'different',
      why: 'gzip octets, said to be gzip on one side',
    },
    {
      golden: served([type, coding], { text: json }),
      actual: served([type, coding], { bytes: zipped }),
      expect: 'equal',
      why: 'decoded text beside the coding it came under',
    },
    {
      golden: served([type, coding], { json: { a: [1, 2], b: 'x' } }),
      actual: served([type], { bytes: Buffer.from('{"b":"x","a":[1.0,2]}') }),
      expect: 'equal',
      why: 'a decoded value beside the coding it came under',
    },
    {
      golden: served([['Content-Type', 'application/x-www-form-urlencoded']], { bytes: Buffer.from(form) }),
      actual: served([['Content-Type', 'text/plain']], { bytes: Buffer.from(form) }),
      expect: 'different',
      headers: [],
      why: 'a form and a text',
    },
    {
      golden: served([['Content-Type', 'application/x-www-form-urlencoded']], {
        form: [
          ['a', '1'],
          ['b', '2'],
        ],
      }),
      actual: served([['Content-Type', 'application/x-www-form-urlencoded']], { bytes: Buffer.from('b=2&a=%31') }),
      expect: 'equal',
      why: 'decoded fields and a form',
    },
    {
      golden: served([['Content-Type', 'text/xml']], { bytes: Buffer.from('<a/>') }),
      actual: served([['Content-Type', 'text/plain']], { bytes: Buffer.from('<a/>') }),
      expect: 'different',
      headers: [],
      why: 'XML and a text',
    },
  ]
  const trial = random.pick(trials)
  const swap = trial.expect === 'different' && random.chance(0.5)
  return { ...trial, ...(swap ? { golden: trial.actual, actual: trial.golden } : {}), yaml: '' }
}

/** A golden kept as value or text beside the headers it came with, and a candidate in coded octets. */
function kept(random: Random): Trial {
  const taste = { ...anyTaste(random), width: 2 + random.int(6) }
  const golden = anyTree(random, taste)
  const rules = rulesAround(random, golden, 3)
  const actual = random.chance(0.4) ? equalCopy(random, golden, rules) : nearCopy(random, golden, random.int(5), taste)
  const trial = trialOf({ golden, actual, rules, why: 'a kept golden against octets' })
  const coded = random.chance(0.3)
  const headers: FieldList = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ...(coded ? [['Content-Encoding', 'gzip'] as const] : []),
  ]
  // One spelling for both sides leaves long stretches of text alike.
  const spelling = random.chance(0.7) ? PLAIN : anySpelling(random)
  const octets = Buffer.from(textOfTree(golden, spelling))
  const read = random.pick([parseKeeping, parseKeeping, (bytes: Buffer) => parseJson(bytes.toString())])(octets)
  const body: Body = read.ok && random.chance(0.9) ? { json: read.value } : { text: octets.toString() }
  const bytes = Buffer.from(textOfTree(actual, spelling))
  const side: Body = { bytes: coded ? gzipSync(bytes) : bytes }
  return { ...trial, golden: served(headers, body), actual: served(headers, side) }
}

/** Rules for what stands outside the document. */
function scalars(random: Random): Trial {
  const base: FieldList = [
    ['Content-Type', 'text/plain'],
    ['Cache-Control', 'no-store'],
    ['Location', '/a'],
  ]
  const changes: readonly (readonly [string, FieldList, number])[] = [
    ['status', base, 404],
    ['header.cache-control', base.map(([name, value]) => [name, value.replace('no-store', 'private')] as const), 200],
    ['header.cache-control', base.filter(([name]) => name !== 'Cache-Control'), 200],
    ['header.location', base.map(([name, value]) => [name, value.replace('/a', '/b')] as const), 200],
    ['header.location', base.filter(([name]) => name !== 'Location'), 200],
  ]
  const [root, headers, status] = random.pick(changes)
  const named = random.pick([root, root, 'status', 'header.location', 'header.cache-control', 'header.Location'])
  const key = random.pick(['ignore', 'exact'])
  const covered = key === 'ignore' && named.toLowerCase() === root
  return {
    golden: served(base, { text: 'x' }),
    actual: served(headers, { text: 'x' }, status),
    yaml: `${key}:\n  - ${named}\n`,
    expect: covered ? 'equal' : 'different',
    why: `${root} changed under ${key} ${named}`,
  }
}

/** Tolerance files with characters out of place: compiling must end in rules or in errors. */
function yamls(random: Random): Trial {
  const tree = anyTree(random, anyTaste(random))
  const text = yamlOf(rulesAround(random, tree, 5)) || 'exact:\n  - $.a\n'
  const at = random.int(text.length)
  const junk = random.pick([
    ...[
      '',
      ' ',
      '\t',
      '\n',
      ':',
      '-',
      '&a ',
      '*a',
      '<<',
      '!!js',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '#',
      '|',
      '>',
      '%',
      '@',
    ],
    ...[
      '..',
      '$',
      '*',
      '?',
      '~',
      '\u0000',
      '\ud800',
      '\u2028',
      '---\n',
      '1e999',
      '.inf',
      '.nan',
      '0x1',
      '__proto__',
      '-1',
    ],
    ...['[?@.a]', '[1:2]', '[-1]', "['a','b']", '\ufeff', 'steps[9999999999999999999]:', '[99999999999999999999]'],
  ])
  const yaml = text.slice(0, at) + junk + text.slice(at + random.int(3))
  const body: Body = { bytes: Buffer.from(textOfTree(tree)) }
  const side = served([['Content-Type', 'application/json']], body)
  return { golden: side, actual: side, yaml, expect: 'equal', why: `tolerance ${JSON.stringify(yaml)}` }
}

export const OCTET_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = {
  garbled,
  charsets,
  twofold,
  kept,
  scalars,
  yamls,
}
