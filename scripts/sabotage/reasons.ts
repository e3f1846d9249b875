// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of the sources
import type { Reason } from '../../src/model.ts'
import { LIVE_SIDE } from './live.ts'
import { DIFF_TESTS } from './rules.ts'
import type { Sabotage } from './sabotage.ts'
import { SEQUENCE_REASONS } from './sequences.ts'

const STORE = 'src/golden/store.ts'
const CHECK = 'src/pipeline/check.ts'
const SIDE = 'src/pipeline/candidate.ts'
const ADMISSION = 'src/pipeline/admission.ts'
const CLIENT = 'src/replay/http-client.ts'
const COMMAND = 'src/replay/command-driver.ts'
const HTTP = 'src/replay/http-driver.ts'
const DIFF = 'src/core/diff.ts'
const BODIES = 'src/core/bodies.ts'
const CODINGS = 'src/core/codings.ts'
const INSTALL = 'src/lab/install.ts'
const PROCESS = 'src/lab/process-driver.ts'
const CALL = 'src/lab/call-driver.ts'
const CONFINED = 'src/lab/container/assertions.ts'
const RECORD = 'src/record/record.ts'
const SWEEP = 'src/vitest/sweep.ts'
const RUNNER = 'src/vitest/runner.ts'

const TESTS: Readonly<Record<string, readonly string[]>> = {
  [STORE]: ['src/golden/store.test.ts', 'test/faults.test.ts'],
  [CHECK]: ['test/reasons.test.ts', 'test/faults.test.ts'],
  [SIDE]: ['test/reasons.test.ts', 'test/faults.test.ts'],
  [ADMISSION]: ['test/reasons.test.ts', 'test/faults.test.ts'],
  [CLIENT]: ['src/replay/http-client.test.ts'],
  [COMMAND]: ['src/replay/driver.test.ts', 'src/replay/command-driver.test.ts'],
  [HTTP]: ['src/replay/driver.test.ts'],
  [DIFF]: DIFF_TESTS,
  [BODIES]: ['src/core/bodies.test.ts'],
  [CODINGS]: ['src/core/bodies.test.ts'],
  [INSTALL]: ['src/lab/install.test.ts'],
  [PROCESS]: ['src/lab/process-driver.test.ts'],
  [CALL]: ['src/lab/call-driver.test.ts'],
  [CONFINED]: ['src/lab/container/assertions.test.ts'],
  [RECORD]: ['src/record/record.test.ts'],
  [SWEEP]: ['test/vitest-verdicts.test.ts', 'test/vitest-crash.test.ts'],
  [RUNNER]: ['test/vitest-verdicts.test.ts'],
}

const STATE = ['test/state.test.ts']
const BLIND = ['test/blind.test.ts']

function gone(reason: Reason, file: string, what: string, from: string, to: string, tests = TESTS[file]): Sabotage {
  return { name: `reason ${reason}: ${what}`, file, from, to, tests: tests ?? [] }
}

/** Puts another reason where this one is given. */
function renamed(reason: Reason, file: string, what: string, from: string, tests = TESTS[file]): Sabotage {
  const other: Reason = reason === 'unmatched' ? 'unbound' : 'unmatched'
  return gone(reason, file, what, from, from.replace(`'${reason}'`, `'${other}'`), tests)
}

