import type { Sabotage } from './sabotage.ts'

const PHASES = 'src/pipeline/phases.ts'
const PHASE_TESTS = ['src/pipeline/phases.test.ts']

/** Components, single exchanges, sequences; and what foreign code is handed. */
export const PHASE_PLACES: readonly Sabotage[] = [
  {
    name: 'phases: a candidate that is tried once',
    file: 'src/pipeline/second-try.ts',
    from: 'if (!o.mayPass(first)) return',
    to: 'return',
    tests: ['src/pipeline/check.test.ts'],
  },
  {
    name: 'phases: a lab that is tried once',
    file: 'src/pipeline/live-lab.ts',
    from: "mayPass: failed => failed?.reason === 'lab-boot'",
    to: 'mayPass: () => false',
    tests: ['src/pipeline/live-lab.test.ts'],
  },
  {
    name: 'phases: sequences in any place',
    file: PHASES,
    from: "o.reset === 'case' ? inOrder.sort((a, b) => phase(a) - phase(b)) : inOrder",
    to: 'inOrder',
    tests: PHASE_TESTS,
  },
  {
    name: 'reason blocked: a sequence that stopped at a failed exchange',
    file: PHASES,
    from: 'if (fault === null || cause === undefined) return outcome',
    to: 'if (fault !== null || cause === undefined) return outcome',
    tests: PHASE_TESTS,
  },
  {
    name: 'phases: a divergence that is blocked',
    file: PHASES,
    from: 'differences.length > 0 ? null : (faults[0] ?? null)',
    to: 'faults[0] ?? null',
    tests: PHASE_TESTS,
  },
  {
    name: 'foreign code: npm with the whole environment',
    file: 'src/lab/install.ts',
    from: 'HANDED_ON.test(name) && ',
    to: '',
    tests: ['src/lab/install.test.ts'],
  },
]
