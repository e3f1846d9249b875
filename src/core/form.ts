import type { FieldList } from '../model.ts'
import type { Parsed } from './bodies.ts'
import { type Json, MemberList } from './json.ts'

/** A form as `{name: [values]}`, names by first appearance. */
export function readForm(text: string): Parsed {
  const fields = parseForm(text)
  return fields === null ? { ok: false, why: 'is no form' } : { ok: true, value: formDocument(fields), notes: [] }
}

/** The fields of a form; null when an escape is not UTF-8, so that no two forms are read as one. Source: WHATWG URL, urlencoded parsing. */
function parseForm(text: string): FieldList | null {
  const fields: [string, string][] = []
  try {
    for (const part of text.split('&')) {
      if (part === '') continue
      const at = part.indexOf('=')
      fields.push([unescaped(at === -1 ? part : part.slice(0, at)), at === -1 ? '' : unescaped(part.slice(at + 1))])
    }
  } catch {
    return null
  }
  return fields
}

function unescaped(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** The values of fields by name. */
export function formDocument(fields: FieldList): Json {
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const members = [...values]
  return members.some(([name]) => /^\d+$/.test(name)) ? new MemberList(members) : Object.fromEntries(members)
}
