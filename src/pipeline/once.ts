/** Returns a function that runs `make` on its first call and gives every caller the same promise, failed or not. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
