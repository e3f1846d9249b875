import type { Representation } from './bodies.ts'

/** What differs in representation; a body that is not what its type says is told even when both are. */
export function representations(left: readonly Representation[], right: readonly Representation[]): Representation[] {
  if (left.length === 0 && right.length === 0) return []
  const ids = new Set([...left, ...right].map(({ id }) => id))
  return [...ids].flatMap(id => {
    const [x, y] = [left, right].map(side => side.find(note => note.id === id)?.detail)
    if (x !== y) return [{ id, detail: `${x ?? 'not so'}/${y ?? 'not so'}` }]
    return id === 'builtin:content-type' && x !== undefined ? [{ id, detail: x }] : []
  })
}