const GOLDEN: readonly Sabotage[] = [
  renamed('no-fixture', STORE, 'the file is gone', "'no-fixture',\n      entry === undefined"),
  gone('fixture-tampered', STORE, 'the id of the set', 'if (!alone.ok || setHolds()) return alone', 'return alone'),
  gone(
    'fixture-tampered',
    STORE,
    'a golden that is not listed',
    "if (entry === undefined) return fault('fixture-tampered'",
    "if (entry === undefined) return parsed\n  if (false) return fault('fixture-tampered'",
  ),
  gone('fixture-tampered', STORE, 'another id in the manifest', 'if (entry.id !== parsed.fixture.id)', 'if (false)'),
  gone('fixture-tampered', STORE, 'another input', 'if (entry.input !== parsed.fixture.input)', 'if (false)'),
  gone('fixture-tampered', STORE, 'the hash', 'if (sha256(steps) !== id)', 'if (false)'),
  gone(
    'fixture-tampered',
    STORE,
    'the bytes of a body beside it',
    'if (misfits.some(({ message }) =>',
    'if (false && misfits.some(({ message }) =>',
  ),
  renamed('fixture-tampered', STORE, 'no JSON', "return fault('fixture-tampered', `${name}.json:"),
  gone(
    'fixture-tampered',
    STORE,
    'no golden',
    "if (misfits.length > 0) return fault('fixture-tampered'",
    "if (false) return fault('fixture-tampered'",
  ),
  gone('content-missing', STORE, 'a body beside it is gone', 'if (gone) return fault(', 'if (false) return fault('),
  gone(
    'corrupt-recording',
    STORE,
    'steps that are none',
    "if (misfits.length > 0) return fault('corrupt-recording'",
    "if (false) return fault('corrupt-recording'",
  ),
  gone('fixture-stale', STORE, 'another input', 'if (read.fixture.input !== c.id)', 'if (false)'),
  gone('oracle-moved', STORE, 'another revision', 'entry.revision !== o.revision', 'false'),
  gone('fixture-expired', STORE, 'a date that is over', 'entry.expires < o.asOf', 'false'),
]

const SUITE: readonly Sabotage[] = [
  gone(
    'fixture-stale',
    ADMISSION,
    'a golden without an input',
    "recorded ? 'fixture-stale' : 'no-fixture'",
    "'no-fixture'",
  ),
  gone('no-fixture', ADMISSION, 'no such case', "recorded ? 'fixture-stale' : 'no-fixture'", "'fixture-stale'"),
  gone(
    'side-effects-not-allowed',
    ADMISSION,
    'a request that is not listed',
    'if (unlisted?.request !== undefined)',
    'if (false)',
  ),
  gone(
    'calibration-missing',
    ADMISSION,
    'no capture',
    "if (entry === undefined) return refuse('calibration-missing'",
    "if (entry === undefined) return null\n  if (false) return refuse('calibration-missing'",
  ),
  gone('calibration-expired', ADMISSION, 'an old capture', 'ageDays > maxAgeDays', 'false'),
  gone('control-unstable', ADMISSION, 'noise without a rule', 'if (uncovered.length === 0) return null', 'return null'),
  gone(
    'control-degraded',
    ADMISSION,
    'a control that answered empty',
    'if (degraded !== null) return {',
    'if (false) return {',
  ),
  gone('calibration-failed', CHECK, 'a survivor', 'if (proof.survivors.length > 0) {', 'if (false) {', BLIND),
  gone('blocked', CHECK, 'by the calibration', 'if (proof.reason !== null) return {', 'if (false) return {', BLIND),
  gone('blocked', SIDE, 'by the candidate', 'if (isCandidate && this.#down !== null) return', 'if (false) return'),
  gone(
    'blocked',
    SIDE,
    'by a candidate that is gone',
    'this.#down = this.#told(await (await this.#openedAt(target, clock)).driver.probe())',
    'void 0',
    ['test/bad-input.test.ts'],
  ),
  gone('environment', SIDE, 'a reset that fails', 'if (reset !== null) return reset', 'if (false) return reset'),
  gone('environment', SIDE, 'a reset that does nothing', 'if (left !== null) return', 'if (false) return', STATE),
  gone(
    'environment',
    SIDE,
    'a state that two workers share',
    "if (feature.contract.reset === 'none') return null",
    'if (feature.name) return null',
    ['test/lease.test.ts'],
  ),
  gone('control-unstable', RECORD, 'a reset that does nothing', 'const fault = left ?? (', 'const fault = (', STATE),
  gone(
    'no-assertion',
    'src/core/verdict.ts',
    'no dimension was compared',
    'if (o.dimensions.compared.length === 0)',
    'if (false)',
    ['src/core/verdict.test.ts'],
  ),
]

