/** Tokens of JSON in octets: where they end. Every function is total: an index beyond the end reads as no octet. */

export const QUOTE = 0x22
export const COMMA = 0x2c
const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
export const COLON = 0x3a
const UPPER_E = 0x45
export const ARRAY_OPEN = 0x5b
export const BACKSLASH = 0x5c
export const ARRAY_CLOSE = 0x5d
const LOWER_E = 0x65
const LOWER_U = 0x75
export const OBJECT_OPEN = 0x7b
export const OBJECT_CLOSE = 0x7d

/** The index of the first octet from `at` that is no JSON whitespace. */
export function skipSpace(octets: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const octet = octets[next]
    if (octet !== 0x20 && octet !== 0x0a && octet !== 0x0d && octet !== 0x09) return next
    next += 1
  }
}

/** Whether a number may begin with this octet. */
export function beginsNumber(octet: number | undefined): boolean {
  return octet !== undefined && (octet === MINUS || (octet >= ZERO && octet <= NINE))
}

/** Whether an octet stands only inside numbers, so that a number before it would go on. */
export function continuesNumber(octet: number | undefined): boolean {
  if (octet === undefined) return false
  if (octet >= ZERO) return octet <= NINE || octet === LOWER_E || octet === UPPER_E
  return octet === DOT || octet === MINUS || octet === PLUS
}

/** The index after the number that begins at `at`; -1 when it is none. **Source** RFC 8259 section 6. */
export function endOfNumber(octets: Uint8Array, at: number): number {
  let next = octets[at] === MINUS ? at + 1 : at
  if (octets[next] === ZERO) next += 1
  else {
    const digits = next
    next = endOfDigits(octets, next)
    if (next === digits) return -1
  }
  if (octets[next] === DOT) {
    const digits = next + 1
    next = endOfDigits(octets, digits)
    if (next === digits) return -1
  }
  if (octets[next] === LOWER_E || octets[next] === UPPER_E) {
    next += 1
    if (octets[next] === PLUS || octets[next] === MINUS) next += 1
    const digits = next
    next = endOfDigits(octets, digits)
    if (next === digits) return -1
  }
  return continuesNumber(octets[next]) ? -1 : next
}

function endOfDigits(octets: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const octet = octets[next]
    if (octet === undefined || octet < ZERO || octet > NINE) return next
    next += 1
  }
}

/** The length of the escape whose backslash stands at `at`; 0 when it is none. */
export function escapeLength(octets: Uint8Array, at: number): number {
  const letter = octets[at + 1]
  if (letter !== LOWER_U) return letter !== undefined && ESCAPED.includes(letter) ? 2 : 0
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    if (!isHex(octets[digit])) return 0
  }
  return 6
}

/** `"` `\` `/` `b` `f` `n` `r` `t` */
const ESCAPED: readonly number[] = [0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]

function isHex(octet: number | undefined): boolean {
  if (octet === undefined) return false
  const lower = octet | 0x20
  return (octet >= ZERO && octet <= NINE) || (lower >= 0x61 && lower <= 0x66)
}

/** The words that JSON has for values, by their first octet. */
const WORDS: Readonly<Record<number, readonly number[]>> = {
  116: [0x74, 0x72, 0x75, 0x65],
  102: [0x66, 0x61, 0x6c, 0x73, 0x65],
  110: [0x6e, 0x75, 0x6c, 0x6c],
}

/** The index after `true`, `false` or `null`; -1 when none of them begins at `at`. */
export function endOfWord(octets: Uint8Array, at: number): number {
  const word = WORDS[octets[at] ?? 0]
  if (word === undefined) return -1
  for (let letter = 1; letter < word.length; letter += 1) {
    if (octets[at + letter] !== word[letter]) return -1
  }
  return at + word.length
}

/**
 * The index after the value that begins at `at`, if it is one; else some index from which no value is read. What it
 * spans has yet to be parsed: only strings and brackets are looked at.
 */
export function endOfValue(octets: Uint8Array, at: number): number {
  let depth = 0
  let next = at
  while (next < octets.length) {
    const octet = octets[next]
    if (octet === QUOTE) next = endOfString(octets, next)
    else if (octet === OBJECT_OPEN || octet === ARRAY_OPEN) {
      depth += 1
      next += 1
      continue
    } else if (octet === OBJECT_CLOSE || octet === ARRAY_CLOSE) {
      if (depth === 0) return next
      depth -= 1
      next += 1
    } else if (isDelimiter(octet)) {
      if (depth === 0) return next
      next += 1
      continue
    } else {
      next += 1
      while (next < octets.length && !isDelimiter(octets[next]) && !isBracket(octets[next])) next += 1
    }
    if (depth === 0) return next
  }
  return next
}

function isDelimiter(octet: number | undefined): boolean {
  return octet === COMMA || octet === COLON || (octet !== undefined && octet <= 0x20)
}

function isBracket(octet: number | undefined): boolean {
  return octet === OBJECT_OPEN || octet === ARRAY_OPEN || octet === OBJECT_CLOSE || octet === ARRAY_CLOSE
}

function endOfString(octets: Uint8Array, at: number): number {
  for (let next = at + 1; next < octets.length; next += 1) {
    if (octets[next] === QUOTE) return next + 1
    if (octets[next] === BACKSLASH) next += 1
  }
  return octets.length
}
