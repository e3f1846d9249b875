import { setTimeout as sleep } from 'node:timers/promises'

/** How long a component that did not answer is left alone before it is asked once more. */
export const SECOND_TRY_MS = 1_000

/** What the last try of a component came to, and which one that was. */
export interface Tried<T> {
  readonly value: T
  readonly tries: 1 | 2
}

/**
 * What an attempt comes to; where it failed for a reason that may pass, what a second and last one comes to,
 * `SECOND_TRY_MS` later. Cases are never tried again: a component that comes up late is no difference, an answer is.
 *
 * @throws whatever the signal was aborted with, and what the attempt throws
 */
export async function tryTwice<T>(
  attempt: () => Promise<T>,
  o: { readonly mayPass: (value: T) => boolean; readonly signal: AbortSignal },
): Promise<Tried<T>> {
  const first = await attempt()
  if (!o.mayPass(first)) return { value: first, tries: 1 }
  await sleep(SECOND_TRY_MS, undefined, { signal: o.signal }).catch(() => o.signal.throwIfAborted())
  return { value: await attempt(), tries: 2 }
}
