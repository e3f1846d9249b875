export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string
  /** Names in lower case, values unquoted, in wire order. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/**
 * A Content-Type value, or null when it is none.
 *
 * **Source** RFC 9110 section 8.3.1.
 */
export function parseMediaType(value: string): MediaType | null {
  const [first = '', ...rest] = splitOutsideQuotes(value, ';')
  const essence = first.trim().toLowerCase()
  if (!/^[^\s/;,"]+\/[^\s/;,"]+$/.test(essence)) return null
  const parameters: [string, string][] = []
  for (const part of rest) {
    const at = part.indexOf('=')
    const name = (at === -1 ? part : part.slice(0, at)).trim().toLowerCase()
    if (name === '') continue
    parameters.push([name, at === -1 ? '' : unquoted(part.slice(at + 1).trim())])
  }
  return { essence, parameters }
}

/** The value of a parameter, the first when it is repeated; null without one. */
export function parameterOf(type: MediaType | null, name: string): string | null {
  return type?.parameters.find(([known]) => known === name)?.[1] ?? null
}

/** The parts of a field value between separators that do not stand inside a quoted string. */
export function splitOutsideQuotes(value: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let part = ''
  let quoted = false
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charAt(at)
    if (unit === '"') quoted = !quoted
    if (quoted && unit === '\\') {
      part += unit + value.charAt(at + 1)
      at += 1
    } else if (unit === separator && !quoted) {
      parts.push(part)
      part = ''
    } else part += unit
  }
  parts.push(part)
  return parts
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  return value.slice(1, -1).replace(/\\(.)/gs, '$1')
}