const CANDIDATE: readonly Sabotage[] = [
  gone(
    'environment',
    HTTP,
    'an instant that cannot be set',
    'if (at instanceof URL && clock !== context.clock)',
    'if (false)',
  ),
  gone(
    'candidate-unreachable',
    HTTP,
    'the probe',
    "socket.once('error', (error: NodeJS.ErrnoException) => {\n",
    "socket.once('error', (error: NodeJS.ErrnoException) => {\n    resolve(null)\n",
  ),
  renamed('candidate-unreachable', HTTP, 'no start', "fault: { reason: 'candidate-unreachable'"),
  renamed('candidate-unreachable', CLIENT, 'no connection', "return ['candidate-unreachable'"),
  renamed('timeout', CLIENT, 'no head', "return ['timeout', `${what} from"),
  renamed('timeout', CLIENT, 'no end of the body', "return ['timeout', `the body of"),
  renamed('stream-open', CLIENT, 'a stream without end', "return ['stream-open'"),
  renamed('transport', CLIENT, 'no HTTP', "if (malformed(error)) return ['transport'"),
  renamed('transport', CLIENT, 'closed before a head', "return ['transport', `the connection to"),
  renamed('over-limit', CLIENT, 'the head', "return ['over-limit', `the response head"),
  renamed('over-limit', CLIENT, 'the body', "fail('over-limit', `the body of"),
  renamed('candidate-unreachable', COMMAND, 'no such program', "return { reason: 'candidate-unreachable'"),
  renamed('timeout', COMMAND, 'a program without end', "stop('timeout'"),
  renamed('over-limit', COMMAND, 'output without end', "stop('over-limit'"),
  renamed('timeout', 'src/replay/function-driver.ts', 'a promise without end', "fault: { reason: 'timeout'", [
    'src/replay/driver.test.ts',
  ]),
]

const COMPARISON: readonly Sabotage[] = [
  gone('content-missing', DIFF, 'no steps', 'let wrong = golden.length === 0', 'let wrong = false'),
  gone('corrupt-recording', DIFF, 'it broke off', 'observed.response.broken !== undefined) {', 'false) {'),
  gone('undecodable', DIFF, 'faults of the recording', 'if (left?.fault) {', 'if (left?.fault && false) {'),
  gone(
    'over-limit',
    DIFF,
    'the body of the candidate',
    "if (right.fault.reason === 'over-limit') findings",
    'if (false) findings',
  ),
  gone('undecodable', BODIES, 'an unknown coding', "unknown: 'undecodable'", "unknown: 'corrupt-recording'"),
  gone('corrupt-recording', BODIES, 'a broken coding', "broken: 'corrupt-recording'", "broken: 'undecodable'"),
  gone('over-limit', BODIES, 'a body that grows', "'over-limit': 'over-limit'", "'over-limit': 'undecodable'"),
  gone('over-limit', CODINGS, 'too many codings', 'if (codings.length > CODINGS_MAX)', 'if (false)'),
  gone('over-limit', CODINGS, 'a body that grows without end', 'if (error instanceof RangeError)', 'if (false)'),
  gone(
    'budget',
    'src/core/findings.ts',
    'matching that costs too much',
    'overBudget(place) {\n',
    'overBudget(place) {\n          if (step >= 0) return\n',
    DIFF_TESTS,
  ),
]

