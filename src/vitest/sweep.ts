/** What the end of a run shows of tests and files that did not bring a verdict of their own: none is left without one. */
import type { SerializedError } from 'vitest'
import type { TestCase, TestModule } from 'vitest/node'
import type { Basis, Reason, Verdict } from '../model.ts'
import { withoutFolder } from '../report/escape.ts'
import { errorLine, featureOfFile, unjudged } from './state.ts'

/** What is known of a file of the parity project when its tests are judged. */
export interface FileFate {
  readonly path: string
  readonly root: string
  readonly asOf: string
  /** A worker began with it. */
  readonly began: boolean
  /** Why the watchdog ended its worker; null when it did not. */
  readonly stuck: string | null
  readonly interrupted: boolean
  /** A worker died, and Vitest names this file. */
  readonly crashed: boolean
}

interface Fact {
  readonly reason: Reason
  readonly message: string
}

/** The one verdict of a selected test. */
export function testVerdict(test: TestCase, fate: FileFate): Verdict {
  const meta = test.meta()
  const result = test.result()
  const brought = meta.parity
  if (brought !== undefined && (brought.state !== 'PARITY' || result.state === 'passed')) return brought
  if (brought !== undefined && (meta.parityFindings ?? []).length > 0) return brought
  const fact = factOf(test, fate)
  const { feature, case: name } = meta.parityCase ?? { feature: featureOfFile(fate.path), case: test.name }
  return unjudged({ feature, case: name, basis: basisOf(test.module, feature), asOf: fate.asOf, ...fact })
}

function factOf(test: TestCase, fate: FileFate): Fact {
  const result = test.result()
  switch (result.state) {
    case 'passed':
      return { reason: 'no-assertion', message: 'the test ended without a comparison' }
    case 'failed':
      return { reason: 'test-error', message: errorLine(result.errors[0] ?? 'the test failed', fate.root) }
    case 'skipped': {
      if (test.meta().parityCase?.skippedInSource)
        return { reason: 'not-run', message: 'the test is skipped in its source' }
      const around = errorAround(test)
      if (around !== null) return { reason: 'test-error', message: errorLine(around, fate.root) }
      return { reason: 'not-run', message: fate.interrupted ? 'the run was interrupted' : 'the test was skipped' }
    }
    case 'pending':
      if (test.meta().parityCase?.skippedInSource)
        return { reason: 'not-run', message: 'the test is skipped in its source' }
      return lost(fate)
    default:
      return result satisfies never
  }
}

/** The fact about what never ended. */
function lost(fate: FileFate): Fact {
  if (fate.stuck !== null) return { reason: 'worker-crashed', message: `${fate.path}: ${fate.stuck}` }
  if (fate.crashed) return { reason: 'worker-crashed', message: `${fate.path}: the worker died while the file ran` }
  if (fate.interrupted) return { reason: 'not-run', message: 'the run was interrupted' }
  if (fate.began) return { reason: 'worker-crashed', message: `${fate.path}: the worker died while the file ran` }
  return { reason: 'not-run', message: `${fate.path} was queued and never began: its worker died before` }
}

function errorAround(test: TestCase): unknown {
  for (let parent = test.parent; ; parent = parent.parent) {
    const [error] = parent.errors()
    if (error !== undefined) return error
    if (parent.type === 'module') return null
  }
}

/** The verdict that stands for a file without tests; null for one that ended as it should, with nothing selected. */
export function fileVerdict(module: TestModule | undefined, fate: FileFate): Verdict | null {
  const verdict = (fact: Fact): Verdict =>
    unjudged({ feature: featureOfFile(fate.path), case: fate.path, basis: null, asOf: fate.asOf, ...fact })
  const state = module?.state()
  if (module === undefined || state === 'queued' || state === 'pending') return verdict(lost(fate))
  const [error] = module.errors()
  if (error === undefined && state !== 'failed') return null
  const known = error?.name === 'ParityError'
  const message = known
    ? withoutFolder(error.message, fate.root)
    : errorLine(error ?? 'the file has no test', fate.root)
  return verdict({ reason: known ? 'environment' : 'test-error', message })
}

function basisOf(module: TestModule, feature: string): Basis | null {
  return module.meta().paritySuites?.find(each => each.context.feature === feature)?.context.basis ?? null
}

/** True for an error of the pool itself: a worker that died, or that was not let finish. */
export function isPoolError(error: SerializedError): boolean {
  return /^\[vitest-pool\]|^Cancelled$/.test(String(error.message))
}

/** For each worker that died the files that it was given, in order, as Vitest names them. */
export function crashedFiles(errors: readonly SerializedError[]): string[][] {
  return errors.filter(isPoolError).map(error => {
    const cause = error.cause as { readonly message?: unknown } | undefined
    const named = /while running test files? (.+)$/m.exec(`${error.message}\n${String(cause?.message ?? '')}`)
    return named?.[1]?.split(', ').map(file => file.trim()) ?? []
  })
}
