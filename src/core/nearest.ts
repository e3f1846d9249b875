/** Longer words are not compared: a guess would be of no help, and the work stays bounded. */
const WORD_LENGTH_MAX = 64

/**
 * The known word that `word` most likely meant, or null when none is close: at most one edit for every three letters
 * (insertion, removal, replacement, swap of neighbours), letter case aside. Of equally close ones the first.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > WORD_LENGTH_MAX) return null
  let best: string | null = null
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    if (candidate.length > WORD_LENGTH_MAX) continue
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase())
    if (edits >= least) continue
    least = edits
    best = candidate
  }
  return best
}

/** Optimal string alignment distance. */
function editsBetween(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a.charAt(row - 1) === b.charAt(column - 1)
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = a.charAt(row - 1) === b.charAt(column - 2) && a.charAt(row - 2) === b.charAt(column - 1)
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1)
      current.push(edits)
    }
    before = above
    above = current
  }
  return above[b.length] ?? 0
}
