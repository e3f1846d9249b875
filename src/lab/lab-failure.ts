import type { Reason } from '../model.ts'

export type LabReason = Extract<
  Reason,
  'lab-image' | 'lab-boot' | 'lab-isolation' | 'dependency-missing' | 'environment'
>

/** Why a lab could not be had: the reason of the verdicts that it blocks, what happened, and how to repair it. */
export class LabFailure extends Error {
  override readonly name = 'LabFailure'
  readonly reason: LabReason
  readonly remedy: string

  constructor(reason: LabReason, message: string, remedy: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.reason = reason
    this.remedy = remedy
  }
}
