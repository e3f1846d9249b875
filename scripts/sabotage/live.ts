import type { Sabotage } from './sabotage.ts'

const FAILED = 'src/core/failed.ts'
const CONTROL = 'src/core/live.ts'
const LIVE = 'src/pipeline/live.ts'
const LAB = 'src/pipeline/live-lab.ts'
const LAB_TESTS = ['src/pipeline/live-lab.test.ts']

/** What a live suite gives as a reason, and what two equal failures are. */
export const LIVE_SIDE: readonly Sabotage[] = [
  {
    name: 'reason both-failed: two equal failures',
    file: FAILED,
    from: "reason: 'both-failed'",
    to: "reason: 'unmatched'",
    tests: ['src/core/failed.test.ts'],
  },
  {
    name: 'reason both-failed: in a case',
    file: 'src/pipeline/compared.ts',
    from: '{ comparison: withBothFailed(comparison, { legacy, candidate, case: o.input }) }',
    to: '{ comparison }',
    tests: ['test/reasons.test.ts', 'src/pipeline/live.test.ts'],
  },
  {
    name: 'reason control-unstable: a live legacy that differs from itself',
    file: CONTROL,
    from: 'if (difference === undefined) return null',
    to: 'if (difference !== null) return null',
    tests: ['src/core/live.test.ts', 'src/pipeline/live.test.ts'],
  },
  {
    name: 'reason control-unstable: a counter that runs in step',
    file: LAB,
    from: "if (name === 'the control' &&",
    to: 'if (false &&',
    tests: ['src/pipeline/live.test.ts'],
  },
  {
    name: 'reason control-degraded: a live legacy that answers empty once',
    file: CONTROL,
    from: 'if (degraded !== null) return degraded',
    to: '',
    tests: ['src/core/live.test.ts', ...LAB_TESTS],
  },
  {
    name: 'reason calibration-failed: no mismatch seeded into what a live legacy answers',
    file: LIVE,
    from: 'await this.#prove(c, first.observation)\n',
    to: '\n',
    tests: ['src/pipeline/live.test.ts'],
  },
  {
    name: 'reason lab-boot: a live legacy that ended between two cases',
    file: LAB,
    from: 'if (crash !== null) throw this.#failure(file, name, crash)',
    to: '',
    tests: LAB_TESTS,
  },
  {
    name: 'reason blocked: by a lab that is gone',
    file: LIVE,
    from: 'this.#blocked() ?? (await this.#lab.blocked())',
    to: 'this.#blocked()',
    tests: LAB_TESTS,
  },
]
