import { describe, expect, test } from 'vitest'
import { response, rulesOf } from '../../test/observations.ts'
import type { Bucket, Observation } from '../model.ts'
import { compare } from './diff.ts'
import { withBothFailed } from './failed.ts'

const status = (code: number, text = 'down'): Observation => response({ status: code, body: { text } })
const threw = (name: string): Observation => [{ kind: 'threw', threw: { name, code: null, message: 'down' } }]
const exit = (code: number): Observation => [{ kind: 'command', exit: code, stdout: new Uint8Array(0), stderr: 'down' }]

/** What stands beside the comparison of two sides: the messages of its faults. */
function faultsOf(
  legacy: Observation,
  candidate: Observation,
  o: { readonly bucket?: Bucket; readonly covers?: readonly string[]; readonly given?: boolean } = {},
): string[] {
  const comparison = compare(legacy, candidate, rulesOf('{}'))
  const { bucket = 'happy', covers = [], given = false } = o
  const judged = withBothFailed(comparison, { legacy, candidate, case: { bucket, covers, steps: [{ given }] } })
  expect({ ...judged, faults: [] }).toEqual({ ...comparison, faults: [] })
  return judged.faults.map(({ reason, step, message }) => `${reason} ${step} ${message}`)
}

const told = (how: string) =>
  `both-failed 0 the legacy and the candidate both failed (${how}) where the case expects success`

describe('two equal failures where success is expected are both-failed', () => {
  test.each<[string, Observation, string]>([
    ['an internal error', status(500), 'status 500'],
    ['a gateway that waited too long', status(504), 'status 504'],
    ['a thrown error', threw('TypeError'), 'threw TypeError'],
    ['an exit code', exit(1), 'exit 1'],
  ])('%s', (_what, failed, how) => {
    expect(faultsOf(failed, failed)).toEqual([told(how)])
  })

  test.each<[string, Observation, Observation]>([
    ['the client was refused', status(499), status(499)],
    ['both succeed', status(200), status(200)],
    ['the program ends well', exit(0), exit(0)],
    ['the failures differ, which is a difference', status(500, 'a'), status(500, 'b')],
    ['only the candidate fails', status(200), status(500)],
    ['only the legacy fails', status(500), status(200)],
    ['another error is thrown', threw('TypeError'), threw('RangeError')],
  ])('and not where %s', (_what, legacy, candidate) => {
    expect(faultsOf(legacy, candidate)).toEqual([])
  })

  test('the step is named, and one that only builds the starting state does not count', () => {
    const legacy = [...status(200), ...status(503)]
    const comparison = compare(legacy, legacy, rulesOf('{}'))
    const steps = [{}, { given: true }]
    const of = (given: boolean) => ({
      legacy,
      candidate: legacy,
      case: { bucket: 'happy' as const, covers: [], steps: given ? steps : [] },
    })
    expect(withBothFailed(comparison, of(false)).faults).toMatchObject([{ reason: 'both-failed', step: 1 }])
    expect(withBothFailed(comparison, of(true)).faults).toEqual([])
  })

  test('what a recording faults already stays first', () => {
    const legacy = response({ status: 500, body: { text: 'x' }, broken: 'it broke off' })
    expect(faultsOf(legacy, legacy)[0]).toMatch(/^corrupt-recording/)
  })
})

describe('success is expected', () => {
  test.each<[string, Bucket, readonly string[], boolean]>([
    ['of a happy case, whatever it covers', 'happy', ['errors.down'], true],
    ['of a rule', 'rule', ['rules.RULE-001'], true],
    ['of a replayed case that covers nothing', 'replay', [], true],
    ['of an edge that covers an output alone', 'edge', ['outputs.convert'], true],
    ['of no error case', 'error', [], false],
    ['not of an edge that covers an error', 'edge', ['outputs.convert', 'errors.down'], false],
    ['not of an edge of the contract', 'edge', ['edges.oversize'], false],
    ['not of a rule that covers a bug of the legacy', 'rule', ['legacyBugs.BUG-1'], false],
    ['not of a replayed error', 'replay', ['errors.down'], false],
  ])('%s', (_what, bucket, covers, expected) => {
    expect(faultsOf(status(500), status(500), { bucket, covers })).toHaveLength(expected ? 1 : 0)
  })
})
