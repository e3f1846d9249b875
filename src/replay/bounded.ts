/** What a wait ended with. A rejection of the promise itself passes through. */
export type Bounded<T> = { readonly late: false; readonly value: T } | { readonly late: true }

/**
 * What `promise` resolves to, or `late` after `timeoutMs`; the promise is not stopped.
 *
 * @throws what the promise rejects with, or what `signal` was aborted with
 */
export async function bounded<T>(
  promise: PromiseLike<T>,
  o: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Bounded<T>> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<Bounded<T>>()
  const timer = setTimeout(() => resolve({ late: true }), o.timeoutMs)
  const onAbort = () => reject(o.signal?.reason)
  promise.then(value => resolve({ late: false, value }), reject)
  if (o.signal?.aborted) onAbort()
  o.signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await ended
  } finally {
    clearTimeout(timer)
    o.signal?.removeEventListener('abort', onAbort)
  }
}
