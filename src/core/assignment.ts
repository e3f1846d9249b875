/**
 * The cheapest way to give every row a column of its own: for each row its column. There are at least as many columns as
 * rows, and `cost` is finite. Rows are served in order, so that equal inputs give equal results.
 *
 * **Source** the Hungarian method with potentials, Jonker and Volgenant 1987; rows² × columns steps.
 */
export function cheapestColumns(
  rows: number,
  columns: number,
  cost: (row: number, column: number) => number,
): number[] {
  const rowPotential = new Float64Array(rows + 1)
  const columnPotential = new Float64Array(columns + 1)
  // Rows and columns count from 1; 0 stands for none.
  const rowOf = new Int32Array(columns + 1)
  const cameFrom = new Int32Array(columns + 1)
  for (let row = 1; row <= rows; row += 1) {
    const slack = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY)
    const done = new Uint8Array(columns + 1)
    let at = 0
    rowOf[0] = row
    do {
      done[at] = 1
      const from = rowOf[at] ?? 0
      let delta = Number.POSITIVE_INFINITY
      let next = 0
      for (let column = 1; column <= columns; column += 1) {
        if (done[column] === 1) continue
        const reduced = cost(from - 1, column - 1) - (rowPotential[from] ?? 0) - (columnPotential[column] ?? 0)
        if (reduced < (slack[column] ?? 0)) {
          slack[column] = reduced
          cameFrom[column] = at
        }
        if ((slack[column] ?? 0) < delta) {
          delta = slack[column] ?? 0
          next = column
        }
      }
      for (let column = 0; column <= columns; column += 1) {
        if (done[column] === 1) {
          const owner = rowOf[column] ?? 0
          rowPotential[owner] = (rowPotential[owner] ?? 0) + delta
          columnPotential[column] = (columnPotential[column] ?? 0) - delta
        } else slack[column] = (slack[column] ?? 0) - delta
      }
      at = next
    } while (rowOf[at] !== 0)
    while (at !== 0) {
      const before = cameFrom[at] ?? 0
      rowOf[at] = rowOf[before] ?? 0
      at = before
    }
  }
  const result = Array.from({ length: rows }, () => 0)
  for (let column = 1; column <= columns; column += 1) {
    const row = rowOf[column] ?? 0
    if (row > 0) result[row - 1] = column - 1
  }
  return result
}
