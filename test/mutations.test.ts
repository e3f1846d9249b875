/** Which mutants are seeded, by hand for each key and root: `npm run sabotage` takes each away, and a row here has to miss it. */
import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { seededMutants } from '../src/core/calibrate.ts'
import type { Observation } from '../src/model.ts'
import { jsonOf, response, rulesOf } from './observations.ts'

const output = (text: string): Observation => [{ kind: 'output', output: jsonOf(text) }]
const program = (stdout: string, stderr: string): Observation => [
  { kind: 'command', exit: 0, stdout: Buffer.from(stdout), stderr },
]

function seeded(golden: Observation, tolerance: string, below: string): string[] {
  return seededMutants(golden, rulesOf(tolerance, ['content-type', 'allow']))
    .mutants.filter(({ path }) => path.startsWith(below))
    .map(({ rule, mutation, path, expect: to }) => `${to} ${mutation} at ${path} (${rule})`)
}

test.each<[string, Observation, string, string, readonly string[]]>([
  [
    'exact, a list: its length, its order and each element',
    output('{"a":["x","y"]}'),
    'exact: [$.a]',
    '$.a',
    [
      'DIVERGED member twice at $.a (exact $.a)',
      'DIVERGED dropped at $.a (exact $.a)',
      'DIVERGED nulled at $.a (exact $.a)',
      'DIVERGED element extra at $.a[2] (exact $.a)',
      'DIVERGED element dropped at $.a[1] (exact $.a)',
      'DIVERGED reordered at $.a (exact $.a)',
      'DIVERGED changed at $.a[0] (exact $.a)',
      'DIVERGED nulled at $.a[0] (exact $.a)',
      'DIVERGED changed at $.a[1] (exact $.a)',
      'DIVERGED nulled at $.a[1] (exact $.a)',
    ],
  ],
  [
    'exact, a number within an object: its value, its type and its text',
    output('{"o":{"n":1.50}}'),
    'exact: [$.o]',
    '$.o',
    [
      'DIVERGED member twice at $.o (exact $.o)',
      'DIVERGED dropped at $.o (exact $.o)',
      'DIVERGED nulled at $.o (exact $.o)',
      "DIVERGED extra member at $.o['parity-mutant'] (exact $.o)",
      'DIVERGED member twice at $.o.n (exact $.o)',
      'DIVERGED changed at $.o.n (exact $.o)',
      'DIVERGED as a string at $.o.n (exact $.o)',
      'DIVERGED number text at $.o.n (exact $.o)',
      'DIVERGED dropped at $.o.n (exact $.o)',
      'DIVERGED nulled at $.o.n (exact $.o)',
    ],
  ],
  [
    'uncovered, a list: as exact',
    output('{"a":[true,"y"]}'),
    '{}',
    '$.a',
    [
      'DIVERGED member twice at $.a (uncovered)',
      'DIVERGED dropped at $.a (uncovered)',
      'DIVERGED nulled at $.a (uncovered)',
      'DIVERGED element extra at $.a[2] (uncovered)',
      'DIVERGED element dropped at $.a[1] (uncovered)',
      'DIVERGED changed at $.a[0] (uncovered)',
      'DIVERGED nulled at $.a[0] (uncovered)',
      'DIVERGED changed at $.a[1] (uncovered)',
      'DIVERGED nulled at $.a[1] (uncovered)',
    ],
  ],
  [
    'a bound for a number, and one for what is none: that is compared by value',
    output('{"n":1,"s":"x"}'),
    'numeric_tolerance: {$.n: 0.5, $.s: 1}',
    '$.',
    [
      'DIVERGED member twice at $.n (numeric_tolerance $.n)',
      'DIVERGED past the bound at $.n (numeric_tolerance $.n)',
      'DIVERGED as a string at $.n (numeric_tolerance $.n)',
      'PARITY inside the bound at $.n (numeric_tolerance $.n)',
      'DIVERGED dropped at $.n (numeric_tolerance $.n)',
      'DIVERGED nulled at $.n (numeric_tolerance $.n)',
      'DIVERGED changed at $.s (numeric_tolerance $.s)',
      'DIVERGED dropped at $.s (numeric_tolerance $.s)',
      'DIVERGED nulled at $.s (numeric_tolerance $.s)',
    ],
  ],
  [
    'structural, an empty list: it must stay empty',
    output('{"s":[]}'),
    'structural: [$.s]',
    '$.s',
    [
      'DIVERGED member twice at $.s (structural $.s)',
      'DIVERGED dropped at $.s (structural $.s)',
      'DIVERGED nulled at $.s (structural $.s)',
      'DIVERGED filled at $.s (structural $.s)',
    ],
  ],
  [
    'an output that throws instead',
    output('1'),
    '{}',
    '$',
    [
      'DIVERGED changed at $ (uncovered)',
      'DIVERGED as a string at $ (uncovered)',
      'PARITY number text at $ (uncovered)',
      'DIVERGED nulled at $ (uncovered)',
      'DIVERGED threw at $ (uncovered)',
    ],
  ],
  [
    'an error: its name, its code, its message, and that it was thrown',
    [{ kind: 'threw', threw: { name: 'E', code: null, message: 'm' } }],
    '{}',
    '$',
    [
      'DIVERGED changed at $.threw.name (uncovered)',
      'DIVERGED changed at $.threw.code (uncovered)',
      'DIVERGED changed at $.threw.message (uncovered)',
      'DIVERGED did not throw at $ (uncovered)',
    ],
  ],
  [
    'a program that prints nothing: what it prints, and how it ends',
    program('', 'x'),
    '{}',
    '',
    ['DIVERGED changed at exit (exit)', 'DIVERGED changed at stderr (stderr)', 'DIVERGED body added at $ (uncovered)'],
  ],
  [
    'a program that prints text: another kind of it, and none',
    program('plain', ''),
    'ignore: [$.lines]',
    '$',
    // Lines of text stay lines of text: neither a member more nor an ignored value can be printed.
    ['DIVERGED another kind at $ (uncovered)', 'DIVERGED body emptied at $ (uncovered)'],
  ],
  [
    'headers: one that is changed, gone, added, and of the same form where that is asked',
    response({
      status: 204,
      headers: [
        ['Content-Type', 'image/png'],
        ['X-Day', '2026-01-01'],
      ],
    }),
    'structural: [header.x-day]',
    '',
    [
      'DIVERGED changed at status (status)',
      'DIVERGED changed at header.content-type (header.content-type)',
      'DIVERGED dropped at header.content-type (header.content-type)',
      'PARITY same form at header.x-day (structural header.x-day)',
      'DIVERGED dropped at header.x-day (structural header.x-day)',
      'DIVERGED added at header.allow (header.allow)',
    ],
  ],
  [
    'a binary body: its size and its octets',
    response({ headers: [['Content-Type', 'image/png']], body: { bytes: Uint8Array.of(1, 2, 255) } }),
    '{}',
    '$',
    [
      'DIVERGED octet added at $.sizeBytes (uncovered)',
      'DIVERGED octet flipped at $.sha256 (uncovered)',
      'DIVERGED body emptied at $ (uncovered)',
      'DIVERGED undecodable body at $ (uncovered)',
    ],
  ],
  [
    'a response without a body: that one comes up',
    response({}),
    '{}',
    '$',
    ['DIVERGED body added at $ (uncovered)', 'DIVERGED undecodable body at $ (uncovered)'],
  ],
])('%s', (_fact, golden, tolerance, below, mutants) => {
  expect(seeded(golden, tolerance, below)).toEqual(mutants)
})
