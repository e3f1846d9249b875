import { childAt } from './edits.ts'
import { isObject, type Json, membersOf } from './json.ts'
import { isIndented, XML_DEPTH_MAX } from './xml.ts'

const NAME_START =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}'
const NAME = new RegExp(`^[${NAME_START}][${NAME_START}\\-.0-9\\u{B7}]*$`, 'u')
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u
const DOCTYPE = /^<!DOCTYPE\s[^[\]<>]*>$/
const INSTRUCTION = /^<\?(?!xml[\s?])[A-Za-z_][\w.-]*(?: \S[^?\r]*)?\?>$/i

/** Texts of elements that were written before: a changed document shares the rest with the one it was made of. */
export type Written = WeakMap<object, string>

/** A text that `readXml` reads as this value; null where none is. */
export function writeXml(value: Json, o: { readonly keepSpace: boolean; readonly known?: Written }): string | null {
  if (!isObject(value)) return null
  const prolog = childAt(value, 'prolog')
  const outside = prolog === undefined ? [] : Array.isArray(prolog) && prolog.length > 0 ? prologOf(prolog) : null
  if (outside === null || membersOf(value).length !== (prolog === undefined ? 3 : 4)) return null
  const element =
    prolog === undefined ? value : Object.fromEntries(membersOf(value).filter(([name]) => name !== 'prolog'))
  const root = writeElement(element, { preserve: o.keepSpace, depth: 1, known: o.known ?? new WeakMap() })
  return root === null ? null : [...outside, root].join('\n')
}

function prologOf(prolog: readonly Json[]): string[] | null {
  const parts: string[] = []
  for (const part of prolog) {
    if (typeof part !== 'string') return null
    if (!INSTRUCTION.test(part) && (!DOCTYPE.test(part) || parts.some(one => DOCTYPE.test(one)))) return null
    if (part.endsWith(' ?>')) return null
    parts.push(part)
  }
  return parts
}

interface Writing {
  readonly preserve: boolean
  readonly depth: number
  readonly known: Written
}

function writeElement(value: Json, o: Writing): string | null {
  if (!isObject(value) || membersOf(value).length !== 3 || o.depth > XML_DEPTH_MAX) return null
  const before = o.known.get(value)
  if (before !== undefined) return before
  const [name, attributes, children] = ['name', 'attributes', 'children'].map(one => childAt(value, one))
  if (typeof name !== 'string' || !NAME.test(name) || !Array.isArray(children)) return null
  const written = writeAttributes(attributes)
  if (written === null) return null
  const space = attributes === undefined ? undefined : childAt(attributes, 'xml:space')
  const preserve = space === 'preserve' || (space !== 'default' && o.preserve)
  // White space that would be taken for indentation cannot be shown.
  if (!preserve && isIndented(children) && children.some(child => typeof child === 'string')) return null
  const content = writeChildren(children, { ...o, preserve, depth: o.depth + 1 })
  if (content === null) return null
  const text = content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
  o.known.set(value, text)
  return text
}

function writeAttributes(attributes: Json | undefined): string | null {
  if (attributes === undefined || !isObject(attributes)) return null
  const seen = new Set<string>()
  let text = ''
  for (const [name, value] of membersOf(attributes)) {
    if (!NAME.test(name) || seen.has(name) || typeof value !== 'string' || FORBIDDEN.test(value)) return null
    seen.add(name)
    text += ` ${name}="${escaped(value).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')}"`
  }
  return text
}

function writeChildren(children: readonly Json[], o: Writing): string | null {
  let content = ''
  let afterText = false
  for (const child of children) {
    if (typeof child === 'string') {
      if (child === '' || afterText || FORBIDDEN.test(child)) return null
      content += escaped(child)
    } else {
      const instruction = isObject(child) ? childAt(child, 'instruction') : undefined
      const part = instruction === undefined ? writeElement(child, o) : instructionOf(child, instruction)
      if (part === null) return null
      content += part
    }
    afterText = typeof child === 'string'
  }
  return content
}

function instructionOf(holder: Json, instruction: Json): string | null {
  const alone = isObject(holder) && membersOf(holder).length === 1
  const fits = typeof instruction === 'string' && INSTRUCTION.test(instruction) && !instruction.endsWith(' ?>')
  return alone && fits ? instruction : null
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')
}
