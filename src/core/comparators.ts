import type { DocumentKind } from './bodies.ts'
import { isBound, seedBindings } from './mutants-bindings.ts'
import { seedBinary, seedEvents, seedForm, seedKind, seedMultipart, seedPlain, seedXml } from './mutants-body.ts'
import { type Seed, type StepMutant, seedError, seedExit, seedHeaders, seedStatus, seedStderr } from './mutants-step.ts'

/** What compares one part of an observation: a root that is no document, or one kind of document. */
export type ComparatorName = DocumentKind | 'status' | 'headers' | 'exit' | 'stderr' | 'threw' | 'bindings'

export interface Comparator {
  /** The mutants that it must catch, and those that it must let pass. */
  mutants(seed: Seed): StepMutant[]
}

/**
 * All comparators. None can be registered without its mutants: a kind of document that is added to `DocumentKind` does not
 * type-check before it has an entry here, and an entry is its mutants.
 */
export type Comparators = Readonly<Record<ComparatorName, Comparator>>

export const COMPARATORS: Comparators = {
  status: { mutants: seedStatus },
  headers: { mutants: seedHeaders },
  exit: { mutants: seedExit },
  stderr: { mutants: seedStderr },
  json: { mutants: seedPlain },
  ndjson: { mutants: seedPlain },
  text: { mutants: seedPlain },
  form: { mutants: seedForm },
  multipart: { mutants: seedMultipart },
  sse: { mutants: seedEvents },
  xml: { mutants: seedXml },
  binary: { mutants: seed => [...seedBinary(seed), ...seedKind(seed)] },
  empty: { mutants: seedKind },
  threw: { mutants: seedError },
  bindings: { mutants: seedBindings },
}

export interface NamedMutant extends StepMutant {
  readonly comparator: ComparatorName
}

/** The mutants of one step: of its status, headers, exit code and standard error, of its document, and of how it ended. */
export function stepMutants(seed: Seed): NamedMutant[] {
  const names: readonly ComparatorName[] = [
    'status',
    'headers',
    'exit',
    'stderr',
    seed.document.kind,
    'threw',
    'bindings',
  ]
  return names.flatMap(comparator =>
    COMPARATORS[comparator]
      .mutants(seed)
      .flatMap(mutant => (comparator !== 'bindings' && isBound(seed, mutant) ? [] : [{ ...mutant, comparator }])),
  )
}
