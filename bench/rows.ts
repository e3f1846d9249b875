/** A row of the table: what is promised, what was measured, and whether that holds. */

export interface Row {
  readonly name: string
  /** As it is printed: `≥ 2×`. */
  readonly bar: string
  /** Null when it could not be measured; `detail` then says why. */
  readonly met: boolean | null
  readonly measured: string
  /** What the number is made of. */
  readonly detail?: string
}

export type Direction = 'at-least' | 'at-most'

/** One ratio, or several of which the worst counts. */
export function ratioRow(o: {
  readonly name: string
  readonly direction: Direction
  readonly bar: number
  readonly ratios: Readonly<Record<string, number>>
  readonly unit?: string
}): Row {
  const { unit = '×', direction, bar } = o
  const values = Object.values(o.ratios)
  const worst = direction === 'at-least' ? Math.min(...values) : Math.max(...values)
  const detail = Object.entries(o.ratios).map(([name, ratio]) => `${name} ${shown(ratio)}${unit}`)
  return {
    name: o.name,
    bar: `${direction === 'at-least' ? '≥' : '≤'} ${bar}${unit}`,
    measured: `${shown(worst)}${unit}`,
    met: Number.isFinite(worst) && (direction === 'at-least' ? worst >= bar : worst <= bar),
    ...(detail.length > 1 ? { detail: detail.join(', ') } : {}),
  }
}

function shown(value: number): string {
  return value >= 100
    ? value.toFixed(0)
    : value >= 10
      ? value.toFixed(1)
      : value >= 0.1
        ? value.toFixed(2)
        : value.toPrecision(2)
}

export function lineOf({ name, bar, met, measured, detail }: Row): string {
  const word = met === null ? 'not measured' : met ? 'met' : 'MISSED'
  return `${word.padEnd(12)}  ${name.padEnd(66)}  ${bar.padStart(9)}  ${measured.padStart(9)}${detail === undefined ? '' : `   ${detail}`}`
}

export function totalOf(rows: readonly Row[]): string {
  const count = (met: boolean | null) => rows.filter(row => row.met === met).length
  return `${count(true)} met, ${count(false)} missed, ${count(null)} not measured`
}
