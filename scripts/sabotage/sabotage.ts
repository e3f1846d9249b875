/** One small edit of the sources that takes something away, and the tests that have to notice. */
export interface Sabotage {
  /** `rule exact: …`, `mutation …`, `reason no-fixture: …` */
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
}

/** The text with the edit made; throws where the search text does not stand there exactly once. */
export function sabotaged(text: string, { name, file, from, to }: Sabotage): string {
  const found = text.split(from).length - 1
  if (found === 1) return text.replace(from, () => to)
  throw new Error(`${name}: ${file}: the search text stands there ${found} times, not once:\n${from}`)
}
