import { SaxesParser } from 'saxes'
import type { Parsed, Representation } from './bodies.ts'
import type { Json } from './json.ts'

/** Elements of XML may stand this deep. */
export const XML_DEPTH_MAX = 1_000

interface Open {
  readonly name: string
  readonly attributes: Json
  readonly children: Json[]
  /** Text since the last child. */
  text: string
  /** White space alone is kept: `xml:space="preserve"`, here or above. */
  readonly preserve: boolean
}

/** Leaves the parser; never leaves `readXml`. */
class TooDeep extends Error {}

/**
 * The root element as `{name, attributes, children}`; children are elements, texts, and `{instruction}` as written.
 *
 * 1. Names and prefixes stand as written: no namespace is resolved. Attributes have no order.
 * 2. Text is one with the CDATA beside it, references resolved and line ends as `\n`.
 * 3. White space between elements, where an element holds elements and no other text, is indentation and left out: how
 *    much there was is a property of the representation. It is kept under `xml:space="preserve"`, in an element without
 *    elements, beside other text, and everywhere in XHTML.
 * 4. The document type and instructions outside the root stand in `prolog` of the root, as written, where there are any.
 * 5. Comments and the XML declaration are properties of the representation.
 * 6. No external entity is fetched and none that a document type declares is expanded: a reference to one makes the text
 *    not well-formed, as anything else does that XML 1.0 forbids.
 *
 * Elements more than `XML_DEPTH_MAX` deep are over the limit.
 */
export function readXml(text: string, o: { readonly keepSpace: boolean }): Parsed {
  const reading = new Reading(o.keepSpace)
  const parser = new SaxesParser({ xmlns: false, position: true } as const)
  let wrong = ''
  parser.on('error', error => {
    wrong = error.message
    throw error
  })
  parser.on('xmldecl', ({ version, encoding, standalone }) => reading.declare({ version, encoding, standalone }))
  parser.on('doctype', type => reading.prolog.push(`<!DOCTYPE${type}>`))
  parser.on('processinginstruction', ({ target, body }) => reading.instruction(`<?${`${target} ${body}`.trim()}?>`))
  parser.on('comment', comment => reading.comments.push(comment.trim()))
  parser.on('text', part => reading.text(part))
  parser.on('cdata', part => reading.text(part))
  parser.on('opentag', tag => reading.open(tag.name, tag.attributes))
  parser.on('closetag', () => reading.close())
  try {
    parser.write(text).close()
  } catch (error) {
    if (error instanceof TooDeep) return { ok: false, overLimit: `elements stand more than ${XML_DEPTH_MAX} deep` }
    if (wrong === '') throw error
    return { ok: false, why: `is not well-formed: ${wrong.replace(/\.$/, '')}` }
  }
  return reading.result()
}

class Reading {
  readonly prolog: string[] = []
  readonly comments: string[] = []
  readonly #stack: Open[] = []
  readonly #keepSpace: boolean
  #root: Json = null
  #spaces = 0
  #declaration = ''

  constructor(keepSpace: boolean) {
    this.#keepSpace = keepSpace
  }

  declare(parts: Readonly<Record<string, string | undefined>>): void {
    const given = Object.entries(parts).filter(([, value]) => value !== undefined)
    this.#declaration = given.map(([name, value]) => `${name} ${value?.toLowerCase()}`).join(', ')
  }

  instruction(written: string): void {
    const top = this.#stack.at(-1)
    if (top === undefined) this.prolog.push(written)
    else {
      flush(top)
      top.children.push({ instruction: written })
    }
  }

  text(part: string): void {
    const top = this.#stack.at(-1)
    if (top !== undefined) top.text += part
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#stack.length >= XML_DEPTH_MAX) throw new TooDeep()
    const parent = this.#stack.at(-1)
    if (parent !== undefined) flush(parent)
    const space = attributes['xml:space']
    const preserve = space === 'preserve' || (space !== 'default' && (parent?.preserve ?? this.#keepSpace))
    this.#stack.push({
      name,
      attributes: Object.fromEntries(Object.entries(attributes)),
      children: [],
      text: '',
      preserve,
    })
  }

  close(): void {
    const top = this.#stack.pop()
    if (top === undefined) return
    flush(top)
    const kept =
      top.preserve || !isIndented(top.children) ? top.children : top.children.filter(one => typeof one !== 'string')
    this.#spaces += top.children.length - kept.length
    const element = { name: top.name, attributes: top.attributes, children: kept }
    const parent = this.#stack.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
  }

  result(): Parsed {
    const note = (id: string, detail: string): Representation[] => (detail === '' ? [] : [{ id, detail }])
    const notes = [
      ...note('builtin:xml-declaration', this.#declaration),
      ...note('builtin:xml-comments', this.comments.map(comment => `<!--${comment}-->`).join(' ')),
      ...note('builtin:xml-indentation', this.#spaces === 0 ? '' : `${this.#spaces} indents`),
    ]
    const outside = this.prolog.length === 0 ? {} : { prolog: this.prolog }
    return { ok: true, value: { ...(this.#root as { readonly [name: string]: Json }), ...outside }, notes }
  }
}

function flush(open: Open): void {
  if (open.text !== '') open.children.push(open.text)
  open.text = ''
}

/** Whether elements stand among white space alone. */
export function isIndented(children: readonly Json[]): boolean {
  const texts = children.filter(child => typeof child === 'string')
  return texts.length < children.length && texts.every(text => /^[ \t\r\n]*$/.test(text))
}

/**
 * The encoding that XML in octets is in, when no media type says so: by its byte order mark, else as it declares; null
 * where it does neither. **Source** XML 1.0 appendix F.
 */
export function xmlEncoding(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return 'utf-16'
  const head = Array.from(bytes.subarray(0, 200), octet => String.fromCharCode(octet)).join('')
  return /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1] ?? null
}
