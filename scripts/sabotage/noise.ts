import type { Sabotage } from './sabotage.ts'

const PROPOSALS = 'src/core/proposals.ts'
const EVIDENCE = 'src/core/evidence.ts'
const VOLATILE = 'src/core/volatile.ts'
const LINT = 'src/contract/lint-evidence.ts'
const FUNCTION = 'src/replay/function-driver.ts'
const PLUGIN = 'src/vitest/plugin.ts'
const SURROUNDINGS = ['test/surroundings.test.ts']

/** What keeps rules from hiding more than noise, and a run in the surroundings of the legacy. */
export const NOISE_SIDE: readonly Sabotage[] = [
  {
    name: 'noise: a rule that hides stable fields is proposed',
    file: PROPOSALS,
    from: 'else if (stable.length > 0) refused.set',
    to: 'else if (stable.length < 0) refused.set',
    tests: ['src/core/proposals.test.ts'],
  },
  {
    name: 'noise: a rule over a whole body is proposed',
    file: PROPOSALS,
    from: "const code = isRoot ? 'whole-body' : null",
    to: 'const code = null',
    tests: ['src/core/proposals.test.ts'],
  },
  {
    name: 'noise: one token tells the kind',
    file: VOLATILE,
    from: 'test(a) && test(b)\n',
    to: 'test(a)\n',
    tests: ['src/core/volatile.test.ts'],
  },
  {
    name: 'noise: what lies below a noisy scalar is noisy',
    file: EVIDENCE,
    from: '(isWhole && isWithin(place, path))',
    to: 'isWithin(place, path)',
    tests: ['src/core/proposals.test.ts'],
  },
  {
    name: 'noise: evidence of the control is believed',
    file: LINT,
    from: 'if (stable.length === 0) return []',
    to: 'if (stable.length >= 0) return []',
    tests: ['src/contract/lint-evidence.test.ts'],
  },
  {
    name: 'surroundings: a function runs anywhere',
    file: FUNCTION,
    from: 'if (elsewhere !== null) return {',
    to: 'if (false) return {',
    tests: SURROUNDINGS,
  },
  {
    name: 'surroundings: the zone of the machine stays',
    file: FUNCTION,
    from: '  enterZone(tz)\n  return surroundingsFault',
    to: '  return surroundingsFault',
    tests: SURROUNDINGS,
  },
  {
    name: 'surroundings: a service starts in the zone of the machine',
    file: 'src/replay/driver.ts',
    from: "spec?.kind === 'http') enterZone(context.tz)",
    to: 'false) enterZone(context.tz)',
    tests: ['test/rows-e.test.ts'],
  },
  {
    name: 'surroundings: workers start in the language of the machine',
    file: PLUGIN,
    from: '  pinSurroundings(project)\n',
    to: '',
    tests: SURROUNDINGS,
  },
]
