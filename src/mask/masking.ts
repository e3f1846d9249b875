import type { Case, Observation } from '../model.ts'

/** What a masked value says of how long it may be kept: payment data, personal data, a credential, which is neither. */
export type MaskClass = 'pci' | 'pii' | 'secret'

/** A place where a value was replaced; never the value. */
export interface MaskedPlace {
  /** `steps[0].request.body:$.card`, `steps[1].response.header.x-user`, `steps[0].request.path?email` */
  readonly place: string
  /** `card number`, `e-mail`, `declared`, … */
  readonly kind: string
  readonly class: MaskClass
}

export interface Masked<T> {
  readonly value: T
  /** In document order. */
  readonly places: readonly MaskedPlace[]
}

/** Two different values that got one pseudonym: the cases that hold either are quarantined. */
export interface Collision {
  readonly kind: string
  readonly places: readonly [string, string]
}

/**
 * A mask under one key, over one set of fixtures: the same value gives the same pseudonym everywhere, and what is already a
 * pseudonym, or lies in a reserved range, stays as it is. Masking twice is masking once.
 */
export interface Masker {
  /** Tables and declarations, without the key: `mask-1:3fa9c1d2`. As manifests name it. */
  readonly rules: string
  /** A short id of the key that tells nothing of it; null without a key. */
  readonly keyId: string | null
  /**
   * @throws ParityError PARITY_MASK_KEY when there is something to mask and no key
   */
  maskCase(c: Case): Masked<Case>
  maskObservation(observation: Observation): Masked<Observation>
  /** For logs, errors and messages: with a key pseudonyms, without one `{masked}`. Never throws. */
  maskText(text: string): string
  /** What a value becomes, as each kind that it can be: by this a subject is found again. */
  pseudonymsOf(value: string): readonly string[]
  collisions(): readonly Collision[]
}

/** What the independent detector found in something that is masked already. */
export interface DetectorHit {
  readonly kind: string
  readonly place: string
}

/** What a contract declares about masking; each map names a class per entry. */
export interface MaskDeclaration {
  /** Selectors as in tolerance files, in requests and responses: `$.customer.name`, `header.x-user`, `$..note`. */
  readonly fields: Readonly<Record<string, MaskClass>>
  /** Names of members, form fields, query parameters, headers and cookies, wherever they stand, in any case. */
  readonly names: Readonly<Record<string, MaskClass>>
  /** Kinds of national ids that are looked for by their shape: off unless named. */
  readonly nationalIds: readonly string[]
}
