import type { Contract } from './contract.ts'
import type { Finding, LintFiles, LintInput } from './lint.ts'

/**
 * What the shape of a feature asks for beside one golden per case, as far as its files tell:
 * 1. state that is put back has a sequence that looks at it after a change;
 * 2. state that is not put back is said to be none (a note);
 * 3. a heavy feature has traffic as it came (a note);
 * 4. a pure function has invariants for property tests (a note);
 * 5. a clock that stands still moves in one case, so that a candidate without it shows (a note).
 */
export function recipeFindings(input: LintInput, files: LintFiles): readonly Finding[] {
  const { contract, cases } = input
  if (contract.tier === 'trivial' || cases.length === 0) return []
  const found: Finding[] = stateFindings(input, files)
  if (contract.tier === 'heavy' && !cases.some(({ bucket }) => bucket === 'replay')) {
    found.push({
      rule: 'recipe-replay',
      file: files.inputs,
      message: 'a heavy feature without recorded traffic: all that is tried is what somebody thought of',
      fix: `add requests as they came, masked, as ${files.inputs}/200-replay-what-it-was.json`,
    })
  }
  if (isFunction(input) && Object.keys(contract.invariants).length === 0) {
    found.push({
      rule: 'recipe-properties',
      file: files.contract,
      message: 'a function without invariants: values that nobody wrote down are never tried',
      fix: 'declare invariants, and test them beside the suite with a property-testing library',
    })
  }
  return [...found, ...clockFindings(input, files)]
}

function stateFindings({ contract, cases }: LintInput, files: LintFiles): Finding[] {
  if (contract.sends.length === 0) return []
  if (contract.reset === 'none') {
    return [
      {
        rule: 'state-kept',
        file: files.contract,
        message: `${listed(contract)} may change state, and nothing puts it back: each case starts from what the others left`,
        fix: 'write `reset: case`, unless the legacy keeps no state',
      },
    ]
  }
  if (cases.some(({ steps }) => steps.length > 1)) return []
  return [
    {
      rule: 'state-unseen',
      file: files.contract,
      message: `${listed(contract)} may change state, and no case looks at it afterwards`,
      fix: 'write a case of several steps: change something, then read it back',
    },
  ]
}

function listed({ sends }: Contract): string {
  return sends.length > 2 ? `${sends.slice(0, 2).join(', ')} and others` : sends.join(' and ')
}

function isFunction({ cases }: LintInput): boolean {
  return cases.every(({ steps }) => steps.every(({ request }) => request === undefined))
}

function clockFindings({ contract, cases, labClock = null }: LintInput, files: LintFiles): readonly Finding[] {
  if (labClock === null) return []
  const pinned = Date.parse(labClock)
  if (cases.some(({ now }) => now !== null && Date.parse(now) !== pinned)) return []
  return [
    {
      rule: 'clock-one',
      file: files.inputs,
      message: `every case runs at ${labClock}, the clock of the lab ${contract.lab}: a candidate with that instant written into it would pass`,
      fix: 'add a case with another "now"',
    },
  ]
}
