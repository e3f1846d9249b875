/**
 * The key that two texts share where MariaDB's utf8mb4_general_ci calls them equal: letters in capitals and without accents,
 * `ß` as `S`, spaces at the end left out. Its order is that of code points. Above U+FFFF every character stays itself;
 * the legacy takes all of them for one.
 */
export function collationKey(text: string): string {
  return searchKey(text.replace(/ +$/, ''))
}

/** As `collationKey`, for searching: spaces at the end count. */
export function searchKey(text: string): string {
  return Array.from(text, baseLetter).join('')
}

function baseLetter(letter: string): string {
  if (letter === 'ß') return 'S'
  const base = letter.normalize('NFD')[0] ?? letter
  const capital = letter.length > 1 ? letter : base.toUpperCase()
  return capital.length === 1 ? capital : letter
}
