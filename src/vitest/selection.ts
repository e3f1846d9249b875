import type { TestCase, Vitest } from 'vitest/node'
import { ParityError } from '../errors.ts'
import { PROJECT_NAME } from './state.ts'

/** Asked for by name on the command line or in the configuration, as `parity`, `par*` or `*`; `!…` only takes away. */
export function isSelected(patterns: readonly string[] | undefined): boolean {
  return (patterns ?? []).some(pattern => {
    if (pattern.startsWith('!')) return false
    const source = pattern.split('*').map(each => each.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${source.join('.*')}$`, 'i').test(PROJECT_NAME)
  })
}

/**
 * A name pattern as people write it, `feature case`, also where Vitest joins names with ` > `:
 * every space outside a character class matches either.
 */
export function widenPattern(pattern: RegExp): RegExp {
  let source = ''
  let inClass = false
  for (let at = 0; at < pattern.source.length; at++) {
    const char = pattern.source[at] ?? ''
    if (char === '\\') {
      source += char + (pattern.source[++at] ?? '')
      continue
    }
    if (char === '[') inClass = true
    if (char === ']') inClass = false
    source += char === ' ' && !inClass ? '(?: > | )' : char
  }
  return new RegExp(source, pattern.flags)
}

/**
 * True for a test that counts: one that runs, and one that its source skips although the filters leave it.
 * `pattern` is the one of `-t`, widened; null when there is none.
 */
export function isSelectedCase(test: TestCase, pattern: RegExp | null): boolean {
  const meta = test.meta()
  const mark = meta.parityCase
  if (meta.parityGate !== undefined || mark === undefined) return false
  if (mark.selected === true || meta.parity !== undefined || test.options.mode === 'run') return true
  if (!mark.skippedInSource) return false
  if (pattern !== null && !pattern.test(test.fullName)) return false
  const onlySome = [...test.module.children.allTests()].some(each => each.meta().parityCase?.onlyInSource === true)
  return !onlySome || mark.onlyInSource
}

/**
 * Refuses `vitest -u` for a run that asks for parity; the process will exit with 2.
 *
 * @throws ParityError PARITY_UPDATE_REFUSED
 */
export function refuseUpdate(vitest: Vitest): void {
  if (vitest.config.snapshotOptions.updateSnapshot !== 'all') return
  // Vitest sets 1 for an error at the start
  process.once('exit', () => {
    process.exitCode = 2
  })
  throw new ParityError(
    'PARITY_UPDATE_REFUSED',
    'vitest -u would accept whatever the candidate answers: goldens are never written by a test run',
    'record from the legacy (npx vitest-parity record <feature>), or accept one case (npx vitest-parity accept <feature> <case>)',
  )
}