const LAB: readonly Sabotage[] = [
  renamed('lab-image', INSTALL, 'another platform', "throw new LabFailure('lab-image', `lab ${lab.file.id}:"),
  renamed('lab-image', INSTALL, 'a cache that cannot be written', "throw new LabFailure('lab-image', `the lab cache"),
  renamed(
    'lab-image',
    INSTALL,
    'no registry',
    "or fill the cache on another machine'\n    return new LabFailure('lab-image'",
  ),
  renamed('lab-image', INSTALL, 'other bytes', "before changing the lock'\n    return new LabFailure('lab-image'"),
  renamed('lab-image', INSTALL, 'npm failed', "return new LabFailure('lab-image', message, 'read the log"),
  renamed('dependency-missing', INSTALL, 'no npm', "throw new LabFailure('dependency-missing'"),
  renamed('dependency-missing', PROCESS, 'no such program', "throw new LabFailure('dependency-missing'"),
  renamed('dependency-missing', CALL, 'no such program to call', "throw new LabFailure('dependency-missing'"),
  gone(
    'dependency-missing',
    CALL,
    'a program to call is never looked for',
    'if (!(await canRun(program',
    'if (false && !(await canRun(program',
  ),
  renamed('lab-boot', PROCESS, 'not ready', "return new LabFailure('lab-boot'"),
  renamed('lab-isolation', CONFINED, 'a bound that does not hold', "new LabFailure(\n    'lab-isolation'"),
  gone('lab-isolation', CONFINED, 'a bound that is never looked at', 'if (broken.length === 0) return', 'return'),
  gone(
    'side-effects-not-allowed',
    RECORD,
    'a request to record that is not listed',
    'if (request === undefined || allowedToSend',
    'if (request === undefined || true || allowedToSend',
  ),
  gone('corrupt-recording', RECORD, 'an output without JSON', 'seen.unserialisable !== undefined', 'false'),
  gone(
    'corrupt-recording',
    RECORD,
    'a response that broke off',
    'if (broken !== undefined) return',
    'if (false) return',
  ),
  gone('undecodable', RECORD, 'a body that does not decode', 'if (fault !== undefined) return { ...fault, step }', ''),
]

const RUN: readonly Sabotage[] = [
  renamed('no-assertion', RUNNER, 'nothing compared', "this.#unjudged(test, 'no-assertion'"),
  renamed('not-run', RUNNER, 'the test skipped itself', "return this.#unjudged(test, 'not-run', `the test skipped"),
  renamed('test-error', RUNNER, 'a foreign error', "return this.#unjudged(test, 'test-error'"),
  renamed(
    'test-error',
    RUNNER,
    'a hook after the verdict',
    "verdicts.push(this.#unjudged(test, 'test-error', message))",
  ),
  renamed('environment', 'src/vitest/matcher.ts', 'no live lab', "reason: 'environment'", TESTS[RUNNER]),
  renamed(
    'not-run',
    SWEEP,
    'skipped in its source',
    "if (test.meta().parityCase?.skippedInSource)\n        return { reason: 'not-run', message: 'the test is skipped in its source' }\n      const",
  ),
  renamed('test-error', SWEEP, 'an error around it', "if (around !== null) return { reason: 'test-error'"),
  gone('test-error', SWEEP, 'a file that throws', "known ? 'environment' : 'test-error'", "'environment'"),
  gone('environment', SWEEP, 'a file with a mistake', "known ? 'environment' : 'test-error'", "'test-error'", [
    'test/vitest-errors.test.ts',
  ]),
  renamed('worker-crashed', SWEEP, 'the watchdog', "if (fate.stuck !== null) return { reason: 'worker-crashed'", [
    'test/vitest-crash.test.ts',
  ]),
  renamed('worker-crashed', SWEEP, 'the worker died', "if (fate.crashed) return { reason: 'worker-crashed'", [
    'test/vitest-crash.test.ts',
  ]),
  renamed('not-run', SWEEP, 'interrupted', "if (fate.interrupted) return { reason: 'not-run'", [
    'test/vitest-crash.test.ts',
  ]),
  renamed(
    'not-run',
    SWEEP,
    'queued behind a dead worker',
    "return { reason: 'not-run', message: `${fate.path} was queued",
    ['test/vitest-crash.test.ts'],
  ),
]

/** Each place that gives a reason, silenced. */
export const REASON_PLACES: readonly Sabotage[] = [
  ...GOLDEN,
  ...SUITE,
  ...CANDIDATE,
  ...COMPARISON,
  ...LIVE_SIDE,
  ...SEQUENCE_REASONS,
  ...LAB,
  ...RUN,
]
