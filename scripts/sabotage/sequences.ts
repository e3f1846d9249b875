import type { Sabotage } from './sabotage.ts'

const ALIASES = 'src/core/aliases.ts'
const SEQUENCE = 'src/replay/sequence.ts'
const ADMISSION = 'src/pipeline/admission.ts'
const DIFF = 'src/core/diff.ts'
const INPUTS = 'src/contract/inputs.ts'

const TESTS: Readonly<Record<string, readonly string[]>> = {
  [ALIASES]: ['src/core/aliases.test.ts'],
  [SEQUENCE]: ['src/replay/sequence.test.ts'],
  [ADMISSION]: ['test/unbound.test.ts'],
  [DIFF]: ['src/core/aliases.test.ts'],
  [INPUTS]: ['src/contract/inputs.test.ts'],
}

function gone(name: string, file: string, from: string, to: string, tests = TESTS[file]): Sabotage {
  return { name, file, from, to, tests: tests ?? [] }
}

/** What lets bound values stand for each other, made wider or taken away. */
export const BINDINGS: readonly Sabotage[] = [
  gone('rule binding: any value of the legacy', ALIASES, 'holds(one.source, legacy, one.legacy) &&', 'true &&'),
  gone(
    'rule binding: any value of the candidate',
    ALIASES,
    'holds(one.source, candidate, one.candidate) &&',
    'true &&',
  ),
  gone('rule binding: at any place', ALIASES, 'reaches(one, step, path) &&', 'true &&'),
  gone('rule binding: before it was bound', ALIASES, 'one.step <= step &&\n      reaches', 'reaches'),
  gone('rule binding: crossed names', ALIASES, 'crossed: renamings.some(', 'crossed: false && renamings.some('),
  gone(
    'rule binding: around a location',
    ALIASES,
    "return at === -1 ? '' : `${found",
    "return at < Infinity ? '' : `${found",
  ),
  gone('rule binding: a repeat that is not there', ALIASES, 'if (candidate.nodes.length === 0) {', 'if (false) {'),
  gone('rule binding: of any form', ALIASES, 'return formatClass(x) === formatClass(y)', 'return true'),
  gone('rule binding: before any rule', ALIASES, 'const reaching = o.ruled ? [] : pairs', 'const reaching = pairs'),
  gone('rule binding: not one to one', ALIASES, '[...notOneToOne(pairs), ...notRepeated', '[...notRepeated'),
  gone('rule binding: same asks nothing', ALIASES, ', ...notRepeated(repeats)]', ']'),
  gone('rule binding: same asks the legacy nothing', ALIASES, 'unfit: unfitOf(repeats)', 'unfit: null'),
  gone('rule binding: what is given is compared', DIFF, 'if (steps[step]?.given === true || (y', 'if ((y'),
  gone('rule binding: all that is given is a case', INPUTS, 'steps.every(step => step.given === true)', 'false'),
  gone('rule binding: a link leads anywhere', 'src/core/links.ts', "url.origin !== 'http://self.invalid'", 'false', [
    'src/core/bindings.test.ts',
  ]),
  gone(
    'rule binding: the control answers whatever is asked',
    'src/pipeline/control-server.ts',
    'if (expected === undefined || expected.line !== line) {',
    'if (expected === undefined) {',
    ['src/pipeline/control-server.test.ts'],
  ),
]

/** Each place of a sequence that gives a reason, silenced. */
export const SEQUENCE_REASONS: readonly Sabotage[] = [
  gone('reason unbound: a loose reference', ADMISSION, 'if (loose !== null) {', 'if (false) {'),
  gone('reason unbound: a binding without a value', SEQUENCE, 'if (!bound.ok) return stop(', 'if (!bound.ok) void ('),
  gone('reason unmatched: a step without an answer', ADMISSION, 'if (unmatched !== null) return', 'if (false) return', [
    ...(TESTS[ADMISSION] ?? []),
  ]),
  gone('reason environment: a given step that fails', SEQUENCE, 'if (step.given && hasFailed(observed))', 'if (false)'),
  gone(
    'reason side-effects-not-allowed: a filled request',
    SEQUENCE,
    'if (input.request !== undefined && o.sends !== undefined && !o.sends(input.request)) {',
    'if (false) {',
  ),
]
