/**
 * Text to text over valid JSON: whitespace changes, tokens never do. On text that is not JSON the result is of no use,
 * but nothing throws and nothing hangs.
 */

/** Indentation stops growing here, so that a million levels stay linear in size. */
const INDENTED_LEVELS_MAX = 100

/** The end of the token that starts at `at`: a whole string, one structural unit, or a run of anything else. */
function tokenEnd(text: string, at: number): number {
  if (text.charAt(at) === '"') {
    for (let end = at + 1; end < text.length; end += 1) {
      const unit = text.charCodeAt(end)
      if (unit === 0x5c) end += 1
      else if (unit === 0x22) return end + 1
    }
    return text.length
  }
  if ('[]{},:'.includes(text.charAt(at))) return at + 1
  let end = at + 1
  while (end < text.length && !'[]{},:" \t\n\r'.includes(text.charAt(end))) end += 1
  return end
}

function* tokens(text: string, from = 0): Generator<{ readonly token: string; readonly at: number }> {
  let at = from
  while (at < text.length) {
    if (' \t\n\r'.includes(text.charAt(at))) {
      at += 1
      continue
    }
    const end = tokenEnd(text, at)
    yield { token: text.slice(at, end), at }
    at = end
  }
}

/** The JSON text without whitespace outside strings, every token as written: what ids are taken of. */
export function compactJson(text: string): string {
  let out = ''
  // Where what is not yet copied begins.
  let from = 0
  let at = 0
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = tokenEnd(text, at)
    else if (!isSpace(unit)) at += 1
    else {
      out += text.slice(from, at)
      while (isSpace(text.charCodeAt(at))) at += 1
      from = at
    }
  }
  return from === 0 ? text : out + text.slice(from)
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

/** A list of scalars up to this many characters stands on one line. */
const ONE_LINE_MAX = 100

/** The list of scalars that begins at `at`, on one line, and where it ends; null when it is long, or holds more than scalars. */
function shortList(text: string, at: number): { readonly line: string; readonly end: number } | null {
  let line = '['
  for (const { token, at: start } of tokens(text, at + 1)) {
    if (token === ']') return { line: `${line}]`, end: start + 1 }
    if ('[{}:'.includes(token)) return null
    line += token === ',' ? ', ' : token
    if (line.length > ONE_LINE_MAX) return null
  }
  return null
}

/** The JSON text with one element or member a line, a short list of scalars on one, every token as written; no newline at the end. */
export function prettyJson(text: string, indent = 2): string {
  const breaks: string[] = []
  const lineBreak = (depth: number): string => {
    const level = Math.min(depth, INDENTED_LEVELS_MAX)
    breaks[level] ??= `\n${' '.repeat(level * indent)}`
    return breaks[level]
  }
  let out = ''
  let depth = 0
  let opened = false
  let written = 0
  for (const { token, at } of tokens(text)) {
    if (at < written) continue
    if (token === ']' || token === '}') {
      depth -= 1
      out += opened ? token : lineBreak(Math.max(depth, 0)) + token
      opened = false
      continue
    }
    if (opened) out += lineBreak(depth)
    const list = token === '[' ? shortList(text, at) : null
    if (list !== null) {
      out += list.line
      written = list.end
      opened = false
      continue
    }
    opened = token === '[' || token === '{'
    if (opened) depth += 1
    out += token
    if (token === ',') out += lineBreak(depth)
    else if (token === ':') out += ' '
  }
  return out
}

/**
 * The text of a member of the top-level object, as written. Null when the text is no object, or has no such member, or
 * more than one.
 */
export function memberText(text: string, name: string): string | null {
  let depth = 0
  let start = -1
  let end = -1
  let matched = false
  let found: string | null = null
  let previous = ''
  for (const { token, at } of tokens(text)) {
    if (depth === 0 && token !== '{') return null
    const ends = depth === 1 && (token === ',' || token === '}')
    if (ends && matched) {
      if (found !== null) return null
      found = text.slice(start, end)
    }
    if (ends) matched = false
    else if (depth === 1 && token === ':') {
      matched = spells(previous, name)
      start = -1
    } else if (start === -1) start = at
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    if (depth === 0) return found
    previous = token
    end = at + token.length
  }
  return null
}

function spells(token: string, name: string): boolean {
  if (!token.includes('\\')) return token === `"${name}"`
  try {
    return JSON.parse(token) === name
  } catch {
    return false
  }
}
