/**
 * Whether two names are of one person: compared after Unicode normalisation (NFKC), without marks that show nothing,
 * without regard to case, and with each run of spaces as one.
 */
export function samePerson(a: string, b: string): boolean {
  return folded(a) === folded(b)
}

function folded(name: string): string {
  const shown = name.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  // both ways, so that ß is ss and a final sigma is a sigma
  return shown.toUpperCase().toLowerCase().replaceAll(/\s+/g, ' ').trim()
}
